package plan

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/strict"
)

// argument is an argument of an invocation in a list.
type argument struct {
	api.FunctionArgument
	parameter string // the name of its parameter, given or derived from the order
	at        gaby.Position
}

// arguments reads arguments by name, or a list of them.
func (r *listReader) arguments(s api.FunctionSignature, v strict.Value) []argument {
	switch {
	case !v.Exists():
		return nil
	case v.Kind() == gaby.Map:
		return r.namedArguments(s, v)
	case v.Kind() != gaby.List:
		v.Must("a map or a list", "")
		return nil
	}
	var args []argument
	for item := range v.List() {
		a, ok := r.listedArgument(s, item)
		a.parameter = a.ParameterName
		switch i := handler.ParameterIndex(s.Parameters, a.ParameterName); {
		case i >= 0:
			a.parameter = s.Parameters[i].ParameterName
		case a.ParameterName == "" && len(s.Parameters) > 0:
			a.parameter = s.Parameters[min(len(args), len(s.Parameters)-1)].ParameterName
		}
		if ok {
			args = append(args, a)
		}
	}
	return args
}

// namedArguments reads {parameter: value}. A parameter that may be repeated takes a list.
func (r *listReader) namedArguments(s api.FunctionSignature, v strict.Value) []argument {
	var args []argument
	for item := range v.Map() {
		name := item.Key()
		i := handler.ParameterIndex(s.Parameters, name)
		if i < 0 {
			item.FailKey(parameterHint(s, name), "unknown parameter %q", name).Of(parameterNames(s))
			continue
		}
		values := []strict.Value{item}
		if item.Kind() == gaby.List && s.VarArgs && i == len(s.Parameters)-1 {
			values = slices.Collect(item.List())
		}
		for _, value := range values {
			if a, ok := r.value(value, s.Parameters[i]); ok {
				a.ParameterName, a.parameter = name, s.Parameters[i].ParameterName
				args = append(args, a)
			}
		}
	}
	return args
}

// parameterHint returns a hint at the parameter that was probably meant.
func parameterHint(s api.FunctionSignature, name string) string {
	names := parameterNames(s).Names
	if hint := configkit.DidYouMean("", configkit.Suggest(name, names)); hint != "" ||
		len(names) == 0 {
		return hint
	}
	return "the parameters are " + strings.Join(names, ", ")
}

// listedArgument reads an item of a list: a value, or an argument in the form that programs write.
func (r *listReader) listedArgument(s api.FunctionSignature, v strict.Value) (argument, bool) {
	if v.Kind() != gaby.Map {
		return r.value(v, api.FunctionParameter{})
	}
	if first := v.First(); hasParameter(s, first.Key()) {
		r.Report(first.KeyPosition(),
			"arguments by name are a map, not a list: {"+first.Key()+": ...}",
			"an argument has no field %q", first.Key())
		return argument{}, false
	}
	a := argument{at: v.Position()}
	before := r.Count()
	// Programs that print arguments write DataType as well; it adds nothing and is accepted.
	v.Object("an argument", strict.Text("ParameterName", &a.ParameterName),
		strict.To("Value", &a.Value, func(v strict.Value) any { return v.Data() }),
		strict.Text("Evaluator", &a.Evaluator), strict.Field{Name: "DataType"})
	if r.Count() == before && a.Value == nil {
		v.Fail("", "an argument needs a Value")
	}
	return a, r.Count() == before
}

// takesConfiguration reports whether the values of a parameter are texts in YAML or JSON.
func takesConfiguration(p api.FunctionParameter) bool {
	switch p.DataType {
	case api.DataTypeYAML, api.DataTypeJSON, api.DataTypeAttributeValueList, api.DataTypePatchMap,
		api.DataTypeResourceMutationList,
		api.DataTypeResourceList, api.DataTypeStringList:
		return true
	}
	return false
}

// value reads a value for a parameter. A scalar is its source text, so that 1.10 stays 1.10. For
// parameters that take configuration, a map or a list is converted to its text.
func (r *listReader) value(v strict.Value, p api.FunctionParameter) (argument, bool) {
	a := argument{at: v.Position()}
	prefix := ""
	if p.ParameterName != "" {
		prefix = "argument " + p.ParameterName + ": "
	}
	switch {
	case v.IsNull():
		v.Fail(`for an empty text write ""`, "%sa value is expected", prefix)
		return a, false
	case v.Kind() == gaby.Scalar:
		text, evaluator, err := valueOf(v.Value.Text(), r.text.Dir, r.text.ReadFile)
		if err != nil {
			for _, f := range diag.Failures(err, api.FailureInput) {
				message := f.Message
				if at := f.Pos.String(); at != "" {
					message = at + ": " + message
				}
				v.Fail(f.Hint, "%s%s", prefix, message).Failure.Class = f.Class
			}
			return a, false
		}
		a.Value, a.Evaluator = text, evaluator
		return a, true
	}
	switch {
	case p.DataType == api.DataTypeYAML:
		a.Value = v.YAML()
	case takesConfiguration(p):
		text, err := json.Marshal(v.Data())
		if err != nil { // a number that JSON cannot represent, such as .nan
			v.Fail("", "%s%w", prefix, err)
			return a, false
		}
		a.Value = string(text)
	default:
		v.Fail("", "%sa single value is expected", prefix)
		return a, false
	}
	return a, true
}

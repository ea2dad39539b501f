package plan

import (
	"encoding/json"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
)

// argument is an argument of an invocation in a list.
type argument struct {
	api.FunctionArgument
	parameter string // the name of its parameter, given or derived from the order
	at        gaby.Position
}

// arguments reads arguments by name, or a list of them.
func (r *listReader) arguments(s api.FunctionSignature, v gaby.Value) []argument {
	switch {
	case isNull(v):
		return nil
	case v.Kind() == gaby.Map:
		return r.namedArguments(s, v)
	case v.Kind() != gaby.List:
		r.report(v.Position(), "", "%s: a map or a list is expected", v.Key())
		return nil
	}
	var args []argument
	for item := v.First(); item.Exists(); item = item.Next() {
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
func (r *listReader) namedArguments(s api.FunctionSignature, v gaby.Value) []argument {
	r.reportRepeated(v)
	var args []argument
	for item := v.First(); item.Exists(); item = item.Next() {
		name := item.Key()
		i := handler.ParameterIndex(s.Parameters, name)
		if i < 0 {
			r.report(item.KeyPosition(), r.parameterHint(s, name), "unknown parameter %q", name)
			continue
		}
		values := []gaby.Value{item}
		if item.Kind() == gaby.List && s.VarArgs && i == len(s.Parameters)-1 {
			values = values[:0]
			for value := item.First(); value.Exists(); value = value.Next() {
				values = append(values, value)
			}
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
func (r *listReader) parameterHint(s api.FunctionSignature, name string) string {
	var names []string
	for _, p := range s.Parameters {
		names = append(names, p.ParameterName)
	}
	if hint := configkit.DidYouMean("", configkit.Suggest(name, names)); hint != "" ||
		len(names) == 0 {
		return hint
	}
	return "the parameters are " + strings.Join(names, ", ")
}

// listedArgument reads an item of a list: a value, or an argument in the form that programs write.
func (r *listReader) listedArgument(s api.FunctionSignature, v gaby.Value) (argument, bool) {
	if v.Kind() != gaby.Map {
		return r.value(v, api.FunctionParameter{})
	}
	if first := v.First(); hasParameter(s, first.Key()) {
		r.report(first.KeyPosition(), "arguments by name are a map, not a list: {"+first.Key()+
			": ...}",
			"an argument has no field %q", first.Key())
		return argument{}, false
	}
	// Programs that print arguments write DataType as well; it adds nothing and is accepted.
	fields, ok := r.fields(v, "an argument",
		[]key{
			{field: "ParameterName"},
			{field: "Value"},
			{field: "Evaluator"},
			{field: "DataType"},
		})
	if !ok {
		return argument{}, false
	}
	value := fields["Value"]
	if !value.Exists() {
		r.report(v.Position(), "", "an argument needs a Value")
	}
	return argument{at: v.Position(), FunctionArgument: api.FunctionArgument{
		ParameterName: r.string(fields["ParameterName"]),
		Evaluator:     r.string(fields["Evaluator"]),
		Value:         value.Data(),
	}}, value.Exists()
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
func (r *listReader) value(v gaby.Value, p api.FunctionParameter) (argument, bool) {
	a := argument{at: v.Position()}
	prefix := ""
	if p.ParameterName != "" {
		prefix = "argument " + p.ParameterName + ": "
	}
	switch {
	case isNull(v):
		r.report(v.Position(), `for an empty text write ""`, "%sa value is expected", prefix)
		return a, false
	case v.Kind() == gaby.Scalar:
		text, evaluator, err := valueOf(v.Text(), r.text.Dir, r.text.ReadFile)
		if err != nil {
			for _, f := range diag.Failures(err, api.FailureInput) {
				message := f.Message
				if at := f.Pos.String(); at != "" {
					message = at + ": " + message
				}
				r.report(v.Position(), f.Hint, "%s%s", prefix, message)
				r.problems[len(r.problems)-1].Class = f.Class
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
			r.report(v.Position(), "", "%s%w", prefix, err)
			return a, false
		}
		a.Value = string(text)
	default:
		r.report(v.Position(), "", "%sa single value is expected", prefix)
		return a, false
	}
	return a, true
}

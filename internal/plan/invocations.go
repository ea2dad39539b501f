package plan

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
)

// Invocations resolves a FunctionInvocationList written in JSON or YAML:
//
//   - FunctionName: set-replicas
//     Arguments: [{ParameterName: replicas, Value: 5}]
//     WhereResource: ConfigHub.ResourceType = 'apps/v1/Deployment'
//
// An argument may have an Evaluator, "template" or "cel", and be given without
// the name of its parameter. file is what messages call the text. The error is
// a diag.List of everything that is wrong with it.
func (w *Walk) Invocations(text []byte, file string) (*Plan, error) {
	r := &listReader{walk: w, file: file, plan: &Plan{}}
	doc, err := gaby.ParseYAML(text)
	if err == nil {
		err = doc.Check()
	}
	if err != nil {
		r.refuseSyntax(err)
		return nil, r.problems
	}
	top := doc.Value()
	switch {
	case top.Kind() == gaby.Map && top.Get("FunctionName").Exists():
		r.refuse(top.Position(), "put it in a list: [ ... ]", "a list of invocations is expected, this is one invocation")
	case top.Kind() != gaby.List:
		r.refuse(top.Position(), "[{FunctionName: get-replicas}] is the shortest", "a list of invocations is expected")
	case top.Len() == 0:
		r.refuse(top.Position(), "", "the list of invocations is empty")
	}
	if top.Kind() == gaby.List {
		for item := top.First(); item.Exists(); item = item.Next() {
			r.invocation(item)
		}
	}
	return r.plan, r.problems.Err()
}

// listReader reads a list and collects what is wrong with it.
type listReader struct {
	walk     *Walk
	file     string
	function string // whose arguments are being read
	plan     *Plan
	problems diag.List
}

func (r *listReader) refuse(at gaby.Position, hint, format string, args ...any) {
	f := diag.UsageHint(hint, format, args...)
	f.Pos, f.Function = api.Position{File: r.file, Line: at.Line, Column: at.Column}, r.function
	r.problems = append(r.problems, f)
}

func (r *listReader) refuseSyntax(err error) {
	if e, ok := errors.AsType[*gaby.SyntaxError](err); ok {
		r.refuse(e.Pos, e.Hint, "%s", e.Msg)
		return
	}
	r.refuse(gaby.Position{}, "", "%w", err)
}

// fields refuses keys that are none of the names, and tells which was meant.
func (r *listReader) fields(of gaby.Value, what string, names ...string) bool {
	if of.Kind() != gaby.Map {
		r.refuse(of.Position(), "", "%s is expected, with %s", what, strings.Join(names, ", "))
		return false
	}
	ok := true
	for field := of.First(); field.Exists(); field = field.Next() {
		known := false
		for _, name := range names {
			known = known || name == field.Key()
		}
		if !known {
			r.refuse(field.KeyPosition(), diag.DidYouMean(handler.Suggest(field.Key(), names), ""), "%s has no field %q", what, field.Key())
			ok = false
		}
	}
	return ok
}

// text is a field that holds a string.
func (r *listReader) text(v gaby.Value, name string) string {
	if !v.Exists() || v.Tag() == "!!null" {
		return ""
	}
	s, ok := v.Data().(string)
	if !ok {
		r.refuse(v.Position(), "", "%s: a string is expected", name)
	}
	return s
}

func (r *listReader) invocation(v gaby.Value) {
	before := len(r.problems)
	if !r.fields(v, "an invocation", "FunctionName", "Arguments", "WhereResource", "Params") {
		return
	}
	name := r.text(v.Get("FunctionName"), "FunctionName")
	if name == "" {
		if len(r.problems) == before {
			r.refuse(v.Position(), "", "an invocation needs a FunctionName")
		}
		return
	}
	signature, known := r.walk.Functions.Signature(r.walk.Toolchain, name)
	if !known {
		problem := r.walk.unknownFunction(name)
		r.refuse(v.Get("FunctionName").Position(), problem.Hint, "%s", problem.Message)
		return
	}
	in := api.FunctionInvocation{
		FunctionName: name, WhereResource: r.text(v.Get("WhereResource"), "WhereResource"),
		Params: r.params(v.Get("Params")),
	}
	r.function = name
	in.Arguments = r.arguments(v.Get("Arguments"))
	r.function = ""
	if len(r.problems) > before {
		return
	}
	checked, err := r.walk.Functions.ValidateInvocation(r.walk.Toolchain, in)
	if err != nil {
		for _, f := range argumentProblems(name, "", err) {
			at := r.placeOf(v, in, f.Argument)
			f.Pos = api.Position{File: r.file, Line: at.Line, Column: at.Column}
			r.problems = append(r.problems, f)
		}
		return
	}
	r.plan.Invocations = append(r.plan.Invocations, checked)
	r.plan.Signatures = append(r.plan.Signatures, signature)
}

// placeOf is where an argument stands, or the invocation when it is not known.
func (r *listReader) placeOf(v gaby.Value, in api.FunctionInvocation, parameter string) gaby.Position {
	signature, _ := r.walk.Functions.Signature(r.walk.Toolchain, in.FunctionName)
	for i, arg := range in.Arguments {
		name := arg.ParameterName
		if name == "" && i < len(signature.Parameters) {
			name = signature.Parameters[i].ParameterName
		}
		if name == parameter && parameter != "" {
			return v.Get("Arguments").Index(i).Position()
		}
	}
	return v.Position()
}

func (r *listReader) arguments(v gaby.Value) []api.FunctionArgument {
	if !v.Exists() || v.Tag() == "!!null" {
		return nil
	}
	if v.Kind() != gaby.List {
		r.refuse(v.Position(), "", "Arguments: a list is expected")
		return nil
	}
	var args []api.FunctionArgument
	for item := v.First(); item.Exists(); item = item.Next() {
		// {DataType: ...} is written by programs that print arguments; it says nothing new.
		if !r.fields(item, "an argument", "ParameterName", "Value", "Evaluator", "DataType") {
			continue
		}
		arg := api.FunctionArgument{
			ParameterName: r.text(item.Get("ParameterName"), "ParameterName"),
			Evaluator:     r.text(item.Get("Evaluator"), "Evaluator"),
			Value:         item.Get("Value").Data(),
		}
		if !item.Get("Value").Exists() {
			r.refuse(item.Position(), "", "an argument needs a Value")
		}
		args = append(args, arg)
	}
	return args
}

func (r *listReader) params(v gaby.Value) map[string]string {
	if !v.Exists() || v.Tag() == "!!null" {
		return nil
	}
	if v.Kind() != gaby.Map {
		r.refuse(v.Position(), "", "Params: a map is expected")
		return nil
	}
	params := map[string]string{}
	for item := v.First(); item.Exists(); item = item.Next() {
		params[item.Key()] = fmt.Sprint(item.Data())
	}
	return params
}

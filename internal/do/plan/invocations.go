package plan

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/strict"
	"github.com/fctl-dev/fctl/internal/where"
)

// ChainText is the text of a chain: a list of invocations in YAML or JSON.
type ChainText struct {
	Bytes []byte
	Name  string // its name in messages
	Dir   string // what its paths are relative to; empty for the working directory
	// ReadFile reads the files that its values name; nil is that of the Resolver, which reads any
	// file. A text that the user did not name has one of its own.
	ReadFile ReadFunc
}

// Invocations resolves the chain in a text:
//
//   - name: scale up
//     function: set-replicas
//     arguments: {replicas: 5}
//     where: ConfigHub.ResourceType = 'apps/v1/Deployment'
//
// A validation may have a fix, the chain that 'fctl vet --fix' runs.
//
// The list may also be the field functions of a map, whose field parameters declares parameters:
//
//	parameters:
//	  - {name: replicas, type: int, default: 2, description: how many}
//	functions:
//	  - {function: set-replicas, arguments: ["template:{{.Params.replicas}}"]}
//
// Arguments are given by name, or in order in a list. A value means what the same text means on the
// command line, including the prefixes file:, template:, cel: and text:. A file: path is relative
// to the directory of the chain.
//
// The form that programs write is accepted as well: FunctionName, WhereResource, and Arguments as a
// list of {ParameterName, Value, Evaluator}, whose Value is taken literally.
//
// The error is a diag.List of everything that is wrong with the text.
func (r *Resolver) Invocations(text ChainText) (*Plan, error) {
	reader := &strict.Reader{File: text.Name}
	top := reader.Document(text.Bytes)
	if reader.Count() > 0 {
		return nil, diag.List(reader.Failures())
	}
	p := r.Read(top, text)
	return p, diag.List(reader.Failures()).Err()
}

// Read resolves a chain in a document. Its problems are those of the document's reader. Of the text
// only Dir and ReadFile count.
func (r *Resolver) Read(v strict.Value, text ChainText) *Plan {
	if text.ReadFile == nil {
		text.ReadFile = r.ReadFile
	}
	l := &listReader{
		Reader: v.Reader(), resolver: r, text: text, plan: &Plan{},
		names: map[string]gaby.Position{},
	}
	l.Respelled = func(v strict.Value, f strict.Field) { // programs in Go accept it, too
		name := f.Name
		if !strings.EqualFold(name, v.Key()) {
			name = f.Also
		}
		l.plan.Notes = append(l.plan.Notes, api.Note{
			Pos:     v.KeyInFile(),
			Message: fmt.Sprintf("the field %s is spelled %s", v.Key(), name),
		})
	}
	var params map[string]string
	if v.Kind() == gaby.Map && (v.Get("functions").Exists() || v.Get("parameters").Exists()) {
		var list, parameters strict.Value
		complete := v.Object("a chain", strict.Take("parameters", &parameters),
			strict.Need(strict.Take("functions", &list)))
		params = l.parameters(parameters)
		if v = list; !complete {
			return l.plan
		}
	}
	l.list(v)
	l.plan.setParams(params)
	return l.plan
}

// list reads a list of invocations.
func (r *listReader) list(v strict.Value) {
	const example = "for example [{function: get-replicas}]"
	v.Path = cmp.Or(v.Path, "a chain")
	switch {
	case !v.Exists():
		r.Report(gaby.Position{Line: 1, Column: 1}, example, "the list of invocations is empty")
	case v.Kind() == gaby.Map && (v.Get("function").Exists() || v.Get("FunctionName").Exists()):
		v.Fail("put it in a list: [ ... ]",
			"a list of invocations is expected, not one invocation")
	case v.Kind() != gaby.List:
		v.Must("a list of invocations", example)
	case v.Len() == 0:
		v.Fail(example, "the list of invocations is empty")
	default:
		for item := range v.List() {
			r.invocation(item)
		}
	}
}

// List resolves invocations made by a program. The error is a diag.List of everything that is wrong
// with them.
func (r *Resolver) List(invocations api.FunctionInvocationList) (*Plan, error) {
	if len(invocations) == 0 {
		return nil, diag.Usage("the list of invocations is empty")
	}
	p := &Plan{}
	var problems diag.List
	for _, in := range invocations {
		signature, known := r.Functions.Signature(r.Toolchain, in.FunctionName)
		if !known {
			problems = append(problems, r.unknownFunction(in.FunctionName))
			continue
		}
		checked, err := r.Functions.ValidateInvocation(r.Toolchain, in)
		if err != nil {
			problems = append(problems, argumentProblems(in.FunctionName, "", err)...)
		}
		p.Invocations = append(p.Invocations, checked)
		p.Signatures = append(p.Signatures, signature)
		p.Notes = append(p.Notes, handler.DeprecatedParameters(signature, in.Arguments)...)
	}
	return p, problems.Err()
}

// listReader reads a list.
type listReader struct {
	*strict.Reader
	resolver *Resolver
	text     ChainText
	plan     *Plan
	names    map[string]gaby.Position // of invocations, with their positions
}

func (r *listReader) invocation(v strict.Value) {
	if v.Path = ""; v.Kind() == gaby.Scalar && !v.IsNull() {
		name, _, _ := strings.Cut(v.Value.Text(), " ") // further words are probably arguments
		v.Path = "an invocation"
		v.Must("a map", "write {function: "+name+"}")
		return
	}
	var label, message, severity, fix, function, arguments, expr, params strict.Value
	v.Object("an invocation", strict.Take("name", &label), strict.Take("message", &message),
		strict.Take("severity", &severity), strict.Take("fix", &fix),
		strict.Need(strict.Take("function", &function).Or("FunctionName")),
		strict.Take("arguments", &arguments).Or("Arguments"),
		strict.Take("where", &expr).Or("WhereResource"), strict.Take("Params", &params))
	name := function.Text()
	if name == "" {
		return
	}
	signature, known := r.resolver.Functions.Signature(r.resolver.Toolchain, name)
	if !known {
		problem := r.resolver.unknownFunction(name)
		function.Fail(problem.Hint, "%s", problem.Message).Of(r.resolver.functionNames())
		return
	}
	r.Function = name
	in := api.FunctionInvocation{
		Name: r.name(label), FunctionName: name, WhereResource: expr.Text(),
		Params: r.params(params),
	}
	finding(&in, message, severity, signature)
	before := r.Count()
	args := r.arguments(signature, arguments)
	r.Function = ""
	if r.Count() > before {
		return
	}
	for _, a := range args {
		in.Arguments = append(in.Arguments, a.FunctionArgument)
	}
	in.Arguments = r.resolver.withDefaults(signature, in.Arguments)
	checked := in
	var err error
	if r.plan.Notes, err = r.resolver.nameTypes(signature, in.Arguments, r.plan.Notes); err == nil {
		checked, err = r.resolver.Functions.ValidateInvocation(r.resolver.Toolchain, in)
	}
	if err != nil {
		for _, f := range argumentProblems(name, "", err) {
			offerValues(f, signature)
			r.Add(positionOf(f, v.Value, expr.Value, args), f)
		}
		return
	}
	r.plan.Notes = append(r.plan.Notes, handler.DeprecatedParameters(signature, in.Arguments)...)
	r.plan.Invocations = append(r.plan.Invocations, checked)
	r.plan.Signatures = append(r.plan.Signatures, signature)
	r.plan.Comments = append(r.plan.Comments, v.Comments().Head)
	r.fix(fix, signature)
}

// fix reads the chain that fixes what the last invocation finds.
func (r *listReader) fix(v strict.Value, s api.FunctionSignature) {
	switch {
	case !v.Exists():
		return
	case !s.Validating:
		v.FailKey("", "fix: this function is not a validation")
		return
	case v.Kind() != gaby.List:
		v.Must("a list of invocations", "for example [{function: set-container-resources-defaults}]")
		return
	}
	own := *r
	own.plan, own.names = &Plan{}, map[string]gaby.Position{}
	for item := range v.List() {
		before := len(own.plan.Signatures)
		own.invocation(item)
		if n := len(own.plan.Signatures); n > before && !own.plan.Signatures[n-1].Mutating {
			item.Fail("'fctl list changes' lists functions that do",
				"fix: %s does not change configuration", own.plan.Signatures[n-1].FunctionName)
		}
	}
	r.plan.Notes = append(r.plan.Notes, own.plan.Notes...)
	r.plan.Fixes = append(r.plan.Fixes,
		make([]*Plan, len(r.plan.Invocations)-1-len(r.plan.Fixes))...)
	r.plan.Fixes = append(r.plan.Fixes, own.plan)
}

// finding reads the message and the severity that the findings of a validation get.
func finding(in *api.FunctionInvocation, message, severity strict.Value, s api.FunctionSignature) {
	for _, v := range []strict.Value{message, severity} {
		if v.Exists() && !s.Validating {
			v.FailKey("", "%s: this function is not a validation", v.Path)
		}
	}
	in.Message = message.Text()
	scores := api.Scores()
	words := make([]string, len(scores))
	for i, score := range scores {
		words[i] = strings.ToLower(score)
	}
	if i := slices.Index(words, severity.OneOf(words)); i >= 0 {
		in.Severity = scores[i]
	}
}

// name reads the name by which messages call the invocation. No two invocations may have the same.
func (r *listReader) name(v strict.Value) string {
	if !v.Exists() {
		return ""
	}
	name := v.Value.Text()
	switch first, known := r.names[name]; {
	case v.Kind() != gaby.Scalar || strings.TrimSpace(name) == "" || strings.Contains(name, "\n"):
		v.Must("one line of text", "")
	case known:
		v.Fail("", "name: the invocation in line %d has the name %s, too", first.Line, name)
	default:
		r.names[name] = v.Position()
	}
	return name
}

// positionOf returns the position of a problem: that of an argument, of the where-expression, or of
// the invocation.
func positionOf(f *api.Failure, invocation, expr gaby.Value, args []argument) gaby.Position {
	if e, ok := errors.AsType[*where.Error](f.Err); ok {
		return withinScalar(expr, e.Column)
	}
	var value any
	if e, ok := errors.AsType[*handler.ArgumentError](f.Err); ok {
		value = e.Value
	}
	found := -1
	for i, a := range args {
		if a.parameter != f.Argument || f.Argument == "" {
			continue
		}
		if found < 0 || value != nil && reflect.DeepEqual(a.Value, value) {
			found = i
		}
		if reflect.DeepEqual(a.Value, value) {
			break
		}
	}
	if found < 0 {
		return invocation.Position()
	}
	return args[found].at
}

// withinScalar returns the position of a column (from 1) of a scalar's text. It returns the
// position of the scalar if the text is written with escapes or in several lines.
func withinScalar(v gaby.Value, column int) gaby.Position {
	at, text, written := v.Position(), v.Text(), v.YAML()
	switch {
	case column < 1 || strings.Contains(text, "\n"):
	case written == text:
		at.Column += column - 1
	case written == "'"+text+"'", written == `"`+text+`"`:
		at.Column += column
	}
	return at
}

func (r *listReader) params(v strict.Value) map[string]string {
	if !v.Exists() {
		return nil
	}
	params := map[string]string{}
	for item := range v.Map() {
		params[item.Key()] = fmt.Sprint(item.Data())
	}
	return params
}

package plan

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/where"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
)

// Text is the text of a chain: a list of invocations in YAML or JSON.
type Text struct {
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
func (r *Resolver) Invocations(text Text) (*Plan, error) {
	if text.ReadFile == nil {
		text.ReadFile = r.ReadFile
	}
	l := &listReader{resolver: r, text: text, plan: &Plan{}, names: map[string]gaby.Position{}}
	doc, err := gaby.ParseYAML(text.Bytes)
	if err == nil {
		err = doc.Check()
	}
	if syntax, ok := errors.AsType[*gaby.SyntaxError](err); ok {
		l.report(syntax.Pos, syntax.Hint, "%s", syntax.Msg)
	} else if err != nil {
		l.report(gaby.Position{}, "", "%w", err)
	}
	if err != nil {
		return nil, l.problems
	}
	top := doc.Value()
	var params map[string]string
	if top.Kind() == gaby.Map && (top.Get("functions").Exists() || top.Get("parameters").Exists()) {
		fields, _ := l.fields(top, "a chain", chainKeys())
		params = l.parameters(fields["parameters"])
		if top = fields["functions"]; !top.Exists() {
			l.report(doc.Value().Position(), "", "a chain needs functions")
			return l.plan, l.problems.Err()
		}
	}
	switch {
	case top.Kind() == gaby.Map && (top.Get("function").Exists() ||
		top.Get("FunctionName").Exists()):
		l.report(top.Position(), "put it in a list: [ ... ]",
			"a list of invocations is expected, not one invocation")
	case top.Kind() == gaby.List && top.Len() == 0, isNull(top):
		l.report(top.Position(), "for example [{function: get-replicas}]",
			"the list of invocations is empty")
	case top.Kind() != gaby.List:
		l.report(top.Position(), "for example [{function: get-replicas}]",
			"a list of invocations is expected")
	}
	if top.Kind() == gaby.List {
		for item := top.First(); item.Exists(); item = item.Next() {
			l.invocation(item)
		}
	}
	l.plan.setParams(params)
	return l.plan, l.problems.Err()
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

func isNull(v gaby.Value) bool {
	return !v.Exists() || v.Kind() == gaby.Scalar && v.Tag() == "!!null"
}

// listReader reads a list and collects its problems.
type listReader struct {
	resolver *Resolver
	text     Text
	plan     *Plan
	names    map[string]gaby.Position // of invocations, with their positions
	function string                   // the one whose arguments are being read
	problems diag.List
}

func (r *listReader) report(at gaby.Position, hint, format string, args ...any) {
	f := diag.UsageHint(hint, format, args...)
	f.Pos, f.Function = r.position(at), r.function
	r.problems = append(r.problems, f)
}

func (r *listReader) position(at gaby.Position) api.Position {
	return api.Position{File: r.text.Name, Line: at.Line, Column: at.Column}
}

// key is a key of a map, in the spelling of people (word) and of programs (field). Either may be
// empty.
type key struct{ word, field string }

func invocationKeys() []key {
	return []key{
		{word: "name"},
		{word: "message"},
		{word: "severity"},
		{word: "fix"},
		{word: "function", field: "FunctionName"},
		{word: "arguments", field: "Arguments"},
		{word: "where", field: "WhereResource"},
		{field: "Params"},
	}
}

// fields returns the values of a map's keys, in either spelling, by word and by field. Unknown keys
// are rejected, with a suggestion, and so are repeated keys. A key in another case is accepted with
// a note, because programs in Go accept it, too.
func (r *listReader) fields(of gaby.Value, what string, known []key) (map[string]gaby.Value, bool) {
	var names []string
	for _, k := range known {
		names = append(names, slices.DeleteFunc([]string{k.word, k.field}, func(name string) bool {
			return name == ""
		})...)
	}
	if of.Kind() != gaby.Map {
		r.report(of.Position(), "", "%s is expected, with %s", what, strings.Join(names, ", "))
		return nil, false
	}
	before := len(r.problems)
	values := map[string]gaby.Value{}
	for field := of.First(); field.Exists(); field = field.Next() {
		name := field.Key()
		i := slices.Index(names, name)
		if i < 0 {
			i = slices.IndexFunc(names, func(known string) bool {
				return strings.EqualFold(known, name)
			})
			if i >= 0 {
				r.plan.Notes = append(r.plan.Notes, api.Note{
					Pos:     r.position(field.KeyPosition()),
					Message: fmt.Sprintf("the field %s is spelled %s", name, names[i]),
				})
			}
		}
		if i < 0 {
			r.report(field.KeyPosition(), configkit.DidYouMean("", suggestKeys(name, known)),
				"%s has no field %q", what, name)
			continue
		}
		if before := values[names[i]]; before.Exists() && before.Key() != name {
			r.report(field.KeyPosition(), "", "%s is given twice", names[i])
		}
		values[names[i]] = field
	}
	r.reportRepeated(of)
	for _, k := range known {
		word, ok := values[k.word]
		if !ok || k.field == "" {
			continue
		}
		if field, both := values[k.field]; both {
			r.report(laterOf(word, field), "", "%s and %s are the same field", k.word,
				k.field)
		}
		values[k.field] = word
	}
	return values, len(r.problems) == before
}

// suggestKeys returns the keys similar to name, in the same spelling.
func suggestKeys(name string, known []key) []string {
	var names []string
	for _, k := range known {
		if capital := name != "" && unicode.IsUpper(rune(name[0])); k.word == "" ||
			k.field != "" && capital {
			names = append(names, k.field)
		} else {
			names = append(names, k.word)
		}
	}
	return configkit.Suggest(name, names)
}

func laterOf(a, b gaby.Value) gaby.Position {
	at, other := a.KeyPosition(), b.KeyPosition()
	if other.Line > at.Line || other.Line == at.Line && other.Column > at.Column {
		return other
	}
	return at
}

func (r *listReader) reportRepeated(of gaby.Value) {
	for _, field := range of.Repeated() {
		r.report(field.KeyPosition(), "", "%s is given twice", field.Key())
	}
}

// string returns the value of a field that must be a string.
func (r *listReader) string(v gaby.Value) string {
	if isNull(v) {
		return ""
	}
	s, ok := v.Data().(string)
	if !ok {
		r.report(v.Position(), "", "%s: a string is expected", v.Key())
	}
	return s
}

func (r *listReader) invocation(v gaby.Value) {
	before := len(r.problems)
	if v.Kind() == gaby.Scalar && !isNull(v) {
		name, _, _ := strings.Cut(v.Text(), " ") // further words are probably arguments
		r.report(v.Position(), "write {function: "+name+"}", "an invocation is expected")
		return
	}
	fields, ok := r.fields(v, "an invocation", invocationKeys())
	if fields == nil {
		return
	}
	name := r.string(fields["FunctionName"])
	if name == "" {
		if ok && len(r.problems) == before {
			r.report(v.Position(), "", "an invocation needs a function")
		}
		return
	}
	signature, known := r.resolver.Functions.Signature(r.resolver.Toolchain, name)
	if !known {
		problem := r.resolver.unknownFunction(name)
		r.report(fields["FunctionName"].Position(), problem.Hint, "%s", problem.Message)
		return
	}
	r.function = name
	in := api.FunctionInvocation{
		Name: r.name(fields["name"]), FunctionName: name,
		WhereResource: r.string(fields["WhereResource"]),
		Params:        r.params(fields["Params"]),
	}
	r.finding(&in, fields, signature)
	before = len(r.problems)
	args := r.arguments(signature, fields["Arguments"])
	r.function = ""
	if len(r.problems) > before {
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
			f.Pos = r.position(positionOf(f, v, fields["WhereResource"], args))
			r.problems = append(r.problems, f)
		}
		return
	}
	r.plan.Notes = append(r.plan.Notes, handler.DeprecatedParameters(signature, in.Arguments)...)
	r.plan.Invocations = append(r.plan.Invocations, checked)
	r.plan.Signatures = append(r.plan.Signatures, signature)
	r.plan.Comments = append(r.plan.Comments, v.Comments().Head)
	r.fix(fields["fix"], signature)
}

// fix reads the chain that fixes what the last invocation finds.
func (r *listReader) fix(v gaby.Value, s api.FunctionSignature) {
	if isNull(v) {
		return
	}
	switch {
	case !s.Validating:
		r.report(v.KeyPosition(), "", "fix: this function is not a validation")
		return
	case v.Kind() != gaby.List:
		r.report(v.Position(), "for example [{function: set-container-resources-defaults}]",
			"fix: a list of invocations is expected")
		return
	}
	own := &listReader{
		resolver: r.resolver, text: r.text, plan: &Plan{}, names: map[string]gaby.Position{},
	}
	for item := v.First(); item.Exists(); item = item.Next() {
		before := len(own.plan.Signatures)
		own.invocation(item)
		if n := len(own.plan.Signatures); n > before && !own.plan.Signatures[n-1].Mutating {
			own.report(item.Position(), "'fctl list changes' lists functions that do",
				"fix: %s does not change configuration", own.plan.Signatures[n-1].FunctionName)
		}
	}
	r.problems = append(r.problems, own.problems...)
	r.plan.Notes = append(r.plan.Notes, own.plan.Notes...)
	r.plan.Fixes = append(r.plan.Fixes,
		make([]*Plan, len(r.plan.Invocations)-1-len(r.plan.Fixes))...)
	r.plan.Fixes = append(r.plan.Fixes, own.plan)
}

// finding reads the message and the severity that the findings of a validation get.
func (r *listReader) finding(in *api.FunctionInvocation, fields map[string]gaby.Value,
	s api.FunctionSignature,
) {
	for _, key := range []string{"message", "severity"} {
		if v := fields[key]; v.Exists() && !s.Validating {
			r.report(v.KeyPosition(), "", "%s: this function is not a validation", key)
		}
	}
	in.Message = r.string(fields["message"])
	severity := fields["severity"]
	if !severity.Exists() {
		return
	}
	for _, score := range api.Scores() {
		if strings.ToLower(score) == severity.Text() {
			in.Severity = score
			return
		}
	}
	r.report(severity.Position(), "", "severity: %q is not one of %s", severity.Text(),
		strings.ToLower(strings.Join(api.Scores(), ", ")))
}

// name reads the name by which messages call the invocation. No two invocations may have the same.
func (r *listReader) name(v gaby.Value) string {
	if !v.Exists() {
		return ""
	}
	name := v.Text()
	switch first, known := r.names[name]; {
	case v.Kind() != gaby.Scalar || strings.TrimSpace(name) == "" || strings.Contains(name, "\n"):
		r.report(v.Position(), "", "name: one line of text is expected")
	case known:
		r.report(v.Position(), "", "name: the invocation in line %d has the name %s, too",
			first.Line,
			name)
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

func (r *listReader) params(v gaby.Value) map[string]string {
	if isNull(v) {
		return nil
	}
	if v.Kind() != gaby.Map {
		r.report(v.Position(), "", "Params: a map is expected")
		return nil
	}
	params := map[string]string{}
	for item := v.First(); item.Exists(); item = item.Next() {
		params[item.Key()] = fmt.Sprint(item.Data())
	}
	return params
}

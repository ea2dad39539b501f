// Package template renders Go text templates over the context of a function and its parameters.
//
// The rules of this room: text/template alone, because html/template would write & as &amp;. What a template asks for and does
// not exist is an error. A template can call the functions of functions.go and those of text/template.
package template

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/expression"
)

// Language is how errors call the language.
const Language = "template"

const (
	// maxText is how long the result may be, in bytes.
	maxText = 1 << 20
	// maxRounds is how often the bodies of all ranges and defined templates may run.
	maxRounds = 100_000
)

// Program is a parsed template. It can be used concurrently.
type Program struct {
	text     string
	template *template.Template
}

// data is what a template sees. Of a value, not a pointer, it sees the fields only and no methods.
type data struct {
	api.FunctionContext
	Params map[string]any
}

// Compile parses a template. The error is an *[expression.Error].
func Compile(text string) (*Program, error) {
	t, err := template.New("").Option("missingkey=error").Funcs(boundedBuiltins()).Funcs(functions()).Parse(text)
	if err != nil {
		return nil, parseError(text, err)
	}
	return &Program{text, countRounds(t)}, nil
}

// Render renders the template over the fields of the function's context and the parameters, which it calls .Params. The error is
// an *[expression.Error].
func (p *Program) Render(fc *api.FunctionContext, params map[string]any) (string, error) {
	t, err := p.template.Clone()
	if err != nil {
		return "", &expression.Error{Language: Language, Text: p.text, Msg: err.Error(), Err: err}
	}
	rounds := 0
	t.Funcs(template.FuncMap{roundFunction: func() (string, error) {
		if rounds++; rounds > maxRounds {
			return "", errors.New("the ranges and templates go round too often")
		}
		return "", nil
	}})
	if params == nil {
		params = map[string]any{}
	}
	var b limitedBuilder
	if err := t.Execute(&b, data{*fc, params}); err != nil {
		return "", executionError(p.text, err, params)
	}
	return b.String(), nil
}

// limitedBuilder refuses texts that are too long.
type limitedBuilder struct{ strings.Builder }

func (b *limitedBuilder) Write(text []byte) (int, error) {
	if b.Len()+len(text) > maxText {
		return 0, fmt.Errorf("the result has more than %d bytes", maxText)
	}
	return b.Builder.Write(text)
}

// roundFunction is called at the begin of every round of a range and of every defined template. It has a value in Render.
const roundFunction = "fctlRound"

// countRounds puts the call into the ranges of a template.
func countRounds(t *template.Template) *template.Template {
	t = t.Funcs(template.FuncMap{roundFunction: func() string { return "" }})
	call := template.Must(template.New("").Funcs(template.FuncMap{roundFunction: func() string { return "" }}).Parse("{{" + roundFunction + "}}"))
	for _, named := range t.Templates() {
		if named.Tree != nil {
			countRoundsIn(named.Root, call.Root.Nodes[0])
			if named.Name() != t.Name() {
				named.Root.Nodes = append([]parse.Node{call.Root.Nodes[0]}, named.Root.Nodes...)
			}
		}
	}
	return t
}

func countRoundsIn(node parse.Node, call parse.Node) {
	branch := func(b *parse.BranchNode) {
		countRoundsIn(b.List, call)
		if b.ElseList != nil {
			countRoundsIn(b.ElseList, call)
		}
	}
	switch n := node.(type) {
	case *parse.ListNode:
		for _, child := range n.Nodes {
			countRoundsIn(child, call)
		}
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
		n.List.Nodes = append([]parse.Node{call}, n.List.Nodes...)
	}
}

// parseError takes apart what parsing says, which is "template: :LINE: MESSAGE". The column is looked for: it is that of what the
// message quotes, or else of the action.
func parseError(text string, err error) *expression.Error {
	e := &expression.Error{Language: Language, Text: text, Msg: strings.TrimPrefix(err.Error(), "template: :"), Err: err}
	first, rest, ok := strings.Cut(e.Msg, ": ")
	line, isNumber := strconv.Atoi(first)
	if !ok || isNumber != nil {
		return e
	}
	e.Msg = rest
	lines := strings.SplitAfter(text, "\n")
	if line > len(lines) {
		line = len(lines)
	}
	in := lines[line-1]
	at := max(0, strings.Index(in, "{{"))
	switch quoted := regexp.MustCompile(`"((?:[^"\\]|\\.)*)"|<([^>]+)>`).FindStringSubmatch(rest); {
	case strings.HasPrefix(rest, "unclosed action"):
		at = max(0, strings.LastIndex(in, "{{"))
	case strings.HasPrefix(rest, "unexpected EOF"):
		at = len(strings.TrimSuffix(in, "\n"))
	case quoted != nil:
		name, err := strconv.Unquote(`"` + quoted[1] + `"`)
		if err != nil || name == "" {
			name = quoted[2]
		}
		if found := strings.Index(in[at:], name); found >= 0 {
			at += found
		}
	}
	e.Column = expression.Column(text, line, utf8.RuneCountInString(in[:at])+1)
	if function, ok := strings.CutPrefix(rest, "function "); ok {
		name, _ := strconv.Unquote(strings.TrimSuffix(function, " not defined"))
		e.Hint = suggestion(name, slices.Sorted(maps.Keys(functions())), "the functions are ")
	}
	return e
}

// executionError takes apart what executing says, which is "template: :LINE:COLUMN: executing NAME at <...>: MESSAGE". It counts
// the bytes of a line, from 0.
func executionError(text string, err error, params map[string]any) *expression.Error {
	e := &expression.Error{Language: Language, Text: text, Msg: strings.TrimPrefix(err.Error(), "template: "), Err: err}
	_, rest, _ := strings.Cut(e.Msg, ":")
	words := strings.SplitN(rest, ":", 3)
	if len(words) < 3 {
		return e
	}
	line, lineErr := strconv.Atoi(words[0])
	column, columnErr := strconv.Atoi(words[1])
	if lineErr != nil || columnErr != nil {
		return e
	}
	if lines := strings.SplitAfter(text, "\n"); line >= 1 && line <= len(lines) && column <= len(lines[line-1]) {
		e.Column = expression.Column(text, line, utf8.RuneCountInString(lines[line-1][:column])+1)
	}
	e.Msg = strings.TrimSpace(words[2])
	if _, what, ok := strings.Cut(e.Msg, ">: "); ok {
		e.Msg = what
	}
	e.Msg = strings.TrimPrefix(e.Msg, "error calling "+roundFunction+": ")
	if field, ok := strings.CutPrefix(e.Msg, "can't evaluate field "); ok {
		field, _, _ = strings.Cut(field, " ")
		e.Msg = "there is no field " + field
		if before := []rune(text); e.Column > 1 && e.Column <= len(before) { // of a.b.c it tells the place of c
			if at := strings.LastIndex(string(before[:e.Column-1]), "."+field); at >= 0 {
				e.Column = utf8.RuneCountInString(text[:at]) + 1
			}
		}
		e.Hint = suggestion(field, fields(), "the fields are ")
	}
	if key, ok := strings.CutPrefix(e.Msg, "map has no entry for key "); ok {
		name, _ := strconv.Unquote(key)
		e.Hint = suggestion(name, slices.Sorted(maps.Keys(params)), "the parameters are ")
	}
	return e
}

// fields are the names a template can begin with.
func fields() []string {
	var names []string
	for f := range reflect.TypeFor[api.FunctionContext]().Fields() {
		if f.IsExported() {
			names = append(names, f.Name)
		}
	}
	return append(names, "Params")
}

// suggestion asks whether another name was meant, or else lists them all.
func suggestion(name string, names []string, all string) string {
	meant := configkit.Suggest(name, names)
	for _, n := range names { // Unit may be UnitSlug or UnitID
		if len(meant) < 3 && utf8.RuneCountInString(name) > 1 && strings.HasPrefix(n, name) && !slices.Contains(meant, n) {
			meant = append(meant, n)
		}
	}
	if len(meant) == 0 && len(names) > 0 {
		return all + strings.Join(names, ", ")
	}
	return configkit.DidYouMean("", meant)
}

// Package template renders Go text templates with the context of a function and its parameters.
//
// The rules of this package:
//   - It uses text/template, because html/template would escape & as &amp;.
//   - A template that asks for something that does not exist fails.
//   - A template can call the functions of functions.go and those of text/template. None makes a
//     text that is longer than the result may be (limits.go).
//
// Layer: languages.
package template

import (
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
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/limit"
)

// Language is the name of the language in errors.
const Language = "template"

const (
	// maxText is the maximum length of the result, in bytes.
	maxText = 1 << 20
	// maxRounds is the maximum number of times that the bodies of all ranges and defined templates
	// may run together.
	maxRounds = 100_000
)

// Template is a parsed template. It is safe for concurrent use.
type Template struct {
	expression.Source
	template *template.Template
}

// data is what a template sees. It is passed by value, so that templates see the fields of
// FunctionContext but not its methods, which have pointer receivers.
type data struct {
	api.FunctionContext
	Params map[string]any
}

// Compile parses a template. The error is an *[expression.Error].
func Compile(text string) (*Template, error) {
	of := expression.Source{Language: Language, Text: text}
	t, err := template.New("").Option("missingkey=error").Funcs(functions(limits{})).Parse(text)
	if err != nil {
		return nil, parseError(of, err)
	}
	return &Template{of, countRounds(t)}, nil
}

// Render renders the template with the fields of the function's context and the parameters, which
// the template calls .Params. The error is an *[expression.Error].
func (p *Template) Render(fc *api.FunctionContext, params map[string]any) (string, error) {
	t, err := p.template.Clone()
	if err != nil {
		return "", p.Failed(err)
	}
	watch := limit.Start(fc.Context(), nil)
	defer watch.End()
	rounds := 0
	t.Funcs(template.FuncMap{roundFunction: func() (string, error) {
		if rounds++; rounds > maxRounds {
			return "", limit.TooLarge("too many rounds of ranges and templates")
		}
		return "", watch.Err()
	}})
	t.Funcs(functions(limits{watch.Err})).Funcs(printers(limits{watch.Err}))
	if params == nil {
		params = map[string]any{}
	}
	var b limitedBuilder
	if err := t.Execute(&b, data{*fc, params}); err != nil {
		if ended := watch.Err(); ended != nil {
			return "", p.Ended(ended)
		}
		return "", executionError(p.Source, err, params)
	}
	return b.String(), nil
}

// limitedBuilder is a builder that refuses texts that are too long.
type limitedBuilder struct{ strings.Builder }

func (b *limitedBuilder) Write(text []byte) (int, error) {
	if b.Len()+len(text) > maxText {
		return 0, limit.TooLarge("the result has more than %d bytes", maxText)
	}
	return b.Builder.Write(text)
}

// roundFunction is the function that is called at the beginning of every round of a range and of
// every defined template. Render supplies its implementation.
const roundFunction = "fctlRound"

// countRounds inserts a call of roundFunction into the ranges and the defined templates of t.
func countRounds(t *template.Template) *template.Template {
	round := template.FuncMap{roundFunction: func() string { return "" }}
	call := template.Must(template.New("").Funcs(round).Parse("{{" + roundFunction + "}}")).
		Root.Nodes[0]
	count := func(l *parse.ListNode) { l.Nodes = append([]parse.Node{call}, l.Nodes...) }
	t = t.Funcs(round)
	for _, named := range t.Templates() {
		if named.Tree == nil {
			continue
		}
		visit(named.Root, func(node parse.Node) {
			if loop, ok := node.(*parse.RangeNode); ok {
				count(loop.List)
			}
		})
		if named.Name() != t.Name() {
			count(named.Root)
		}
	}
	return t
}

// parseError parses a parse error, which has the form "template: :LINE: MESSAGE". It has no column,
// so the column is searched for: that of the text the message quotes, or else of the action.
func parseError(of expression.Source, err error) *expression.Error {
	e, text := of.Failed(err), of.Text
	e.Msg = strings.TrimPrefix(e.Msg, "template: :")
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
	e.Column = of.At(line, utf8.RuneCountInString(in[:at])+1)
	if function, ok := strings.CutPrefix(rest, "function "); ok {
		name, _ := strconv.Unquote(strings.TrimSuffix(function, " not defined"))
		e.Hint = suggestion(name, slices.Sorted(maps.Keys(functions(limits{}))), "the functions are ")
	}
	return e
}

// executionError parses an execution error, which has the form "template: :LINE:COLUMN: executing
// NAME at <...>: MESSAGE". COLUMN counts bytes from 0.
func executionError(of expression.Source, err error, params map[string]any) *expression.Error {
	e, text := of.Failed(err), of.Text
	e.Msg = strings.TrimPrefix(e.Msg, "template: ")
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
	if lines := strings.SplitAfter(text, "\n"); line >= 1 && line <= len(lines) &&
		column <= len(lines[line-1]) {
		e.Column = of.At(line, utf8.RuneCountInString(lines[line-1][:column])+1)
	}
	e.Msg = strings.TrimSpace(words[2])
	if _, what, ok := strings.Cut(e.Msg, ">: "); ok {
		e.Msg = what
	}
	e.Msg = strings.TrimPrefix(e.Msg, "error calling "+roundFunction+": ")
	if strings.HasPrefix(e.Msg, "exceeded maximum template depth") {
		e.Err = limit.TooLarge("too many templates inside each other")
		e.Msg, e.Hint = e.Err.Error(), limit.HintOf(e.Err)
	}
	if field, ok := strings.CutPrefix(e.Msg, "can't evaluate field "); ok {
		field, _, _ = strings.Cut(field, " ")
		e.Msg = "unknown field " + field
		// for a.b.c the error has the position of c
		if before := []rune(text); e.Column > 1 && e.Column <= len(before) {
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

// fields returns the names that a template's fields can begin with.
func fields() []string {
	var names []string
	for f := range reflect.TypeFor[api.FunctionContext]().Fields() {
		if f.IsExported() {
			names = append(names, f.Name)
		}
	}
	return append(names, "Params")
}

// suggestion returns a hint that asks whether similar names were meant, or else lists all names
// after the text all.
func suggestion(name string, names []string, all string) string {
	meant := configkit.Suggest(name, names)
	for _, n := range names { // for example, Unit may mean UnitSlug or UnitID
		if len(meant) < 3 && utf8.RuneCountInString(name) > 1 && strings.HasPrefix(n, name) &&
			!slices.Contains(meant, n) {
			meant = append(meant, n)
		}
	}
	if len(meant) == 0 && len(names) > 0 {
		return all + strings.Join(names, ", ")
	}
	return configkit.DidYouMean("", meant)
}

package handler

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/functions/api"
)

// TemplateError tells what is wrong with a template.
type TemplateError struct {
	Text   string
	Column int // counted in runes from 1; 0 when it is not known
	Msg    string
	Hint   string
}

func (e *TemplateError) Error() string {
	if e.Column > 0 {
		return fmt.Sprintf("template: column %d: %s", e.Column, e.Msg)
	}
	return "template: " + e.Msg
}

// Expression is the text and the column in which it is wrong.
func (e *TemplateError) Expression() (text string, column int) { return e.Text, e.Column }

// templateFunctions are what templates can call beside text/template's own.
func templateFunctions() template.FuncMap {
	return template.FuncMap{
		"normalizeName": NormalizeName,
		"toUpper":       strings.ToUpper,
		"toLower":       strings.ToLower,
		"trimSpace":     strings.TrimSpace,
		"trimPrefix":    strings.TrimPrefix,
		"trimSuffix":    strings.TrimSuffix,
	}
}

func parseTemplate(text string) (*template.Template, error) {
	t, err := template.New("").Option("missingkey=error").Funcs(templateFunctions()).Parse(text)
	if err != nil {
		return nil, templateError(text, err)
	}
	return t, nil
}

// renderTemplate renders a Go text template over the fields of the function's context. The error is a *TemplateError.
func renderTemplate(fc *api.FunctionContext, text string) (string, error) {
	t, err := parseTemplate(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	// Of a value, not a pointer, a template sees the fields only and no methods.
	if err := t.Execute(&b, *fc); err != nil {
		return "", templateError(text, err)
	}
	return b.String(), nil
}

// templateError takes apart what text/template says, which is "template: NAME:LINE:COLUMN: executing NAME at <...>: MESSAGE",
// without column and what follows it when parsing failed.
func templateError(text string, err error) *TemplateError {
	e := &TemplateError{Text: text, Msg: strings.TrimPrefix(err.Error(), "template: :")}
	line, rest, ok := strings.Cut(e.Msg, ":")
	number, isNumber := strconv.Atoi(line)
	if !ok || isNumber != nil {
		return e
	}
	e.Msg = strings.TrimSpace(rest)
	if column, message, ok := strings.Cut(rest, ":"); ok {
		if n, err := strconv.Atoi(column); err == nil {
			e.Column = templateColumn(text, number, n)
			if _, what, ok := strings.Cut(message, ">: "); ok {
				message = what
			}
			e.Msg = strings.TrimSpace(message)
		}
	}
	e.explain()
	return e
}

// templateColumn is the column in the whole text, in runes from 1. text/template counts the bytes of a line, from 0.
func templateColumn(text string, line, column int) int {
	offset := 0
	for range line - 1 {
		next := strings.IndexByte(text[offset:], '\n')
		if next < 0 {
			return 0
		}
		offset += next + 1
	}
	if offset += column; offset < 0 || offset > len(text) {
		return 0
	}
	return utf8.RuneCountInString(text[:offset]) + 1
}

// explain says what names there are in place of one that does not exist.
func (e *TemplateError) explain() {
	var names []string
	if field, ok := strings.CutPrefix(e.Msg, "can't evaluate field "); ok {
		field, _, _ = strings.Cut(field, " ")
		e.Msg = "there is no field " + field
		for f := range reflect.TypeFor[api.FunctionContext]().Fields() {
			if f.IsExported() {
				names = append(names, f.Name)
			}
		}
		meant := Suggest(field, names)
		for _, name := range names { // Unit may be UnitSlug or UnitID
			if len(meant) < 3 && strings.HasPrefix(name, field) {
				meant = append(meant, name)
			}
		}
		if e.Hint = didYouMean(meant); e.Hint == "" {
			e.Hint = "the fields are " + strings.Join(names, ", ")
		}
	}
	if function, ok := strings.CutPrefix(e.Msg, "function "); ok {
		name, _ := strconv.Unquote(strings.TrimSuffix(function, " not defined"))
		names = slices.Sorted(maps.Keys(templateFunctions()))
		e.Hint = didYouMean(Suggest(name, names))
		if e.Hint == "" {
			e.Hint = "the functions are " + strings.Join(names, ", ")
		}
	}
}

// NormalizeName makes a name of any text: lower-case letters and digits, every run of anything else a single dash, none at
// the ends.
func NormalizeName(s string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(s) {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteRune(r)
			dash = false
			continue
		}
		dash = true
	}
	return b.String()
}

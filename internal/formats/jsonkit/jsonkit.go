// Package jsonkit implements the format AppConfig/JSON.
//
// A file is one document, whose root may be any value. The name of the file selects the dialect:
// .jsonc allows comments and trailing commas, .json5 allows all of JSON5 (keys without quotes,
// strings in single quotes and over several lines, numbers such as 0xFF, .5, +1 and Infinity), and
// any other name allows plain JSON only. Without a name every dialect is accepted.
//
// Edits keep the style of the text: indentation, line breaks, blanks around colons and commas,
// trailing commas, escapes and the spelling of numbers. New keys are added after the other keys of
// their object, in the style of those keys.
//
// Layer: configkit.
package jsonkit

import (
	"math"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Converter converts the format. Its zero value reads what any of the dialects allows.
type Converter struct{ formatkit.Converter[language] }

var _ configkit.DialectConverter = Converter{}

// ForFile returns the converter for the dialect that a file of this name is written in.
func (Converter) ForFile(name string) configkit.ConfigConverter {
	d := strict
	switch strings.ToLower(filepath.Ext(name)) {
	case ".jsonc":
		d = withComments
	case ".json5":
		d = json5
	}
	return Converter{formatkit.Converter[language]{Language: language{d}}}
}

// dialect says what a file may contain besides plain JSON.
type dialect uint8

const (
	unknown dialect = iota // no file name is known: everything is allowed
	strict
	withComments
	json5
)

func (d dialect) hasComments() bool { return d != strict }

func (d dialect) isJSON5() bool { return d == json5 || d == unknown }

type language struct{ dialect }

// Parse implements formatkit.Language: a file is one document.
func (l language) Parse(text formatkit.Text) ([]*formatkit.Node, error) {
	p := parser{Text: text, dialect: l.dialect, at: text.Begin()}
	root, err := p.document()
	return []*formatkit.Node{root}, err
}

// Traits implements formatkit.Language.
func (language) Traits() formatkit.Traits { return formatkit.Traits{Empty: "{}\n"} }

// Scalar implements gaby.Native.
func (l language) Scalar(value any) (any, error) {
	if f, ok := value.(float64); ok && l.dialect != json5 && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return nil, formatkit.Refuse("use null or a string instead",
			"JSON has neither infinity nor NaN")
	}
	return value, nil
}

// Number implements gaby.Native.
func (l language) Number(text string) any {
	p := parser{dialect: l.dialect}
	value, err := p.number(text, 0)
	if err != nil || !isNumber(text, l.dialect == json5) {
		return nil
	}
	return value
}

// CheckValue implements gaby.Native. Every value is allowed at every path.
func (language) CheckValue(gaby.Value, []string) error { return nil }

// CheckComment implements gaby.Native.
func (l language) CheckComment(_ gaby.Value, _ []string, text string) error {
	if text != "" && !l.hasComments() {
		return formatkit.Refuse("if what reads the file knows comments, call it .jsonc or .json5",
			"JSON has no comments")
	}
	return formatkit.CheckCommentText(text,
		func(r rune) bool { return unicode.IsControl(r) && r != '\t' || isSeparator(r) })
}

// CheckCommentAt returns an error if no comment can be added on the line after n.
func (language) CheckCommentAt(text formatkit.Text, n *formatkit.Node) error {
	return text.CheckLineComment(n, n.End())
}

// Comment implements formatkit.Language.
func (language) Comment(w *formatkit.Writer, n *formatkit.Node, text string) error {
	if text != "" && !strings.Contains(text, "*/") && strings.HasPrefix(w.Raw(n.Remark), "/*") {
		w.Replace(n.Remark, "/* "+text+" */")
		return nil
	}
	w.LineComment(n, n.End(), "//", text)
	return nil
}

// Replace implements formatkit.Language.
func (language) Replace(w *formatkit.Writer, n *formatkit.Node, v gaby.Value) error {
	w.Replace(n.Span, edit(w).inPlace(n, v))
	return nil
}

// Entries implements formatkit.Language.
func (language) Entries(
	w *formatkit.Writer, n *formatkit.Node, entries []formatkit.Entry,
) (bool, error) {
	e := edit(w)
	return !w.EntriesIn(n, entries, false, e.entry) && e.others(n), nil
}

// Package propkit is the format AppConfig/Properties: the texts that Java's Properties.load reads.
//
// Keys nest at their dots, see nativekit.Nest. Values are text; true, false and whole numbers have their types. In two things a text
// means more than to Java: # behind blanks ends a value and begins a comment, as people write them, and a text that is no UTF-8 is
// read as ISO 8859-1. The characters of new values that are not ASCII are escaped, unless the text has such characters already.
package propkit

import (
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/nativekit"
)

// Converter is the converter of the format.
type Converter = nativekit.Converter[language]

type language struct{ nativekit.FlatEdits[language] }

// Traits implements nativekit.Language.
func (language) Traits() nativekit.Traits {
	return nativekit.Traits{LeavesOnly: true, AnyBytes: true}
}

// Scalar implements gaby.Native.
func (language) Scalar(value any) (any, error) {
	text, ok := nativekit.Untyped(value)
	if !ok {
		return nil, nativekit.Refuse(`use delete-path, or "" for no text`, "properties cannot be null")
	}
	return nativekit.Typed(text), nil
}

// CheckValue implements gaby.Native.
func (language) CheckValue(root gaby.Value, path []string) error {
	return nativekit.CheckFlat(root, path)
}

// CheckComment implements gaby.Native.
func (language) CheckComment(root gaby.Value, path []string, text string) error {
	if v := root.Doc().Search(path...).Value(); text != "" && isEmpty(v) {
		return nativekit.Refuse("", "a comment behind an empty value would be the value")
	}
	if strings.HasSuffix(text, `\`) {
		return nativekit.Refuse("", "for Java, a line that ends in a backslash goes on in the next one")
	}
	return nativekit.CheckFlatComment(root, path)
}

// Replace implements nativekit.Language.
func (l language) Replace(w *nativekit.Writer, n *nativekit.Node, v gaby.Value) error {
	if form, ok := n.Form.(*line); ok && isEmpty(v) && (form.comment.Len() > 0 || w.LineCommentOf(n) != "") {
		// Behind an empty value the comment would be the value, so it goes above.
		if comment := w.LineCommentOf(n); comment != "" {
			written := "# " + comment
			if comment == n.Comments.Line {
				written = w.Raw(form.comment)
			}
			w.Insert(n.Entry.From, nativekit.Indent(w.Text, n.KeySpan.From)+written+w.LineEnd)
		}
		w.Remove(nativekit.Span{From: n.Span.From, To: max(n.Span.To, form.comment.To)})
		return nil
	}
	return w.ReplaceFlat(l, n, v)
}

func isEmpty(v gaby.Value) bool { return v.Kind() == gaby.Scalar && v.Text() == "" }

// Comment implements nativekit.Language.
func (language) Comment(w *nativekit.Writer, n *nativekit.Node, text string) error {
	form, ok := n.Form.(*line)
	if !ok {
		return nil // what it stood behind is gone
	}
	have := form.comment
	switch {
	case text != "" && isEmpty(w.Value(n)):
		return nil // it stands above
	case have.Len() == 0 && n.Span.Len() > 0 && isBlank(w.Text[n.Span.To-1]) && !w.Replaced(n):
		w.Insert(n.Span.To-1, `\`) // the blank belongs to the value
	}
	w.LineComment(n, have, "#", text)
	return nil
}

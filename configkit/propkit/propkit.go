// Package propkit is the format AppConfig/Properties: the texts that Java's Properties.load reads.
//
// Keys nest at their dots, see nativekit.Nest. Values are text; true, false and whole numbers have their types, also in front of
// blanks that end the line. All up to the end of the line is the value, and comments have lines of their own, above the key; only after
// a number, true or false, blanks and # begin a remark, see nativekit.BeforeRemark. A text that is
// not UTF-8 is read as ISO 8859-1. The characters of new values that are not ASCII are escaped, unless the text has such characters
// already.
package propkit

import (
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

// Replace implements nativekit.Language. A text takes the place of a number and of the remark after it.
func (l language) Replace(w *nativekit.Writer, n *nativekit.Node, v gaby.Value) error {
	if form, ok := n.Form.(*line); ok && form.remark.Len() > 0 && v.Kind() == gaby.Scalar {
		if _, isText := v.Data().(string); isText {
			whole := *n
			whole.Span.To = form.remark.To
			n = &whole
		}
	}
	return w.ReplaceFlat(l, n, v)
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
func (language) CheckComment(root gaby.Value, path []string, _ string) error {
	return nativekit.CheckFlatComment(root, path)
}

// Comment implements nativekit.Language.
func (language) Comment(w *nativekit.Writer, n *nativekit.Node, text string) error {
	if spellingOf(w).latin1 {
		var ok bool
		if text, ok = inLatin1(text); !ok {
			return nativekit.Refuse("use the characters of ISO 8859-1, or convert the text to UTF-8", "the text is ISO 8859-1, which does not have all characters of the comment")
		}
	}
	w.CommentAbove(n, "#", text)
	return nil
}

// Package propkit implements the format AppConfig/Properties, as Java's Properties.load reads it.
//
// Keys nest at their dots, see formatkit.Nest. Values are text, except that true, false and
// integers have their types, even if blanks follow them. The value is the rest of the line, and
// comments have lines of their own, above the key. Only after a number, true or false do blanks
// and # begin a remark, see formatkit.BeforeRemark. A text that is not UTF-8 is read as ISO
// 8859-1. Characters of new values outside ASCII are escaped, unless the text contains such
// characters already.
//
// Layer: configkit.
package propkit

import (
	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Converter converts the format.
type Converter = formatkit.Converter[language]

type language struct{ formatkit.FlatEdits[language] }

// Traits implements formatkit.Language.
func (language) Traits() formatkit.Traits {
	return formatkit.Traits{ScalarsOnly: true, AnyBytes: true}
}

// Scalar implements gaby.Native.
func (language) Scalar(value any) (any, error) {
	text, ok := formatkit.Untyped(value)
	if !ok {
		return nil, formatkit.Refuse(`use delete-path, or "" for no text`,
			"properties cannot be null")
	}
	return formatkit.Typed(text), nil
}

// CheckValue implements gaby.Native.
func (language) CheckValue(root gaby.Value, path []string) error {
	return formatkit.CheckFlat(root, path)
}

// CheckComment implements gaby.Native.
func (language) CheckComment(root gaby.Value, path []string, _ string) error {
	return formatkit.CheckFlatComment(root, path)
}

// Comment implements formatkit.Language.
func (language) Comment(w *formatkit.Writer, n *formatkit.Node, text string) error {
	if spellingOf(w).latin1 {
		var ok bool
		if text, ok = inLatin1(text); !ok {
			return formatkit.Refuse(
				"use the characters of ISO 8859-1, or convert the text to UTF-8",
				"the text is ISO 8859-1, which does not have all characters of the comment")
		}
	}
	w.CommentAbove(n, "#", text)
	return nil
}

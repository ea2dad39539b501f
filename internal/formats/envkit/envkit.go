// Package envkit implements the format AppConfig/Env: files of environment variables as dotenv and
// docker compose read them.
//
// A line is KEY=value, optionally after export. A value in single quotes is literal, and one in
// double quotes knows the escapes \n, \r, \t, \\, \", \$ and \`. Both may continue over several
// lines. A quote that is not closed at the end of the value is part of the value. A value without
// quotes ends with its line, or at a # after a blank, which begins a comment. Blanks around it are
// ignored. Lines that begin with # or ; are comments. Variables in values are not expanded. All
// values are strings.
//
// Edits are written so that dotenv (of Node), godotenv, docker compose and the shell (set -a; .
// FILE) all read the same. They agree about values in single quotes that contain no single quote,
// and about values in double quotes that contain no double quote, backslash, $ or `. A value that
// neither kind of quotes can hold is rejected. A $ is text, in single quotes, unless the old value
// had the same variable. If the old value had \n so does the new one, although the shell does not
// know it. In a text with CRLF line ends, which the shell cannot read, a value that becomes
// multi-line is written with \n.
//
// Other readers of such files know less. docker run --env-file takes everything after the sign
// literally, including quotes, and does not know export. systemd continues a line that ends in a
// backslash, and takes a # after a value as part of the value.
//
// Keys have no dots, except those of the configHub block.
//
// Layer: configkit.
package envkit

import (
	"strings"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Converter converts the format.
type Converter = formatkit.Converter[language]

type language struct{ formatkit.FlatEdits[language] }

// block is the key of the only map.
const block = "configHub"

// Scalar implements gaby.Native.
func (language) Scalar(value any) (any, error) {
	text, ok := formatkit.Untyped(value)
	switch {
	case !ok:
		return nil, formatkit.Refuse(`use delete-path, or "" for no text`,
			"a variable cannot be null")
	case strings.ContainsRune(text, 0):
		return nil, formatkit.Refuse("", "a variable cannot have a null character")
	}
	return text, nil
}

// Number implements gaby.Native.
func (language) Number(text string) any { return text }

// CheckValue implements gaby.Native.
func (language) CheckValue(root gaby.Value, path []string) error {
	if len(path) == 0 {
		for _, kid := range root.All() {
			if err := checkVariable(kid); err != nil {
				return err
			}
		}
		return nil
	}
	if err := checkVariable(root.Get(path[0])); err != nil {
		return err
	}
	return formatkit.CheckFlat(root, path)
}

// CheckIn returns an error if v cannot be the new value of n.
func (language) CheckIn(n *formatkit.Node, v gaby.Value, _ []string) error {
	text := v.Text()
	if v.Kind() != gaby.Scalar || n.Value == text {
		return nil
	}
	if form, ok := n.Syntax.(*line); ok {
		return form.old.checkText(text)
	}
	return old{}.checkText(text)
}

// checkVariable checks a new value of the root. All readers must be able to read it.
func checkVariable(v gaby.Value) error {
	switch key := v.Key(); {
	case key == block && v.Kind() == gaby.Map:
		return checkNew(v)
	case v.Kind() != gaby.Scalar:
		return formatkit.Refuse("", "a variable cannot be a map or a list")
	case v.NativeNode() >= 0:
		return nil
	case strings.Contains(key, "."):
		return formatkit.Refuse("", "the name of a variable cannot have a dot")
	case !isPlainName(key):
		return formatkit.Refuse("names have letters, digits and _, and do not begin with a digit",
			"%q cannot be the name of a variable", key)
	}
	return checkNew(v)
}

// checkNew checks the new strings in v.
func checkNew(v gaby.Value) error {
	if v.Kind() == gaby.Scalar {
		if v.NativeNode() >= 0 {
			return nil
		}
		return old{}.checkText(v.Text())
	}
	for _, kid := range v.All() {
		if err := checkNew(kid); err != nil {
			return err
		}
	}
	return nil
}

// isPlainName reports whether every reader accepts key as the name of a variable.
func isPlainName(key string) bool {
	for i := range len(key) {
		if c := key[i]; c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') &&
			(i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return key != "" && key != export
}

// isName reports whether key can be written before "=".
func isName(key string) bool {
	return key != "" && !strings.ContainsAny(key, " \t\r\n=#;'\"`\x00") && key != export
}

// CheckComment implements gaby.Native.
func (language) CheckComment(root gaby.Value, path []string, text string) error {
	if hasMark(text) {
		return formatkit.Refuse("leave out the #",
			"godotenv would take what is before the last # for the value")
	}
	return formatkit.CheckFlatComment(root, path)
}

// Comment implements formatkit.Language.
func (language) Comment(w *formatkit.Writer, n *formatkit.Node, text string) error {
	if _, ok := n.Syntax.(*line); ok {
		if text != "" && n.Span.Len() == 0 && !w.Replaced(n) {
			w.Insert(n.Span.To, nothing)
		}
		w.LineComment(n, n.Span.To, "#", text)
	}
	return nil
}

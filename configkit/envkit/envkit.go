// Package envkit is the format AppConfig/Env: files of environment variables as dotenv and docker compose read them.
//
// A line is KEY=value, with export in front if one likes. A value in single quotes is taken as it is and one in double quotes
// knows \n, \r, \t, \\, \", \$ and \`; both may go over several lines. Quotes that are not closed at the end of the value are part of
// it. A value without quotes ends with its line, or at # behind a blank, where a comment begins; blanks around it do not count.
// Lines that begin with # or ; are comments. Variables in values are not replaced. All values are strings.
//
// What is written is read the same by dotenv (of Node), godotenv, docker compose and by the shell (set -a; . FILE). They agree about
// values in single quotes without one, and in double quotes without one, a backslash, $ or `. A value that needs both is refused. A
// $ is text, in single quotes, unless the value had the same variable before. A value with \n keeps it, which the shell does not know. In
// a text with CRLF line ends, which the shell does not read, \n is written for the lines of a value that had none.
//
// Others who read such files know less: docker run --env-file takes everything after the sign as it is, quotes included, and knows no
// export; systemd takes a backslash at the end of a line for one that goes on, and # after a value for a part of it.
//
// Keys have no dots, but for those of the configHub block.
package envkit

import (
	"strings"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Converter is the converter of the format.
type Converter = formatkit.Converter[language]

type language struct{ formatkit.FlatEdits[language] }

// block is the only map.
const block = "configHub"

// Scalar implements gaby.Native.
func (language) Scalar(value any) (any, error) {
	text, ok := formatkit.Untyped(value)
	switch {
	case !ok:
		return nil, formatkit.Refuse(`use delete-path, or "" for no text`, "a variable cannot be null")
	case strings.ContainsRune(text, 0):
		return nil, formatkit.Refuse("", "a variable cannot have a null character")
	}
	return text, nil
}

// CheckValue implements gaby.Native.
func (language) CheckValue(root gaby.Value, path []string) error {
	if len(path) == 0 {
		for kid := root.First(); kid.Exists(); kid = kid.Next() {
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

// CheckIn says why a value cannot take the place of that of n.
func (language) CheckIn(n *formatkit.Node, v gaby.Value) error {
	text := v.Text()
	if v.Kind() != gaby.Scalar || n.Value == text {
		return nil
	}
	if form, ok := n.Syntax.(*line); ok {
		return form.old.checkText(text)
	}
	return old{}.checkText(text)
}

// checkVariable checks what is to be at the top: what is new has to be readable by all readers.
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
		return formatkit.Refuse("names have letters, digits and _, and do not begin with a digit", "%q cannot be the name of a variable", key)
	}
	return checkNew(v)
}

// checkNew checks the texts in v that are new.
func checkNew(v gaby.Value) error {
	if v.Kind() == gaby.Scalar {
		if v.NativeNode() >= 0 {
			return nil
		}
		return old{}.checkText(v.Text())
	}
	for kid := v.First(); kid.Exists(); kid = kid.Next() {
		if err := checkNew(kid); err != nil {
			return err
		}
	}
	return nil
}

// isPlainName reports whether every reader knows key as the name of a variable.
func isPlainName(key string) bool {
	for i := range len(key) {
		if c := key[i]; c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return key != "" && key != export
}

// isName reports whether key can stand in front of "=".
func isName(key string) bool {
	return key != "" && !strings.ContainsAny(key, " \t\r\n=#;'\"`\x00") && key != export
}

// CheckComment implements gaby.Native.
func (language) CheckComment(root gaby.Value, path []string, text string) error {
	if hasMark(text) {
		return formatkit.Refuse("leave out the #", "godotenv would take what is before the last # for the value")
	}
	return formatkit.CheckFlatComment(root, path)
}

// Comment implements formatkit.Language.
func (language) Comment(w *formatkit.Writer, n *formatkit.Node, text string) error {
	if form, ok := n.Syntax.(*line); ok {
		if text != "" && n.Span.Len() == 0 && !w.Replaced(n) {
			w.Insert(n.Span.To, nothing)
		}
		w.LineComment(n, form.comment, "#", text)
	}
	return nil
}

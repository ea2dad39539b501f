// Package envkit is the format AppConfig/Env: files of environment variables as dotenv and docker compose read them.
//
// A line is KEY=value, with export in front if one likes. A value in single quotes is taken as it stands and one in double quotes
// knows \n, \r, \t, \\, \", \$ and \`; both may go over several lines. Quotes that are not closed at the end of the value are part of
// it. A value without quotes ends with its line, or at # behind a blank, where a comment begins; blanks around it do not count.
// Lines that begin with # or ; are comments. Variables in values are not replaced. All values are strings.
//
// Others who read such files know less: docker run --env-file takes all behind the sign as it stands, quotes included, and knows no
// export; systemd takes a backslash at the end of a line for one that goes on, and # behind a value for a part of it. A file that
// keeps to what all of them know means the same here.
//
// Keys have no dots, but for those of the configHub block.
package envkit

import (
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/nativekit"
)

// Converter is the converter of the format.
type Converter = nativekit.Converter[language]

type language struct{ nativekit.FlatEdits[language] }

// block is the only map.
const block = "configHub"

// Scalar implements gaby.Native.
func (language) Scalar(value any) (any, error) {
	text, ok := nativekit.Untyped(value)
	switch {
	case !ok:
		return nil, nativekit.Refuse(`use delete-path, or "" for no text`, "a variable cannot be null")
	case strings.ContainsRune(text, 0):
		return nil, nativekit.Refuse("", "a variable cannot have a null character")
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
	return nativekit.CheckFlat(root, path)
}

func checkVariable(v gaby.Value) error {
	switch key := v.Key(); {
	case key == block && v.Kind() == gaby.Map:
		return nil
	case v.Kind() != gaby.Scalar:
		return nativekit.Refuse("", "a variable cannot be a map or a list")
	case strings.Contains(key, "."):
		return nativekit.Refuse("", "the name of a variable cannot have a dot")
	case !isName(key):
		return nativekit.Refuse("", "%q cannot be the name of a variable", key)
	}
	return nil
}

// isName reports whether key can stand in front of "=".
func isName(key string) bool {
	return key != "" && !strings.ContainsAny(key, " \t\r\n=#;'\"`\x00") && key != export
}

// CheckComment implements gaby.Native.
func (language) CheckComment(root gaby.Value, path []string, _ string) error {
	return nativekit.CheckFlatComment(root, path)
}

// Comment implements nativekit.Language.
func (language) Comment(w *nativekit.Writer, n *nativekit.Node, text string) error {
	if form, ok := n.Form.(*line); ok {
		if text != "" && n.Span.Len() == 0 && form.comment.Len() == 0 && !w.Replaced(n) {
			w.Insert(n.Span.To, nothing)
		}
		w.LineComment(n, form.comment, "#", text)
	}
	return nil
}

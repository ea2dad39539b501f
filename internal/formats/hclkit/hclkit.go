// Package hclkit implements the format OpenTofu/HCL: the native syntax of OpenTofu and Terraform.
//
// Every block at the top level of a file is a document, and so is every run of attributes between
// blocks, as in a file of variables. The text between two blocks belongs to the second one. A
// document is a map with these entries:
//
//   - $block is the type of the block. A block with two labels has them in $type and $name, a block
//     with one label has it in $name, and any other block with labels has the list of them in
//     $labels.
//   - An attribute is an entry with its value. Objects are maps and tuples are lists, unless a key
//     is an expression.
//   - Nested blocks of a type are a list of maps, even if there is only one. If they have labels
//     the list is nested in maps whose keys are the labels: dynamic.setting.0.for_each.
//
// Strings, numbers, true, false and null are values. Anything else is an expression, which is not
// analyzed: its value is the string ${...} with the text of the expression, as in the JSON syntax.
// The ${...} and %{...} in templates are part of the string as well, and $${ is a literal ${ in
// both. A string that is nothing but one ${...} is written as an expression without quotes, unless
// it replaces a string with quotes.
//
// Layer: configkit.
package hclkit

import (
	"bytes"
	"math"
	"strings"
	"unicode"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Converter converts the format.
type Converter = formatkit.Converter[language]

type language struct{}

// Traits implements formatkit.Language. A block type without blocks has no text.
func (language) Traits() formatkit.Traits {
	return formatkit.Traits{ScalarsOnly: true, Empty: "\n"}
}

// Join appends a document to others. The blank line before it is part of its own text.
func (language) Join(before, text []byte) []byte { return append(before, text...) }

// CheckTogether returns an error if an edit has defined an attribute twice. Attributes outside of
// blocks share one body, and all locals blocks share one namespace.
func (language) CheckTogether(documents gaby.Container) error {
	type name struct{ block, key string }
	seen := map[name]gaby.Value{}
	for _, doc := range documents {
		block := doc.Search(blockKey).Value().Text()
		if block != "" && block != "locals" {
			continue
		}
		for _, entry := range doc.Value().All() {
			at := name{block, entry.Key()}
			added, twice := seen[at]
			if seen[at] = entry; !twice || at.key == blockKey {
				continue
			}
			if added.NativeNode() >= 0 {
				added = entry
			}
			if added.NativeNode() >= 0 {
				continue
			}
			return &gaby.EditError{
				Pos: added.Doc().Position(), Path: at.key, Hint: "set it where it is",
				Msg: "attribute " + at.key +
					" is in another block, too, and these blocks are one map",
			}
		}
	}
	return nil
}

// Scalar implements gaby.Native.
func (language) Scalar(value any) (any, error) {
	switch value := value.(type) {
	case float64:
		if math.IsInf(value, 0) || math.IsNaN(value) {
			return nil, formatkit.Refuse("", "HCL has neither infinity nor not-a-number")
		}
	case string:
		if err := checkTemplate(value); err != nil {
			return nil, err
		}
	}
	return value, nil
}

// Number implements gaby.Native.
func (language) Number(text string) any {
	e, problems := hclsyntax.ParseExpression([]byte(text), "", hcl.InitialPos)
	if problems.HasErrors() || !isNumber(text) {
		return nil
	}
	return scalar(text, e)
}

// CheckValue implements gaby.Native.
func (language) CheckValue(root gaby.Value, path []string) error {
	if len(path) == 0 {
		return nil
	}
	switch path[0] {
	case blockKey, typeKey, nameKey, labelsKey:
		v := root.Get(path[0])
		if path[0] == labelsKey {
			if v.Kind() != gaby.List || v.Len() < 3 {
				return formatkit.Refuse(
					"a block with one label has $name, with two $type and $name",
					"%s is a list of three labels or more", labelsKey)
			}
			v = v.First()
		}
		for ; v.Exists(); v = v.Next() {
			if text, ok := v.Data().(string); !ok || text == "" || strings.Contains(text, "${") ||
				strings.Contains(text, "%{") || strings.HasPrefix(text, "\ufeff") {
				return formatkit.Refuse(
					"", "a label is a text that is not empty, without templates")
			}
			if path[0] != labelsKey {
				break
			}
		}
		if path[0] == blockKey && !isName(root.Get(blockKey).Text()) {
			return formatkit.Refuse("use a type of blocks such as resource",
				"%q is not an identifier",
				root.Get(blockKey).Text())
		}
		return nil
	}
	return checkName(path[0])
}

// CheckComment implements gaby.Native.
func (language) CheckComment(_ gaby.Value, _ []string, text string) error {
	return formatkit.CheckCommentText(text, unicode.IsControl)
}

// CheckCommentAt returns an error if no comment can be added on the line after n.
func (language) CheckCommentAt(text formatkit.Text, n *formatkit.Node) error {
	if notationOf(n) == asLabel {
		return formatkit.NoLine()
	}
	if bytes.HasPrefix(text[n.Span.From:], []byte("<<")) {
		return formatkit.Refuse("", "a comment cannot follow a heredoc")
	}
	return text.CheckLineComment(n, commentAt(n))
}

// CheckIn returns an error if v, the new value of n, has an entry that HCL does not
// allow among blocks.
func (language) CheckIn(n *formatkit.Node, v gaby.Value, _ []string) error {
	switch s := notationOf(n); {
	case s == asBlocks && v.Kind() != n.Kind && notationOf(n.Parent) == asBlocks:
		return formatkit.Refuse("", "among blocks with labels there are only such blocks")
	case s == asBlocks && v.Kind() == n.Kind:
		return checkBlocks(v)
	case s == asBlock && n.Parent != nil:
		return checkBody(v)
	}
	return nil
}

// isName reports whether text is an identifier. A byte order mark counts as a letter in
// identifiers, but not at the beginning of a text.
func isName(text string) bool {
	return hclsyntax.ValidIdentifier(text) && !strings.HasPrefix(text, "\ufeff")
}

func checkName(key string) error {
	if isName(key) {
		return nil
	}
	return formatkit.Refuse("names have letters, digits, _ and -, and do not begin with a digit",
		"%q is not the name of an attribute or block", key)
}

// checkBlocks returns an error if v cannot be written as the blocks of a type.
func checkBlocks(v gaby.Value) error {
	for _, item := range v.All() {
		var err error
		switch {
		case v.Kind() == gaby.List:
			err = checkBody(item)
		case item.Kind() == gaby.Scalar:
			return formatkit.Refuse("", "among blocks with labels there are only such blocks")
		default:
			err = checkBlocks(item)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func checkBody(v gaby.Value) error {
	if v.Kind() != gaby.Map {
		return formatkit.Refuse("", "a block is a map")
	}
	for _, kid := range v.All() {
		if err := checkName(kid.Key()); err != nil {
			return err
		}
	}
	return nil
}

// CheckDelete returns an error if the value at path cannot be deleted.
func (l language) CheckDelete(_ formatkit.Text, path []string) error {
	if l.IsName(path) {
		return formatkit.Refuse("delete the resource as a whole",
			"a block cannot be without its type and labels")
	}
	return nil
}

// IsName reports whether path is the type or a label of a block, by which expressions refer to it.
func (language) IsName(path []string) bool {
	return path[0] == blockKey || path[0] == typeKey || path[0] == nameKey || path[0] == labelsKey
}

// Expressions returns each ${...} and %{...} in a string.
func (language) Expressions(text string) []string {
	var expressions []string
	for _, p := range partsOf(text) {
		if !p.literal {
			expressions = append(expressions, p.text)
		}
	}
	return expressions
}

// ReplaceLiterals calls replace for the text between the expressions of a string and returns the
// string with the results.
func (language) ReplaceLiterals(text string, replace func(string) string) string {
	var out, literal strings.Builder
	flush := func() {
		if literal.Len() > 0 {
			out.WriteString(replace(literal.String()))
			literal.Reset()
		}
	}
	for _, p := range partsOf(text) {
		if p.literal {
			literal.WriteString(p.text)
			continue
		}
		flush()
		out.WriteString(p.text)
	}
	flush()
	return out.String()
}

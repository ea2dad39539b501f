// Package inikit is the format AppConfig/INI, in the two dialects that have a definition: that of Python's configparser and that of
// git-config.
//
// A text is in the dialect of git when its file is one of git's (.gitconfig, .gitmodules, .git/config), when a section header has a name
// in quotes, or when it is laid out as git does it, every key behind one tab; any other is in that of configparser. What they share: [section] headers, keys in lines, comment lines behind # or ;. A
// name nests at its dots, [a.b] is the map b in the map a, unless it is more than words, such as [*.md] or [http://a.b]. Keys do not
// nest: features.0 is one key. Keys in front of the first header are entries of the document. Sections with the same name are one.
// Of a key that is there twice the last one counts. A key without a value is null. All values are text; true, false and whole numbers
// have their types. Upper and lower case are kept and told apart. There are no lists.
//
// configparser: the dialect is what Python's configparser.RawConfigParser reads with its defaults, but for keys in front of the first
// header and keys without a value, which it refuses, and for upper and lower case of keys, which it does not tell apart. The sign after
// a key is = or :. All up to the end of the line is the value, quotes, # and ; included, and comments have lines of their own; only
// after a number, true or false, blanks and # begin a remark, see formatkit.BeforeRemark. Lines that are
// indented deeper than their key go on with the value, as lines of it, with blank lines in between. There are no escapes, and
// interpolation such as %(name)s or ${name} is text. [DEFAULT] is a section as any other.
//
// git-config: [section "name"] is the map name, whatever characters it has, in the map section. The sign is =. A value may have parts
// in double quotes, the escapes \\, \", \n, \t and \b, and goes on in the next line behind a backslash; # or ; outside of quotes
// begins a comment. A key may stand on the line of the header.
package inikit

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Converter is the converter of the format. Its zero value tells the dialect by the text.
type Converter struct{ formatkit.Converter[language] }

var _ configkit.DialectConverter = Converter{}

// ForFile is the converter for what is in a file of this name: the files of git are in its dialect however they look.
func (Converter) ForFile(name string) configkit.ConfigConverter {
	base := filepath.Base(name)
	isGit := base == ".gitmodules" || filepath.Ext(base) == ".gitconfig" || base == "config" && filepath.Base(filepath.Dir(name)) == ".git"
	return Converter{formatkit.Converter[language]{Language: language{isGit}}}
}

type language struct{ isGit bool }

// Traits implements formatkit.Language.
func (language) Traits() formatkit.Traits { return formatkit.Traits{ScalarsOnly: true} }

// Scalar implements gaby.Native.
func (language) Scalar(value any) (any, error) {
	text, ok := formatkit.Untyped(value)
	if !ok {
		return nil, nil
	}
	if strings.ContainsAny(text, "\r\x00") {
		return nil, formatkit.Refuse("", "a value cannot have a carriage return or a null character")
	}
	return formatkit.Typed(text), nil
}

// CheckValue implements gaby.Native.
func (language) CheckValue(root gaby.Value, path []string) error {
	s := formatkit.SyntaxOf(root.Doc()).(*section)
	v := root
	for i, key := range path {
		in := v
		v = in.Get(key)
		if err := checkKey(s, in, v, path[:i+1]); err != nil {
			return err
		}
	}
	if v.Kind() == gaby.Map {
		return checkEntries(s, v, path)
	}
	return nil
}

// CheckIn says why a key cannot become a map: a section elsewhere in the text would be read as part of it.
//
//	[options]
//	packages = find:
//	[options.packages.find]
func (l language) CheckIn(n *formatkit.Node, v gaby.Value) error {
	if v.Kind() != gaby.Map {
		return nil
	}
	if n.Kind == gaby.Map {
		for _, kid := range n.Kids {
			if err := l.CheckIn(kid, v.Get(kid.Key)); err != nil {
				return err
			}
		}
		return nil
	}
	root := parentOf(n)
	path := append(slices.Clone(root.Syntax.(*section).path), n.Key)
	for parentOf(root) != nil {
		root = parentOf(root)
	}
	if other := sectionIn(root, path); other != nil {
		name, _ := root.Syntax.(*section).dialect.header(other)
		return formatkit.Refuse("rename that section first", "the value must be a scalar, because a map would take in section [%s]", name)
	}
	return nil
}

// sectionIn is the path of a section below n that is at a path or in it, nil when there is none.
func sectionIn(n *formatkit.Node, path []string) []string {
	for _, kid := range n.Kids {
		s, ok := kid.Syntax.(*section)
		if !ok {
			continue
		}
		if len(s.path) >= len(path) && slices.Equal(s.path[:len(path)], path) {
			return s.path
		}
		if found := sectionIn(kid, path); found != nil {
			return found
		}
	}
	return nil
}

// checkEntries checks what is new in a map.
func checkEntries(root *section, m gaby.Value, path []string) error {
	for kid := m.First(); kid.Exists(); kid = kid.Next() {
		at := append(path[:len(path):len(path)], kid.Key())
		if err := checkKey(root, m, kid, at); err != nil {
			return err
		}
		if kid.Kind() == gaby.Map {
			if err := checkEntries(root, kid, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkKey checks that an entry v of a map can be written as a key or section of its name. root is the section of the keys in front of the first
// header: neither Python nor git reads a text that has some.
func checkKey(root *section, in, v gaby.Value, path []string) error {
	key, d := path[len(path)-1], root.dialect
	switch {
	case v.Kind() == gaby.Scalar && len(path) == 1 && (root.first() == nil || len(root.first().keys) == 0):
		return formatkit.Refuse("use a path such as section."+key, "a key must be in a section")
	case v.Kind() == gaby.Scalar && v.Data() == nil && !root.bare && d == (configparser{}):
		return formatkit.Refuse(`use delete-path, or "" for no text`, "a key must have a value")
	case v.Kind() == gaby.Scalar && v.NativeNode() < 0 && otherCase(in, key) != "":
		other := otherCase(in, key)
		return formatkit.Refuse("use "+strings.Join(append(path[:len(path)-1:len(path)-1], other), "."), "keys in upper and lower case are the same to those who read them, and %q is there", other)
	case v.Kind() == gaby.List:
		return formatkit.Refuse("write one text, or a key for each item", "INI has no lists")
	case v.Kind() == gaby.Map:
		if _, ok := d.header(path); !ok {
			return formatkit.Refuse("", "%q cannot be the name of a section", strings.Join(path, "."))
		}
		return nil
	case !d.isKey(key):
		hint := ""
		if d == (git{}) {
			hint = "git's keys begin with a letter and have letters, digits and - only"
		}
		return formatkit.Refuse(hint, "%q cannot be a key", key)
	}
	if text, ok := formatkit.Untyped(v.Data()); ok {
		if _, ok := spelled(d, key+" = ", newValues(d, text, style{indent: "  ", lineEnd: "\n"}), text); !ok {
			return formatkit.Refuse("", "the value cannot be written in this dialect of INI")
		}
	}
	return nil
}

// otherCase returns the key of a map that differs from key in upper and lower case only, "" without one.
func otherCase(in gaby.Value, key string) string {
	for kid := in.First(); kid.Exists(); kid = kid.Next() {
		if kid.Kind() == gaby.Scalar && kid.Key() != key && strings.EqualFold(kid.Key(), key) {
			return kid.Key()
		}
	}
	return ""
}

// CheckComment implements gaby.Native.
func (language) CheckComment(gaby.Value, []string, string) error { return nil }

// CheckPlace says why there is no place for a comment on the line behind n.
func (language) CheckPlace(_ []byte, n *formatkit.Node) error {
	if s, ok := n.Syntax.(*section); ok && s.first() == nil {
		return formatkit.Refuse("comment one of its entries", "the section has no line of its own")
	}
	return nil
}

// Replace implements formatkit.Language.
func (language) Replace(w *formatkit.Writer, n *formatkit.Node, v gaby.Value) error {
	e := editorOf(w)
	switch {
	case n.Kind != v.Kind():
		return e.exchange(n, v)
	case n.Kind == gaby.Map:
		return e.become(n, v)
	}
	return e.value(n, v.Data())
}

// Entries implements formatkit.Language.
func (language) Entries(w *formatkit.Writer, n *formatkit.Node, entries []formatkit.Entry) (bool, error) {
	e := editorOf(w)
	stays := map[*formatkit.Node]bool{}
	var added []entry
	for _, now := range entries {
		stays[now.Node] = true
		if now.Node == nil {
			added = append(added, entry{now.Value.Key(), now.Value})
		}
	}
	for _, kid := range n.Kids {
		if !stays[kid] {
			e.takeOut(kid, w.Remove)
		}
	}
	return false, e.add(n, added)
}

// Comment implements formatkit.Language.
func (language) Comment(w *formatkit.Writer, n *formatkit.Node, text string) error {
	e := editorOf(w)
	if !e.dialect.commentsBehind() {
		w.CommentAbove(n, e.mark(), text)
		return nil
	}
	at, have := n.Span.To, formatkit.Span{}
	switch f := n.Syntax.(type) {
	case *line:
		have = f.comment
	case *section:
		at, have = f.first().closed, f.first().comment
	}
	mark := e.mark()
	if have.Len() > 0 {
		mark = w.Raw(formatkit.Span{From: have.From, To: have.From + 1})
	}
	w.LineComment(&formatkit.Node{Span: formatkit.Span{From: at, To: at}}, have, mark, text)
	return nil
}

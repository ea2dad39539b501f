// Package inikit implements the format AppConfig/INI, in the two dialects that have a definition:
// that of Python's configparser and that of git-config.
//
// A text is in the dialect of git if its file is one of git's (.gitconfig, .gitmodules,
// .git/config), if a section header has a name in quotes, or if it has the layout that git writes,
// with every key indented by one tab. Any other text is in the dialect of configparser.
//
// Both dialects have [section] headers, one key per line, and comment lines that begin with # or ;.
// The name of a section nests at its dots: [a.b] is the map b in the map a. A name that contains
// anything but words, such as [*.md] or [http://a.b], does not nest. Keys do not nest either:
// features.0 is one key. Keys before the first header are entries of the document. Sections of the
// same name are one map. If a key is repeated its last value counts. A key without a value is null.
// All values are text, except that true, false and integers have their types. Names and keys are
// case-sensitive. There are no lists.
//
// configparser: the dialect is that of Python's configparser.RawConfigParser with its default
// options, with three differences: keys before the first header and keys without a value are
// allowed, and keys are case-sensitive. The sign after a key is = or :. The value is the rest of
// the line, including quotes, # and ;. Comments have lines of their own. Only after a number, true
// or false do blanks and # begin a remark, see formatkit.BeforeRemark. Lines that are indented
// deeper than their key continue its value, as lines of it, and may have blank lines in between.
// There are no escapes, and interpolation such as %(name)s or ${name} is text. [DEFAULT] is a
// section like any other.
//
// git-config: [section "name"] is the map name in the map section, whatever characters the name
// has. The sign is =. A value may have parts in double quotes and the escapes \\, \", \n, \t and
// \b, and a backslash at the end of a line continues it on the next one. Outside of quotes # or ;
// begins a comment. A key may be on the line of the header.
//
// Layer: configkit.
package inikit

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Converter converts the format. Its zero value detects the dialect from the text.
type Converter struct{ formatkit.Converter[language] }

var _ configkit.DialectConverter = Converter{}

// ForFile returns the converter for a file of this name. Files of git are always in its dialect.
func (Converter) ForFile(name string) configkit.ConfigConverter {
	base := filepath.Base(name)
	isGit := base == ".gitmodules" || filepath.Ext(base) == ".gitconfig" ||
		base == "config" && filepath.Base(filepath.Dir(name)) == ".git"
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
		return nil, formatkit.Refuse("",
			"a value cannot have a carriage return or a null character")
	}
	return formatkit.Typed(text), nil
}

// Number implements gaby.Native.
func (language) Number(text string) any { return formatkit.Typed(text) }

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

// CheckIn returns an error if a key would become a map that takes in a section
// elsewhere in the text:
//
//	[options]
//	packages = find:
//	[options.packages.find]
func (l language) CheckIn(n *formatkit.Node, v gaby.Value, path []string) error {
	if v.Kind() != gaby.Map || n.Kind == gaby.Map && len(path) > 0 {
		return nil
	}
	if n.Kind == gaby.Map {
		for _, kid := range n.Kids {
			if err := l.CheckIn(kid, v.Get(kid.Key), nil); err != nil {
				return err
			}
		}
		return nil
	}
	root := n.Parent
	path = append(slices.Clone(root.Syntax.(*section).path), n.Key)
	for root.Parent != nil {
		root = root.Parent
	}
	in := root.Syntax.(*section)
	if other := in.within()[joined(path)]; other != nil {
		return formatkit.Refuse("rename that section first",
			"the value must be a scalar, because a map would take in section [%s]",
			in.dialect.header(other))
	}
	return nil
}

// checkEntries checks the new entries of a map.
func checkEntries(root *section, m gaby.Value, path []string) error {
	for _, kid := range m.All() {
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

// checkKey checks that the entry v of a map can be written as a key or section of its name. root is
// the section of the keys before the first header. New keys are not allowed there unless it has
// some already, because neither Python nor git accepts them.
func checkKey(root *section, in, v gaby.Value, path []string) error {
	key, d := path[len(path)-1], root.dialect
	switch {
	case v.Kind() == gaby.Scalar && len(path) == 1 &&
		(root.first() == nil || len(root.first().keys) == 0):
		return formatkit.Refuse("use a path such as section."+key, "a key must be in a section")
	case v.Kind() == gaby.Scalar && v.Data() == nil && !root.bare && !isGit(d):
		return formatkit.Refuse(`use delete-path, or "" for no text`, "a key must have a value")
	case v.Kind() == gaby.Scalar && v.NativeNode() < 0 && otherCase(in, key) != "":
		other := otherCase(in, key)
		return formatkit.Refuse("use "+
			strings.Join(append(path[:len(path)-1:len(path)-1], other), "."),
			"keys in upper and lower case are the same to those who read them, and %q is there",
			other)
	case v.Kind() == gaby.List:
		return formatkit.Refuse("write one text, or a key for each item", "INI has no lists")
	case v.Kind() == gaby.Map:
		_, err := headerOf(d, path)
		return err
	case !d.isKey(key):
		hint := ""
		if isGit(d) {
			hint = "git's keys begin with a letter and have letters, digits and - only"
		}
		return formatkit.Refuse(hint, "%q cannot be a key", key)
	}
	text, ok := formatkit.Untyped(v.Data())
	if !ok {
		return nil
	}
	_, err := spelled(d, key+" = ", newValues(d, text, style{indent: "  ", lineEnd: "\n"}), text)
	return err
}

// otherCase returns the key of a map that differs from key only in case, or "" without one.
func otherCase(in gaby.Value, key string) string {
	for _, kid := range in.AnyCase(key) {
		if kid.Kind() == gaby.Scalar && kid.Key() != key {
			return kid.Key()
		}
	}
	return ""
}

// CheckComment implements gaby.Native.
func (language) CheckComment(gaby.Value, []string, string) error { return nil }

// CheckCommentAt returns an error if no comment can be added on the line of n.
func (language) CheckCommentAt(_ formatkit.Text, n *formatkit.Node) error {
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
func (language) Entries(
	w *formatkit.Writer, n *formatkit.Node, entries []formatkit.Entry,
) (bool, error) {
	e := editorOf(w)
	for _, kid := range n.Without(entries) {
		e.takeOut(kid, w.Remove)
	}
	var added []entry
	for _, now := range entries {
		if now.Node == nil {
			added = append(added, entry{now.Value.Key(), now.Value})
		}
	}
	return false, e.add(n, added)
}

// Comment implements formatkit.Language.
func (language) Comment(w *formatkit.Writer, n *formatkit.Node, text string) error {
	e := editorOf(w)
	if mark := e.layout().mark; isGit(e.dialect) {
		w.LineComment(n, n.Span.To, formatkit.Marks(mark)+" "+marks, text)
	} else {
		w.CommentAbove(n, mark, text)
	}
	return nil
}

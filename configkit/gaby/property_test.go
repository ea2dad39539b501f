package gaby_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// This file has the laws of design.md, section 4, over random documents and random edits.

// rapidDice uses fair bits: rapid's integers prefer small values, which would make almost all
// documents short.
func rapidDice(t *rapid.T) Dice {
	return func(n int) int {
		value := 0
		for range bits.Len(uint(n-1)) + 2 {
			value <<= 1
			if rapid.Bool().Draw(t, "bit") {
				value |= 1
			}
		}
		return value % n
	}
}

// possible makes an edit and reports whether it was made; a comment may be refused if it would hide
// text on its line.
func possible(t *rapid.T, e *Edit, doc *gaby.YamlDoc) bool {
	before := string(doc.Bytes())
	err := e.apply(doc)
	var refused *gaby.EditError
	if e.Op == "comment" && errors.As(err, &refused) && string(doc.Bytes()) == before {
		return false
	}
	if err != nil {
		t.Fatalf("%v: %v\n%s", e, err, before)
	}
	return true
}

// drawDocument returns a random document with its root node and its value, both read by yaml.v3.
func drawDocument(t *rapid.T, d Dice, exotic bool) (text string, root *yaml.Node, data any) {
	text = randomText(d, exotic)
	roots, err := yamlDocs([]byte(text))
	if err != nil || len(roots) != 1 {
		t.Fatalf("the generator wrote what yaml.v3 refuses: %v\n%s", err, text)
	}
	if data, err = dataOf(roots[0]); err != nil {
		t.Fatalf("the generator wrote what has no value: %v\n%s", err, text)
	}
	return text, roots[0], data
}

func mustParse(t *rapid.T, text string) *gaby.YamlDoc {
	d, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		t.Fatalf("ParseYAML: %v\n%s", err, text)
	}
	return d
}

// printed compares the printed text of a document with the tree that it should mean.
func printed(d *gaby.YamlDoc, want any) error {
	out := d.Bytes()
	roots, err := yamlDocs(out)
	if err != nil {
		return fmt.Errorf("printed what is not YAML: %w", err)
	}
	var have any
	switch len(roots) {
	case 0:
	case 1:
		if have, err = dataOf(roots[0]); err != nil {
			return fmt.Errorf("printed what has no value: %w", err)
		}
	default:
		return fmt.Errorf("printed %d documents", len(roots))
	}
	if diff := diffData(want, have, ""); diff != "" {
		return fmt.Errorf("printed another value (want, printed): %s", diff)
	}
	if diff := diffData(want, d.Data(), ""); diff != "" {
		return fmt.Errorf("data() differs after the edit (want, have): %s", diff)
	}
	again, err := gaby.ParseYAML(out)
	if err != nil {
		return fmt.Errorf("does not read what it printed: %w", err)
	}
	if diff := diffData(want, again.Data(), ""); diff != "" {
		return fmt.Errorf("reads another value from what it printed (want, read): %s", diff)
	}
	return nil
}

func TestPropertyRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := randomStream(rapidDice(t))
		text := []byte(strings.Join(parts, ""))
		v, err := checkUnit(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if v.Refused != nil || v.Library != nil || v.Oracle != nil {
			t.Fatalf("refused ordinary YAML: %v (%v, yaml.v3: %v)\n%s", v.Refused, v.Library,
				v.Oracle, text)
		}
	})
}

func TestPropertyReadExotic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, _, _ := drawDocument(t, rapidDice(t), true)
		v, err := checkUnit([]byte(text))
		if err == nil {
			err = errors.Join(v.Refused, v.Library)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}

// parse(print(edit)) equals the edit applied to the tree, after each edit of a sequence.
func TestPropertyEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rapidDice(t)
		text, _, data := drawDocument(t, dice, dice.oneIn(3))
		doc := mustParse(t, text)
		var log []string
		for range 1 + dice(4) {
			e := randomEdit(dice, data)
			if e == nil {
				break
			}
			want, ok := e.model(data)
			if !ok {
				t.Fatalf("the model cannot %v", e)
			}
			log = append(log, e.String())
			before := string(doc.Bytes())
			if !possible(t, e, doc) {
				continue
			}
			if err := printed(doc, want); err != nil {
				t.Fatalf("%s: %v\n--- before\n%s\n--- after\n%s", strings.Join(log, "\n"), err,
					before, doc.Bytes())
			}
			data = want
		}
	})
}

// Setting a new value gives exactly that value, and setting an equal one changes nothing.
func TestPropertySetData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rapidDice(t)
		text, _, data := drawDocument(t, dice, false)
		doc := mustParse(t, text)
		if err := doc.SetData(data); err != nil || doc.Changed() || string(doc.Bytes()) != text {
			t.Fatalf("SetData of the same value: %v, changed %v\n--- before\n%s\n--- after\n%s",
				err, doc.Changed(), text, doc.Bytes())
		}
		want := data
		for range 1 + dice(3) {
			if e := randomEdit(dice, want); e != nil {
				want, _ = e.model(want)
			}
		}
		if err := doc.SetData(want); err != nil {
			t.Fatalf("SetData(%#v): %v\n%s", want, err, text)
		}
		if err := printed(doc, want); err != nil {
			t.Fatalf("SetData(%#v): %v\n--- before\n%s\n--- after\n%s", want, err, text,
				doc.Bytes())
		}
	})
}

// SetDocP copies the value of another document with its order of keys.
func TestPropertySetDoc(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rapidDice(t)
		text, _, data := drawDocument(t, dice, false)
		other, otherRoot, otherData := drawDocument(t, dice, false)
		tree, ok := data.(map[string]any)
		if !ok {
			return
		}
		doc := mustParse(t, text)
		path := []string{"copied", "below"}
		if keys := sortedKeys(tree); len(keys) > 0 && dice.oneIn(2) {
			path = []string{keys[dice(len(keys))]}
		}
		if err := doc.SetDocP(mustParse(t, other), dotPath(path)); err != nil {
			t.Fatalf("SetDocP(%q): %v\n%s", path, err, text)
		}
		want, _ := modelSet(data, path, otherData)
		if err := printed(doc, want); err != nil {
			t.Fatalf("SetDocP(%q): %v\n--- before\n%s\n--- other\n%s\n--- after\n%s", path, err,
				text, other, doc.Bytes())
		}
		roots, _ := yamlDocs(doc.Bytes())
		if !isScalar(tree[path[0]]) {
			return // only differences are written, so existing keys keep their order
		}
		if have := nodeAt(roots[0], path); keyOrder(have) != keyOrder(otherRoot) {
			t.Fatalf("SetDocP(%q) changed the order of keys to %s\n--- other\n%s\n--- after\n%s",
				path, keyOrder(have), other, doc.Bytes())
		}
	})
}

// nodeAt follows a path of keys and indexes; it returns nil if the path ends early or meets an
// alias.
func nodeAt(n *yaml.Node, path []string) *yaml.Node {
	for _, seg := range path {
		var next *yaml.Node
		switch n.Kind {
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				if n.Content[i].Value == seg {
					next = n.Content[i+1]
				}
			}
		case yaml.SequenceNode:
			for i := range n.Content {
				if fmt.Sprint(i) == seg {
					next = n.Content[i]
				}
			}
		}
		if next == nil {
			return nil
		}
		n = next
	}
	return n
}

func keyOrder(n *yaml.Node) string {
	var b strings.Builder
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		for i, c := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 0 {
				fmt.Fprintf(&b, "%q ", c.Value)
			}
			walk(c)
		}
	}
	walk(n)
	return b.String()
}

// An edit in one document does not change the bytes of the others.
func TestPropertyOtherDocuments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rapidDice(t)
		parts := randomStream(dice)
		text := strings.Join(parts, "")
		c, err := gaby.ParseAll([]byte(text))
		if err != nil || len(c) != len(parts) {
			t.Fatalf("%d documents (%v), want %d\n%s", len(c), err, len(parts), text)
		}
		i := dice(len(c))
		e := randomEdit(dice, c[i].Data())
		if e == nil {
			return
		}
		possible(t, e, c[i])
		out := string(c.Bytes())
		before, after := strings.Join(parts[:i], ""), strings.Join(parts[i+1:], "")
		if !strings.HasPrefix(out, before) || !strings.HasSuffix(out, after) ||
			len(out) < len(before)+len(after) {
			t.Fatalf("%v in document %d changed others\n--- before\n%s\n--- after\n%s", e, i+1,
				text, out)
		}
		if got := string(bytes.Join(c.Chunks(), nil)); got != out {
			t.Fatalf("Pieces and Bytes differ: %q %q", got, out)
		}
		if c.String() != out {
			t.Fatalf("String and Bytes differ")
		}
	})
}

// scalarToken finds the text of a scalar on one line: the index of the line and the bounds of the
// token in it.
func scalarToken(text string, n *yaml.Node) (line, from, to int, ok bool) {
	if n.Kind != yaml.ScalarNode ||
		n.Style&(yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) != 0 || n.Anchor != "" {
		return 0, 0, 0, false
	}
	lines := strings.Split(text, "\n")
	line = n.Line - 1
	if line >= len(lines) {
		return 0, 0, 0, false
	}
	for from = range lines[line] + " " {
		if from >= n.Column-1 && len([]rune(lines[line][:from])) == n.Column-1 {
			break
		}
	}
	rest := lines[line][min(from, len(lines[line])):]
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		for i := 1; i < len(rest); i++ {
			if rest[i] == '\\' {
				i++
			} else if rest[i] == '"' {
				return line, from, from + i + 1, true
			}
		}
	case n.Style&yaml.SingleQuotedStyle != 0:
		for i := 1; i < len(rest); i++ {
			if rest[i] == '\'' {
				if i+1 < len(rest) && rest[i+1] == '\'' {
					i++
					continue
				}
				return line, from, from + i + 1, true
			}
		}
	default:
		if n.Value != "" && strings.HasPrefix(rest, n.Value) {
			return line, from, from + len(n.Value), true
		}
	}
	return 0, 0, 0, false
}

// Replacing a one-line scalar by another one changes nothing else, not even on its line.
func TestPropertyOneScalar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rapidDice(t)
		text, root, data := drawDocument(t, dice, dice.oneIn(3))
		for _, p := range places(data) {
			n := nodeAt(root, p.Path)
			if n == nil {
				continue
			}
			line, from, to, ok := scalarToken(text, n)
			value := randomScalar(dice)
			if s, isString := value.(string); !ok ||
				isString && strings.ContainsAny(s, "\n\r\u2028") {
				continue
			}
			doc := mustParse(t, text)
			if _, err := doc.Set(value, p.Path...); err != nil {
				t.Fatalf("set %q to %#v: %v\n%s", p.Path, value, err, text)
			}
			was, is := strings.Split(text, "\n"), strings.Split(string(doc.Bytes()), "\n")
			if len(was) != len(is) {
				t.Fatalf("set %q to %#v: %d lines became %d\n--- before\n%s\n--- after\n%s", p.Path,
					value, len(was), len(is), text, doc.Bytes())
			}
			for i := range was {
				if i != line && was[i] != is[i] {
					t.Fatalf("set %q to %#v changed line %d\n--- before\n%s\n--- after\n%s", p.Path,
						value, i+1, text, doc.Bytes())
				}
			}
			head, tail := was[line][:from], was[line][to:]
			if !strings.HasPrefix(is[line], head) || !strings.HasSuffix(is[line], tail) ||
				len(is[line]) < len(head)+len(tail) {
				t.Fatalf("set %q to %#v changed more than the scalar:\n%q\n%q", p.Path, value,
					was[line], is[line])
			}
			if sameData(value, p.Value) && doc.Changed() {
				t.Fatalf("setting %q to the value it has is an edit: %#v", p.Path, value)
			}
		}
	})
}

// Comments of entries that an edit does not touch survive it in their order.
func TestPropertyComments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rapidDice(t)
		text, _, data := drawDocument(t, dice, false)
		e := randomEdit(dice, data)
		if e == nil || e.Op == "comment" {
			return
		}
		doc := mustParse(t, text)
		if err := e.apply(doc); err != nil {
			t.Fatalf("%v: %v\n%s", e, err, text)
		}
		out := string(doc.Bytes())
		touched := "/" + strings.Join(e.Path, "/")
		at := 0
		for _, c := range comments(text) {
			mayGo := e.Op == "delete" && (c.Owner == touched ||
				strings.HasPrefix(c.Owner, touched+"/")) ||
				e.Op == "set" && (strings.HasPrefix(c.Owner, touched+"/") || c.Owner == touched &&
					!isScalar(e.Value))
			if e.Op == "rearrange" && strings.HasPrefix(c.Owner, touched+"/") {
				continue // testdata/edits/rearrange.txt shows what happens to these
			}
			if flow, ok := strings.CutSuffix(c.Owner, "/~flow"); ok &&
				strings.HasPrefix(touched+"/", flow+"/") {
				mayGo = true // on the line of an item, perhaps of this one
			}
			if e.Op == "delete" && emptiedParent(*e, data) {
				mayGo = mayGo || strings.HasPrefix(c.Owner, parentOf(touched)+"/")
			}
			i := commentIndex(out[at:], c.Text)
			if i >= 0 {
				at += i
			} else if !mayGo {
				t.Fatalf("%v lost or moved the comment %q\n--- before\n%s\n--- after\n%s", e,
					c.Text, text, out)
			}
		}
		if e.Op == "delete" {
			for _, c := range comments(out) {
				if strings.HasPrefix(c.Owner, touched+"/") && !strings.Contains(c.Owner, "/~") &&
					!isIndexed(data, e.Path) {
					t.Fatalf("%v left the comment %q of what it deleted\n--- before\n%s\n"+
						"--- after\n%s", e, c.Text, text, out)
				}
			}
		}
	})
}

func commentIndex(text, comment string) int {
	for at := 0; ; {
		i := strings.Index(text[at:], comment)
		if i < 0 {
			return -1
		}
		end := at + i + len(comment)
		if end == len(text) || text[end] == '\n' || text[end] == '\r' {
			return at + i
		}
		at = end
	}
}

func parentOf(path string) string { return path[:strings.LastIndex(path, "/")] }

func emptiedParent(e Edit, data any) bool {
	after, _ := e.model(data)
	empty := false
	modelAt(after, e.Path[:len(e.Path)-1], func(v any) (any, bool) {
		switch v := v.(type) {
		case map[string]any:
			empty = len(v) == 0
		case []any:
			empty = len(v) == 0
		}
		return v, true
	})
	return empty
}

// isIndexed reports whether a path ends in a list index: deleting it renumbers the following items,
// so that names of owners repeat.
func isIndexed(data any, path []string) bool {
	indexed := false
	modelAt(data, path[:len(path)-1], func(v any) (any, bool) {
		_, indexed = v.([]any)
		return v, true
	})
	return indexed
}

// Unrelated edits give the same bytes in any order.
func TestPropertyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rapidDice(t)
		text, _, data := drawDocument(t, dice, false)
		var edits []Edit
		for range 6 {
			e := randomEdit(dice, data)
			if e == nil || e.Op == "comment" ||
				slices.ContainsFunc(edits, func(o Edit) bool { return related(*e, o, data) }) {
				continue
			}
			edits = append(edits, *e)
		}
		one, two := mustParse(t, text), mustParse(t, text)
		for i := range edits {
			if err := edits[i].apply(one); err != nil {
				t.Fatalf("%v: %v\n%s", edits[i], err, text)
			}
		}
		order := rapid.Permutation(edits).Draw(t, "order")
		for _, e := range order {
			if err := e.apply(two); err != nil {
				t.Fatalf("%v after others: %v\n%s", e, err, text)
			}
		}
		if !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Fatalf("the order matters:\n%v\n%v\n--- before\n%s\n--- one\n%s\n--- two\n%s", edits,
				order, text, one.Bytes(), two.Bytes())
		}
	})
}

// related reports whether two edits concern the same value, or one moves the target of the other.
func related(a, b Edit, data any) bool {
	pa, pb := a.container(data), b.container(data)
	return isPrefix(pa, pb) || isPrefix(pb, pa)
}

// container returns the path of the smallest value that the edit changes as a whole.
func (e Edit) container(data any) []string {
	if e.Op == "append" || e.Op == "insert" {
		return e.Path
	}
	path := e.Path
	if e.Op == "delete" {
		return path[:len(path)-1]
	}
	for len(path) > 0 &&
		!slices.ContainsFunc(places(data),
			func(p pathValue) bool { return slices.Equal(p.Path, path) }) {
		path = path[:len(path)-1]
	}
	return path
}

func isPrefix(a, b []string) bool { return len(a) <= len(b) && slices.Equal(a, b[:len(a)]) }

// Rollback restores the bytes and the values of the checkpoint.
func TestPropertyRollback(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rapidDice(t)
		text, _, data := drawDocument(t, dice, dice.oneIn(3))
		doc := mustParse(t, text)
		var log []string
		edit := func() {
			if e := randomEdit(dice, data); e != nil && possible(t, e, doc) {
				data, _ = e.model(data)
				log = append(log, e.String())
			}
		}
		for range dice(3) {
			edit()
		}
		log = append(log, "checkpoint")
		mark, wasBytes, wasData, wasChanged := doc.Checkpoint(), string(doc.Bytes()), data,
			doc.Changed()
		for range 1 + dice(4) {
			edit()
		}
		if dice.oneIn(2) {
			log = append(log, "inner checkpoint")
			inner := doc.Checkpoint()
			edit()
			doc.Rollback(inner)
			log = append(log, "inner rollback")
		}
		doc.Rollback(mark)
		if got := string(doc.Bytes()); got != wasBytes || doc.Changed() != wasChanged {
			t.Fatalf("rolled back to other bytes (changed %v, was %v)\n%s\n--- text\n%s\n"+
				"--- checkpoint\n%s\n--- now\n%s",
				doc.Changed(), wasChanged, strings.Join(log, "\n"), text, wasBytes, got)
		}
		if d := diffData(wasData, doc.Data(), ""); d != "" {
			t.Fatalf("rolled back to another value: %s\n%s", d, text)
		}
		data = wasData
		edit() // the document can still be edited
		if err := printed(doc, data); err != nil {
			t.Fatalf("after the rollback: %v\n--- checkpoint\n%s\n--- now\n%s", err, wasBytes,
				doc.Bytes())
		}
	})
}

// A value that is changed and changed back is the original value.
func TestPropertyThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rapidDice(t)
		text, _, data := drawDocument(t, dice, dice.oneIn(3))
		all := places(data)
		if len(all) == 0 {
			return
		}
		p := all[dice(len(all))]
		doc := mustParse(t, text)
		value := randomValue(dice, 2)
		if _, err := doc.Set(value, p.Path...); err != nil {
			t.Fatalf("set %q: %v\n%s", p.Path, err, text)
		}
		if _, err := doc.Set(p.Value, p.Path...); err != nil {
			t.Fatalf("set %q back: %v\n%s", p.Path, err, text)
		}
		if err := printed(doc, data); err != nil {
			t.Fatalf("set %q to %#v and back: %v\n--- before\n%s\n--- after\n%s", p.Path, value,
				err, text, doc.Bytes())
		}
	})
}

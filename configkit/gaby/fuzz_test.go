package gaby_test

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// `make fuzz` runs the fuzz tests. The corpus files are the seeds; inputs that failed once are in
// testdata/fuzz and run with every `go test`.

// fuzzBytes bounds inputs: longer ones find nothing new and slow down the fuzzer.
const fuzzBytes = 4 << 10

func seed(f *testing.F, add func(text []byte)) {
	for _, c := range corpus(f) {
		if len(c.Text) <= fuzzBytes {
			add(c.Text)
		}
	}
}

// FuzzOracle checks that any text means the same to gaby as to yaml.v3 or is refused with a
// position, and that no byte changes.
func FuzzOracle(f *testing.F) {
	seed(f, func(text []byte) { f.Add(text) })
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > fuzzBytes {
			t.Skip()
		}
		if _, err := checkUnit(text); err != nil {
			t.Fatalf("%v\n%q", err, text)
		}
	})
}

// programDice takes its choices from a program, zero after its end.
func programDice(program []byte) Dice {
	return func(n int) int {
		if len(program) == 0 {
			return 0
		}
		b := int(program[0])
		program = program[1:]
		if n > 256 && len(program) > 0 {
			b = b<<8 | int(program[0])
			program = program[1:]
		}
		return b % n
	}
}

// FuzzEdit checks that after any edit the printed text means the edited tree, and other documents
// keep their bytes.
func FuzzEdit(f *testing.F) {
	seed(f, func(text []byte) {
		for _, p := range []string{
			"", "\x00\x00\x00", "\x00\x03\x01\x05\x02",
			"\x00\x05\x01\x04\x07\x01\x01\x02", "\x01\x06\x00\x07\x02\x03\x04\x05",
			"\x00\x04\x00\x01\x01\x02\x03\x04\x05\x06\x07\x08",
		} {
			f.Add(text, []byte(p))
		}
	})
	f.Fuzz(func(t *testing.T, text, program []byte) {
		if len(text) > fuzzBytes || len(program) > 64 {
			t.Skip()
		}
		if err := checkEdits(text, programDice(program), 4); err != nil {
			t.Fatalf("%v\n%q", err, text)
		}
	})
}

// checkEdits makes up to n edits in one document of a text and compares the printed text with the
// edited tree.
func checkEdits(text []byte, dice Dice, n int) error {
	c, err := gaby.ParseAll(text)
	if err != nil || len(c) == 0 {
		return nil
	}
	i := dice(len(c))
	doc := c[i]
	if err := doc.Check(); err != nil {
		// A document that cannot be read cannot be edited either, and the attempt does not change
		// its bytes.
		if _, err := doc.Set("x", "a", "b"); err == nil {
			return fmt.Errorf("set works in a document that cannot be read: %w", doc.Check())
		}
		if !bytes.Equal(c.Bytes(), text) {
			return fmt.Errorf("a refused edit changed the text to %q", c.Bytes())
		}
		return nil
	}
	roots, oracleErr := oracle(text)
	all := elements(roots, c)
	known := oracleErr == nil && len(all) == len(c) &&
		!slices.ContainsFunc(c, func(d *gaby.YamlDoc) bool { return d.Check() != nil })
	var data any = doc.Data()
	if known {
		if data, err = dataOf(all[i]); err != nil {
			known, data = false, doc.Data()
		}
	}
	var log []string
	for range n {
		before := c.Bytes()
		e := randomEdit(dice, data)
		if e == nil {
			return nil
		}
		log = append(log, e.String())
		err := e.apply(doc)
		after := c.Bytes()
		if err != nil {
			if err := typedEditError(err); err != nil {
				return fmt.Errorf("%s: %w", strings.Join(log, "\n"), err)
			}
			if !bytes.Equal(before, after) {
				return fmt.Errorf("%s failed (%w) and yet changed the text to %q",
					strings.Join(log, "\n"), err, after)
			}
			continue
		}
		if !known {
			return nil // nothing to compare with, but it did not panic
		}
		want, ok := e.model(data)
		safe := ok && editIsPlain(all[i], *e, len(log) == 1)
		if err := comparePrinted(after, all, i, want, safe, !slices.Equal(all, roots)); err != nil {
			return fmt.Errorf("%s: %w\nprinted %q", strings.Join(log, "\n"), err, after)
		}
		if !safe {
			return nil
		}
		if diff := diffData(want, doc.Data(), ""); diff != "" {
			return fmt.Errorf("%s: Data differs (want, have): %s\nprinted %q",
				strings.Join(log, "\n"), diff, after)
		}
		data = want
	}
	return nil
}

// typedEditError checks that a failed edit returned one of the types that callers branch on.
func typedEditError(err error) error {
	var edit *gaby.EditError
	var missing *gaby.NotFoundError
	var syntax *gaby.SyntaxError
	if errors.As(err, &edit) || errors.As(err, &missing) || errors.As(err, &syntax) {
		return nil
	}
	return fmt.Errorf("an edit failed with a %T: %w", err, err)
}

// tabInFront matches text that YAML 1.2 allows anywhere and yaml.v3 only after some values: blank
// lines, comments and flow collections on a line that begins with a tab.
var tabInFront = regexp.MustCompile(`(?m)^ *\t[ \t]*([#\]},].*)?\r?$`)

// comparePrinted compares a printed stream with the documents before an edit of number i; lists
// says that there were Lists.
func comparePrinted(out []byte, before []*yaml.Node, i int, want any, safe, lists bool) error {
	roots, err := oracle(out)
	if err != nil && tabInFront.Match(out) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("printed what yaml.v3 refuses: %w", err)
	}
	c, err := gaby.ParseAll(out)
	if err != nil {
		return fmt.Errorf("printed what it does not read: %w", err)
	}
	after := elements(roots, c)
	if !lists {
		after = roots // if the edit made a List, compare it as a whole
	}
	if !safe {
		return nil
	}
	if want == nil && len(after) == len(before)-1 {
		return nil // a document that became null may not be a document any more
	}
	if len(after) != len(before) {
		return fmt.Errorf("%d documents became %d", len(before), len(after))
	}
	for j := range after {
		w := want
		if j != i {
			if w, err = dataOf(before[j]); err != nil {
				continue
			}
		}
		have, err := dataOf(after[j])
		if err != nil {
			return fmt.Errorf("document %d has no value any more: %w", j+1, err)
		}
		if diff := diffData(w, have, ""); diff != "" {
			return fmt.Errorf("document %d differs (want, printed): %s", j+1, diff)
		}
	}
	return nil
}

// editIsPlain reports whether applying the edit to the tree of values gives the expected result. It
// does not if anchors, merge keys or duplicate keys make a path refer to several values.
func editIsPlain(root *yaml.Node, e Edit, first bool) bool {
	shared := false
	var visit func(n *yaml.Node)
	visit = func(n *yaml.Node) {
		if n.Kind == yaml.AliasNode || n.Anchor != "" {
			shared = true
		}
		if n.Kind == yaml.MappingNode {
			seen := map[string]bool{}
			for i := 0; i < len(n.Content); i += 2 {
				k, ok := keyText(n.Content[i])
				if !ok || isMergeKey(n.Content[i]) || seen[k] {
					shared = true
				}
				seen[k] = true
			}
		}
		for _, c := range n.Content {
			visit(c)
		}
	}
	visit(root)
	if !shared {
		return true
	}
	if !first {
		return false // the nodes are those before the first edit
	}
	// If nodes are shared, the edit is plain only if none on its path or below are.
	n := root
	path := e.Path
	for i := range path {
		if n.Anchor != "" || n.Kind == yaml.AliasNode {
			return false
		}
		if n.Kind == yaml.MappingNode {
			count := 0
			for j := 0; j < len(n.Content); j += 2 {
				if isMergeKey(n.Content[j]) && e.Op != "comment" {
					return false
				}
				if k, _ := keyText(n.Content[j]); k == path[i] {
					count++
				}
			}
			if count > 1 {
				return false
			}
		}
		next := nodeAt(n, path[i:i+1])
		if next == nil {
			return true
		}
		n = next
	}
	shared = false
	visit(n)
	return !shared
}

// FuzzHeader checks that the header scan finds what a full decode finds.
func FuzzHeader(f *testing.F) {
	seed(f, func(text []byte) { f.Add(text) })
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > fuzzBytes {
			t.Skip()
		}
		if err := checkHeaders(text); err != nil {
			t.Fatalf("%v\n%q", err, text)
		}
	})
}

func checkHeaders(text []byte) error {
	c, err := gaby.ParseAll(text)
	if err != nil {
		return nil
	}
	headers := make([]gaby.Header, len(c))
	errs := make([]error, len(c))
	for i, d := range c { // all headers before any document is scanned
		headers[i], errs[i] = d.Header()
	}
	roots, err := oracle(text)
	all := elements(roots, c)
	if err != nil || len(all) != len(c) || oddBreaks(text) {
		return nil
	}
	if slices.ContainsFunc(c, func(d *gaby.YamlDoc) bool { return d.Check() != nil }) {
		return nil
	}
	for i, d := range c {
		if again, err := d.Header(); again != headers[i] || (err == nil) != (errs[i] == nil) {
			return fmt.Errorf("document %d: header is %+v (%w), after a scan %+v (%w)", i+1,
				headers[i], errs[i], again, err)
		}
		data, err := dataOf(all[i])
		if err != nil {
			continue
		}
		want, err := headerOf(data)
		if err != nil {
			continue // yaml.v3 would not decode it
		}
		if errs[i] != nil {
			return fmt.Errorf("document %d: header fails with %w, yaml.v3 decodes %+v", i+1,
				errs[i], want)
		}
		if headers[i] != want {
			return fmt.Errorf("document %d: header is %+v, yaml.v3 decodes %+v", i+1, headers[i],
				want)
		}
	}
	return nil
}

// headerOf returns the Header fields of a decoded document, and an error if one of them is not a
// string.
func headerOf(data any) (h gaby.Header, err error) {
	get := func(in any, key string) string {
		m, _ := in.(map[string]any)
		switch v := m[key].(type) {
		case nil:
			return ""
		case string:
			return v
		default:
			err = errNoValue
			return ""
		}
	}
	var meta any
	if m, ok := data.(map[string]any); ok {
		if meta = m["metadata"]; meta != nil {
			if _, ok := meta.(map[string]any); !ok {
				return h, errNoValue
			}
		}
	}
	h = gaby.Header{
		APIVersion: get(data, "apiVersion"), Kind: get(data, "kind"),
		Namespace: get(meta, "namespace"),
		Name:      get(meta, "name"), GenerateName: get(meta, "generateName"),
	}
	return h, err
}

//go:build !race

package gaby_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// TestOracleTextAtEnd checks that an edit of another value does not change the text at the end,
// whatever follows it then.
func TestOracleTextAtEnd(t *testing.T) {
	tried := 0
	for n := range 6_000 {
		d := seeded(n)
		text := textAtEnd(d)
		if d.oneIn(4) {
			text += pick(d, "", "\n") + pick(d, "---\nb: 1\n", "...\n", "...\n---\nb: 1")
		}
		docs, err := gaby.ParseAll([]byte(text))
		if err != nil {
			t.Fatalf("%d: %v\n%s", n, err, text)
		}
		roots, err := yamlDocs([]byte(text))
		if err != nil {
			continue
		}
		doc, rest := docs[0], docs[1:].String()
		data, err := dataOf(roots[0])
		if err != nil || diffData(data, doc.Data(), "") != "" {
			continue // yaml.v3 reads it differently
		}
		tried++
		var log []string
		for range 1 + d(3) {
			e := randomEdit(d, data)
			if e == nil {
				break
			}
			if err := e.apply(doc); err != nil {
				continue
			}
			log = append(log, e.String())
			data, _ = e.model(data)
			fail := func(what any) {
				t.Fatalf("%d: %s: %v\n--- before\n%q\n%s\n--- after\n%s---\n%q", n,
					strings.Join(log, "\n"), what, text, text, docs, docs)
			}
			all, err := yamlDocs(docs.Bytes())
			if err != nil {
				fail(err)
			}
			if have, err := dataOf(all[0]); err != nil || diffData(data, have, "") != "" {
				fail("printed: " + diffData(data, have, ""))
			}
			if diff := diffData(data, doc.Data(), ""); diff != "" {
				fail("holds: " + diff)
			}
			again, err := gaby.ParseAll(docs.Bytes())
			if err != nil {
				fail(err)
			}
			if diff := diffData(data, again[0].Data(), ""); diff != "" {
				fail("reads: " + diff)
			}
			if got := again[1:].String(); got != rest {
				fail("another document")
			}
			if !bytes.Equal(bytes.Join(docs.Chunks(), nil), docs.Bytes()) {
				fail("pieces")
			}
		}
	}
	if tried < 4_000 {
		t.Errorf("only %d documents were tried", tried)
	}
}

// TestOracleTextOfValues checks that the text of each value of a document, with a newline after it,
// means that value.
func TestOracleTextOfValues(t *testing.T) {
	for n := range 6_000 {
		d := seeded(n)
		text := textAtEnd(d)
		if d.oneIn(3) {
			text = randomText(d, d.oneIn(2))
		}
		doc, err := gaby.ParseYAML([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		data := doc.Data()
		all := append(places(data), pathValue{nil, data})
		if d.oneIn(2) {
			if e := randomEdit(d, data); e != nil && e.apply(doc) == nil {
				data, _ = e.model(data)
				all = places(data)
			}
		}
		for _, p := range slices.Backward(all) {
			v := doc.Search(p.Path...).Value()
			for _, written := range []string{v.YAML(), v.YAMLWithAliases()} {
				again, err := gaby.ParseYAML([]byte(written + "\n"))
				if err != nil {
					t.Fatalf("%d: %q: %v\n%s\n---\n%s", n, p.Path, err, text, written)
				}
				if diff := diffData(p.Value, again.Data(), ""); diff != "" {
					t.Fatalf("%d: %q: %s\n%q\n%s\n---\n%s", n, p.Path, diff, text, doc, written)
				}
			}
		}
	}
}

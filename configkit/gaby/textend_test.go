package gaby_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// These are the laws of design.md, section 4, for documents that end in a block scalar: whether its
// text ends in a newline depends on what follows.

// seeded returns the dice of a numbered case.
func seeded(n int) Dice { return rand.New(rand.NewPCG(uint64(n), 12)).IntN }

// textAtEnd returns a document whose last value is a block scalar, followed by anything that can
// follow one.
func textAtEnd(d Dice) string {
	var b strings.Builder
	indent := 0
	pad := func() { b.WriteString(strings.Repeat(" ", indent)) }
	for n := range 1 + d(4) {
		inList := d.oneIn(3)
		before := pick(d, "", "w: 1", "w:\n  v: |\n    x", "w: {}", "w: |+\n  x\n")
		if inList {
			before = pick(d, "", "- 1", "- |\n  x", "- - 1")
		}
		if before != "" {
			if n == 0 || !strings.HasSuffix(b.String(), "- ") {
				pad()
			}
			b.WriteString(strings.ReplaceAll(before, "\n", "\n"+strings.Repeat(" ", indent)) + "\n")
		}
		if before != "" || n == 0 || !strings.HasSuffix(b.String(), "- ") {
			pad()
		}
		if inList {
			b.WriteString("- ")
		} else {
			b.WriteString(fmt.Sprintf("k%d:", n) + pick(d, "", " # about"))
		}
		indent += 2
		if !inList {
			b.WriteString("\n")
		}
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if strings.HasSuffix(text, "- ") {
		text = strings.TrimSuffix(text, " ")
	}
	text = strings.TrimSuffix(text, " # about")
	in := strings.Repeat(" ", indent)
	text += " " + pick(d, "|", "|", "|-", "|+", ">", ">-", ">+", "|2", ">2+") +
		pick(d, "", "", " # header") + "\n"
	for i := range d(4) {
		text += pick(d, "", in, in+"  ")
		if strings.HasSuffix(text, "\n") || i == 0 {
			text = strings.TrimRight(text, " ") + in
		}
		text += pick(d, "words", "# no comment", "- a", "k: v", "é") + "\n"
		text += pick(d, "", "", "\n")
	}
	switch d(8) {
	case 0, 1, 2:
		text = strings.TrimSuffix(text, "\n")
	case 3:
		text = strings.TrimRight(text, "\n")
	case 4:
		text += pick(d, "\n", "\n\n", "\n\n\n")
	case 5:
		text += pick(d, " ", in, in+"  ", "\n"+in, "\n ", in+"\n", in+"  \n")
	case 6:
		text += pick(d, "# c", "# c\n", " # c", "\n# c\n", "  # c\n\n", "# c\n\n# d")
	}
	if d.oneIn(5) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

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

// TestTextAtEndInFront checks that the text does not change if another document follows it.
func TestTextAtEndInFront(t *testing.T) {
	for n := range 3_000 {
		d := seeded(n)
		text := textAtEnd(d)
		docs, err := gaby.ParseAll([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		data := docs[0].Data()
		if e := randomEdit(d, data); e != nil && d.oneIn(2) && e.apply(docs[0]) == nil {
			data, _ = e.model(data)
		}
		alone := docs.String()
		other, err := gaby.ParseYAML([]byte("b: 1\n"))
		if err != nil {
			t.Fatal(err)
		}
		both := append(docs, other)
		again, err := gaby.ParseAll(both.Bytes())
		if err != nil || len(again) != 2 {
			t.Fatalf("%d: %d documents, %v\n%s\n---\n%s", n, len(again), err, text, both)
		}
		if diff := diffData(data, again[0].Data(), ""); diff != "" {
			t.Fatalf("%d: %s\n%q\n%q", n, diff, text, both)
		}
		ended, err := gaby.ParseYAML(docs[0].BytesWithNewline())
		if err != nil || diffData(data, ended.Data(), "") != "" ||
			!strings.HasSuffix(ended.String(), "\n") {
			t.Fatalf("%d: %v\n%q\n%q", n, err, text, ended)
		}
		if docs.String() != alone {
			t.Fatalf("%d: the text has changed", n)
		}
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

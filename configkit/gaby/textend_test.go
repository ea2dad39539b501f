package gaby_test

import (
	"fmt"
	"math/rand/v2"
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

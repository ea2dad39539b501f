package gaby_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// written lists all entries with how they are written.
func written(b *strings.Builder, v gaby.Value, indent string) {
	for e := range v.Entries() {
		w := e.SourceStyle()
		text := ""
		if w.Anchor != "" {
			text += " &" + w.Anchor
		}
		if w.Alias != "" {
			text += " *" + w.Alias
		}
		if w.Plain {
			text += " plain"
		}
		if w.Empty {
			text += " empty"
		}
		fmt.Fprintf(b, "%s%s%s\n", indent, e.Key(), text)
		written(b, e, indent+" ")
	}
}

func TestWritten(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte(
		"a: &x yes\na: 'no'\nb:\nc: !!str 1\nd: &y {e: *x, <<: {f: 1}}\nh: [*y, two\n words]\n"))
	if err != nil {
		t.Fatal(err)
	}
	show := func() string {
		var b strings.Builder
		written(&b, doc.Value(), "")
		return b.String()
	}
	if !doc.Value().SourceStyle().Repeats || doc.Path("d").Value().SourceStyle().Repeats {
		t.Error("repeated keys are not seen, or where there are none")
	}
	if have, want := show(),
		"a &x plain\na\nb empty\nc\nd &y\n e *x\n <<\n  f plain\nh\n  *y\n \n"; have != want {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
	if _, err := doc.ExpandAnchors(); err != nil {
		t.Fatal(err)
	}
	if _, err := doc.SetP("yes", "i"); err != nil {
		t.Fatal(err)
	}
	if _, err := doc.SetP(7, "c"); err != nil {
		t.Fatal(err)
	}
	if have, want := show(),
		"a plain\na\nb empty\nc plain\nd\n e plain\n f plain\nh\n \n  e plain\n  f plain\n \ni\n"; have != want {
		t.Errorf("expanded and edited: have\n%s\nwant\n%s", have, want)
	}
	for text, readOnly := range map[string]bool{
		"a: 1\n": false, "? [a]\n: 1\n": true,
		"a: [\n": false,
	} {
		t.Run(text, func(t *testing.T) {
			c, err := gaby.ParseAll([]byte(text))
			if err != nil || (c[0].ReadOnly() != nil) != readOnly {
				t.Errorf("%q: %v, %v", text, c[0].ReadOnly(), err)
			}
		})
	}
}

package gaby_test

import (
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// The header comes from the lines of a document, before and after it is read: yaml.v3, which reads
// what the scanner does not support, breaks lines at more characters.
func TestHeaderOfWhatYAMLv3Reads(t *testing.T) {
	visited := "---\nkind: A\nmetadata:\n  name: n\n"
	odd := "---\nkind: A\nmetadata:\n  name: odd\n# note\u0085kind: B\n"
	parts := gaby.Cut([]byte(visited+odd), len(visited)-1)
	var arena gaby.Arena
	for i := range parts.Len() {
		d := parts.Parse(i, &arena)[0]
		for range 2 {
			if h, err := d.Header(); err != nil || h.Kind != "A" {
				t.Errorf("part %d: %+v %v", i, h, err)
			}
			_ = d.Data()
		}
		if i == 1 && gaby.Unsupported(d) == nil {
			t.Error("the scanner has read it")
		}
	}
}

// A second header is searched in the nodes that the scanner read.
func TestSecondHeaderOfWhatYAMLv3Reads(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte("? a\n"))
	if err != nil || gaby.Unsupported(doc) == nil {
		t.Fatal(err, "the scanner has read it")
	}
	if key, _ := doc.SecondHeader(); key != "" {
		t.Error(key)
	}
}

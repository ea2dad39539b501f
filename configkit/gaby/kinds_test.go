package gaby_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// The documents of the kinds that were visited in one part are scanned for their headers in the next ones, until one is passed by.
func TestScannedAhead(t *testing.T) {
	var all strings.Builder
	for range 4 {
		for _, kind := range []string{"Visited", "Passed", "Visited"} {
			fmt.Fprintf(&all, "---\nkind: %s # c\napiVersion: v1\nmetadata:\n  name: n\nspec: {}\n", kind)
		}
	}
	parts := gaby.Cut([]byte(all.String()), all.Len()/4-20)
	if parts.Len() != 4 {
		t.Fatalf("%d parts", parts.Len())
	}
	var arena gaby.Arena
	for i, want := range []string{
		"", "Visited Visited", "Visited Visited", "", // in the third part one is passed by
	} {
		var ahead []string
		for j, d := range parts.Parse(i, &arena) {
			h, err := d.Header()
			if err != nil || h.Name != "n" {
				t.Fatal(h, err)
			}
			if gaby.ScannedAhead(d) {
				ahead = append(ahead, h.Kind)
			}
			if h.Kind == "Visited" && !(i == 2 && j == 2) {
				_ = d.Data()
			}
		}
		if got := strings.Join(ahead, " "); got != want {
			t.Errorf("part %d: %q was scanned ahead, want %q", i, got, want)
		}
	}
}

// More kinds than are remembered are no trouble.
func TestManyKinds(t *testing.T) {
	var all strings.Builder
	for range 2 {
		for i := range 100 {
			fmt.Fprintf(&all, "---\nkind: K%d\nmetadata: {name: n%d}\n", i, i)
		}
	}
	parts := gaby.Cut([]byte(all.String()), all.Len()/2)
	var arena gaby.Arena
	at := 0
	for i := range parts.Len() {
		for _, d := range parts.Parse(i, &arena) {
			if h, err := d.Header(); err != nil || h.Kind != fmt.Sprintf("K%d", at%100) || h.Name != fmt.Sprintf("n%d", at%100) {
				t.Fatal(at, h, err)
			}
			_ = d.Data()
			at++
		}
	}
	if at != 200 {
		t.Error(at)
	}
}

// What the lines of a document say counts, whether or not it is expected to be visited: yaml.v3, which reads what the scanner does not,
// breaks lines at more characters.
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

// A second header is looked for in what the scanner has read.
func TestSecondHeaderOfWhatYAMLv3Reads(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte("? a\n"))
	if err != nil || gaby.Unsupported(doc) == nil {
		t.Fatal(err, "the scanner has read it")
	}
	if key, _ := doc.SecondHeader(); key != "" {
		t.Error(key)
	}
}

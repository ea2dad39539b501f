//go:build !race

package gaby

import (
	"bytes"
	"testing"
)

// The cost of a position does not depend on its column: this would take minutes if each position
// were counted from the beginning of its line.
func TestLinearPositions(t *testing.T) {
	text := bytes.Repeat([]byte("[1], "), 1_000_000)
	d := &document{src: text, unit: &unit{text: text, starts: []int{0}}}
	for p := 0; p < len(text); p += 101 {
		if at := d.position(p); at.Column != p+1 {
			t.Fatalf("byte %d is in column %d", p, at.Column)
		}
	}
}

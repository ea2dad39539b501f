package gaby

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// positionByCounting is the definition: it counts from the beginning of the text.
func positionByCounting(src []byte, p int) Position {
	line := bytes.TrimPrefix(src[bytes.LastIndexByte(src[:p], '\n')+1:p], []byte("\xef\xbb\xbf"))
	return Position{Line: bytes.Count(src[:p], []byte{'\n'}) + 1, Column: utf8.RuneCount(line) + 1}
}

// A position does not depend on the length of lines or on where blocks begin.
func TestPosition(t *testing.T) {
	for name, text := range map[string]string{
		"one long line":   strings.Repeat("abc", 10_000),
		"long characters": "x" + strings.Repeat("é€😀", 5_000),
		"lines":           strings.Repeat("é: €\n", 4_000),
		"a long line after one": "\xef\xbb\xbfa\n" + strings.Repeat("😀", 5_000) + "\nb" +
			strings.Repeat("c", 5_000),
		"byte order mark": "\xef\xbb\xbf" + strings.Repeat("é", 5_000),
		"no text": strings.Repeat("\x80", 10_000) +
			strings.Repeat("\xe2\x82a", 4_000),
	} {
		t.Run(name, func(t *testing.T) {
			d := &document{src: []byte(text), unit: &unit{text: []byte(text), starts: []int{0}}}
			for p := 0; p <= len(text); p++ {
				if p < len(text) && !utf8.RuneStart(text[p]) ||
					p%stream.BlockSize > 50 && p%stream.BlockSize < stream.BlockSize-50 && p%97 > 0 {
					continue
				}
				if got, want := d.position(p), positionByCounting(d.src, p); got != want {
					t.Fatalf("%s: byte %d is at %s, want %s", name, p, got, want)
				}
				if got, want := d.lineStart(p), scan.LineStart(d.src, p); got != want {
					t.Fatalf("%s: the line of byte %d begins at %d, want %d", name, p, got, want)
				}
			}
		})
	}
}

package gaby

import (
	"bytes"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
)

// replaceWords makes the patch for a string of several lines in which one run of words changed.
// Only the run is replaced, so the other lines stay as they are folded, indented and escaped. It
// reports false if that may not give the new text. It does not reason about that but decodes the
// result.
func (p *printer) replaceWords(i int32, text string) bool {
	d := p.d
	n := &d.n[i]
	if n.Kind != scan.ScalarNode || n.Flags&scan.MultiLine == 0 || n.Flags&scan.HasProps != 0 ||
		d.scalarTag(i) != scalar.StrTag ||
		p.unended >= 0 && int(n.ValEnd) >= p.unended {
		return false
	}
	if _, commented := d.pendingComment(i); commented {
		return false
	}
	old := d.text(i)
	from, to := changedWords(old, text)
	was, is := old[from:len(old)-to], text[from:len(text)-to]
	isBlock := d.isBlockScalar(i)
	if was == "" || is == "" || strings.Contains(was, "\n") || !scalar.CanSingle(is) ||
		!isBlock && (strings.ContainsAny(is, `"'\#:,[]{}?&*!|>%@`+"`") || is[0] == '-') {
		return false
	}
	raw := d.src[n.Val:n.ValEnd]
	at := 0
	if isBlock { // after the header
		at = scalar.ReadBlockHeader(d.src, int(n.Val)).End - int(n.Val)
		if scalar.IsBlank(is[0]) { // at the beginning of a line it would be indentation
			return false
		}
	}
	// The changed words may occur earlier in the text as well: if they occur k times before the
	// change, occurrence k+1 in the source is meant. Folding and indentation change only the blanks
	// around words, so this usually finds it; if not, the comparison below fails.
	for range strings.Count(old[:from], was) + 1 {
		k := bytes.Index(raw[at:], []byte(was))
		if k < 0 {
			return false
		}
		at += k + len(was)
	}
	at -= len(was)
	changed := append(append(append(make([]byte, 0, len(raw)+len(is)+1), raw[:at]...), is...),
		raw[at+len(was):]...)
	// Decode what would be written, as a reader would, and give up unless that is the new text.
	var have []byte
	switch {
	case isBlock:
		end := len(changed)
		have = scalar.DecodeBlock(append(changed, '\n'), 0, end, d.blockParent(i))
	case n.Style == scalar.PlainStyle:
		have = scalar.FoldPlain(changed)
	default:
		have = scalar.Unquote(changed)
	}
	if string(have) != text {
		return false
	}
	start := int(n.Val) + at
	p.add(i, start, start+len(was), is)
	return true
}

// changedWords returns how many bytes are equal at the beginning and at the end of a and b, in
// whole words.
func changedWords(a, b string) (front, back int) {
	n := min(len(a), len(b))
	for front < n && a[front] == b[front] {
		front++
	}
	for back < n-front && a[len(a)-1-back] == b[len(b)-1-back] {
		back++
	}
	// Go back to the beginnings of words, so that a word is replaced whole: a part of a word could
	// be part of an escape sequence in the source.
	for front > 0 && a[front-1] != ' ' && a[front-1] != '\n' {
		front--
	}
	for back > 0 && a[len(a)-back] != ' ' && a[len(a)-back] != '\n' {
		back--
	}
	return front, back
}

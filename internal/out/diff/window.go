package diff

import (
	"bytes"

	"github.com/fctl-dev/fctl/internal/lines"
)

// window is a part of two texts with all lines that its hunks show.
type window struct {
	from, to, newFrom, newTo int // offsets
	line, newLine            int // the lines before it
	// byDocument says that each part is a document in both texts.
	byDocument bool
	// parts are the lines that may differ, counted from the start of the window.
	parts []lines.Hunk
}

// largeText is the number of bytes from which on texts are compared document by document.
const largeText = 1 << 16

// windows returns the windows of two texts: around the documents that differ, if both texts have as
// many and those that differ agree in most of their bytes, otherwise one of everything. Comparing
// the lines of all documents takes most of the time of a diff.
func windows(before, after []byte) []window {
	if len(before) < largeText {
		return whole(before, after)
	}
	old, now := documents(before), documents(after)
	if len(old) != len(now) {
		return whole(before, after)
	}
	var all []window
	at := window{} // the place that the loop has reached
	for i := range old {
		next := window{
			from: at.from + len(old[i]), line: at.line + lineCount(old[i]),
			newFrom: at.newFrom + len(now[i]), newLine: at.newLine + lineCount(now[i]),
		}
		if !bytes.Equal(old[i], now[i]) {
			if !alike(old[i], now[i]) {
				return whole(before, after)
			}
			// Both texts are the same between the documents that differ.
			lead := tailLen(before[:at.from], context)
			if n := len(all); n == 0 || at.from-lead > all[n-1].to {
				above := lineCount(before[at.from-lead : at.from])
				all = append(all, window{
					from: at.from - lead, newFrom: at.newFrom - lead,
					line: at.line - above, newLine: at.newLine - above, byDocument: true,
				})
			}
			w := &all[len(all)-1]
			trail := headLen(before[next.from:], context)
			w.to, w.newTo = next.from+trail, next.newFrom+trail
			w.parts = append(w.parts, lines.Hunk{
				From: at.line - w.line, To: next.line - w.line,
				NewFrom: at.newLine - w.newLine, NewTo: next.newLine - w.newLine,
			})
		}
		at = next
	}
	return all
}

// whole returns a window of everything.
func whole(before, after []byte) []window {
	return []window{{
		to: len(before), newTo: len(after),
		parts: []lines.Hunk{{To: lineCount(before), NewTo: lineCount(after)}},
	}}
}

// documents returns the documents of a stream. A text with directives, which precede the separator
// of their document, counts as one.
func documents(text []byte) [][]byte {
	// Most texts have few of these characters, but many line ends.
	for rest, i := text, 0; ; rest = rest[i+1:] {
		if i = bytes.IndexByte(rest, '%'); i < 0 {
			break
		}
		if at := len(text) - len(rest) + i; at == 0 || text[at-1] == '\n' {
			return [][]byte{text}
		}
	}
	var all [][]byte
	start, at := 0, 0
	for {
		i := bytes.Index(text[at:], []byte("---"))
		if i < 0 {
			return append(all, text[start:])
		}
		i += at
		at = i + len("---")
		if i > 0 && text[i-1] == '\n' &&
			(at == len(text) || bytes.IndexByte([]byte(" \t\r\n"), text[at]) >= 0) {
			all, start = append(all, text[start:i]), i
		}
	}
}

// alike reports whether two documents have most of their bytes in common, so that one is probably
// the other after a change.
func alike(a, b []byte) bool {
	enough := func(common int) bool { return 2*common+256 >= max(len(a), len(b)) }
	if enough(agreement(a, b)) { // which takes less time than comparing lines
		return true
	}
	common, old := len(a), split(a)
	for _, h := range lines.Diff(old, split(b)) {
		for _, l := range old[h.From:h.To] {
			common -= len(l)
		}
	}
	return enough(common)
}

// agreement returns about how many bytes two texts have in common at their ends.
func agreement(a, b []byte) int {
	const block = 64
	short := min(len(a), len(b))
	head := 0
	for head+block <= short && bytes.Equal(a[head:head+block], b[head:head+block]) {
		head += block
	}
	a, b, short = a[head:], b[head:], short-head
	tail := 0
	for tail+block <= short && bytes.Equal(a[len(a)-tail-block:len(a)-tail],
		b[len(b)-tail-block:len(b)-tail]) {
		tail += block
	}
	return head + tail
}

// lineCount returns the number of lines of a text.
func lineCount(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// headLen returns the length of the first n lines of a text.
func headLen(text []byte, n int) int {
	at := 0
	for range n {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			return len(text)
		}
		at += end + 1
	}
	return at
}

// tailLen returns the length of the last n lines of a text that ends with a line end.
func tailLen(text []byte, n int) int {
	at := len(text)
	for range n {
		if at == 0 {
			break
		}
		at = bytes.LastIndexByte(text[:at-1], '\n') + 1
	}
	return len(text) - at
}

package stream

import "bytes"

// Cut returns the first offset at or after from at which a part of text may begin, or -1. It
// accepts only a separator between a line that is certain to be content and a document that begins
// with a letter, so that both parts parse to the documents the whole text has.
func Cut(text []byte, from int) int {
	for from < len(text) {
		i := bytes.Index(text[from:], []byte("\n---"))
		if i < 0 {
			return -1
		}
		i += from
		at := i + 1
		if beginsDocument(text, at) &&
			isContentLine(text[bytes.LastIndexByte(text[:i], '\n')+1:i]) {
			return at
		}
		from = at + 3
	}
	return -1
}

// beginsDocument reports whether the separator at p is alone on its line and only comment lines lie
// between it and a line that begins with a letter.
func beginsDocument(text []byte, p int) bool {
	p += 3
	if p < len(text) && text[p] == '\r' {
		p++
	}
	if p >= len(text) || text[p] != '\n' {
		return false
	}
	for p++; p < len(text) && text[p] == '#'; {
		p = NextLineStart(text, p)
	}
	return p < len(text) && isLetter(text[p])
}

// isContentLine reports whether line is certain to be content: it begins with a letter, with a
// letter or dash after spaces, or with the dash of a list item.
func isContentLine(line []byte) bool {
	text := bytes.TrimLeft(line, " ")
	switch {
	case len(text) == 0:
		return false
	case isLetter(text[0]):
		return true
	}
	return text[0] == '-' && (len(text) < len(line) || !bytes.HasPrefix(text, []byte("---")))
}

func isLetter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

package stream

import "bytes"

// Cut returns the first offset from from on at which a part may begin, -1 if there is none.
func Cut(text []byte, from int) int {
	for from < len(text) {
		i := bytes.Index(text[from:], []byte("\n---"))
		if i < 0 {
			return -1
		}
		i += from
		at := i + 1
		if beginsDocument(text, at) && isContentLine(text[bytes.LastIndexByte(text[:i], '\n')+1:i]) {
			return at
		}
		from = at + 3
	}
	return -1
}

// beginsDocument reports whether the separator at p stands alone on its line, with nothing but comments between it and a line that
// begins with a letter.
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

// isContentLine reports whether the line is certain to be content: it begins with a letter, an indented letter or dash, or the dash
// of a list.
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

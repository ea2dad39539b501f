package report

import (
	"bytes"

	"github.com/fctl-dev/fctl/internal/diag"
)

// stream puts the documents of several files one behind the other.
type stream struct {
	begun    bool
	lineOpen bool // what was printed last has no line end
}

// next is the text of the next file, with its name at the beginning of the first document. What is no YAML is one document,
// which nothing separates from others but the name.
func (s *stream) next(file string, isYAML bool, text Payload) Payload {
	first := bytes.Join(text[:min(1, len(text))], nil)
	first = bytes.TrimPrefix(first, []byte("\uFEFF")) // in a stream it is no byte order mark
	var o opening
	if isYAML {
		o = readOpening(first)
	}
	var head, name []byte
	if s.lineOpen {
		head = append(head, '\n')
	}
	switch {
	case !s.begun, !isYAML:
	case o.directives:
		head = append(head, "...\n"...)
	case !o.marker:
		head = append(head, "---\n"...)
	}
	// The name is in a comment: nothing in it may end that.
	name = append(name, "# Source: "+diag.Printable(file)+"\n"...)
	s.begun, s.lineOpen = true, false
	for _, part := range text {
		if len(part) > 0 {
			s.lineOpen = part[len(part)-1] != '\n'
		}
	}
	return append(Payload{head, first[:o.end], name, first[o.end:]}, text[min(1, len(text)):]...)
}

// opening is what stands before the first document of a text.
type opening struct {
	marker     bool // a separator
	directives bool // lines like %YAML
	end        int  // where the first document begins, if a comment may stand there; else 0
}

func readOpening(text []byte) (o opening) {
	at := 0
	for line := range bytes.Lines(text) {
		at += len(line)
		switch {
		case line[0] == '%':
			o.directives = true
		case line[0] == '#', len(bytes.TrimSpace(line)) == 0:
		default:
			rest, marker := bytes.CutPrefix(line, []byte("---"))
			after := bytes.TrimSpace(rest)
			o.marker = marker && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0)
			if o.marker && (len(after) == 0 || after[0] == '#') {
				o.end = at
			}
			return o
		}
	}
	return o
}

package report

import (
	"bytes"

	"github.com/fctl-dev/fctl/internal/diag"
)

// stream joins the documents of several files.
type stream struct {
	begun    bool
	lineOpen bool // the last text does not end in a newline
}

// next returns the text of the next file, with its name in a comment in the first document. A text
// that is not YAML has no documents; only the comment separates it from others.
func (s *stream) next(file string, isYAML bool, text Chunks) Chunks {
	first := bytes.Join(text[:min(1, len(text))], nil)
	// only a byte order mark at the start of the stream
	first = bytes.TrimPrefix(first, []byte("\uFEFF"))
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
	// The name is escaped so that it cannot end the comment.
	name = append(name, "# Source: "+diag.Printable(file)+"\n"...)
	s.begun, s.lineOpen = true, false
	for _, part := range text {
		if len(part) > 0 {
			s.lineOpen = part[len(part)-1] != '\n'
		}
	}
	return append(Chunks{head, first[:o.end], name, first[o.end:]}, text[min(1, len(text)):]...)
}

// opening is what precedes the first document of a text.
type opening struct {
	marker     bool // a "---" line
	directives bool // lines like %YAML
	end        int  // offset of the first document if a comment may go there, else 0
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
			o.marker = marker && (len(rest) == 0 ||
				bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0)
			if o.marker && (len(after) == 0 || after[0] == '#') {
				o.end = at
			}
			return o
		}
	}
	return o
}

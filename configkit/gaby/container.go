package gaby

import (
	"bytes"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// adjoins reports whether next follows d in the text of both.
func (d *document) adjoins(next *document) bool {
	return d.unit == next.unit && d.index+1 == next.index
}

// Join joins the printed texts of consecutive parts, see [Parts], into the chunks of one text, and
// inserts separators where there are none. Parts without text are dropped.
func Join(parts [][][]byte) [][]byte {
	n := len(parts) // reserve for separators
	for _, part := range parts {
		n += len(part)
	}
	joined := make([][]byte, 0, n)
	for _, part := range parts {
		if len(part) == 0 {
			continue
		}
		// Parts were printed alone. What separates two of them is decided here: a missing newline
		// at the end of one, a missing marker at the beginning of the next.
		if n := len(joined); n > 0 {
			before, first := joined[n-1], part[0]
			ending := "\n"
			if bytes.Contains(before, []byte("\r\n")) {
				ending = "\r\n"
			}
			if before[len(before)-1] != '\n' {
				joined = append(joined, []byte(ending))
			}
			if !startsWithMarker(first) {
				joined = append(joined, []byte("---"+ending))
			}
		}
		joined = append(joined, part...)
	}
	return joined
}

// startsWithMarker reports whether text begins with a document separator, possibly after directives
// and comments.
func startsWithMarker(text []byte) bool {
	for p := 0; p < len(text); p = stream.NextLineStart(text, p) {
		if stream.IsMarker(text, p) && text[p] == '-' {
			return true
		}
		if c := text[p]; c != '#' && c != '%' && c != '\n' && c != '\r' && c != '.' {
			return false
		}
	}
	return false
}

// Changed reports whether a document of c was edited. It does not detect added or removed
// documents.
func (c Container) Changed() bool {
	for _, doc := range c {
		if doc.v.d.changed() {
			return true
		}
	}
	return false
}

// eachDocument calls f for each document of c, once for all items of a list.
func (c Container) eachDocument(f func(*document)) {
	seen := map[*document]bool{}
	for _, doc := range c {
		d := doc.v.d
		if doc.whole() {
			f(d)
		} else if !seen[d] {
			seen[d] = true
			f(d)
		}
	}
}

// dropItems removes the items that are not in c from their lists. It returns the marks to which the
// caller must roll the lists back.
func (c Container) dropItems() map[*document]Mark {
	// All items of a list share one document, and a function that removes resources drops them from
	// the container only. So the list is printed with the items that the container still has, and
	// rolled back afterwards: printing must not change the container.
	present := map[*document]map[int32]bool{}
	owner := map[*document]Value{}
	for _, doc := range c {
		if doc.whole() {
			continue
		}
		d := doc.v.d
		if present[d] == nil {
			present[d] = map[int32]bool{}
			owner[d] = doc.v
		}
		present[d][doc.v.slot] = true
	}
	marks := map[*document]Mark{}
	for d, items := range present {
		at := owner[d].owner
		var kids []int32
		for _, slot := range d.kids(at) {
			if items[slot] {
				kids = append(kids, slot)
			}
		}
		if len(kids) != len(d.kids(at)) {
			marks[d] = Mark(len(d.edit().log))
			d.setKids(at, kids)
		}
	}
	return marks
}

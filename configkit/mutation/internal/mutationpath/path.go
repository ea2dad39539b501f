package mutationpath

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// A Path is the path of a value in a resource. As text, its segments are separated by dots:
//
//	key                              a map key; a dot in it is written ~1, a tilde ~0
//	?name=app;@0                     an element of a list with a merge key
//	?port=53,protocol=UDP;@1         with a merge key of several fields
//	?~h=1b9d3f0c;@2                  an element of another list, by digest of its value;
//	                                 ,~o=1 is the second of equal elements
//	?~h=+1b9d3f0c;@2                 a new element of such a list
//	2                                read only: an element of any list, by index
//
// The number after ";@" is the index that the element had. It helps readers that cannot find the
// element otherwise, and does not count when paths are compared.
type Path []Segment

// A Segment is a segment of a Path.
type Segment struct {
	Kind Kind
	// A key, unescaped; of an element, the escaped text between "?" and ";@"; of ByDigest,
	// the digest only.
	Text  string
	Nth   int // among equal elements of a list without merge keys, from 0
	Index int // of an element; -1 if not given
}

// Kind is what a segment names.
type Kind uint8

// The kinds of segments.
const (
	MapKey   Kind = iota
	ByKey         // ?name=app
	ByDigest      // ?~h=1b9d3f0c
	New           // ?~h=+1b9d3f0c, a new element
)

// Key returns the segment of a map key.
func Key(key string) Segment { return Segment{Text: key, Index: -1} }

// Element returns the segment of an element of a list with merge keys. index is -1 if not known.
func Element(id string, index int) Segment {
	return Segment{Kind: ByKey, Text: id, Index: index}
}

// IsElement reports whether the segment can only be a list element.
func (s Segment) IsElement() bool { return s.Kind != MapKey }

// HasDigest reports whether the segment is an element of a list without merge keys.
func (s Segment) HasDigest() bool {
	return s.Kind == ByDigest || s.Kind == New
}

// Child returns p with one more segment, sharing no memory with other children of p.
func (p Path) Child(s Segment) Path {
	return append(p[:len(p):len(p)], s)
}

// String returns the path with the indexes of elements.
func (p Path) String() string { return string(p.AppendTo(make([]byte, 0, 64), true)) }

// Canonical returns the path without the indexes of elements. Equal paths have equal canonical
// forms.
func (p Path) Canonical() string { return string(p.AppendTo(make([]byte, 0, 64), false)) }

// AppendTo appends the text of the path to b.
func (p Path) AppendTo(b []byte, indexes bool) []byte {
	for i, s := range p {
		if i > 0 {
			b = append(b, '.')
		}
		switch s.Kind {
		case MapKey:
			b = append(b, Escape(s.Text)...)
			continue
		case ByKey:
			b = append(append(b, '?'), s.Text...)
		case ByDigest:
			b = append(append(b, "?~h="...), s.Text...)
		case New:
			b = append(append(b, "?~h=+"...), s.Text...)
		}
		if s.Nth > 0 {
			b = strconv.AppendInt(append(b, ",~o="...), int64(s.Nth), 10)
		}
		if indexes && s.Index >= 0 {
			b = strconv.AppendInt(append(b, ";@"...), int64(s.Index), 10)
		}
	}
	return b
}

// Segments returns the keys and indexes of the path, for the document that its indexes are from.
func (p Path) Segments() []string {
	segments := make([]string, len(p))
	for i, s := range p {
		if segments[i] = s.Text; s.Kind != MapKey {
			segments[i] = strconv.Itoa(s.Index)
		}
	}
	return segments
}

// Parse parses a path. Every text is a path: a segment that is not an element is a key.
// Whether a number is a key or an index depends on the document.
func Parse(text api.ResolvedPath) Path {
	if text == "" {
		return nil
	}
	parts := strings.Split(string(text), ".")
	p := make(Path, len(parts))
	for i, part := range parts {
		p[i] = parseSegment(part)
	}
	return p
}

// parseSegment parses a segment. Whatever is not a well-formed element is a key.
func parseSegment(part string) Segment {
	plain := Segment{Text: yamlpath.Unescape(part), Index: -1}
	body, ok := strings.CutPrefix(part, "?")
	if !ok || !strings.Contains(body, "=") {
		return plain
	}
	s := Segment{Kind: ByKey, Index: -1}
	if at := strings.LastIndex(body, ";@"); at >= 0 {
		n, err := strconv.Atoi(body[at+2:])
		if err != nil || n < 0 {
			return plain
		}
		body, s.Index = body[:at], n
	}
	digest, ok := strings.CutPrefix(body, "~h=")
	if !ok {
		s.Text = Escape(yamlpath.Unescape(body))
		return s
	}
	s.Kind = ByDigest
	if digest, ok = strings.CutPrefix(digest, "+"); ok {
		s.Kind = New
	}
	if at := strings.Index(digest, ",~o="); at >= 0 {
		n, err := strconv.Atoi(digest[at+4:])
		if err != nil || n < 0 {
			return plain
		}
		digest, s.Nth = digest[:at], n
	}
	s.Text = digest
	return s
}

// Escape is the inverse of yamlpath.Unescape. It escapes every tilde, so that a path has
// only one spelling.
func Escape(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), ".", "~1")
}

// AsKey returns the segment as a map key, for a key that looks like an element.
func (s Segment) AsKey() string {
	if s.Kind == MapKey {
		return s.Text
	}
	return yamlpath.Unescape(string(Path{s}.AppendTo(nil, true)))
}

// Dotted returns p as text, by index, with a dot before and after every segment. The paths below p
// begin with this text.
func (p Path) Dotted() string {
	if len(p) == 0 {
		return "."
	}
	return "." + p.Indexed() + "."
}

// Rename gives the element its name in names, if there is one.
func (s *Segment) Rename(names map[string]string) {
	if name, ok := names[s.Name()]; ok {
		if text := s.Renamed(name); text != "" {
			s.Text = text
		}
	}
}

// Indexed returns p as text, with the elements of lists without merge keys named by index: their
// digests change with their values.
func (p Path) Indexed() string { return p.byIndex().Canonical() }

// byIndex returns p with indexes instead of digests for the elements of lists without merge keys.
func (p Path) byIndex() Path {
	if !slices.ContainsFunc(p, Segment.HasDigest) {
		return p
	}
	p = slices.Clone(p)
	for i, s := range p {
		if s.HasDigest() {
			p[i] = Segment{
				Kind: ByDigest, Text: strconv.Itoa(s.Index), Index: s.Index,
			}
		}
	}
	return p
}

// IsBelow reports whether p is at or below limit. In limit, * matches any segment and a number
// matches the list element with that index.
func (p Path) IsBelow(limit Path) bool {
	if len(p) < len(limit) {
		return false
	}
	for i, s := range limit {
		isAny := s.Kind == MapKey && s.Text == "*"
		isIndex := s.Kind == MapKey && p[i].Kind != MapKey && s.Text == strconv.Itoa(p[i].Index)
		if !isAny && !isIndex && p[i:i+1].Canonical() != (Path{s}).Canonical() {
			return false
		}
	}
	return true
}

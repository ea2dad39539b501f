package yamlpath

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Kind is the kind of a path segment.
type Kind uint8

// The kinds of segments, with their syntax.
const (
	Plain          Kind = iota // a key or index
	Any                        // *
	bindSegment                // *?key[:param][=value]
	anyKeySegment              // *@:param
	literalSegment             // @key:param
	lookupSegment              // ?key[:param]=match
)

// Segment is one compiled segment of a path.
type Segment struct {
	Kind     Kind
	hasValue bool
	Key      string
	Param    string
	value    string
	// Index is the value of a plain segment that is a decimal number, of @index, or of ;@index;
	// else -1.
	Index int
	Holes int // number of %s in it, those of the key first
}

// Path is a compiled path. It is immutable and can be used concurrently.
type Path struct {
	text     string
	segments []Segment
	embedded string
	create   int // index of the segment marked with |, or -1
	holes    int
}

// Error reports an invalid path, with the column of the problem in characters from 1.
type Error struct {
	Path   string
	Column int
	Msg    string
	Hint   string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Msg
	}
	return fmt.Sprintf("path %s: column %d: %s", e.Path, e.Column, e.Msg)
}

// String returns the path as written.
func (p *Path) String() string { return p.text }

// EmbeddedPath returns the part after "#", "" if there is none.
func (p *Path) EmbeddedPath() string { return p.embedded }

// CheckPart checks that the embedded part of a path, which is one in a text, leads to one value. The
// error is an *Error.
func CheckPart(path *Path) error {
	at := utf8.RuneCountInString(path.text) - utf8.RuneCountInString(path.embedded)
	part, err := Parse(path.embedded)
	if e, ok := errors.AsType[*Error](err); ok {
		return &Error{Path: path.text, Column: at + e.Column, Msg: e.Msg, Hint: e.Hint}
	}
	one := part.embedded == ""
	for i := range part.segments {
		s := &part.segments[i]
		_, isKey := s.MapKey()
		one = one && (isKey || s.Kind == lookupSegment)
	}
	if !one {
		return &Error{Path: path.text, Column: at + 1, Msg: "a part of a text is one value, to " +
			"which keys, indexes and lookups like ?name=a lead"}
	}
	return nil
}

// Arguments returns the number of %s in the path.
func (p *Path) Arguments() int { return p.holes }

// Parse compiles a path. The error is a *Error.
func Parse(text string) (*Path, error) {
	if text == "" {
		return nil, &Error{Msg: "path cannot be empty"}
	}
	body, embedded, hasEmbedded := strings.Cut(text, "#")
	p := &Path{
		text: text, embedded: embedded, create: -1,
		segments: make([]Segment, 0, strings.Count(body, ".")+1),
	}
	parser := pathParser{text: text}
	if hasEmbedded && embedded == "" {
		return nil, parser.fail(len(body), "nothing follows the #")
	}
	for start := 0; ; {
		end := strings.IndexByte(body[start:], '.')
		last := end < 0
		if last {
			end = len(body)
		} else {
			end += start
		}
		word := body[start:end]
		if strings.HasPrefix(word, "|") {
			if p.create >= 0 {
				return nil, parser.fail(start, "a path can have only one |")
			}
			p.create = len(p.segments)
			word = word[1:]
			start++
			if word != "" && strings.ContainsRune("*?@|", rune(word[0])) {
				return nil, parser.fail(start, "only a plain segment can follow a |")
			}
		}
		s, err := parser.segment(word, start)
		if err != nil {
			return nil, err
		}
		p.holes += s.Holes
		p.segments = append(p.segments, s)
		if last {
			return p, nil
		}
		start = end + 1
	}
}

// pathParser holds the text that error messages need.
type pathParser struct{ text string }

func (pp pathParser) column(offset int) int { return utf8.RuneCountInString(pp.text[:offset]) + 1 }

func (pp pathParser) fail(offset int, format string, args ...any) *Error {
	return &Error{Path: pp.text, Column: pp.column(offset), Msg: fmt.Sprintf(format, args...)}
}

// literally adds a hint to an error about a word: how to write it if it is meant as a key.
func (pp pathParser) literally(err *Error, word string) *Error {
	if !strings.Contains(word, ":") {
		err.Hint = fmt.Sprintf("the key %q is written @%s:key", Unescape(word), word)
	}
	return err
}

// segment parses the word between two dots that begins at offset.
func (pp pathParser) segment(word string, offset int) (Segment, error) {
	s := Segment{Index: -1}
	switch {
	case word == "":
		return s, pp.fail(offset, "a segment is empty")
	case word == "*":
		s.Kind = Any
	case strings.HasPrefix(word, "*?"):
		s.Kind = bindSegment
		return pp.keyed(s, word[2:], offset+2)
	case strings.HasPrefix(word, "*@"):
		s.Kind = anyKeySegment
		param, ok := strings.CutPrefix(word[2:], ":")
		if !ok || param == "" || strings.Contains(param, ":") {
			return s, pp.fail(offset,
				"invalid map parameter expression %s: *@:parameter is expected", word)
		}
		s.Param = param
	case word[0] == '*':
		return s, pp.literally(pp.fail(offset+1, "unexpected %q after *", firstRune(word[1:])),
			word)
	case word[0] == '?':
		s.Kind = lookupSegment
		return pp.keyed(s, word[1:], offset+1)
	case word[0] == '@':
		s.Kind = literalSegment
		key, param, ok := strings.Cut(word[1:], ":")
		if !ok || key == "" || param == "" || strings.Contains(param, ":") {
			err := pp.fail(offset,
				"invalid map parameter expression %s: @key:parameter is expected", word)
			return s, pp.literally(err, word)
		}
		s.Key, s.Param = Unescape(key), param
	default:
		s.Key = Unescape(word)
		s.Index = decimal(s.Key)
	}
	s.Holes = strings.Count(s.Key, "%s")
	return s, nil
}

// keyed parses Key [":" Param] ["=" Match] of a lookup or a binding wildcard.
func (pp pathParser) keyed(s Segment, text string, offset int) (Segment, error) {
	name, value, hasValue := strings.Cut(text, "=")
	key, param, hasParam := strings.Cut(name, ":")
	switch {
	case key == "":
		return s, pp.fail(offset, "the key to look for is missing")
	case hasParam && param == "":
		return s, pp.fail(offset+len(key)+1,
			"invalid parameter expression %s: nothing follows the colon", name)
	case strings.Contains(param, ":"):
		return s, pp.fail(offset+len(key)+1+strings.Index(param, ":"),
			"invalid parameter expression %s: more than one colon", name)
	case !hasValue && s.Kind == lookupSegment:
		return s, pp.fail(offset+len(text), "invalid associative lookup ?%s: = is missing", text)
	}
	s.Key, s.Param, s.hasValue = Unescape(key), param, hasValue
	if s.Kind == lookupSegment {
		switch {
		case value == "*":
			s.Kind, s.hasValue = bindSegment, false
			return s, nil
		case strings.HasPrefix(value, "@"):
			if s.Index = decimal(value[1:]); s.Index < 0 {
				return s, pp.fail(offset+len(name)+2, "an index is expected after @")
			}
			s.hasValue = false
			return s, nil
		}
		if i := strings.LastIndex(value, ";@"); i >= 0 {
			if index := decimal(value[i+2:]); index >= 0 {
				s.Index, value = index, value[:i]
			}
		}
	}
	s.value = Unescape(value)
	s.Holes = strings.Count(s.Key, "%s") + strings.Count(s.value, "%s")
	return s, nil
}

// firstRune returns the first character of s.
func firstRune(s string) string {
	_, size := utf8.DecodeRuneInString(s)
	return s[:size]
}

// decimal returns the value of s if it is a decimal list index (without leading zeros), else -1.
func decimal(s string) int {
	if s == "" || len(s) > 9 || (len(s) > 1 && s[0] == '0') {
		return -1
	}
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// ArgumentCountError reports that a path has more %s than there are arguments.
type ArgumentCountError struct {
	Path      string
	Got, Need int
}

func (e *ArgumentCountError) Error() string {
	return fmt.Sprintf("path %s needs %d arguments, got %d", e.Path, e.Need, e.Got)
}

// Bind fills the %s of a path in order and returns the result. Arguments are escaped like segments
// (see [Escape]); surplus ones are ignored. The argument * for the value of a lookup matches every
// element, and for a key every key. The error is an *[ArgumentCountError].
func (p *Path) Bind(args []string) (*Path, error) {
	if p.holes == 0 {
		return p, nil
	}
	if len(args) < p.holes {
		return nil, &ArgumentCountError{Path: p.text, Got: len(args), Need: p.holes}
	}
	bound := *p
	bound.holes = 0
	bound.segments = make([]Segment, len(p.segments))
	copy(bound.segments, p.segments)
	for i := range bound.segments {
		s := &bound.segments[i]
		if s.Holes == 0 {
			continue
		}
		if s.value == "%s" && args[0] == "*" && !strings.Contains(s.Key, "%s") {
			if s.Kind == lookupSegment || s.Kind == bindSegment {
				s.Kind, s.hasValue, s.value, s.Holes, s.Index = bindSegment, false, "", 0, -1
				args = args[1:]
				continue
			}
		}
		if s.Key == "%s" && args[0] == "*" && (s.Kind == literalSegment || s.Kind == Plain) {
			kind := Any
			if s.Param != "" {
				kind = anyKeySegment
			}
			s.Kind, s.Key, s.Index, s.Holes = kind, "", -1, 0
			args = args[1:]
			continue
		}
		s.Key, args = fillHoles(s.Key, args)
		s.value, args = fillHoles(s.value, args)
		s.Holes = 0
		if s.Kind == Plain {
			s.Index = decimal(s.Key)
		}
	}
	return &bound, nil
}

// fillHoles replaces the %s in text and returns the remaining arguments.
func fillHoles(text string, args []string) (string, []string) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "%s")
		b.WriteString(before)
		if !found {
			return b.String(), args
		}
		b.WriteString(Unescape(args[0]))
		text, args = after, args[1:]
	}
}

// Unescape replaces ~1 by a dot and ~0 by a tilde.
func Unescape(s string) string {
	if strings.IndexByte(s, '~') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "~1", "."), "~0", "~")
}

// Escape escapes a key for use as one segment: dots become ~1, and a tilde that would be read as an
// escape becomes ~0.
func Escape(segment string) string {
	if strings.IndexByte(segment, '~') >= 0 {
		segment = strings.ReplaceAll(segment, "~0", "~00")
		segment = strings.ReplaceAll(segment, "~1", "~01")
	}
	return strings.ReplaceAll(segment, ".", "~1")
}

// Join returns the path of keys and indexes, escaped.
func Join(segments []string) api.ResolvedPath {
	escaped := make([]string, len(segments))
	for i, s := range segments {
		escaped[i] = Escape(s)
	}
	return api.ResolvedPath(strings.Join(escaped, "."))
}

// IsResolved reports whether a path identifies one value without looking at a document.
func IsResolved(path string) bool { return path != "" && !strings.ContainsAny(path, "?*@|") }

// NormalizedPath returns the form under which a path is registered: indexes and all segments that
// are not plain become *.
func (p *Path) NormalizedPath() api.UnresolvedPath {
	return api.UnresolvedPath(p.Normalized(len(p.segments)))
}

// Normalized returns the normalized form of the first n segments.
func (p *Path) Normalized(n int) string {
	var b strings.Builder
	for i := range p.segments[:n] {
		if i > 0 {
			b.WriteByte('.')
		}
		s := &p.segments[i]
		if s.Kind != Plain || s.Index >= 0 {
			b.WriteByte('*')
			continue
		}
		b.WriteString(Escape(s.Key))
	}
	if p.embedded != "" && n == len(p.segments) {
		b.WriteByte('#')
		b.WriteString(p.embedded)
	}
	return b.String()
}

// Expression returns the path and the column of the problem.
func (e *Error) Expression() (text string, column int) { return e.Path, e.Column }

// LastLookup splits a path whose last segment is ?key=value into the path of the list and the key
// and value of the element. It reports false for a path with %s, whose value is not known.
func (p *Path) LastLookup() (list api.UnresolvedPath, key, value string, ok bool) {
	last := &p.segments[len(p.segments)-1]
	if last.Kind != lookupSegment || !last.hasValue || last.Index >= 0 || p.holes > 0 ||
		p.embedded != "" || len(p.segments) == 1 {
		return "", "", "", false
	}
	return api.UnresolvedPath(p.text[:strings.LastIndexByte(p.text, '.')]), last.Key, last.value,
		true
}

// IsKey reports whether the segment is a plain map key.
func (s *Segment) IsKey() bool { return s.Kind == Plain && s.Index < 0 }

// Exactly returns the path of the keys and indexes in segments, taken literally.
func Exactly(segments []string) *Path {
	p := &Path{segments: make([]Segment, len(segments)), create: -1}
	for i, key := range segments {
		p.segments[i] = Segment{Key: key, Index: decimal(key)}
	}
	return p
}

// Segments returns the segments of the path, which must not be modified.
func (p *Path) Segments() []Segment { return p.segments }

// Optional returns the index of the segment from which values may be missing, or -1.
func (p *Path) Optional() int { return p.create }

// Follow returns the value at a path of keys and indexes; ok is false if the path has other
// segments.
func (p *Path) Follow(v gaby.Value) (found gaby.Value, ok bool) {
	for i := range p.segments {
		s := &p.segments[i]
		if s.Kind != Plain {
			return gaby.Value{}, false
		}
		switch {
		case s.Index >= 0 && v.Kind() == gaby.List:
			v = v.Index(s.Index)
		default:
			v = v.Get(s.Key)
		}
	}
	return v, true
}

// Whole returns the path without its embedded path.
func (p *Path) Whole() *Path {
	whole := *p
	whole.embedded = ""
	return &whole
}

// Wild returns the path with * in place of segment i.
func (p *Path) Wild(i int) *Path {
	wild := *p
	wild.segments = slices.Clone(p.segments)
	wild.segments[i].Kind = Any
	return &wild
}

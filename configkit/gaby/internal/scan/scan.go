package scan

import (
	"bytes"
	"math"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// ScanLimits bounds the cost of one document. A document over a limit is refused.
type ScanLimits struct {
	DocumentBytes int // length of the text
	Depth         int // nesting of maps and lists
	AliasNodes    int // values with aliases expanded; only checked if there are aliases
}

// A Tree is what a scan finds in a document.
type Tree struct {
	Nodes      []Node
	Props      map[int32]Props // of the nodes with an anchor or tag
	Aliases    map[int32]int32 // alias node -> the node it refers to
	Separators []uint32        // offsets of U+2028 and U+2029
	Duplicates bool            // a map repeats a key
}

// An Error says why a document cannot be scanned.
type Error struct {
	At          int // offset
	Msg, Hint   string
	Unsupported bool // the text may be valid YAML
	// Outside reports that the error is outside the content, which by itself would read as
	// something else.
	Outside bool
}

// Document scans the document src, whose content is src[from:to]. It appends the nodes to nodes.
func Document(src []byte, from, to int, limits ScanLimits, nodes []Node) (t Tree, err *Error) {
	s := scanner{src: src, from: from, pos: from, end: to, limits: limits, tabsFrom: maxColumn}
	defer func() { err = s.recovered(recover()) }()
	if len(src) > limits.DocumentBytes {
		s.failHint(from, "the document is larger than the limit of bytes for one document",
			"split it")
	}
	s.checkBytes()
	s.checkMargin(0, from)
	s.n = nodes
	s.document()
	if s.quotedSep != len(s.tree.Separators) {
		s.unsupported(int(s.tree.Separators[0]),
			"the line separators U+2028 and U+2029 outside of quoted text")
	}
	if s.tree.Aliases != nil {
		s.checkExpansion()
	}
	s.tree.Nodes = s.n
	return s.tree, nil
}

// CheckExpansion returns an error if the aliases of t expand to more values than the limit.
func CheckExpansion(t Tree, limits ScanLimits) (err *Error) {
	s := scanner{n: t.Nodes, tree: t, limits: limits}
	defer func() { err = s.recovered(recover()) }()
	s.checkExpansion()
	return nil
}

// PropsEnd returns the offset after the anchor and tag that begin at start, in a document that was
// scanned without error and whose content ends at end.
func PropsEnd(src []byte, start, end int) int {
	s := scanner{src: src, pos: start, end: end}
	for {
		if s.pos = s.skipBlanks(s.pos); s.pos >= end || src[s.pos] != '&' && src[s.pos] != '!' {
			return scalar.TrimBlanks(src, start, s.pos)
		}
		for !s.blankAt(s.pos) {
			s.pos++
		}
	}
}

// AfterGap returns the offset of the content after the block value that ends at p, see PropsEnd.
func AfterGap(src []byte, p, end int) int {
	s := scanner{src: src, pos: p, end: end, bol: LineStart(src, p), tabsFrom: maxColumn}
	s.gap()
	return s.pos
}

// AfterFlowGap is AfterGap inside a flow collection.
func AfterFlowGap(src []byte, p, end int) int {
	s := scanner{src: src, pos: p, end: end}
	s.flowGap(p)
	return s.pos
}

// LineStart returns the start of the line of p; the first line begins after a byte order mark.
func LineStart(src []byte, p int) int {
	i := bytes.LastIndexByte(src[:p], '\n') + 1
	if i == 0 && bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) && p >= 3 {
		i = 3
	}
	return i
}

// A scanner reads one document. A function that scans a block value leaves pos at the next content
// (a key, a dash) after the value and the blanks, newlines and comments that follow it, or at end.
// bol is then the start of the line of pos. Columns count bytes, which is exact because only spaces
// and indicators precede a block collection on its line.
type scanner struct {
	src    []byte
	from   int // start of the content
	pos    int
	end    int // end of the content: the source length, or the offset of a "..." line
	bol    int // start of the line pos is on
	depth  int
	n      []Node
	tree   Tree
	limits ScanLimits

	anchors   map[string]int32 // name -> node; the latest wins
	quotedSep int              // line separators seen inside quoted scalars
	// tabsFrom is the column from which tabs in the indentation of a line are blanks, see
	// plainRest.
	tabsFrom int
	comment  bool // nextLine skipped a comment
	outside  bool // what is checked now is outside the content, see Error.Outside
}

// recovered returns the error of a panic by which fail stopped the scan.
func (s *scanner) recovered(r any) *Error {
	if r == nil {
		return nil
	}
	e, ok := r.(*Error)
	if !ok {
		panic(r)
	}
	e.Outside = s.outside
	return e
}

// maxColumn is the value of tabsFrom for "tabs are never blanks in the indentation".
const maxColumn = math.MaxInt

// document scans the root value and checks what follows it.
func (s *scanner) document() {
	s.bol = LineStart(s.src, s.pos)
	s.push()
	var where blockContext
	if s.pos == s.bol {
		where = atLineStart
	}
	s.value(0, -1, where)
	if s.pos < s.end {
		s.fail(s.pos, "unexpected text after the end of the document's value")
	}
	if s.end < len(s.src) {
		s.checkMargin(s.end, len(s.src))
	}
}

// checkMargin checks that the lines of src[from:to], before or after the content, hold only blanks,
// comments, directives and document markers.
func (s *scanner) checkMargin(from, to int) {
	// whether directives are allowed: at the beginning of the stream and after "..."
	directives := true
	version := false
	s.outside = true
	for p := from; p < to; {
		eol := to
		if i := bytes.IndexByte(s.src[p:to], '\n'); i >= 0 {
			eol = p + i
		}
		q := p
		if p == 0 && bytes.HasPrefix(s.src, []byte("\xef\xbb\xbf")) {
			q = 3
		}
		bol := q
		switch {
		case q < eol && stream.IsMarker(s.src, q):
			directives, version = s.src[q] == '.', false
			q += 3
		case q < eol && s.src[q] == '%':
			line := bytes.Fields(s.src[q:eol])
			if !directives || version || len(line) < 2 || string(line[0]) != "%YAML" ||
				len(line[1]) != 3 || string(line[1][:2]) != "1." ||
				len(line) > 2 && line[2][0] != '#' {
				// yaml.v3 may know the directive and reads it with the document
				s.outside = false
				s.unsupported(q, "this directive")
			}
			version = true
			q = eol
		}
		for q < eol && (scalar.IsBlank(s.src[q]) || s.src[q] == '\r') {
			q++
		}
		if q < eol && (s.src[q] != '#' || q > bol && !scalar.IsBlank(s.src[q-1])) {
			s.unsupported(q, "text between the end of one document and the beginning of the next")
		}
		p = eol + 1
	}
	s.outside = false
}

// checkBytes refuses text that is not YAML text: control characters, invalid UTF-8, lone carriage
// returns, and the line separators that YAML 1.1 and 1.2 read differently.
func (s *scanner) checkBytes() {
	var seen uint8
	for _, b := range s.src {
		seen |= scalar.Class[b]
	}
	if seen&scalar.ControlByte != 0 {
		for i, b := range s.src {
			if scalar.Class[b]&scalar.ControlByte != 0 {
				s.fail(i, "control characters are not allowed")
			}
		}
	}
	if seen&scalar.ReturnByte != 0 {
		for i, b := range s.src {
			if b == '\r' && (i+1 == len(s.src) || s.src[i+1] != '\n') {
				s.outside = true // yaml.v3 ends a line here, also that of a separator
				s.unsupported(i, "a carriage return without a line feed")
			}
		}
	}
	if seen&scalar.HighByte != 0 {
		s.checkUTF8()
	}
}

// checkUTF8 checks all characters that are not ASCII.
func (s *scanner) checkUTF8() {
	for i := 0; i < len(s.src); {
		if s.src[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(s.src[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			s.failHint(i, "invalid UTF-8", "convert the file to UTF-8")
		case r >= 0x80 && r < 0xa0 && r != 0x85, r == 0xfffe, r == 0xffff:
			s.fail(i, "control characters are not allowed")
		case r == 0x85:
			s.unsupported(i, "the line separator U+0085")
		case r == 0x2028, r == 0x2029:
			// yaml.v3 breaks lines here (YAML 1.1); inside a line of quoted text both versions read
			// the same.
			if !s.insideQuotes(i, n) {
				s.unsupported(i, "the line separators U+2028 and U+2029 outside of quoted text")
			}
		case r == 0xfeff && i >= s.from:
			s.unsupported(i, "a byte order mark inside the document")
		}
		i += n
	}
}

// insideQuotes reports whether the separator of n bytes at i is between two ASCII characters that
// are not blanks or newlines, as inside a line of quoted text, and records it. That is a guess:
// scan refuses the document if a recorded separator turns out to be outside quoted text.
func (s *scanner) insideQuotes(i, n int) bool {
	if i == 0 || i+n >= len(s.src) {
		return false
	}
	before, after := s.src[i-1], s.src[i+n]
	if scalar.IsBlank(before) || scalar.IsBlank(after) || before == '\n' || after == '\n' ||
		after == '\r' || before == '\\' || after == '#' || before >= 0x80 || after >= 0x80 {
		return false
	}
	s.tree.Separators = append(s.tree.Separators, uint32(i))
	return true
}

// push appends a node and returns its index.
func (s *scanner) push() int32 {
	s.n = append(s.n, Node{})
	return int32(len(s.n) - 1)
}

// fail stops the scan with an *Error at p.
func (s *scanner) fail(p int, msg string) { s.failHint(p, msg, "") }

// failHint is fail with a hint.
func (s *scanner) failHint(p int, msg, hint string) {
	panic(&Error{At: p, Msg: msg, Hint: hint})
}

// unsupported stops the scan at text that may be valid but is not supported.
func (s *scanner) unsupported(p int, what string) { s.unsupportedHint(p, what, "") }

// unsupportedHint is unsupported with a hint.
func (s *scanner) unsupportedHint(p int, what, hint string) {
	panic(&Error{
		At: p, Msg: what + " is not supported", Hint: hint,
		Unsupported: true,
	})
}

// tab refuses a tab before content. Before a scalar it would be legal.
func (s *scanner) tab(p int) {
	panic(&Error{
		At: p, Msg: "a tab cannot be used for indentation",
		Hint: "replace it by spaces", Unsupported: true,
	})
}

// blankAt reports whether the byte at p ends a token: a blank, a newline, or the end of the
// content.
func (s *scanner) blankAt(p int) bool {
	if p >= s.end {
		return true
	}
	switch s.src[p] {
	case ' ', '\n', '\t':
		return true
	case '\r':
		return true // checkBytes has made sure that a newline follows
	}
	return false
}

// skipBlanks returns the offset of the first byte at or after p that is not a blank, or end.
func (s *scanner) skipBlanks(p int) int {
	for p < s.end && scalar.IsBlank(s.src[p]) {
		p++
	}
	return p
}

// gap moves from the end of a block value to the next content, skipping blanks, newlines and
// comments. Content on the same line is an error, and so is a tab in the indentation of content.
func (s *scanner) gap() {
	p, src, end := s.pos, s.src, s.end
	if p >= end {
		return
	}
	if src[p] != '\n' { // rest of the line
		q := p
		for q < end && (src[q] == ' ' || src[q] == '\t' || src[q] == '\r') {
			q++
		}
		if q < end && src[q] != '\n' {
			if src[q] != '#' {
				s.failHint(q, "unexpected text after a value",
					"if it belongs to the value, put the whole value in quotes")
			}
			if q > s.bol && !scalar.IsBlank(s.src[q-1]) {
				s.unsupported(q, "a comment without a blank before it")
			}
			q = s.lineEnd(q)
		}
		p = q
	}
	s.pos = p
	s.nextLine()
}

// lineEnd returns the offset of the newline that ends the line of p, or end.
func (s *scanner) lineEnd(p int) int {
	if i := bytes.IndexByte(s.src[p:s.end], '\n'); i >= 0 {
		return p + i
	}
	return s.end
}

// nextLine moves from a newline (or the end) to the next content.
func (s *scanner) nextLine() {
	p, src, end := s.pos, s.src, s.end
	bol := s.bol
	for p < end {
		p++ // the newline
		bol = p
		for p < end && src[p] == ' ' {
			p++
		}
		if p >= end {
			break
		}
		switch src[p] {
		case '\n':
			continue
		case '#':
			p = s.lineEnd(p)
			s.comment = true
			continue
		case '\r':
			p++
			continue
		case '\t':
			q := p
			for q < end && (scalar.IsBlank(src[q]) || src[q] == '\r') {
				q++
			}
			if q < end && src[q] == '#' {
				q = s.lineEnd(q)
				s.comment = true
			}
			if q < end && src[q] != '\n' && p-bol < s.tabsFrom {
				s.tab(p)
			}
			p = q
			if q < end && src[q] != '\n' {
				break
			}
			continue
		}
		s.pos, s.bol = p, bol
		return
	}
	s.pos, s.bol = end, bol
}

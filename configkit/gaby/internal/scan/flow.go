package scan

import (
	"bytes"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
)

// flowCollection scans the flow map or list that begins at pos, and leaves pos after its closing
// bracket.
//
// Flow context has rules of its own. Indentation does not count, commas and brackets end plain
// text, and YAML 1.1 (yaml.v3) and 1.2 disagree in many corners: a pair in a list without braces, a
// colon directly before a value, a question mark in text. Where they disagree the scanner refuses
// and the document goes to the library, instead of choosing one of the two readings.
func (s *scanner) flowCollection(i int32) {
	s.down()
	start := s.pos
	isMap := s.src[start] == '{'
	closing := byte(']')
	n := &s.n[i]
	n.Kind, n.Style, n.Val = ListNode, scalar.FlowStyle, uint32(start)
	if isMap {
		closing = '}'
		n.Kind = MapNode
	}
	s.pos++
	merge := false
	for {
		s.flowGap(start)
		c := s.src[s.pos]
		if c == closing {
			break
		}
		if c == ',' {
			s.fail(s.pos, "a comma without a value before it")
		}
		e := s.push()
		x := &s.n[e]
		x.Key, x.KeyEnd, x.Flags = uint32(s.pos), uint32(s.pos), InFlow
		if isMap {
			s.flowEntry(e, start)
			x = &s.n[e]
			if x.KeyStyle == scalar.PlainStyle && x.KeyEnd-x.Key == 2 && s.src[x.Key] == '<' &&
				s.src[x.Key+1] == '<' {
				merge = true
			}
		} else {
			s.flowValue(e, start, closing)
		}
		s.flowGap(start)
		switch s.src[s.pos] {
		case ',':
			s.pos++
		case closing:
		case ':':
			s.unsupported(s.pos, "a pair inside a flow list")
		default:
			s.failHint(s.pos, "a comma or "+string(rune(closing))+" is missing", "")
		}
	}
	s.pos++
	// The slab may have moved while the entries were scanned.
	n = &s.n[i]
	n.ValEnd = uint32(s.pos)
	n.Next = uint32(len(s.n))
	if isMap {
		if merge {
			n.Flags |= HasMerge
			s.checkMerge(i)
		}
		s.checkDuplicates(i)
	}
	s.depth--
}

// flowGap skips blanks, newlines and comments inside the flow collection that began at start. The
// end of the content is an error.
func (s *scanner) flowGap(start int) {
	for s.pos < s.end {
		switch s.src[s.pos] {
		case ' ', '\t', '\r':
			s.pos++
		case '\n':
			s.pos++
			s.bol = s.pos
		case '#':
			if s.pos > s.bol && !scalar.IsBlank(s.src[s.pos-1]) {
				s.unsupported(s.pos, "a comment without a blank before it")
			}
			s.pos = s.lineEnd(s.pos)
		default:
			return
		}
	}
	what := "{"
	if s.src[start] == '[' {
		what = "["
	}
	s.fail(start, "unclosed "+what)
}

// flowEntry scans one entry of a flow map: key, colon and value, or a key alone.
func (s *scanner) flowEntry(e int32, start int) {
	p := s.pos
	n := &s.n[e]
	c := s.src[p]
	if (c == '-' || c == '?' || c == ':') && s.flowIndicator(p) {
		s.unsupported(p, "a key that begins with an indicator")
	}
	switch {
	case c == '"' || c == '\'':
		end, _ := s.quoted(p)
		n.KeyStyle, n.KeyEnd = quoteStyle(c), uint32(end)
		s.pos = end
	case c == '{' && s.src[p-1] == '{':
		s.unsupportedHint(p-1, "a template expression", "render the template first; quote {{ if it is text")
	case c == '?' || c == ':' || c == '&' || c == '!' || c == '*' || c == '[' || c == '{':
		s.unsupported(p, "a key that is not plain or quoted text")
	case scalar.Class[c]&scalar.NotPlain != 0:
		s.failHint(p, "a key cannot begin with "+string(rune(c)), "put the key in quotes")
	default:
		end, stop, _ := s.flowPlainText(p)
		n.KeyStyle, n.KeyEnd = scalar.PlainStyle, uint32(end)
		s.pos = stop
	}
	if int(n.KeyEnd)-p > 1000 {
		s.unsupported(p, "a key of more than 1,000 bytes")
	}
	s.flowGap(start)
	switch s.src[s.pos] {
	case ':':
		if s.pos == s.bol && int(n.KeyEnd) < s.bol {
			s.unsupported(s.pos, "a colon at the beginning of a line")
		}
		s.pos++
		if c != '"' && c != '\'' && !s.blankAt(s.pos) {
			s.unsupported(s.pos-1, "a colon without a blank after it in a flow map")
		}
		s.flowValue(e, start, '}')
	case ',', '}':
		s.flowEmpty(e, int(n.KeyEnd))
	default:
		s.failHint(s.pos, "a comma or } is missing", "")
	}
}

// flowIndicator reports whether the "-", "?" or ":" at p is an indicator of a flow collection
// rather than the beginning of text.
func (s *scanner) flowIndicator(p int) bool {
	return s.blankAt(p+1) || bytes.IndexByte([]byte(",[]{}"), s.src[p+1]) >= 0
}

// flowEmpty records a value without text in a flow collection.
func (s *scanner) flowEmpty(e int32, p int) {
	s.empty(e, p)
	s.n[e].Flags |= EmptyInFlow
}

// flowValue scans a value inside a flow collection.
func (s *scanner) flowValue(e int32, start int, closing byte) {
	// An anchor and a tag may both precede the value, in either order. If no value follows them,
	// the empty value is right after the last one.
	end := s.pos
	for {
		s.flowGap(start)
		c := s.src[s.pos]
		if c == ',' || c == closing {
			s.flowEmpty(e, end)
			return
		}
		if c != '&' && c != '!' {
			break
		}
		s.props(e)
		end = s.pos
	}
	p := s.pos
	c := s.src[p]
	// yaml.v3 takes any question mark here for an indicator.
	if c == '?' || (c == '-' || c == ':') && s.flowIndicator(p) {
		s.unsupported(p, "an indicator inside a flow collection")
	}
	switch {
	case c == '[' || c == '{':
		s.flowCollection(e)
	case c == '"' || c == '\'':
		end, multi := s.quoted(p)
		s.scalar(e, p, end, quoteStyle(c), multi)
		s.pos = end
	case c == '*':
		s.pos = s.alias(e)
	case scalar.Class[c]&scalar.NotPlain != 0:
		s.failHint(p, "a value cannot begin with "+string(rune(c)), "put the text in quotes")
	default:
		s.flowPlain(e, p)
	}
}

// flowPlain scans plain text in a flow collection, which may span several lines.
func (s *scanner) flowPlain(e int32, p int) {
	end, stop, multi := s.flowPlainText(p)
	if multi && stop < s.end && s.src[stop] == ':' {
		s.unsupported(p, "a pair inside a flow list")
	}
	s.scalar(e, p, end, scalar.PlainStyle, multi)
	s.pos = stop
}

// flowPlainText reads plain text in flow context. end is the offset after its last character, stop
// the offset of the byte that ended it.
func (s *scanner) flowPlainText(p int) (end, stop int, multi bool) {
	end, stop = s.flowPlainLine(p)
	// Look ahead over blank lines to what follows. The newlines are part of the text only if more
	// text does; otherwise the caller must see them, to count lines and skip comments.
	for stop < s.end && s.src[stop] == '\n' {
		q, bol := stop, s.bol
		for q < s.end && (scalar.IsBlank(s.src[q]) || s.src[q] == '\n' || s.src[q] == '\r') {
			if s.src[q] == '\n' {
				bol = q + 1
			}
			q++
		}
		if q >= s.end {
			break
		}
		switch s.src[q] {
		case ',', ']', '}', '[', '{', ':', '#':
			return end, stop, multi // flowGap continues from the newline
		case '?':
			s.unsupported(q, "an indicator inside a flow collection")
		}
		s.bol = bol
		multi = true
		end, stop = s.flowPlainLine(q)
	}
	return end, stop, multi
}

// flowPlainLine is plainLine for flow context, where brackets and commas end plain text as well.
func (s *scanner) flowPlainLine(p int) (end, stop int) {
	src := s.src[:s.end]
	q := p
loop:
	for q < len(src) {
		c := src[q]
		if scalar.Class[c]&scalar.StopsFlow == 0 {
			q++
			continue
		}
		switch c {
		case ':':
			if s.blankAt(q + 1) {
				break loop
			}
			if b := src[q+1]; b == ',' || b == '[' || b == ']' || b == '{' || b == '}' {
				s.unsupported(q, "a colon without a blank after it in a flow collection")
			}
		case '#':
			if q > p && scalar.IsBlank(src[q-1]) {
				break loop
			}
		case '?':
			// yaml.v3 ends the text at every question mark and then refuses; in YAML 1.2 it is
			// text.
			if q > p && scalar.IsBlank(src[q-1]) {
				s.unsupported(q, "an indicator inside a flow collection")
			}
		default:
			break loop
		}
		q++
	}
	return scalar.TrimBlanks(src, p, q), q
}

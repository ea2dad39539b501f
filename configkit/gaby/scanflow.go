package gaby

// flowCollection scans the flow map or list that begins at pos, and leaves pos behind its closing bracket.
func (s *scanner) flowCollection(i int32) {
	s.down()
	start := s.pos
	isMap := s.src[start] == '{'
	closing := byte(']')
	n := &s.n[i]
	n.kind, n.style, n.val = listNode, flowStyle, uint32(start)
	if isMap {
		closing = '}'
		n.kind = mapNode
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
			s.fail(s.pos, "a comma without a value in front of it")
		}
		e := s.push()
		x := &s.n[e]
		x.key, x.keyEnd, x.flags = uint32(s.pos), uint32(s.pos), inFlow
		if isMap {
			s.flowEntry(e, start)
			x = &s.n[e]
			if x.keyStyle == plainStyle && x.keyEnd-x.key == 2 && s.src[x.key] == '<' && s.src[x.key+1] == '<' {
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
	n = &s.n[i]
	n.valEnd = uint32(s.pos)
	n.next = uint32(len(s.n))
	if isMap {
		if merge {
			n.flags |= hasMerge
			s.checkMerge(i)
		}
		s.checkDuplicates(i)
	}
	s.depth--
}

// flowGap moves over blanks, line ends and comments inside the flow collection that began at start.
func (s *scanner) flowGap(start int) {
	for s.pos < s.end {
		switch s.src[s.pos] {
		case ' ', '\t', '\r':
			s.pos++
		case '\n':
			s.pos++
			s.bol = s.pos
		case '#':
			if s.pos > s.bol && !isBlank(s.src[s.pos-1]) {
				s.unsupported(s.pos, "a comment without a blank in front of it")
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
	s.fail(start, "a "+what+" that is never closed")
}

// flowEntry scans one entry of a flow map: key, colon and value, or a key alone.
func (s *scanner) flowEntry(e int32, start int) {
	p := s.pos
	n := &s.n[e]
	c := s.src[p]
	if (c == '-' || c == '?' || c == ':') && (s.blankAt(p+1) || byteClass[s.src[p+1]]&stopsFlow != 0) {
		s.unsupported(p, "a key that begins with an indicator")
	}
	switch {
	case c == '"' || c == '\'':
		q, multi := s.quoted(p)
		if multi {
			s.unsupported(p, "a key over several lines")
		}
		n.keyStyle, n.keyEnd = quoteStyle(c), uint32(q)
		for q < s.end && isBlank(s.src[q]) {
			q++
		}
		s.pos = q
	case c == '?' || c == ':' || c == '&' || c == '!' || c == '*' || c == '[' || c == '{':
		s.unsupported(p, "a key that is no plain or quoted text")
	case byteClass[c]&notPlain != 0:
		s.failHint(p, "a key cannot begin with "+string(rune(c)), "put the key in quotes")
	default:
		end, stop := s.flowPlainLine(p)
		n.keyStyle, n.keyEnd = plainStyle, uint32(end)
		s.pos = stop
	}
	if int(n.keyEnd)-p > 1000 {
		s.unsupported(p, "a key of more than 1,000 bytes")
	}
	if s.pos < s.end && s.src[s.pos] == ':' {
		s.pos++
		if c != '"' && c != '\'' && !s.blankAt(s.pos) {
			s.unsupported(s.pos-1, "a colon without a blank behind it in a flow map")
		}
		s.flowValue(e, start, '}')
		return
	}
	behind := s.pos
	s.flowGap(start)
	if c := s.src[s.pos]; c != ',' && c != '}' {
		if s.pos == behind {
			s.failHint(s.pos, "a comma or } is missing", "")
		}
		s.unsupported(p, "a key over several lines")
	}
	s.flowEmpty(e, int(s.n[e].keyEnd))
}

// flowEmpty records a value without text in a flow collection.
func (s *scanner) flowEmpty(e int32, p int) {
	s.empty(e, p)
	s.n[e].flags |= emptyInFlow
}

// flowValue scans a value inside a flow collection.
func (s *scanner) flowValue(e int32, start int, closing byte) {
	behind := s.pos
	for {
		s.flowGap(start)
		c := s.src[s.pos]
		if c == ',' || c == closing {
			s.flowEmpty(e, behind)
			return
		}
		if c != '&' && c != '!' {
			break
		}
		s.props(e)
		behind = s.pos
	}
	p := s.pos
	c := s.src[p]
	if (c == '-' || c == '?' || c == ':') && (c != '-' || s.blankAt(p+1) || byteClass[s.src[p+1]]&stopsFlow != 0) {
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
	case byteClass[c]&notPlain != 0:
		s.failHint(p, "a value cannot begin with "+string(rune(c)), "put the text in quotes")
	default:
		s.flowPlain(e, p)
	}
}

// flowPlain scans plain text in a flow collection, over as many lines as it has.
func (s *scanner) flowPlain(e int32, p int) {
	end, stop := s.flowPlainLine(p)
	multi := false
	for stop < s.end && s.src[stop] == '\n' {
		q := stop
		for q < s.end && (isBlank(s.src[q]) || s.src[q] == '\n' || s.src[q] == '\r') {
			if s.src[q] == '\n' {
				s.bol = q + 1
			}
			q++
		}
		if q >= s.end || s.src[q] == '#' {
			stop = q
			break
		}
		switch s.src[q] {
		case ',', ']', '}', '[', '{':
			stop = q
		case ':', '?':
			s.unsupported(q, "an indicator inside a flow collection")
		default:
			multi = true
			end, stop = s.flowPlainLine(q)
			continue
		}
		break
	}
	if multi && stop < s.end && s.src[stop] == ':' {
		s.unsupported(p, "a key over several lines")
	}
	s.scalar(e, p, end, plainStyle, multi)
	s.pos = stop
}

// flowPlainLine is plainLine for flow context, where brackets and commas end plain text too.
func (s *scanner) flowPlainLine(p int) (end, stop int) {
	src := s.src[:s.end]
	q := p
loop:
	for q < len(src) {
		c := src[q]
		if byteClass[c]&stopsFlow == 0 {
			q++
			continue
		}
		switch c {
		case ':':
			if s.blankAt(q + 1) {
				break loop
			}
			if b := src[q+1]; b == ',' || b == '[' || b == ']' || b == '{' || b == '}' {
				s.unsupported(q, "a colon without a blank behind it in a flow collection")
			}
		case '#':
			if q > p && isBlank(src[q-1]) {
				break loop
			}
		case '?':
			// yaml.v3 ends the text at every question mark and then refuses; YAML 1.2 takes it as text.
			if q > p && isBlank(src[q-1]) {
				s.unsupported(q, "an indicator inside a flow collection")
			}
		default:
			break loop
		}
		q++
	}
	return trimBlanks(src, p, q), q
}

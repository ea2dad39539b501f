package source

import "strings"

// wildMatch tells whether a path matches a pattern the way git and shells
// with globstar do it: * and ? are within one segment, [...] is one of a set of
// bytes, ** as a whole segment is any number of segments, \ takes the meaning
// from what follows. Its time is bounded by the product of the lengths and the
// number of segments, whatever the pattern.
func wildMatch(pattern, path string) bool {
	// Where to go on when what was tried does not match: one byte further
	// behind the last * of this segment, or one segment further behind the last
	// **. Earlier ones need not be tried again: a later one can take up whatever
	// they could.
	const none = -1
	star, starAt := none, 0
	stars, starsAt := none, 0
	p, at := 0, 0
	for {
		if p < len(pattern) && pattern[p] == '*' {
			end := p
			for end < len(pattern) && pattern[end] == '*' {
				end++
			}
			wholeSegment := end-p > 1 && (p == 0 || pattern[p-1] == '/') && (end == len(pattern) || pattern[end] == '/')
			switch {
			case wholeSegment && end == len(pattern):
				return true
			case wholeSegment:
				p = end + 1
				star, stars, starsAt = none, p, at
			default:
				p = end
				star, starAt = p, at
			}
			continue
		}
		n, ok := 0, p == len(pattern) && at == len(path)
		if ok {
			return true
		}
		if p < len(pattern) && at < len(path) {
			n, ok = matchByte(pattern[p:], path[at])
		}
		if ok {
			if path[at] == '/' {
				star = none
			}
			p, at = p+n, at+1
			continue
		}
		if star != none && starAt < len(path) && path[starAt] != '/' {
			starAt++
			p, at = star, starAt
			continue
		}
		next := none
		if stars != none {
			next = strings.IndexByte(path[starsAt:], '/')
		}
		if next < 0 {
			return false
		}
		starsAt += next + 1
		star = none
		p, at = stars, starsAt
	}
}

// matchByte matches a byte of a path with what the pattern begins with, and
// tells how long that is.
func matchByte(pattern string, c byte) (n int, ok bool) {
	switch pattern[0] {
	case '?':
		return 1, c != '/'
	case '[':
		return matchSet(pattern, c)
	case '\\':
		if len(pattern) == 1 {
			return 1, false
		}
		return 2, pattern[1] == c
	}
	return 1, pattern[0] == c
}

// matchSet matches a byte with a set: [abc], [a-z], [!a-z], [[:digit:]_]. A set
// that is not closed matches nothing, nor does any set match a slash.
func matchSet(pattern string, c byte) (n int, ok bool) {
	i := 1
	negated := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negated {
		i++
	}
	in := false
	for first, low := true, -1; ; first = false {
		if i >= len(pattern) {
			return 0, false
		}
		b := pattern[i]
		if b == ']' && !first {
			break
		}
		switch {
		case b == '[' && strings.HasPrefix(pattern[i:], "[:"):
			name, size := className(pattern[i:])
			if size == 0 {
				in, low = in || c == b, int(b)
				i++
				continue
			}
			ofClass, known := inClass(name, c)
			if !known {
				return 0, false
			}
			in, low = in || ofClass, -1
			i += size
			continue
		case b == '-' && low >= 0 && i+1 < len(pattern) && pattern[i+1] != ']':
			i++
			if pattern[i] == '\\' {
				i++
			}
			if i >= len(pattern) {
				return 0, false
			}
			in, low = in || int(c) >= low && c <= pattern[i], -1
			i++
			continue
		case b == '\\':
			i++
			if i >= len(pattern) {
				return 0, false
			}
			b = pattern[i]
		}
		in, low = in || c == b, int(b)
		i++
	}
	return i + 1, in != negated && c != '/'
}

// className is the name in [:name:] and the length of it all; 0 when what
// looks like the beginning of one is none.
func className(pattern string) (name string, size int) {
	end := strings.IndexByte(pattern[2:], ']') + 2
	if end < 3 || pattern[end-1] != ':' {
		return "", 0
	}
	return pattern[2 : end-1], end + 1
}

// inClass tells whether a byte is in a class of POSIX, for ASCII, and whether
// there is such a class.
func inClass(class string, c byte) (in, known bool) {
	lower, upper, digit := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
	graph := c > ' ' && c < 0x7f
	switch class {
	case "alnum":
		return lower || upper || digit, true
	case "alpha":
		return lower || upper, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < ' ' || c == 0x7f, true
	case "digit":
		return digit, true
	case "graph":
		return graph, true
	case "lower":
		return lower, true
	case "print":
		return c == ' ' || graph, true
	case "punct":
		return graph && !lower && !upper && !digit, true
	case "space":
		return c == ' ' || c >= '\t' && c <= '\r', true
	case "upper":
		return upper, true
	case "xdigit":
		return digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F', true
	}
	return false, false
}

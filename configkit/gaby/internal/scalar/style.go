package scalar

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Context describes what the spelling of a scalar depends on besides its value.
type Context struct {
	Flow bool  // inside a flow collection, where brackets and commas end plain text
	Key  bool  // a key: one line, never a block scalar
	Old  Style // style of the scalar that is replaced
	// Indent is the column of the text of a block scalar, Parent the column of the collection
	// around it (-1 at the root).
	Indent, Parent int
	NoBlock        bool // the text that follows in the document would become part of a block scalar
	// Keep says that the old scalar was a block scalar with |+, which keeps its trailing newlines.
	Keep    bool
	LineEnd string
}

// Format returns the spelling of text as a scalar with tag t. It keeps the style of the scalar it
// replaces if the value allows that. Otherwise it takes the first that fits: plain, literal for
// several lines, single quotes for text with " or \, double quotes.
//
// A block scalar begins with its header. Its lines are indented, and the last one has no newline.
func Format(t Tag, text string, c Context) string {
	if t != StrTag {
		return text
	}
	switch c.Old {
	case LiteralStyle, FoldedStyle:
		if !c.Flow && !c.Key {
			if s, ok := block(text, c); ok {
				return s
			}
		}
	case SingleStyle:
		if CanSingle(text) {
			return single(text)
		}
		return Double(text)
	case DoubleStyle:
		return Double(text)
	}
	if plainSafe(text, c.Flow) {
		return text
	}
	if !c.Flow && !c.Key && strings.Contains(text, "\n") {
		if s, ok := block(text, c); ok {
			return s
		}
	}
	if CanSingle(text) && strings.ContainsAny(text, `"\`) {
		return single(text)
	}
	return Double(text)
}

// plainSafe reports whether text can be written without quotes and is then a string to readers of
// YAML 1.1 and of YAML 1.2 alike.
func plainSafe(text string, flow bool) bool {
	if text == "" || looksTyped(text) {
		return false
	}
	first := text[0]
	if Class[first]&NotPlain != 0 {
		return false
	}
	if first == '-' || first == '?' || first == ':' {
		if len(text) == 1 || IsBlank(text[1]) ||
			flow && (first != '-' || Class[text[1]]&StopsFlow != 0) {
			return false
		}
	}
	if strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...") {
		return false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c < ' ' || c == 0x7f:
			return false
		case c == ':':
			if i+1 == len(text) || IsBlank(text[i+1]) || flow && Class[text[i+1]]&StopsFlow != 0 {
				return false
			}
		case c == '#':
			if IsBlank(text[i-1]) {
				return false
			}
		case flow && Class[c]&StopsFlow != 0: // "?" is an indicator to yaml.v3
			return false
		}
	}
	return !IsBlank(text[len(text)-1]) && Printable(text)
}

// Printable reports whether text has no character that YAML requires to be escaped or that YAML 1.1
// reads as a line break. ASCII control characters are the caller's to check.
func Printable(text string) bool {
	for _, r := range text {
		switch {
		case r >= 0x80 && r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff, r == 0xfffe, r == 0xffff:
			return false
		}
	}
	return true
}

// CanComment reports whether a YAML comment may contain text.
func CanComment(text string) bool {
	return utf8.ValidString(text) && Printable(text) &&
		!strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// looksTyped reports whether YAML 1.1 or 1.2 would read s, written plain, as anything but a string.
// The words of YAML 1.1 (yes, no, on, off, y, n) count in any case.
func looksTyped(s string) bool {
	if Resolve(s) != StrTag {
		return true
	}
	switch s[0] {
	case 'y', 'Y', 'n', 'N', 'o', 'O', 't', 'T', 'f', 'F':
		switch strings.ToLower(s) {
		case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
			return true
		}
	case '=':
		return s == "="
	case '<':
		return s == "<<"
	case '+', '-', '.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return numberIn11(s)
	}
	return false
}

// numberIn11 reports whether s could be a number or date of YAML 1.1: digits with underscores or
// colons (base 60), numbers of any base, timestamps. A false positive only costs a pair of quotes,
// so the test is coarse.
func numberIn11(s string) bool {
	i := 0
	if s[0] == '+' || s[0] == '-' {
		i++
	}
	if i == len(s) || s[i] != '.' && (s[i] < '0' || s[i] > '9') {
		return false
	}
	if s[i] == '0' && i+1 < len(s) && (s[i+1] == 'x' || s[i+1] == 'X' || s[i+1] == 'o' ||
		s[i+1] == 'O' || s[i+1] == 'b' || s[i+1] == 'B') {
		return strings.Trim(s[i+2:], "0123456789abcdefABCDEF_") == ""
	}
	rest := strings.TrimLeft(s[i:], "0123456789_.:")
	switch {
	case rest == "":
		// By the letter of YAML 1.1, 1.27.3 and 10.0.0.1 are numbers, but no reader takes them for
		// numbers. Quoting every version and address would be ugly.
		return strings.Count(s, ".") < 2 || strings.ContainsAny(s, "_:")
	case rest[0] == 'e' || rest[0] == 'E': // an exponent, with or without a sign
		return strings.Trim(rest[1:], "0123456789+-_.") == ""
	case rest[0] == '-' && digits(s[i:]) == 4: // a timestamp in any of its forms
		return strings.Trim(rest, "0123456789-:.+ \tTtZz") == ""
	}
	return false
}

// CanSingle reports whether text can be written in single quotes, which have no escapes.
func CanSingle(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < ' ' || text[i] == 0x7f {
			return false
		}
	}
	return Printable(text)
}

// single returns text in single quotes.
func single(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// Double returns text in double quotes, with escapes for all characters that are not Printable.
func Double(text string) string {
	var b strings.Builder
	b.Grow(len(text) + 2)
	b.WriteByte('"')
	for _, r := range text {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\t':
			b.WriteString(`\t`)
		case '\r':
			b.WriteString(`\r`)
		default:
			switch {
			case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0:
				fmt.Fprintf(&b, `\x%02x`, r)
			case r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff:
				fmt.Fprintf(&b, `\u%04x`, r)
			default:
				b.WriteRune(r)
			}
		}
	}
	b.WriteByte('"')
	return b.String()
}

// block returns text as a literal scalar, or as a folded one if it replaces a folded one. It
// reports false if the value cannot be written as a block scalar with certainty.
//
// The chomping indicator follows from the trailing newlines: "-" for none, nothing for one, and "+"
// only if the old scalar had it.
func block(text string, c Context) (string, bool) {
	body := strings.TrimRight(text, "\n")
	trailing := len(text) - len(body)
	if c.NoBlock || body == "" || !utf8.ValidString(text) || !blockText(body) {
		return "", false
	}
	chomp := ""
	switch {
	case trailing == 0:
		chomp = "-"
	case c.Keep:
		chomp = "+"
	case trailing > 1:
		// Only |+ keeps several trailing newlines, and it would take in blank lines that follow.
		return "", false
	}
	lines := strings.Split(body, "\n")
	indicator := "|"
	if c.Old == FoldedStyle {
		if folded, ok := foldable(lines); ok {
			indicator, lines = ">", folded
		}
	}
	header := indicator
	// readers cannot detect the indentation from a first line like this
	if lines[0] == "" || IsBlank(lines[0][0]) {
		n := c.Indent - max(c.Parent, 0)
		if n < 1 || n > 9 {
			return "", false
		}
		header += string(rune('0' + n))
	}
	var b strings.Builder
	b.WriteString(header + chomp)
	pad := strings.Repeat(" ", c.Indent)
	for _, l := range lines {
		b.WriteString(c.LineEnd)
		if l != "" {
			b.WriteString(pad + l)
		}
	}
	if c.Keep {
		for range trailing - 1 {
			b.WriteString(c.LineEnd)
		}
	}
	return b.String(), true
}

// blockText reports whether body can be the text of a block scalar, which has no escapes.
func blockText(body string) bool {
	for i := 0; i < len(body); i++ {
		if c := body[i]; c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return false
		}
	}
	for l := range strings.SplitSeq(body, "\n") {
		if l != "" && strings.Trim(l, " \t") == "" {
			return false // editors that trim trailing blanks would lose a line of blanks only
		}
	}
	return Printable(body)
}

// foldable returns the lines of a folded scalar that reads back as lines. Readers fold a single
// newline to a space, so each newline is written as two. It reports false for text with lines that
// are empty or begin with a blank, which readers do not fold.
func foldable(lines []string) ([]string, bool) {
	var out []string
	for i, l := range lines {
		if l == "" || IsBlank(l[0]) {
			return nil, false
		}
		if i > 0 {
			out = append(out, "")
		}
		out = append(out, l)
	}
	return out, true
}

package jsonkit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// parser parses one text.
type parser struct {
	formatkit.Text
	dialect dialect
	at      int
	depth   int
	remarks []formatkit.Span // the comments read so far, all before at
}

const (
	moreHint  = "comments and trailing commas are allowed in files called .jsonc or .json5"
	json5Hint = "JSON5 is allowed in files called .json5"
)

func (p *parser) fail(at int, hint, format string, args ...any) error {
	return p.Fail(min(at, len(p.Text)), fmt.Sprintf(format, args...), hint)
}

// document parses the text, which is one value with blanks and comments around it.
func (p *parser) document() (*formatkit.Node, error) {
	root := &formatkit.Node{}
	if err := p.gap(); err != nil {
		return nil, err
	}
	if p.at == len(p.Text) {
		return nil, p.fail(0, "a file without entries is {}", "there is no value in the file")
	}
	start := p.at
	if err := p.value(root); err != nil {
		return nil, err
	}
	root.KeySpan = formatkit.NewSpan(start, start)
	root.Entry, root.Head = root.Span, root.Span.From
	if err := p.gap(); err != nil {
		return nil, err
	}
	if p.at < len(p.Text) {
		return nil, p.fail(p.at, "a file is one value; several can be the items of a list",
			"there is more text after the value")
	}
	return root, nil
}

// gap skips blanks and comments, and adds the comments to remarks.
func (p *parser) gap() error {
	for p.at < len(p.Text) {
		switch c := p.Text[p.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			p.at++
		case c == '/':
			if err := p.remark(); err != nil {
				return err
			}
		case c == '#':
			return p.fail(p.at, "comments begin with // in .jsonc and .json5 files", "unexpected #")
		default:
			r, n := utf8.DecodeRune(p.Text[p.at:])
			if !p.dialect.isJSON5() || !isBlank(r) {
				return nil
			}
			p.at += n
		}
	}
	return nil
}

// isBlank reports whether r is one of the blanks that JSON5 has in addition to those of JSON.
func isBlank(r rune) bool {
	return r == '\v' || r == '\f' || r == '\ufeff' || isSeparator(r) || unicode.Is(unicode.Zs, r)
}

// isSeparator reports whether r is a line or paragraph separator, which end lines in JSON5.
func isSeparator(r rune) bool { return r == '\u2028' || r == '\u2029' }

// remark skips a comment and adds it to remarks.
func (p *parser) remark() error {
	from := p.at
	length := commentLength(p.Text[from:], p.dialect)
	switch {
	case length == 0:
		return p.fail(from, "", "unexpected /")
	case !p.dialect.hasComments():
		return p.fail(from, moreHint, "JSON has no comments")
	case length < 0:
		return p.fail(from, "", "the comment has no end, which is */")
	}
	p.at += length
	p.remarks = append(p.remarks, formatkit.NewSpan(from, p.at))
	return nil
}

// commentLength returns the length of the comment that text begins with. It is 0 if there is none,
// and negative if the comment is not closed.
func commentLength(text formatkit.Text, d dialect) int {
	switch {
	case bytes.HasPrefix(text, []byte("//")):
		end := text.LineEnd(0)
		if i := bytes.IndexFunc(text[:end], isSeparator); i >= 0 && d.isJSON5() {
			end = i
		}
		return end
	case bytes.HasPrefix(text, []byte("/*")):
		if end := bytes.Index(text[2:], []byte("*/")); end >= 0 {
			return end + 4
		}
		return -1
	}
	return 0
}

// value parses the value at the current position into n.
func (p *parser) value(n *formatkit.Node) error {
	from := p.at
	var err error
	switch c := p.Text[from]; c {
	case '{':
		n.Kind = gaby.Map
		err = p.entries(n, '}')
	case '[':
		n.Kind = gaby.List
		err = p.entries(n, ']')
	case '"', '\'':
		n.Kind = gaby.Scalar
		n.Value, err = p.quoted()
	default:
		n.Kind = gaby.Scalar
		n.Value, err = p.word()
	}
	n.Span = formatkit.NewSpan(from, p.at)
	return err
}

// entries parses a map or list, from its opening bracket to its closing one.
func (p *parser) entries(n *formatkit.Node, closing byte) error {
	open := p.at
	if p.depth++; p.depth > gaby.DefaultLimits().Depth {
		return p.fail(open, "", "objects and lists are nested too deep")
	}
	defer func() { p.depth-- }()
	p.at++
	var last *formatkit.Node
	for {
		after := p.at
		if err := p.gap(); err != nil {
			return err
		}
		if last != nil { // the comment may follow the comma, so it is not known before
			p.lineComment(last)
		}
		switch {
		case p.at == len(p.Text):
			return p.fail(open, "", "unclosed %c", p.Text[open])
		case p.Text[p.at] == closing && last != nil && last.Comma > 0 && !p.dialect.hasComments():
			return p.fail(last.Comma, moreHint, "a comma follows the last entry")
		case p.Text[p.at] == closing:
			p.at++
			return nil
		case last != nil && last.Comma == 0:
			return p.fail(last.Span.To, "", "a comma or a %c is missing after the value", closing)
		case p.Text[p.at] == ',':
			return p.fail(p.at, "", "there is no entry before the comma")
		}
		kid := &formatkit.Node{}
		kid.KeySpan = formatkit.NewSpan(p.at, p.at)
		kid.Head, kid.Comments.Head = p.above(after)
		if n.Kind == gaby.Map {
			if err := p.key(kid); err != nil {
				return err
			}
		}
		if err := p.value(kid); err != nil {
			return err
		}
		kid.Entry = formatkit.NewSpan(kid.KeySpan.From, kid.Span.To)
		n.Kids = append(n.Kids, kid)
		last = kid
		if err := p.gap(); err != nil {
			return err
		}
		if p.at < len(p.Text) && p.Text[p.at] == ',' {
			kid.Comma = p.at
			p.at++
		}
	}
}

// key parses a key and the colon after it.
func (p *parser) key(n *formatkit.Node) error {
	from := p.at
	var err error
	if c := p.Text[from]; c == '"' || c == '\'' {
		n.Key, err = p.quoted()
	} else {
		n.Key, err = p.bareKey()
	}
	if err != nil {
		return err
	}
	n.KeySpan = formatkit.NewSpan(from, p.at)
	if err := p.gap(); err != nil {
		return err
	}
	if p.at == len(p.Text) || p.Text[p.at] != ':' {
		return p.fail(n.KeySpan.To, "", "a colon and a value are missing after the key %q", n.Key)
	}
	p.at++
	if err := p.gap(); err != nil {
		return err
	}
	if p.at == len(p.Text) || strings.IndexByte("}],:", p.Text[p.at]) >= 0 {
		return p.fail(p.at, "", "the key %q has no value", n.Key)
	}
	return nil
}

// bareKey parses a key without quotes.
func (p *parser) bareKey() (string, error) {
	from := p.at
	var b strings.Builder
	for p.at < len(p.Text) {
		r, n := p.keyRune()
		if !isKeyRune(r, p.at > from) {
			break
		}
		b.WriteRune(r)
		p.at += n
	}
	key := b.String()
	switch {
	case key == "":
		r, _ := utf8.DecodeRune(p.Text[from:])
		return "", p.fail(from, "", "a key in double quotes is missing before %q", r)
	case !p.dialect.isJSON5():
		return "", p.fail(from, "write \""+key+"\"; "+json5Hint, "the key %s has no quotes", key)
	}
	return key, nil
}

// keyRune decodes the next character of a key without quotes, which may be escaped in JSON5, and
// returns its length in the text.
func (p *parser) keyRune() (rune, int) {
	text := p.Text[p.at:]
	if p.dialect.isJSON5() && bytes.HasPrefix(text, []byte(`\u`)) {
		if r, ok := hexAt(text, 2, 4); ok {
			return r, len(`\u0041`)
		}
	}
	return utf8.DecodeRune(text)
}

// isKeyRune reports whether r can be part of a key without quotes. inside is set for all characters
// but the first.
func isKeyRune(r rune, inside bool) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) ||
		inside && (unicode.IsDigit(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Pc) ||
			r == '\u200c' || r == '\u200d')
}

// isBare reports whether key needs no quotes in JSON5.
func isBare(key string) bool {
	for i, r := range key {
		if !isKeyRune(r, i > 0) {
			return false
		}
	}
	return key != "" && utf8.ValidString(key)
}

// word parses a value without quotes.
func (p *parser) word() (any, error) {
	from := p.at
	for p.at < len(p.Text) {
		r, n := utf8.DecodeRune(p.Text[p.at:])
		if !isKeyRune(r, true) && !strings.ContainsRune("+-.", r) {
			break
		}
		p.at += n
	}
	switch raw := string(p.Text[from:p.at]); raw {
	case "true":
		return true, nil
	case "false":
		return false, nil
	case "null":
		return nil, nil
	case "":
		r, _ := utf8.DecodeRune(p.Text[from:])
		return nil, p.fail(from, "", "there is no value before %q", r)
	default:
		return p.number(raw, from)
	}
}

// lineComment sets the comment after n, if it is the last thing on its line.
func (p *parser) lineComment(n *formatkit.Node) {
	for i := len(p.remarks) - 1; i >= 0 && p.remarks[i].From >= n.End(); i-- {
		r := p.remarks[i]
		if between := p.Text[n.End():r.From]; len(bytes.Trim(between, " \t")) == 0 &&
			p.EndsLine(r.To) {
			n.Remark, n.Comments.Line = r, commentText(string(p.Text[r.From:r.To]))
			return
		}
	}
}

// above returns the offset at which the comments directly above the current entry begin,
// and their text. Only comments after the offset after are considered. The entry must be
// the first on its line.
func (p *parser) above(after int) (int, string) {
	head, first := p.StartsLine(p.at)
	if head <= after || !first {
		return p.at, ""
	}
	var lines []string
	for i := len(p.remarks) - 1; i >= 0 && p.remarks[i].From >= after; i-- {
		r := p.remarks[i]
		start, first := p.StartsLine(r.From)
		if !first || start < after || !p.EndsLine(r.To) ||
			p.NextLine(r.To) != head {
			break
		}
		text := commentText(string(p.Text[r.From:r.To]))
		if formatkit.IsCommentedOut(text) {
			break
		}
		lines = append(lines, text)
		head = start
	}
	if lines == nil {
		return p.at, ""
	}
	slices.Reverse(lines)
	return head, strings.Join(lines, "\n")
}

// commentText returns the text of a comment without its marks.
func commentText(comment string) string {
	text, isBlock := strings.CutPrefix(comment, "/*")
	if !isBlock {
		return formatkit.CommentText(comment, "//")
	}
	lines := strings.Split(strings.TrimSuffix(text, "*/"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "*"))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

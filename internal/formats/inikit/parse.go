package inikit

import (
	"bytes"
	"strings"
	"sync"
	"unicode"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// block is a header with the lines up to the next header. The first block of a text has no header.
type block struct {
	// The header: KeySpan is the inside of the brackets, and Span is empty and after them.
	formatkit.Node
	path []string // of the section, empty for the first block
	keys []*formatkit.Node
	end  int // the end of the lines of its header and keys
}

// section is the syntax of a map: its blocks. There are none if only the headers of maps inside it
// imply the map.
type section struct {
	dialect dialect // set in the root only
	bare    bool    // set in the root: the text has keys without a value
	// within has the path of the first section at or below each path. It is set in the root.
	within func() map[string][]string
	path   []string
	blocks []*block
}

// first returns the first block of a section, or nil if it has none.
func (s *section) first() *block {
	if len(s.blocks) == 0 {
		return nil
	}
	return s.blocks[0]
}

// tokensOf returns the tokens of the value of a key, nil if it has none.
func tokensOf(key *formatkit.Node) formatkit.Tokens {
	tokens, _ := key.Syntax.(formatkit.Tokens)
	return tokens
}

// dialect is the part of the format that differs between the dialects.
type dialect interface {
	// parse parses a text. The parser is after the byte order mark, if there is one.
	parse(p *parser) ([]*block, error)
	// header returns the inside of the brackets of a header for the section at path. It may be
	// read as another one.
	header(path []string) string
	// isKey reports whether key can be written before a sign.
	isKey(key string) bool
	// spell escapes text as a part of a value.
	spell(text string, s style) string
}

// isGit reports whether a dialect is that of git, in which a value can be in quotes and a comment
// can follow it on its line. In the other one comments have lines of their own.
func isGit(d dialect) bool { return d == git{} }

// style is the layout of a new value of several lines.
type style struct{ indent, lineEnd string }

// Parse implements formatkit.Language.
func (l language) Parse(text formatkit.Text) ([]*formatkit.Node, error) {
	d, blocks, err := l.read(text)
	if err != nil {
		return nil, err
	}
	return []*formatkit.Node{tree(d, blocks)}, nil
}

// Dialect returns the name of the dialect of a text.
func (l language) Dialect(text []byte) string {
	if d, _, _ := l.read(text); isGit(d) {
		return "git-config"
	}
	return "configparser"
}

func (l language) read(text formatkit.Text) (dialect, []*block, error) {
	d, sure := dialectOf(text)
	if l.isGit {
		d, sure = git{}, true
	}
	blocks, err := parse(d, text)
	if err != nil && !sure {
		d = configparser{}
		blocks, err = parse(d, text)
	}
	return d, blocks, err
}

func parse(d dialect, text formatkit.Text) ([]*block, error) {
	begin := text.Begin()
	return d.parse(&parser{
		Text: text, at: begin, before: begin, blocks: []*block{{end: begin}},
	})
}

// dialectOf detects the dialect of a text. The result git is not sure if it is based on the
// indentation only.
func dialectOf(text formatkit.Text) (d dialect, sure bool) {
	keys, tabs, goesOn := 0, 0, false
	for l := range bytes.Lines(text[text.Begin():]) {
		begin := bytes.TrimLeft(l, " \t")
		inValue := goesOn
		goesOn = bytes.HasSuffix(bytes.TrimRight(l, "\r\n"), []byte(`\`))
		switch {
		case inValue, len(bytes.TrimSpace(begin)) == 0 || isMark(begin[0]):
		case begin[0] == '[':
			if isSubsection(begin) {
				return git{}, true
			}
		default:
			keys++
			if len(l)-len(begin) == 1 && l[0] == '\t' {
				tabs++
			}
		}
	}
	if keys > 0 && keys == tabs {
		return git{}, false
	}
	return configparser{}, true
}

// isSubsection reports whether a line begins like a header with a name in quotes.
func isSubsection(l []byte) bool {
	i := 1
	for i < len(l) && isNameByte(l[i]) {
		i++
	}
	rest := bytes.TrimLeft(l[i:], " \t")
	return i > 1 && len(rest) < len(l)-i && len(rest) > 0 && rest[0] == '"'
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\f' || c == '\v' }

func isMark(c byte) bool { return c == '#' || c == ';' }

const marks formatkit.Marks = "# ;"

// parser is the state of parsing a text, in any dialect.
type parser struct {
	formatkit.Text
	at     int
	before int // the end of the line or header before
	blocks []*block
}

// add adds a block whose header is at text[from:to], from being the beginning of a line.
func (p *parser) add(b *block, from, to int) {
	b.Entry = formatkit.NewSpan(from, to)
	p.CommentsAbove(&b.Node, p.before, marks)
	b.end, p.before = to, to
	p.blocks = append(p.blocks, b)
}

// key adds a key, whose spans are set, to the current block.
func (p *parser) key(n *formatkit.Node) {
	n.Kind, n.Key = gaby.Scalar, p.Raw(n.KeySpan)
	if n.Sign.Len() > 0 {
		n.Value = formatkit.Typed(tokensOf(n).Text())
	}
	p.CommentsAbove(n, p.before, marks)
	b := p.blocks[len(p.blocks)-1]
	b.keys = append(b.keys, n)
	b.end = p.NextLine(max(n.Span.To, n.Remark.To, n.KeySpan.To))
	p.before = n.Entry.To
}

// segments splits the name of a section into the keys of nested maps.
func segments(name string) []string {
	split := formatkit.Segments(name)
	for _, s := range split {
		for _, r := range s {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_- ", r) {
				return []string{name}
			}
		}
		if strings.TrimSpace(s) != s {
			return []string{name}
		}
	}
	return split
}

// tree builds the maps of the blocks. If a key has the name of a map that is needed, as in
//
//	[options]
//	packages = find:
//	[options.packages.find]
//
// two segments are joined into one key next to it: options has the entry "packages.find".
func tree(d dialect, blocks []*block) *formatkit.Node {
	isKey := map[string]bool{}
	bare := false
	for _, b := range blocks {
		for _, key := range b.keys {
			bare = bare || key.Sign.Len() == 0
			isKey[joined(append(b.path[:len(b.path):len(b.path)], key.Key))] = true
		}
	}
	root := &formatkit.Node{Kind: gaby.Map}
	root.Syntax = &section{
		dialect: d, bare: bare,
		within: sync.OnceValue(func() map[string][]string { return within(root) }),
	}
	sections := map[string]*formatkit.Node{"": root}
	for _, b := range blocks {
		n := root
		from := 0
		for _, to := range cuts(b.path, isKey) {
			id := joined(b.path[:to])
			next := sections[id]
			if next == nil {
				begin := formatkit.NewSpan(b.KeySpan.From, b.KeySpan.From)
				next = &formatkit.Node{
					Kind: gaby.Map, Key: strings.Join(b.path[from:to], "."), KeySpan: begin,
					Span:   begin,
					Entry:  formatkit.NewSpan(b.Entry.From, b.Entry.From),
					Head:   b.Entry.From,
					Syntax: &section{path: b.path[:to]},
				}
				sections[id] = next
				n.Kids = append(n.Kids, next)
			}
			n, from = next, to
		}
		f := n.Syntax.(*section)
		if f.blocks = append(f.blocks, b); len(f.blocks) == 1 && n != root {
			n.KeySpan, n.Span, n.Entry, n.Head = b.KeySpan, b.Span, b.Entry, b.Head
			n.Remark, n.Comments = b.Remark, b.Comments
		}
		n.Kids = append(n.Kids, b.keys...)
	}
	return root
}

// within returns, for each path, the path of the first section at or below it.
func within(root *formatkit.Node) map[string][]string {
	first := map[string][]string{}
	for in := range root.All() {
		s, ok := in.Syntax.(*section)
		for to := 1; ok && to <= len(s.path); to++ {
			if id := joined(s.path[:to]); first[id] == nil {
				first[id] = s.path
			}
		}
	}
	return first
}

// joined returns a path as the key of a Go map.
func joined(path []string) string { return strings.Join(path, "\x00") }

// cuts returns the ends of the segments that form the key of each map on a path.
func cuts(path []string, isKey map[string]bool) []int {
	var ends []int
	for i := 1; i < len(path); i++ {
		if !isKey[joined(path[:i])] {
			ends = append(ends, i)
		}
	}
	if len(path) > 1 && len(ends) > 0 && isKey[joined(path)] {
		ends = ends[:len(ends)-1]
	}
	if len(path) > 0 {
		ends = append(ends, len(path))
	}
	return ends
}

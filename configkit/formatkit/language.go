package formatkit

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Language is the implementation of a format. Its methods can be used concurrently.
type Language interface {
	gaby.Native // checks what the language can hold; errors with a hint are *gaby.EditError

	// Parse parses a text, which is valid UTF-8 unless Traits say otherwise. The result has the
	// roots of at least one document, the first of which begins at 0. The error is a
	// *gaby.SyntaxError.
	Parse(text Text) ([]*Node, error)

	// Replace writes v in place of the value of n.
	Replace(w *Writer, n *Node, v gaby.Value) error
	// Entries writes the entries of map or list n, which are some of its own in their original
	// order, and new ones. Edits inside the entries that stay have been written already. It reports
	// whether it has rewritten the whole of n, in which case these edits are dropped.
	Entries(w *Writer, n *Node, entries []Entry) (whole bool, err error)
	// Comment writes the line comment of n, or deletes it if text is empty.
	Comment(w *Writer, n *Node, text string) error

	// Traits returns the traits of the language.
	Traits() Traits
}

// Traits are the properties in which languages differ.
type Traits struct {
	Empty string // a text without entries
	// maps and lists have no text of their own, so that an empty one is the same as none
	ScalarsOnly bool
	AnyBytes    bool // a text need not be UTF-8
	// the last line needs no line end; other languages are always given texts that end with one
	NoFinalNewline bool
}

// Entry is an entry of the new content of a map or list.
type Entry struct {
	Node  *Node // the node of an entry that stays where it is, nil for a new entry
	Moved *Node // the node of an entry that was moved: a new entry whose text can be copied
	Value gaby.Value
}

// Converter implements configkit.ConfigConverter for language L.
type Converter[L Language] struct{ Language L }

var _ configkit.ConfigConverter = Converter[Language]{}

// Traits returns the traits of the language.
func (c Converter[L]) Traits() Traits { return c.Language.Traits() }

// source is the text that a document was parsed from.
type source struct {
	Language
	given []byte // the text of all documents
	text  Text   // given, with a line end added if it has none at its end
	end   int    // of the document, in text
	root  *Node
	nodes []*Node // by number
}

// NativeToDocuments parses a text. The error is a *gaby.SyntaxError.
func (c Converter[L]) NativeToDocuments(data []byte) (gaby.Container, error) {
	if err := c.check(data); err != nil {
		return nil, err
	}
	ended := Text(data)
	if n := len(data); n > ended.Begin() && !ended.AtLineEnd(n-1) && !c.Traits().NoFinalNewline {
		ended = append(ended[:n:n], ended.LineEnding()...)
	}
	roots, err := c.Language.Parse(ended)
	if err != nil {
		return nil, err
	}
	starts := make([]int, len(roots))
	for i, root := range roots {
		starts[i] = root.Start
	}
	text := gaby.NewNativeText(data, starts...)
	container := make(gaby.Container, len(roots))
	for i, root := range roots {
		s := &source{Language: c.Language, given: data, text: ended, end: len(ended), root: root}
		if i+1 < len(roots) {
			s.end = roots[i+1].Start
		}
		b := text.Document(i, s)
		s.add(b, root)
		container[i] = b.Doc()
	}
	return container, nil
}

// check returns an error if data is too large, or not UTF-8 although it should be.
func (c Converter[L]) check(data []byte) error {
	if limit := gaby.DefaultLimits().DocumentBytes; len(data) > limit {
		return &gaby.SyntaxError{Msg: fmt.Sprintf("the text has %d bytes, at most %d are allowed",
			len(data), limit)}
	}
	if c.Traits().AnyBytes || utf8.Valid(data) {
		return nil
	}
	at := 0
	for r, n := utf8.DecodeRune(data); r != utf8.RuneError || n > 1; r, n = utf8.DecodeRune(data[at:]) {
		at += n
	}
	return Text(data).Fail(at, "the text is not UTF-8",
		"convert it, as with: iconv -f latin1 -t utf-8")
}

// Refuse returns the error for a value that a language cannot hold.
func Refuse(hint, format string, args ...any) error {
	return &gaby.EditError{Msg: fmt.Sprintf(format, args...), Hint: hint}
}

// SyntaxOf returns the Syntax of the root of a document in the caller's language.
func SyntaxOf(doc *gaby.YamlDoc) any { return doc.Native().(*source).root.Syntax }

func (s *source) add(b *gaby.NativeBuilder, n *Node) {
	n.number = len(s.nodes)
	s.nodes = append(s.nodes, n)
	last := len(s.given) // positions must not point to the added line end
	b.Begin(&gaby.NativeNode{
		Kind: n.Kind, Key: n.Key, Value: n.Value, KeyAt: min(n.KeySpan.From, last),
		ValueAt: min(n.Span.From, last), Comments: n.Comments,
		Written: s.text[n.Span.From:n.Span.To],
	})
	for _, kid := range n.Kids {
		kid.Parent = n
		s.add(b, kid)
	}
	b.End()
}

// DocumentsToNative prints the documents one after the other. Documents from other formats are
// written in the style of the language. Several documents are an error if the language supports
// only one per text. Without documents the result is a text without entries.
func (c Converter[L]) DocumentsToNative(documents gaby.Container) ([]byte, error) {
	var out []byte
	if len(documents) == 0 {
		return []byte(c.Traits().Empty), nil
	}
	for _, doc := range documents {
		text, err := c.print(doc)
		if err != nil {
			return nil, err
		}
		if len(out) > 0 {
			separated, ok := any(c.Language).(joiner)
			if !ok {
				return nil, fmt.Errorf(
					"%d resources cannot be in one file: in this format a file is one resource",
					len(documents))
			}
			out = separated.Join(out, text)
			continue
		}
		out = append(out, text...)
	}
	if l, ok := any(c.Language).(togetherChecker); ok && len(documents) > 1 {
		return out, l.CheckTogether(documents)
	}
	return out, nil
}

// joiner is a Language that has several documents in one text.
type joiner interface {
	Join(before, text []byte) []byte
}

// Left implements gaby.Leaver. The comments between two documents are in the text of the second,
// those at the end in that of the last.
func (s *source) Left() *gaby.YamlDoc {
	if _, ok := s.Language.(joiner); !ok {
		return nil
	}
	text := slices.Concat(s.text[s.root.Start:s.root.Head], s.text[s.root.Entry.To:s.end])
	if Blank(text) {
		return nil
	}
	text = append(bytes.TrimRight(text, " \t\r\n"), s.text.LineEnding()...)
	left, err := Converter[Language]{s.Language}.NativeToDocuments(text)
	if err != nil || len(left) != 1 {
		return nil
	}
	return left[0]
}

func (c Converter[L]) print(doc *gaby.YamlDoc) ([]byte, error) {
	s, ok := doc.Native().(*source)
	if !ok {
		return c.fresh(doc)
	}
	if !doc.Changed() {
		return s.given[s.root.Start:min(s.end, len(s.given))], nil
	}
	w := newWriter(doc, s)
	if err := w.node(s.root); err != nil {
		return nil, err
	}
	text := w.bytes()
	return text, Converter[Language]{s.Language}.verify(text, doc)
}

// fresh prints a document from another format, by copying it into an empty one.
func (c Converter[L]) fresh(doc *gaby.YamlDoc) ([]byte, error) {
	empty, err := c.NativeToDocuments([]byte(c.Traits().Empty))
	if err != nil {
		return nil, err
	}
	if err := empty[0].SetDocP(doc, ""); err != nil {
		return nil, err
	}
	return c.print(empty[0])
}

// DialectError is the error of an edit after which the text would be read as another dialect of its
// format, with a different meaning.
type DialectError struct{ From, To string }

func (e *DialectError) Error() string {
	return fmt.Sprintf(
		"after the edit the text would be read as %s, no longer as %s, and mean something else",
		e.To, e.From)
}

// verify checks that text is parsed as the document.
func (c Converter[L]) verify(text []byte, doc *gaby.YamlDoc) error {
	again, err := c.NativeToDocuments(bytes.Clone(text))
	if err == nil && len(again) != 1 {
		err = fmt.Errorf("it would be %d", len(again))
	}
	if err == nil {
		path, same := same(doc.Value(), again[0].Value(), c.Traits().ScalarsOnly)
		if same {
			return nil
		}
		err = &gaby.EditError{
			Pos: doc.Path(path).Position(), Path: path,
			Msg: "the value cannot be written in this format",
		}
	} else {
		err = fmt.Errorf("the edited document cannot be written in this format: %w", err)
	}
	if l, ok := any(c.Language).(interface{ Dialect(text []byte) string }); ok {
		if from, to := l.Dialect(doc.Native().(*source).text), l.Dialect(text); from != to {
			return &DialectError{From: from, To: to}
		}
	}
	return err
}

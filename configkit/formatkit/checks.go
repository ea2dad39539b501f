package formatkit

import (
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// A language may have these methods besides those of Language, to say while a function runs what printing would find out.
type (
	placeChecker interface {
		// CheckPlace says why there is no place for a comment on the line behind n.
		CheckPlace(text []byte, n *Node) error
	}
	valueChecker interface {
		// CheckIn says what speaks against v where n stands, in which an edit has put a value.
		CheckIn(n *Node, v gaby.Value) error
	}
	deleteChecker interface {
		// CheckDelete says why what is at a path of a text cannot be deleted.
		CheckDelete(text []byte, path []string) error
	}
	togetherChecker interface {
		// CheckTogether says why documents cannot be in one text.
		CheckTogether(documents gaby.Container) error
	}
)

// CheckComment implements gaby.Native.
func (s *source) CheckComment(root gaby.Value, path []string, text string) error {
	if err := s.Language.CheckComment(root, path, text); err != nil {
		return err
	}
	if l, ok := s.Language.(placeChecker); ok && text != "" {
		if n := s.at(root.Doc(), path); n != nil {
			return l.CheckPlace(s.text, n)
		}
	}
	return nil
}

// CheckValue implements gaby.Native.
func (s *source) CheckValue(root gaby.Value, path []string) error {
	if err := s.Language.CheckValue(root, path); err != nil {
		return err
	}
	l, ok := s.Language.(valueChecker)
	if !ok {
		return nil
	}
	for i := range len(path) + 1 {
		n := s.at(root.Doc(), path[:i])
		if n == nil {
			return nil
		}
		v, _ := root.Doc().NativeValue(n.number)
		if err := l.CheckIn(n, v); err != nil {
			return err
		}
	}
	return nil
}

// CheckDelete implements gaby.DeleteChecker.
func (s *source) CheckDelete(path []string) error {
	if l, ok := s.Language.(deleteChecker); ok {
		return l.CheckDelete(s.text, path)
	}
	return nil
}

// at is the node at a path, nil when what is there now does not stand in the text.
func (s *source) at(place *gaby.YamlDoc, path []string) *Node {
	for i := 0; place != nil; i++ {
		node := place.Value().NativeNode()
		if node < 0 {
			return nil
		}
		if i == len(path) {
			return s.nodes[node]
		}
		if _, replaced := place.NativeValue(node); replaced {
			return nil
		}
		place = place.Search(path[i])
	}
	return nil
}

// Expressions are what in a string is an expression, which no function looks into unasked.
func (s *source) Expressions(text string) []string {
	if l, ok := s.Language.(interface{ Expressions(text string) []string }); ok {
		return l.Expressions(text)
	}
	return nil
}

// ReplaceLiterals replaces what in a string is no expression, piece by piece.
func (s *source) ReplaceLiterals(text string, replace func(string) string) string {
	if l, ok := s.Language.(interface {
		ReplaceLiterals(text string, replace func(string) string) string
	}); ok {
		return l.ReplaceLiterals(text, replace)
	}
	return replace(text)
}

// IsName reports whether what is at a path of a document is what expressions elsewhere call it by.
func (s *source) IsName(path []string) bool {
	l, ok := s.Language.(interface{ IsName(path []string) bool })
	return ok && l.IsName(path)
}

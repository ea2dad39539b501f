package formatkit

import (
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// These methods of a language are optional. They report errors when a function makes an edit,
// instead of when the document is printed.
type (
	commentChecker interface {
		// CheckCommentAt returns an error if no comment can be added on the line after n.
		CheckCommentAt(text Text, n *Node) error
	}
	valueChecker interface {
		// CheckIn returns an error if v cannot be the new value of n, because of the value that an
		// edit has set at path in v. It is called for each value on the way to that.
		CheckIn(n *Node, v gaby.Value, path []string) error
	}
	deleteChecker interface {
		// CheckDelete returns an error if the value at a path cannot be deleted.
		CheckDelete(text Text, path []string) error
	}
	togetherChecker interface {
		// CheckTogether returns an error if the documents cannot be in one text.
		CheckTogether(documents gaby.Container) error
	}
)

// CheckComment implements gaby.Native.
func (s *source) CheckComment(root gaby.Value, path []string, text string) error {
	if err := s.Language.CheckComment(root, path, text); err != nil {
		return err
	}
	if l, ok := s.Language.(commentChecker); ok && text != "" {
		if n := s.at(root.Doc(), path); n != nil {
			return l.CheckCommentAt(s.text, n)
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
		if err := l.CheckIn(n, v, path[i:]); err != nil {
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

// at returns the node of the value at path, or nil if the current value is not in the text.
func (s *source) at(doc *gaby.YamlDoc, path []string) *Node {
	for i := 0; doc != nil; i++ {
		node := doc.Value().NativeNode()
		if node < 0 {
			return nil
		}
		if i == len(path) {
			return s.nodes[node]
		}
		if _, replaced := doc.NativeValue(node); replaced {
			return nil
		}
		doc = doc.Search(path[i])
	}
	return nil
}

// Expressions returns the parts of a string that are expressions. Functions do not look into these
// unless they are asked to.
func (s *source) Expressions(text string) []string {
	if l, ok := s.Language.(interface{ Expressions(text string) []string }); ok {
		return l.Expressions(text)
	}
	return nil
}

// ReplaceLiterals calls replace for each part of a string that is not an expression, and returns
// the string with the results.
func (s *source) ReplaceLiterals(text string, replace func(string) string) string {
	if l, ok := s.Language.(interface {
		ReplaceLiterals(text string, replace func(string) string) string
	}); ok {
		return l.ReplaceLiterals(text, replace)
	}
	return replace(text)
}

// IsName reports whether the value at path is a name by which expressions refer to the document.
func (s *source) IsName(path []string) bool {
	l, ok := s.Language.(interface{ IsName(path []string) bool })
	return ok && l.IsName(path)
}

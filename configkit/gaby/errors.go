package gaby

import (
	"errors"
	"fmt"

	"github.com/fctl-dev/fctl/api"
)

// ErrUnsupported is wrapped by errors about YAML that is (or may be) valid but that the scanner does not know for certain,
// a collection as a key for example. A document with such text can be read but not edited.
var ErrUnsupported = errors.New("unsupported YAML")

// Position is a line and a column in the text of a unit; its File is empty.
type Position = api.Position

// SyntaxError says that a document is not YAML, or not YAML this package knows for certain (Unsupported).
type SyntaxError struct {
	Pos         Position
	Msg         string
	Hint        string
	Unsupported bool
}

// Error returns the message with its position in front.
func (e *SyntaxError) Error() string { return located(e.Pos, e.Msg) }

// Unwrap makes errors.Is(err, ErrUnsupported) true for unsupported text.
func (e *SyntaxError) Unwrap() error {
	if e.Unsupported {
		return ErrUnsupported
	}
	return nil
}

// EditError says why an edit is not possible at a place: below an alias, at a duplicate key, in a document that can only be read.
type EditError struct {
	Pos  Position
	Path string // path of the place, segments joined by dots
	Msg  string
	Hint string
	// Unsupported says that readers of YAML would not accept the new text.
	Unsupported bool
}

// Unwrap makes errors.Is(err, ErrUnsupported) true for unsupported text.
func (e *EditError) Unwrap() error {
	if e.Unsupported {
		return ErrUnsupported
	}
	return nil
}

// Error returns the message with its position in front.
func (e *EditError) Error() string {
	if e.Path == "" {
		return located(e.Pos, e.Msg)
	}
	return located(e.Pos, e.Path+": "+e.Msg)
}

// NotFoundError says that the place an operation needs does not exist.
type NotFoundError struct{ Path string }

// Error returns the message.
func (e *NotFoundError) Error() string { return fmt.Sprintf("path %q does not exist", e.Path) }

func located(p Position, msg string) string {
	if p.Line == 0 {
		return msg
	}
	return p.String() + ": " + msg
}

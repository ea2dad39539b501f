package gaby

import (
	"errors"
	"fmt"

	"github.com/fctl-dev/fctl/api"
)

// ErrUnsupported is wrapped by errors about text that is or may be valid YAML but that the scanner
// does not know for certain, for example a collection as a key. A document with such text can be
// read but not edited.
var ErrUnsupported = errors.New("unsupported YAML")

// Position is a line and a column in the text of a unit, both counted from 1; its File is empty.
type Position = api.Position

// SyntaxError reports that a document is not YAML, or not YAML that this package knows for certain
// (Unsupported).
type SyntaxError struct {
	Pos         Position
	Msg         string
	Hint        string
	Unsupported bool
}

// Error returns the message, preceded by its position.
func (e *SyntaxError) Error() string { return located(e.Pos, e.Msg) }

// Unwrap makes errors.Is(err, ErrUnsupported) true for unsupported text.
func (e *SyntaxError) Unwrap() error {
	if e.Unsupported {
		return ErrUnsupported
	}
	return nil
}

// EditError reports why a value cannot be edited: it is below an alias or a repeated key, or its
// document can only be read.
type EditError struct {
	Pos  Position
	Path string // dotted path of the value
	Msg  string
	Hint string
	// Unsupported reports that YAML readers would not accept the new text.
	Unsupported bool
}

// Unwrap makes errors.Is(err, ErrUnsupported) true for unsupported text.
func (e *EditError) Unwrap() error {
	if e.Unsupported {
		return ErrUnsupported
	}
	return nil
}

// Error returns the message, preceded by its position and path.
func (e *EditError) Error() string {
	if e.Path == "" {
		return located(e.Pos, e.Msg)
	}
	return located(e.Pos, e.Path+": "+e.Msg)
}

// NotFoundError reports that the path of an operation does not exist.
type NotFoundError struct{ Path string }

// Error returns the message.
func (e *NotFoundError) Error() string { return fmt.Sprintf("path %q does not exist", e.Path) }

// located returns msg, preceded by p if it is known.
func located(p Position, msg string) string {
	if p.Line == 0 {
		return msg
	}
	return p.String() + ": " + msg
}

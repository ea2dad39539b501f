package api

import (
	"slices"
	"strconv"
	"strings"
)

// Position is a place in a file: 1-based, columns counted in runes. Zero is unknown. Inside the executor File is empty.
type Position struct {
	File   string `json:",omitempty"`
	Line   int
	Column int
}

// IsZero tells whether the position is unknown.
func (p Position) IsZero() bool { return p.Line == 0 }

// String is "file:12:5", "12:5" without a file, "file" without a line.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	s := strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
	if p.File != "" {
		s = p.File + ":" + s
	}
	return s
}

// FailureClass orders problems by whose they are; the numbers are the exit statuses of fctl.
type FailureClass int

// The classes.
const (
	FailureUsage    FailureClass = 2 // the request: an unknown function, a bad argument
	FailureInput    FailureClass = 3 // the data: unreadable or unparsable
	FailureFunction FailureClass = 4 // a function could not do its work
)

// Failure is one problem, with all that is known about where it is.
type Failure struct {
	Class    FailureClass
	Pos      Position
	Resource string // type and name
	Function string
	// Invocation is the name of the invocation of the function, if it has one.
	Invocation string
	Argument   string // parameter name
	Path       string
	Message    string // without position, resource and function
	Hint       string
	Err        error // what caused it, if anything
}

// Error is position, function, resource and message, without the hint and without a file name.
func (f *Failure) Error() string {
	var b strings.Builder
	for _, part := range []string{f.Pos.String(), InvocationLabel(f.Function, f.Invocation), f.Resource} {
		if part != "" {
			b.WriteString(part)
			b.WriteString(": ")
		}
	}
	b.WriteString(f.Message)
	return b.String()
}

// Unwrap is the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Note is something a person wants to know that is neither result nor error.
type Note struct {
	Pos      Position
	Function string // the function that was running, if any
	// Invocation is the name of its invocation, if it has one.
	Invocation string
	Message    string // without position and function
	// Kind tells what the note is about, for callers that make errors of some of them.
	Kind NoteKind
	// Count and Names follow the message. Notes that are the same but for these are one note for all units, see Add.
	Count int
	Names string // sorted, with ", " between them
}

// Add adds the count and the names of another note to those of n. It reports false when that is another note.
func (n *Note) Add(other Note) bool {
	if n.Key() != other.Key() {
		return false
	}
	n.Count += other.Count
	if other.Names != "" && other.Names != n.Names {
		names := strings.Split(other.Names, ", ")
		if n.Names != "" {
			names = append(names, strings.Split(n.Names, ", ")...)
		}
		slices.Sort(names)
		n.Names = strings.Join(slices.Compact(names), ", ")
	}
	return true
}

// Key is the note without what Add adds.
func (n Note) Key() Note {
	n.Count, n.Names = 0, ""
	return n
}

// Text is the message with the count and the names.
func (n Note) Text() string {
	text := n.Message
	if n.Count > 0 {
		text += ": " + strconv.Itoa(n.Count)
	}
	if n.Names != "" {
		text += " (" + n.Names + ")"
	}
	return text
}

// String is position, function and message.
func (n Note) String() string {
	s := n.Text()
	if n.Function != "" {
		s = InvocationLabel(n.Function, n.Invocation) + ": " + s
	}
	if p := n.Pos.String(); p != "" {
		s = p + ": " + s
	}
	return s
}

// InvocationLabel is how messages call an invocation: by its function, and by its name if it has one.
func InvocationLabel(function, name string) string {
	if name == "" {
		return function
	}
	return function + " (" + name + ")"
}

// NoteKind tells what a note is about.
type NoteKind int

// Unmatched reports whether a note says that a function had nothing to do.
func (k NoteKind) Unmatched() bool { return k == NoteNothingMatched || k == NoteNothingSelected }

// The kinds of notes.
const (
	NoteGeneral          NoteKind = iota
	NoteSkippedDocument           // a document that is skipped, as it has no kind or name, say; an error under --strict
	NoteNothingMatched            // a function that found nothing in the resources it saw; an error under --require-match
	NoteNothingSelected           // a function that saw no resource, as none satisfies the filters; likewise
	NoteUnit                      // the unit as a whole
	NoteFilter                    // a filter that did not pass and ended the chain
	NoteNamelessDocument          // a document without a name that all functions look at; an error under --strict
)

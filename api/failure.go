package api

import (
	"slices"
	"strconv"
	"strings"
)

// Position is a position in a file. Line and Column are 1-based, and columns count runes. A zero
// Line means that the position is unknown. File is empty inside the executor.
type Position struct {
	File   string `json:",omitempty"`
	Line   int
	Column int
}

// IsZero reports whether the position is unknown.
func (p Position) IsZero() bool { return p.Line == 0 }

// String returns "file:12:5", "12:5" without a file, or "file" without a line.
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

// FailureClass says who can fix a problem. Of several problems, the one of the largest class says
// how a program ends; the values can be its exit status.
type FailureClass int

// The failure classes.
const (
	FailureNo       FailureClass = 1 // the configuration: a check found a fault in it
	FailureUsage    FailureClass = 2 // the request: an unknown function, a bad argument
	FailureInput    FailureClass = 3 // the data: unreadable or unparsable
	FailureFunction FailureClass = 4 // a function could not do its work
)

// Failure is one problem, with everything known about where it is.
type Failure struct {
	Class    FailureClass
	Pos      Position
	Resource string // type and name
	Function string
	// Invocation is the name of the function's invocation, if it has one.
	Invocation string
	Argument   string // parameter name
	Path       string
	Message    string // without position, resource and function
	Hint       string
	Err        error // the cause, if any
}

// Error returns position, function, resource and message, without the hint. Inside the executor,
// where File is empty, the position has no file name.
func (f *Failure) Error() string {
	var b strings.Builder
	for _, part := range []string{
		f.Pos.String(), InvocationLabel(f.Function, f.Invocation), f.Resource,
	} {
		if part != "" {
			b.WriteString(part)
			b.WriteString(": ")
		}
	}
	b.WriteString(f.Message)
	return b.String()
}

// Unwrap returns the cause, or nil.
func (f *Failure) Unwrap() error { return f.Err }

// Note is something a person wants to know that is neither a result nor an error.
type Note struct {
	Pos      Position
	Function string // the function that was running, if any
	// Invocation is the name of the function's invocation, if it has one.
	Invocation string
	Message    string // without position and function
	// Suggestion is what was probably meant, as a question; see configkit.DidYouMean.
	Suggestion string
	// Kind says what the note is about. Callers turn some kinds into errors.
	Kind NoteKind
	// The text of a note that counts things begins with Lead, Count and Of, a noun in the singular:
	// "skipped 2 resources" has the lead "skipped " and the noun "resource". Message follows, and then
	// Names. Notes that differ only in Count and Names are merged into one note for all units; see Add.
	Lead  string
	Count int
	Of    string
	Names string // sorted, with ", " between them
}

// Add adds the count and the names of other to n. It reports false, and changes nothing, if other
// is about something else.
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

// Key returns the note without the fields that Add merges.
func (n Note) Key() Note {
	n.Count, n.Names = 0, ""
	return n
}

// Text returns the message with the count, the names and the suggestion.
func (n Note) Text() string {
	text := n.Message
	if n.Of != "" {
		counted := n.Lead + strconv.Itoa(n.Count) + " " + n.Of
		if n.Count != 1 {
			counted += "s"
		}
		text = counted + text
	}
	if n.Names != "" {
		text += " (" + n.Names + ")"
	}
	if n.Suggestion != "" {
		text += "; " + n.Suggestion
	}
	return text
}

// String returns position, function and message.
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

// InvocationLabel returns how messages name an invocation: by its function, and by its own name if
// it has one.
func InvocationLabel(function, name string) string {
	if name == "" {
		return function
	}
	return function + " (" + name + ")"
}

// NoteKind says what a note is about.
type NoteKind int

// Unmatched reports whether a note says that a function had nothing to do.
func (k NoteKind) Unmatched() bool {
	return k == NoteNothingMatched || k == NoteNothingSelected || k == NoteNothingGiven
}

// The note kinds.
const (
	_ NoteKind = iota // anything else
	// a skipped document, such as one without a kind or name; an error under --strict
	NoteSkippedDocument
	// a function that found nothing in the resources it saw; an error under --require-match
	NoteNothingMatched
	// a function that saw no resource, because none satisfies the filters; an error under
	// --require-match
	NoteNothingSelected
	NoteUnit   // the unit as a whole
	NoteFilter // a filter that did not pass and ended the chain
	// a document without a name that every function looks at; an error under --strict
	NoteNamelessDocument
	// a function that did not get what it needs, see FunctionContext.Missing; an error under
	// --strict if it is a validation
	NoteNothingGiven
)

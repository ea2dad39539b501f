package handler

import (
	"bytes"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
)

// Options say how a request is run and what its result contains. They are not part of the request,
// so that a server decides about them itself.
type Options struct {
	// AllowExternal lets functions run that are not hermetic.
	AllowExternal bool
	// InParts leaves the data of the result in Parts, and ConfigData and Output empty. This saves a
	// copy of the data.
	InParts bool
	// Compare asks for Changes, ListChanged for the names in them as well.
	Compare, ListChanged bool
	// Secrets asks for Result.Secrets. Messages do not have secret values then. The executor answers
	// it, not a handler.
	Secrets bool
	// File is the name of the file in the positions of outputs.
	File string
	// Only restricts each function of the chain, in order, to some of the resources that the
	// expressions select. A nil Selection, or a missing one, restricts nothing.
	Only []Selection
	// WhereText replaces WhereResource in messages, such as the flags it was made of.
	WhereText string
	// NamesOnly says that WhereResource compares only types, names, namespaces and labels, which
	// are not secret.
	NamesOnly bool
	// KeepSteps asks for Steps and Lines. It costs printing the data once for each function.
	KeepSteps bool
	// EveryResource asks for mutations that also have an entry for each resource that did not change,
	// if any did, in the order of the data. Resources that are gone come last.
	EveryResource bool
	// Survey, if not nil, returns the survey of all units that the caller runs the chain on. It may
	// be called concurrently. By default the unit of the request is the whole input.
	Survey func() *Survey
	// Documents, if not nil, are worked on in place of ConfigData, and nothing is printed. The
	// result has them in Documents.
	Documents gaby.Container
}

// Selection is a set of resources.
type Selection map[api.ResourceType]map[api.ResourceName]bool

// Add adds a resource.
func (s Selection) Add(r api.ResourceInfo) {
	if s[r.ResourceType] == nil {
		s[r.ResourceType] = map[api.ResourceName]bool{}
	}
	s[r.ResourceType][r.ResourceName] = true
}

// Result is the response to a request with details about the run.
type Result struct {
	api.FunctionInvocationResponse

	// Parts is the data in consecutive parts, if the options ask for that.
	Parts [][]byte
	// Failures are the problems, in the order of functions and documents.
	Failures []*api.Failure
	// Notes are for people: skipped documents, functions that matched nothing.
	Notes []api.Note
	// Functions says what happened to each invocation of the request, in order.
	Functions []Outcome
	// Resources is the number of resources in the data before the chain.
	Resources int
	// Changes are the changes, if the options ask for them and the data changed. It is nil if they
	// are unknown, because a document is not a valid resource.
	Changes *Changes
	// Steps are the functions that changed the data, in order, each with the resulting data, if the
	// options ask for that. It is empty if this is unknown.
	Steps []Step
	// Lines are the lines at which the documents of the request's data begin, if the options ask
	// for Steps and the data can be read.
	Lines []ResourceLine
	// Secrets returns the secret values in the data, before and after the chain, in other data and in
	// arguments. It is nil unless the options ask for them.
	Secrets func() *sensitive.Values
	// Documents are the documents after the chain, if the options have documents.
	Documents gaby.Container
	// ValidationFailed is true if a validating function that is not a filter did not pass.
	ValidationFailed bool
}

// Mask hides secret values in messages: failures, notes and validation results. Data, mutations and
// the outputs of other functions stay as they are.
func (r *Result) Mask(v *sensitive.Values) {
	if v == nil {
		return
	}
	r.Failures = v.Failures(r.Failures)
	for i := range r.ErrorMessages {
		if len(r.ErrorMessages) == len(r.Failures) {
			r.ErrorMessages[i] = r.Failures[i].Error()
		} else {
			r.ErrorMessages[i] = v.Message(r.ErrorMessages[i])
		}
	}
	v.Notes(r.Notes)
	for i := range r.Functions {
		if n := r.Functions[i].Unmatched; n != nil {
			n.Message, n.Suggestion = v.Message(n.Message), v.Message(n.Suggestion)
		}
	}
	v.Outputs(r.Outputs)
}

// Data returns the data after the chain.
func (r *Result) Data() []byte { return bytes.Join(r.Pieces(), nil) }

// Pieces returns the data after the chain in consecutive pieces.
func (r *Result) Pieces() [][]byte {
	if r.Parts != nil {
		return r.Parts
	}
	return [][]byte{r.ConfigData}
}

// ResourceLine is the line of a unit's data, counted from 1, at which a document begins.
type ResourceLine struct {
	Line     int
	Resource *api.ResourceInfo // nil if the document is not a resource
}

// ResourceLines returns the lines at which documents begin, in order. It reads documents only as
// far as needed to find their types and names.
func ResourceLines(documents gaby.Container, provider configkit.ResourceProvider) []ResourceLine {
	lines := make([]ResourceLine, len(documents))
	for i, doc := range documents {
		lines[i].Line = doc.FirstLine()
		if info, err := provider.ResourceInfo(doc); err == nil {
			lines[i].Resource = &info
		}
	}
	return lines
}

// Step is the data after a function of the chain, in consecutive parts.
type Step struct {
	Index int // of the invocation
	Parts [][]byte
}

// Outcome says what happened to one invocation.
type Outcome struct {
	FunctionName string
	Invocation   string // name of the invocation, if it has one
	Ran          bool   // false if it was refused or not reached
	Failed       bool
	Seen         int  // the documents it got
	Counted      bool // the function counts its matches
	Matches      int
	// Unmatched is the note that the function had nothing to do. The note may be about all
	// functions. It is nil if the function had something to do or did not run.
	Unmatched *api.Note
}

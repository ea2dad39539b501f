package handler

import "github.com/fctl-dev/fctl/api"

// Options say how a request is run and what its result has. They do not travel: a server decides about them for itself.
type Options struct {
	// AllowExternal lets functions run that are not hermetic.
	AllowExternal bool
	// InParts leaves the data of the result in Parts, and ConfigData and Output empty, which saves a copy of all of it.
	InParts bool
	// CountChanges asks for Changes.
	CountChanges bool
	// KeepSteps asks for Steps, which costs printing the data once for each function.
	KeepSteps bool
}

// Result is the response to a request and what is known about the run besides.
type Result struct {
	api.FunctionInvocationResponse

	// Parts is the data, one part after the other, when the options ask for that.
	Parts [][]byte
	// Failures are the problems, one for each, in the order of functions and documents.
	Failures []*api.Failure
	// Notes are for people: skipped documents, functions that matched nothing.
	Notes []api.Note
	// Functions say what happened to each invocation of the request, in order.
	Functions []Outcome
	// Changes counts what changed, when the options ask for that and it is known without comparing the data with what it was.
	Changes *ChangeCount
	// Steps are the functions that changed the data and what each of them made of it, in order, when the options ask for that.
	// There are none when it is not known.
	Steps []Step
	// ValidationFailed is true when a validating function that was not a filter did not pass.
	ValidationFailed bool
}

// ChangeCount is how much of some data is not what it was.
type ChangeCount struct {
	Resources int
	Values    int // single values in them that are other ones, new or gone
}

// Step is the data after a function of the chain, one part after the other.
type Step struct {
	Index int // of the invocation
	Parts [][]byte
}

// Outcome says what became of one invocation.
type Outcome struct {
	FunctionName string
	Invocation   string // its name, if it has one
	Ran          bool   // false: not reached, or refused
	Failed       bool
	Counted      bool // the function counts its matches
	Matches      int
	// Unmatched is the note that the function had nothing to do, which may be about all functions; nil when it had something to
	// do, or did not run.
	Unmatched *api.Note
}

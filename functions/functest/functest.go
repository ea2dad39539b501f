// Package functest is the golden-test kit for authors of functions. A directory has a directory for each case:
//
//	testdata/
//	    in.yaml                 the input of cases that have none of their own
//	    greets-everybody/
//	        chain               what is run: hello-world --greeting=hi
//	        in.yaml             the input
//	        out.yaml            the configuration afterwards; absent when nothing is to change
//	        output.json         what the functions return; absent when they return nothing
//	        notes               what is told the user besides, a line each; absent when that is nothing
//	    refuses-silence/
//	        chain
//	        errors              a regular expression for each error, in order
//
// and one statement runs them:
//
//	func TestCases(t *testing.T) {
//		functest.Run(t, executor, "testdata")
//	}
//
// A line of a chain is the words after FILE and UNIT of a command line, quoted as for a shell; further lines are further
// functions of the chain, as then is between words of one line; # begins a line that is a comment. The input may have any
// extension, and out has the same.
//
// With FUNCTEST_UPDATE=1 in the environment the files of every case are written from what happens. Read the difference before
// you commit it.
//
// The rules of this room: a case that passes has shown everything the functions did, so what a case has no file for must not
// happen. What the signature of a function promises is checked without being asked for: run once more on its own result, an
// idempotent function must change nothing, and a second run on the same input must do the same as the first.
package functest

import (
	"os"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
)

// UpdateVariable is the environment variable that has golden files written.
const UpdateVariable = "FUNCTEST_UPDATE"

// Suite is a directory of cases and what they are run with.
type Suite struct {
	Executor *functions.Executor
	Dir      string
	// Toolchain is what the inputs are, Kubernetes/YAML when it is empty.
	Toolchain api.ToolchainType
	// Context is what functions know about the unit. UnitSlug is the name of the case when it is empty.
	Context api.FunctionContext
	// AllowExternal lets functions run that are not hermetic. What they do has to be the same every time.
	AllowExternal bool
	// Functions are names each of which must be in the chain of at least one case.
	Functions []string
}

// Run runs the cases of a directory as subtests.
func Run(t *testing.T, executor *functions.Executor, dir string) {
	t.Helper()
	Suite{Executor: executor, Dir: dir}.Run(t)
}

// Run runs the cases as subtests.
func (s Suite) Run(t *testing.T) {
	t.Helper()
	cases, err := s.load()
	if err != nil {
		t.Fatal(err)
	}
	update := os.Getenv(UpdateVariable) != ""
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			problems, err := s.check(t.Context(), c, update)
			if err != nil {
				t.Fatal(err)
			}
			for _, problem := range problems {
				t.Error(problem)
			}
		})
	}
	for _, name := range s.uncovered(cases) {
		t.Errorf("%s: no case runs function %s", s.Dir, name)
	}
}

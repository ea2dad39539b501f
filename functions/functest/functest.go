// Package functest is a golden-test kit for authors of functions. A directory contains a directory
// for each case:
//
//	testdata/
//	    in.yaml                 the input of cases without one of their own
//	    greets-everybody/
//	        chain               what to run: hello-world --greeting=hi
//	        in.yaml             the input
//	        out.yaml            the resulting configuration; absent if nothing is to change
//	        output.json         what the functions return; absent if they return nothing
//	        notes               the notes for the user, one per line; absent if there are none
//	    refuses-silence/
//	        chain
//	        errors              a regular expression for each error, in order
//
// One statement runs the cases:
//
//	func TestCases(t *testing.T) {
//		functest.Run(t, executor, "testdata")
//	}
//
// A line of a chain file holds the words after FILE and UNIT of a command line, quoted as for a
// shell. Further lines continue the chain, like the word then within a line. A line that begins
// with # is a comment. The input may have any extension; the out file has the same one.
//
// With FUNCTEST_UPDATE=1 in the environment, the files of every case are written from the actual
// results. Review the diff before you commit it.
//
// The rules of this package:
//   - A case that passes has shown everything its functions did: if there is no file for something,
//     it must not happen.
//   - The promises of a function's signature are always checked. An idempotent function must not
//     change anything when it is run on its own result, and a second run on the same input must
//     have the same result as the first.
//
// Layer: functions.
package functest

import (
	"os"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
)

// UpdateVariable is the environment variable that, if not empty, causes golden files to be written.
const UpdateVariable = "FUNCTEST_UPDATE"

// Suite is a directory of cases and the environment in which they run.
type Suite struct {
	Executor *functions.Executor
	Dir      string
	// Toolchain is the format of the inputs. It defaults to Kubernetes/YAML.
	Toolchain api.ToolchainType
	// Context is what functions know about the unit. An empty UnitSlug is replaced by the name of
	// the case.
	Context api.FunctionContext
	// AllowExternal lets functions run that are not hermetic. Their results must be reproducible
	// nevertheless.
	AllowExternal bool
	// Functions are the names of functions that must each be run by at least one case.
	Functions []string
}

// Run runs the cases in a directory as subtests.
func Run(t *testing.T, executor *functions.Executor, dir string) {
	t.Helper()
	Suite{Executor: executor, Dir: dir}.Run(t)
}

// Run runs the cases of the suite as subtests.
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

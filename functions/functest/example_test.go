package functest_test

import (
	"testing"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/functest"
)

// Every directory below testdata is a case: an input, a chain of functions and the expected result.
func ExampleRun() {
	_ = func(t *testing.T) { // TestFunctions of your package
		functest.Run(t, functions.NewStandardExecutor(), "testdata")
	}
}

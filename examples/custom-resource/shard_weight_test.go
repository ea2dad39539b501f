package main

import (
	"testing"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/functest"
)

func TestCases(t *testing.T) {
	executor := functions.NewStandardExecutor()
	if err := register(executor); err != nil {
		t.Fatal(err)
	}
	functest.Suite{
		Executor: executor, Dir: "testdata",
		Functions: []string{"get-shard-weight", "set-shard-weight"},
	}.Run(t)
}

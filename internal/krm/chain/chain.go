// Package chain reads the functionConfig with which fctl itself is a KRM function: what it names is a
// chain of fctl's own functions.
//
// Invariants: A functionConfig can only name functions and their arguments. It cannot read files,
// and the functions it names use no files, programs and network.
//
// Layer: systems.
package chain

import (
	"context"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
)

// toolchain is the toolchain of the items.
const toolchain = api.ToolchainKubernetesYAML

// TypeNames returns the resource type that a word names, as the commands of fctl do; see
// [plan.Resolver].
type TypeNames func(word string) (t api.ResourceType, hint string, err error)

// Function returns the KRM function that fctl is: it runs the chain in the functionConfig of the
// list. Errors about the functionConfig are of the class FailureUsage.
func Function(executor *functions.Executor, types TypeNames) krm.Function {
	return func(ctx context.Context, list *krm.ResourceList) error {
		r := &reader{executor: executor, types: types}
		request, err := r.request(list.FunctionConfig)
		if err != nil {
			return err
		}
		for _, note := range r.notes {
			list.Results = append(list.Results, fnresult.Result{
				Message: note.Text(), Severity: fnresult.SeverityWarning,
			})
		}
		request.ToolchainType, request.StopOnError = toolchain, true
		return krm.Chain(executor, request)(ctx, list)
	}
}

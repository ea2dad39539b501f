package unit

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/functions/handler"
)

// sourceConflicts is the name of the other data with conflicts, in addition to those in the
// function context.
const sourceConflicts = "Conflicts"

// vetNoMergeConflictsFunction returns vet-no-merge-conflicts, which checks the conflicts of the
// merges that produced the unit.
func vetNoMergeConflictsFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	const parameter = "reasons"
	known := make([]string, len(api.ConflictReasons()))
	for i, reason := range api.ConflictReasons() {
		known[i] = string(reason)
	}
	// reasons returns the reasons to check; none means all.
	reasons := func(args []api.FunctionArgument) []string {
		names := strings.Split(handler.Arguments(args).String(parameter), ",")
		for i := range names {
			names[i] = strings.TrimSpace(names[i])
		}
		return slices.DeleteFunc(names, func(name string) bool { return name == "" })
	}
	return handler.Checking(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "vet-no-merge-conflicts",
			Parameters: []api.FunctionParameter{handler.Optional(parameter, api.DataTypeString,
				"Subtracted,ProtectedPath", "reasons to check for, separated by commas: "+
					strings.Join(known, ", ")+"; all of them if omitted")},
			Description: "Check that earlier merges of the data had no conflicts. The conflicts " +
				"are the output of patch-mutations for all resources of the unit (--other-data " +
				"Conflicts=FILE)",
			Examples: []string{
				"vet-no-merge-conflicts", "vet-no-merge-conflicts Subtracted,DeleteShadowed",
			},
			OtherDataExpected: []string{sourceConflicts},
		},
		WholeUnit: true,
		CheckArguments: func(args []api.FunctionArgument) error {
			for _, name := range reasons(args) {
				if !slices.Contains(known, name) {
					return handler.InvalidArgument(parameter, "%s is not a reason for a conflict",
						configkit.Abbreviate(name)).WithHint(cmp.Or(
						configkit.DidYouMean("", configkit.Suggest(name, known)),
						"the reasons are "+strings.Join(known, ", ")))
				}
			}
			return nil
		},
	}, "whether the merges had no conflicts, and the conflicts found",
		func(c *handler.Call) (result api.ValidationResult, err error) {
			conflicts, err := decodeConflicts(c.Other)
			if err != nil {
				return result, err
			}
			if c.Other == nil && c.Conflicts == nil {
				c.Missing("no conflicts are given (--other-data " + sourceConflicts + "=FILE)")
			}
			conflicts = slices.Concat(c.Conflicts, conflicts)
			if counting := reasons(c.Args); len(counting) > 0 {
				conflicts = slices.DeleteFunc(conflicts, func(c api.MutationConflict) bool {
					return !slices.Contains(counting, string(c.Reason))
				})
			}
			result.Passed = len(conflicts) == 0
			result.FailedAttributes, err = mutation.ConflictRows(c.Docs, conflicts, provider)
			return result, err
		})
}

// decodeConflicts parses a list of conflicts. An empty text is an empty list: that is what
// patch-mutations prints if there are no conflicts.
func decodeConflicts(text []byte) (api.MutationConflictList, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	list, err := handler.DecodeList[api.MutationConflict](string(text), "conflicts")
	if err != nil {
		return nil, fmt.Errorf("the other data %s: %w", sourceConflicts, err)
	}
	return list, nil
}

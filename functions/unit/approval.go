package unit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// vetApprovedByFunction returns vet-approvedby, which checks the approvals recorded in the function
// context.
func vetApprovedByFunction(converter configkit.ConfigConverter) handler.FunctionRegistration {
	const parameter = "num-approvers"
	least := 0
	return handler.Checking(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "vet-approvedby",
			Parameters: []api.FunctionParameter{{
				ParameterName: parameter, Required: true, DataType: api.DataTypeInt, Example: "2",
				Description: "number of people who must have approved the data in its " +
					"current state; 0 only checks that it has not changed",
				ValueConstraints: api.ValueConstraints{Min: &least},
			}},
			Description: "Check that enough people have approved the data and that it has not " +
				"changed since (--context approved-by=NAME,previous-data-hash=HASH)",
			Examples: []string{"vet-approvedby 2"},
		},
		DeprecatedAliases: []string{"is-approved"},
		WholeUnit:         true,
	}, "whether enough people have approved the data, and it has not changed since",
		func(c *handler.Call) (result api.ValidationResult, err error) {
			data, err := converter.DocumentsToNative(c.Docs)
			if err != nil {
				return result, err
			}
			if !strings.EqualFold(api.DataHash(data), c.PreviousDataHash) {
				result.Details = []string{
					"the data has changed since it was approved: its hash differs",
				}
				return result, nil
			}
			approvers := slices.Clone(c.ApprovedBy)
			slices.Sort(approvers)
			approvers = slices.DeleteFunc(slices.Compact(approvers), func(name string) bool {
				return strings.TrimSpace(name) == ""
			})
			wanted := c.Args.Int(parameter)
			if result.Passed = len(approvers) >= wanted; result.Passed {
				return result, nil
			}
			detail := fmt.Sprintf("%d of %d approvals", len(approvers), wanted)
			if len(approvers) > 0 {
				detail += ": " + strings.Join(approvers, ", ")
			}
			result.Details = []string{detail}
			return result, nil
		})
}

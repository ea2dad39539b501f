package report

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
)

// Checked returns the result of a check that is not a function. rule names it in reports, and found
// has a row for each finding, with its position and one issue.
func Checked(rule, description, file string, found api.AttributeValueList) Result {
	response := &handler.Result{}
	response.Success, response.ValidationFailed = true, len(found) > 0
	response.Outputs = api.OutputList{{
		OutputType: api.OutputTypeValidationResultList,
		Value: api.ValidationResultList{{
			Passed: len(found) == 0, FunctionName: rule, FailedAttributes: found,
		}},
	}}
	return Result{
		Unit: file, File: file, Response: response,
		Signatures:  []api.FunctionSignature{{FunctionName: rule, Description: description}},
		Invocations: api.FunctionInvocationList{{FunctionName: rule}},
	}
}

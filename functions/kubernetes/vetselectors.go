package kubernetes

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/references"
)

func vetSelectorsFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Checking(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "vet-selectors",
			Description: "Check that label selectors find pods or Services in the input, that " +
				"what they find has the ports that the resource names, and that probes name " +
				"ports of their container. Selectors pass if the directory has nothing of " +
				"that sort, or if a custom resource may make it",
			Examples: []string{"vet-selectors"},
		},
	}, "whether all selectors and ports lead somewhere, and those that do not",
		func(c *handler.Call) (api.ValidationResult, error) {
			s := references.NewSelectorSurvey(provider, c.Unit(), handler.InputFile(c.FunctionContext))
			rows, matches, err := s.Check(c.Docs)
			c.Matched(matches)
			return handler.Verdict(rows), err
		})
}

package kubernetes

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/references"
)

func vetReferencesFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Checking(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "vet-references",
			Description: "Check that the resources to which others refer by name are in the " +
				"input, and have the keys and ports that the others name. Optional references pass, and so do references to what every cluster " +
				"has, to what operators create, and to cluster-scoped and custom types of which " +
				"the input has no resource. Namespaces pass unless a name looks like a slip",
			Examples: []string{"vet-references"},
		},
		RowsSorted: true,
	}, "whether all references lead to a resource in the input, and those that do not",
		func(c *handler.Call) (api.ValidationResult, error) {
			s := references.NewSurvey(provider, c.Unit(), handler.InputFile(c.FunctionContext))
			matches := 0
			var rows api.AttributeValueList
			err := references.Visit(c.Docs, provider, func(ref *references.Reference) {
				if !s.Checks(ref) {
					return
				}
				matches++
				s.Keep(ref)
				if missing, reason := s.Missing(ref); reason != "" {
					row, _ := ref.Match.Row()
					row.Missing, row.Reason = missing, reason
					rows = append(rows, row)
				}
			})
			if err != nil {
				return api.ValidationResult{}, err
			}
			parts, compared, err := s.Parts(c.Docs)
			c.Matched(matches + compared)
			return handler.Verdict(append(yamlkit.SortRows(rows), parts...)), err
		})
}

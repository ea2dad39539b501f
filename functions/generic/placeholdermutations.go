package generic

import (
	"errors"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// getPlaceholderMutationsFunction returns get-placeholder-mutations.
func getPlaceholderMutationsFunction(
	provider configkit.ResourceProvider,
) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "get-placeholder-mutations",
			OutputInfo: handler.Output(api.OutputTypeResourceMutationList, "mutations",
				"the placeholders of each resource that has some, as updates"),
			Hermetic: true, Idempotent: true,
			Description: "Get the values that are placeholders (see get-placeholders) as " +
				"mutations, resource by resource",
			Examples: []string{"get-placeholder-mutations"},
		},
		Function: handler.Reads(func(c *handler.Call) (any, error) {
			rows, err := findPlaceholders(c.Docs, provider)
			mutations, errMutations := rowMutations(c.Docs, rows, provider)
			return mutations, errors.Join(err, errMutations)
		}),
	}
}

// rowMutations returns the mutations that update the values of rows, grouped by resource in
// document order.
func rowMutations(
	docs gaby.Container, rows api.AttributeValueList, provider configkit.ResourceProvider,
) (api.ResourceMutationList, error) {
	of := map[api.ResourceInfo]api.MutationMap{}
	for i := range rows {
		row := &rows[i]
		text, err := yamlText(row.Value)
		if err != nil {
			return nil, err
		}
		if of[row.ResourceInfo] == nil {
			of[row.ResourceInfo] = api.MutationMap{}
		}
		of[row.ResourceInfo][row.Path] = api.MutationInfo{
			MutationType: api.MutationTypeUpdate, Value: text,
		}
	}
	list := api.ResourceMutationList{}
	err := yamlkit.EachResource(docs, provider, func(_ int, info api.ResourceInfo) {
		if paths, ok := of[info]; ok {
			delete(of, info) // if several have the same name, the first gets all the rows
			list = append(list, api.ResourceMutation{
				Resource:             info,
				ResourceMutationInfo: api.MutationInfo{MutationType: api.MutationTypeUpdate},
				PathMutationMap:      paths,
			})
		}
	})
	return list, err
}

// yamlText returns a scalar as YAML text, the form values have in mutations.
func yamlText(value any) (string, error) {
	doc, err := gaby.ParseYAML([]byte("null\n"))
	if err == nil {
		err = doc.SetData(value)
	}
	return doc.Value().YAML() + "\n", err
}

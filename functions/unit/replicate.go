package unit

import (
	"context"
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/lang/limit"
)

const (
	parameterReplicas         = "replicas"
	parameterResourceCategory = "resource-category"
)

// replicateFunction returns replicate, which makes several resources out of one.
func replicateFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	least, most := 1, 10_000
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "replicate",
			Parameters: []api.FunctionParameter{
				typeParameter("v1/ConfigMap", "type of the resource"),
				resourceNameParameter(),
				{
					ParameterName: parameterReplicas, Required: true, DataType: api.DataTypeInt,
					Example: "3",
					Description: "number of copies; to remove the resource, use " +
						"delete-resource",
					ValueConstraints: api.ValueConstraints{Min: &least, Max: &most},
				},
				handler.Optional(parameterResourceCategory, api.DataTypeString,
					string(api.ResourceCategoryResource),
					"category of the resource, for toolchains that have several"),
			},
			Mutating: true, Hermetic: true,
			Description: "Replace a resource by copies whose names end in 0, 1, 2 and so on. If " +
				"several resources have the name, the first is replaced, or the one in the given " +
				"namespace",
			Examples: []string{"replicate v1/ConfigMap settings 3"},
		},
		ValueParameter: parameterReplicas,
		Function: handler.Edits(func(c *handler.Call) (int, error) {
			name := api.ResourceName(c.Args.String(parameterResourceName))
			at, err := choice{name: name}.find(c.Docs, provider, typeArgument(c.Args),
				api.ResourceCategory(c.Args.String(parameterResourceCategory)))
			if err != nil || at < 0 {
				return 0, err
			}
			copies, err := replicas(c.Context(), c.Docs[at], c.Args.Int(parameterReplicas))
			if err != nil {
				return 1, err
			}
			c.Docs = slices.Replace(c.Docs, at, at+1, copies...)
			i := 0
			return 1, yamlkit.EachDocument(copies, provider,
				func(doc *gaby.YamlDoc, _ *api.ResourceInfo) error {
					copied := string(provider.RemoveScopeFromResourceName(name)) + strconv.Itoa(i)
					i++
					_, err := doc.SetP(copied, string(provider.ScopelessResourceNamePath()))
					return err
				})
		}),
	}
}

// replicas returns a document and n-1 copies of it. Copies of an item of a list are items of that
// list.
func replicas(ctx context.Context, doc *gaby.YamlDoc, n int) (gaby.Container, error) {
	if err := doc.Check(); err != nil {
		return nil, err
	}
	if !doc.IsDocument() {
		copies, err := doc.Duplicate(n - 1)
		return append(gaby.Container{doc}, copies...), err
	}
	text := []byte(doc.Content())
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	if err := limit.Grow(ctx, int64(n)*int64(len(text))); err != nil {
		return nil, err
	}
	copies := gaby.Container{doc}
	for len(copies) < n {
		c, err := gaby.ParseYAML(text)
		if err != nil {
			return nil, err
		}
		c.DropPositions()
		copies = append(copies, c)
	}
	return copies, nil
}

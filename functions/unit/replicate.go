package unit

import (
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
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
					Example:          "3",
					Description:      "how many there are to be; to remove the resource, use delete-resource",
					ValueConstraints: api.ValueConstraints{Min: &least, Max: &most},
				},
				handler.Optional(parameterResourceCategory, api.DataTypeString,
					string(api.ResourceCategoryResource),
					"category of the resource, for toolchains that have several"),
			},
			Mutating: true, Hermetic: true,
			Description: "Replace a resource by copies whose names end in 0, 1, 2 and so on; of several with the name, the first one, or that in the namespace of the name",
			Examples:    []string{"replicate v1/ConfigMap settings 3"},
		},
		ValueParameter: parameterReplicas,
		Function: func(
			fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			a := handler.Arguments(args)
			at, name, err := firstResource(docs, provider, a)
			if err != nil || at < 0 {
				fc.Matched(0)
				return docs, nil, err
			}
			fc.Matched(1)
			copies, err := replicas(docs[at], a.Int(parameterReplicas))
			if err != nil {
				return nil, nil, err
			}
			docs = slices.Replace(docs, at, at+1, copies...)
			_, err = yamlkit.VisitResources(copies, nil, provider,
				func(doc *gaby.YamlDoc, output any, i int, _ *api.ResourceInfo) (any, []error) {
					_, err := doc.SetP(
						string(name)+strconv.Itoa(i), string(provider.ScopelessResourceNamePath()),
					)
					return output, []error{err}
				})
			return docs, nil, err
		},
	}
}

// firstResource returns the index of the first resource with the type, the name and, if given, the
// category in the arguments, or -1. An exact name is preferred to the same name in another scope.
// The returned name has no scope.
func firstResource(
	docs gaby.Container, provider configkit.ResourceProvider, a handler.Arguments,
) (at int, name api.ResourceName, err error) {
	c := choice{name: api.ResourceName(a.String(parameterResourceName)), at: -1}
	category := a.String(parameterResourceCategory)
	err = yamlkit.EachResource(docs, provider, func(i int, info api.ResourceInfo) {
		if info.ResourceType == typeArgument(a) &&
			(category == "" || string(info.ResourceCategory) == category) {
			c.offer(provider, i, info.ResourceName)
		}
	})
	return c.at, provider.RemoveScopeFromResourceName(c.name), err
}

// replicas returns a document and n-1 copies of it. Copies of an item of a list are items of that
// list.
func replicas(doc *gaby.YamlDoc, n int) (gaby.Container, error) {
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
	copies := gaby.Container{doc}
	for len(copies) < n {
		c, err := gaby.ParseYAML(text)
		if err != nil {
			return nil, err
		}
		c.Detach()
		copies = append(copies, c)
	}
	return copies, nil
}

package unit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// These are the forms of resource bodies.
const (
	bodyYAML   = "yaml"
	bodyNone   = "none"
	bodyJSON   = "json"
	bodyNative = "native"
)

// getResourcesFunction returns get-resources.
func getResourcesFunction(
	converter configkit.ConfigConverter, provider configkit.ResourceProvider,
) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "get-resources",
			Parameters: []api.FunctionParameter{{
				ParameterName: "body", DataType: api.DataTypeEnum, Example: bodyNone,
				Description: "form of the resource bodies: yaml (the default), json, native (the " +
					"toolchain's own format) or none",
				ValueConstraints: api.ValueConstraints{EnumValues: []string{
					bodyYAML, bodyNone, bodyJSON, bodyNative,
				}},
			}},
			OutputInfo: handler.Output(api.OutputTypeResourceList, "resource",
				"the resources, in the order of the documents"),
			Hermetic: true, Idempotent: true,
			Description: "Get the resources: type, name and body of each",
			Examples:    []string{"get-resources", "get-resources none"},
		},
		PerDocument: true,
		Function: handler.Rows(func(c *handler.Call) (api.ResourceList, error) {
			form := c.Args.String("body")
			resources := make(api.ResourceList, 0, len(c.Docs))
			err := yamlkit.EachDocument(c.Docs, provider,
				func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
					body, err := resourceBody(doc, form, converter)
					if err != nil {
						return err
					}
					resources = append(
						resources, api.Resource{ResourceInfo: *info, ResourceBody: body},
					)
					return nil
				})
			return resources, err
		}),
	}
}

// resourceBody returns the text of a resource in a form.
func resourceBody(
	doc *gaby.YamlDoc, form string, converter configkit.ConfigConverter,
) (string, error) {
	switch form {
	case bodyNone:
		return "", nil
	case bodyJSON:
		var b bytes.Buffer
		encoder := json.NewEncoder(&b) // sorts the keys of maps
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(doc.Data()); err != nil {
			return "", fmt.Errorf("resource body: %w", err)
		}
		return strings.TrimSuffix(b.String(), "\n"), nil
	case bodyNative:
		text, err := converter.DocumentsToNative(gaby.Container{doc})
		return string(text), err
	}
	return doc.Content(), nil
}

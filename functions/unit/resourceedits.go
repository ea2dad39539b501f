package unit

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

const (
	parameterResourceName = "resource-name"
	parameterResourceList = "resource-list"
)

// typeParameter returns the parameter for a resource type.
func typeParameter(example, description string) api.FunctionParameter {
	return handler.Required("resource-type", api.DataTypeString, example, description)
}

// anyTypeParameter is typeParameter with * for every type.
func anyTypeParameter() api.FunctionParameter {
	p := typeParameter("apps/v1/Deployment", "type of the resources, or * for any")
	p.Any = true
	return p
}

// typeArgument returns the resource type in a function's arguments.
func typeArgument(args handler.Arguments) api.ResourceType {
	return api.ResourceType(args.String("resource-type"))
}

// resourceNameParameter returns the parameter for the name of a resource.
func resourceNameParameter() api.FunctionParameter {
	return handler.Required(parameterResourceName, api.DataTypeString, "/web",
		"name of the resource; write NAMESPACE/NAME if several resources have the name")
}

// getResourcesOfTypeFunction returns get-resources-of-type.
func getResourcesOfTypeFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "get-resources-of-type",
			Parameters: []api.FunctionParameter{typeParameter(
				"v1/ConfigMap", "type of the resources",
			)},
			OutputInfo: handler.Output(api.OutputTypeResourceInfoList, "resource",
				"the names of the resources, in the order of the documents"),
			Hermetic: true, Idempotent: true,
			Description: "Get the names of the resources of a type",
			Examples:    []string{"get-resources-of-type v1/ConfigMap"},
		},
		PerDocument: true,
		Function: handler.Rows(func(c *handler.Call) (api.ResourceInfoList, error) {
			resources := api.ResourceInfoList{}
			err := yamlkit.EachResource(c.Docs, provider, func(_ int, info api.ResourceInfo) {
				if info.ResourceType == typeArgument(c.Args) {
					resources = append(resources, info)
				}
			})
			return resources, err
		}),
	}
}

// deleteResourceFunction returns delete-resource.
func deleteResourceFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "delete-resource",
			Parameters: []api.FunctionParameter{
				typeParameter("v1/ConfigMap", "type of the resource"),
				resourceNameParameter(),
			},
			Mutating: true, Hermetic: true,
			Description: "Delete a resource. If several resources have the name, the last is " +
				"deleted, or the one in the given namespace",
			Examples: []string{"delete-resource v1/ConfigMap settings"},
		},
		Function: handler.Reads(func(c *handler.Call) (any, error) {
			t, name := typeArgument(c.Args), api.ResourceName(c.Args.String(parameterResourceName))
			at, err := choice{name: name, last: true}.find(c.Docs, provider, t, "")
			if err != nil {
				return nil, err
			}
			if at < 0 {
				return nil, fmt.Errorf(
					"resource with type %s and name %s not found", configkit.Abbreviate(string(t)),
					configkit.Abbreviate(string(name)),
				)
			}
			gone := c.Docs[at]
			c.Docs = c.Docs.Delete(func(doc *gaby.YamlDoc) bool { return doc == gone })
			return nil, nil
		}),
	}
}

// resourceListExample is a shortened list of resources, as get-resources prints it.
const resourceListExample = `[{"ResourceName": "/web", "ResourceType": "v1/Service", ` +
	`"ResourceBody": "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n"}]`

// upsertResourceFunction returns upsert-resource.
func upsertResourceFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "upsert-resource",
			Parameters: []api.FunctionParameter{
				handler.Required(parameterResourceList, api.DataTypeResourceList,
					resourceListExample,
					"JSON list of resources with their bodies, as get-resources prints it"),
				typeParameter("v1/Service", "type of the resource to take from the list"),
				resourceNameParameter(),
			},
			Description: "Replace the resource of the same type and name by one from a list, or " +
				"append it",
			Examples: []string{`upsert-resource '` + resourceListExample + `' v1/Service /web`},
		},
		CheckArguments: func(args []api.FunctionArgument) error {
			_, _, err := resourceToUpsert(args, provider)
			return err
		},
	}, func(c *handler.Call) (int, error) {
		resource, name, err := resourceToUpsert(c.Args, provider)
		if err != nil {
			return 0, err
		}
		if resource, err = withLineEndsOf(c.Docs, resource); err != nil {
			return 0, err
		}
		resource.DropPositions()
		wanted := choice{name: name, last: true}
		at, err := wanted.find(c.Docs, provider, typeArgument(c.Args), "")
		if err != nil {
			return 0, err
		}
		if at < 0 {
			c.Docs = append(c.Docs, resource)
			return 1, nil
		}
		existing := c.Docs[at]
		if err := existing.Check(); err != nil {
			return 1, err
		}
		switch {
		case reflect.DeepEqual(existing.Data(), resource.Data()):
		case existing.IsDocument() && existing.Native() == nil:
			c.Docs[at] = resource
		// An item of a list keeps the indentation of the list, and a document in another
		// language stays part of its text.
		default:
			err = existing.SetDocP(resource, "")
		}
		return 1, err
	})
}

// resourceToUpsert returns the resource that the arguments select from their list, and its name.
// The error is a *handler.ArgumentError.
func resourceToUpsert(
	a handler.Arguments, provider configkit.ResourceProvider,
) (*gaby.YamlDoc, api.ResourceName, error) {
	fail := func(format string, values ...any) (*gaby.YamlDoc, api.ResourceName, error) {
		err := fmt.Errorf(format, values...)
		return nil, "",
			&handler.ArgumentError{Parameter: parameterResourceList, Message: err.Error(), Err: err}
	}
	text := a.String(parameterResourceList)
	if strings.TrimSpace(text) == "" {
		return fail("%s cannot be empty", parameterResourceList)
	}
	list, err := handler.DecodeList[api.Resource](text, "resources")
	if err != nil {
		return fail("argument %s: %w", parameterResourceList, err)
	}
	if len(list) == 0 {
		return fail("%s cannot be empty", parameterResourceList)
	}
	t, name := typeArgument(a), api.ResourceName(a.String(parameterResourceName))
	row := choice{name: name, at: -1}
	for i := range list {
		if list[i].ResourceType == t {
			row.offer(provider, i, list[i].ResourceName)
		}
	}
	if row.at < 0 {
		return fail(
			"resource with type %s and name %s not found in %s", configkit.Abbreviate(string(t)),
			configkit.Abbreviate(string(name)), parameterResourceList,
		)
	}
	doc, err := gaby.ParseYAML([]byte(list[row.at].ResourceBody))
	if err == nil {
		doc, err = gaby.ParseYAML(doc.BytesWithNewline())
	}
	if err != nil {
		return fail("the body of resource %s %s: %w", t, name, err)
	}
	info, err := provider.ResourceInfo(doc)
	switch {
	case err != nil:
		return fail("the body of resource %s %s: %w", t, name, err)
	case info.ResourceType != t || !sameName(provider, info.ResourceName, name):
		return fail("the body of resource %s %s is that of %s", t, name, info)
	}
	return doc, info.ResourceName, nil
}

// withLineEndsOf returns the resource with CRLF line ends if docs have them.
func withLineEndsOf(docs gaby.Container, resource *gaby.YamlDoc) (*gaby.YamlDoc, error) {
	if !bytes.Contains(docs.Text(), []byte("\r\n")) {
		return resource, nil
	}
	text := bytes.ReplaceAll(resource.Bytes(), []byte("\r\n"), []byte("\n"))
	return gaby.ParseYAML(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")))
}

// sameName reports whether two names are equal without their scopes.
func sameName(provider configkit.ResourceProvider, a, b api.ResourceName) bool {
	return provider.RemoveScopeFromResourceName(a) == provider.RemoveScopeFromResourceName(b)
}

// choice finds the resource that a name refers to among resources of one type: the one with exactly
// this name, otherwise one with this name in another scope, because scopes may be omitted.
type choice struct {
	name  api.ResourceName
	last  bool // prefer the last of several
	at    int  // index of the resource found so far, -1 if none
	exact bool
}

// offer considers the resource with index i and the given name.
func (c *choice) offer(provider configkit.ResourceProvider, i int, name api.ResourceName) {
	exact := name == c.name
	if !sameName(provider, name, c.name) || c.exact && !exact {
		return
	}
	if c.at < 0 || c.last || exact && !c.exact {
		c.at, c.exact = i, exact
	}
}

// find returns the index of the resource of type t and, unless category is "", of that category, or
// -1.
func (c choice) find(
	docs gaby.Container, provider configkit.ResourceProvider, t api.ResourceType,
	category api.ResourceCategory,
) (int, error) {
	c.at = -1
	err := yamlkit.EachResource(docs, provider, func(i int, info api.ResourceInfo) {
		if info.ResourceType == t && (category == "" || info.ResourceCategory == category) {
			c.offer(provider, i, info.ResourceName)
		}
	})
	return c.at, err
}

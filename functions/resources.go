package functions

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// Resources are the resources in the data of a unit, each with its text. Documents that are no resources are left out.
func (e *Executor) Resources(t api.ToolchainType, data []byte) (api.ResourceList, error) {
	h, err := e.handler(t)
	if err != nil {
		return nil, err
	}
	documents, err := h.Converter().NativeToDocuments(data)
	if err != nil {
		return nil, err
	}
	resources := make(api.ResourceList, 0, len(documents))
	for _, doc := range documents {
		info, err := h.ResourceProvider().ResourceInfo(doc)
		if _, none := errors.AsType[*configkit.NoResourceError](err); none {
			continue
		}
		if err != nil {
			return nil, err
		}
		resources = append(resources, api.Resource{ResourceInfo: info, ResourceBody: doc.String()})
	}
	return resources, nil
}

// ResourceLine is the line (from 1) of a unit's data at which what belongs to a resource begins.
type ResourceLine struct {
	Line     int
	Resource *api.ResourceInfo // nil where something begins that is no resource
}

// ResourceLines tells where in the data of a unit each resource begins, in order, without reading further into the documents than
// their types and names.
func (e *Executor) ResourceLines(t api.ToolchainType, data []byte) ([]ResourceLine, error) {
	h, err := e.handler(t)
	if err != nil {
		return nil, err
	}
	documents, err := h.Converter().NativeToDocuments(data)
	if err != nil {
		return nil, err
	}
	lines := make([]ResourceLine, len(documents))
	for i, doc := range documents {
		lines[i].Line = doc.FirstLine()
		if info, err := h.ResourceProvider().ResourceInfo(doc); err == nil {
			lines[i].Resource = &info
		}
	}
	return lines, nil
}

// PathArguments are the values that a parameter of the paths of an attribute has in the data of a unit, each once, in the order of
// the data. The arguments fill the %s of the paths; "*" is any.
func (e *Executor) PathArguments(t api.ToolchainType, data []byte, attribute api.AttributeName, arguments []string, parameter string) ([]string, error) {
	h, err := e.handler(t)
	if err != nil {
		return nil, err
	}
	documents, err := h.Converter().NativeToDocuments(data)
	if err != nil {
		return nil, err
	}
	keys := make([]any, len(arguments))
	for i := range arguments {
		keys[i] = arguments[i]
	}
	var values []string
	provider := h.ResourceProvider()
	_, err = yamlkit.VisitPathsDoc(documents, provider.AttributePaths(attribute), keys, nil, provider,
		func(_ *gaby.YamlDoc, _ any, at yamlkit.VisitorContext, _ *gaby.YamlDoc) (any, error) {
			for _, argument := range at.PathArguments {
				value := fmt.Sprint(argument.Value)
				if argument.ParameterName == parameter && !slices.Contains(values, value) {
					values = append(values, value)
				}
			}
			return nil, nil
		}, false)
	return values, err
}

// CheckDocuments reads the data of a unit to the end, which running functions does not: documents that no function looks at pass
// through unread. What cannot be read is a failure of class FailureInput, one for each document.
func (e *Executor) CheckDocuments(t api.ToolchainType, data []byte) ([]*api.Failure, error) {
	h, err := e.handler(t)
	if err != nil {
		return nil, err
	}
	documents, err := h.Converter().NativeToDocuments(data)
	if err != nil {
		return []*api.Failure{unreadable(err, "")}, nil
	}
	var failures []*api.Failure
	for _, doc := range documents {
		resource := ""
		if info, err := h.ResourceProvider().ResourceInfo(doc); err == nil {
			resource = info.String()
		}
		if err := doc.Check(); err != nil {
			failures = append(failures, unreadable(err, resource))
		}
	}
	return failures, nil
}

func unreadable(err error, resource string) *api.Failure {
	f := &api.Failure{Class: api.FailureInput, Resource: resource, Message: err.Error(), Err: err}
	if e, ok := errors.AsType[*gaby.SyntaxError](err); ok {
		f.Pos, f.Message, f.Hint = e.Pos, e.Msg, e.Hint
	}
	return f
}

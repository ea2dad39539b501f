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

// Unit is the data of a unit, read once, for what is asked about it besides running functions. It is not for concurrent use.
type Unit struct {
	documents gaby.Container
	provider  configkit.ResourceProvider
}

// Open reads the data of a unit. The error is an *UnsupportedToolchainError or one of the converter.
func (e *Executor) Open(t api.ToolchainType, data []byte) (*Unit, error) {
	h, err := e.handler(t)
	if err != nil {
		return nil, err
	}
	documents, err := h.Converter().NativeToDocuments(data)
	if err != nil {
		return nil, err
	}
	return &Unit{documents: documents, provider: h.ResourceProvider()}, nil
}

// Resources are the resources of the unit, each with its text. Documents that are no resources are left out.
func (u *Unit) Resources() (api.ResourceList, error) {
	resources := make(api.ResourceList, 0, len(u.documents))
	err := yamlkit.EachResource(u.documents, u.provider, func(i int, info api.ResourceInfo) {
		resources = append(resources, api.Resource{ResourceInfo: info, ResourceBody: u.documents[i].String()})
	})
	return resources, err
}

// ResourceLine is the line (from 1) of a unit's data at which what belongs to a resource begins.
type ResourceLine struct {
	Line     int
	Resource *api.ResourceInfo // nil where something begins that is no resource
}

// ResourceLines are the lines at which the resources begin, in order. Documents are read no further than their types and names.
func (u *Unit) ResourceLines() []ResourceLine {
	lines := make([]ResourceLine, len(u.documents))
	for i, doc := range u.documents {
		lines[i].Line = doc.FirstLine()
		if info, err := u.provider.ResourceInfo(doc); err == nil {
			lines[i].Resource = &info
		}
	}
	return lines
}

// PathArguments are the values that a parameter of the paths of an attribute has in the unit, each once, in the order of the data.
// The arguments fill the %s of the paths; "*" is any.
func (u *Unit) PathArguments(attribute api.AttributeName, arguments []string, parameter string) ([]string, error) {
	keys := make([]any, len(arguments))
	for i := range arguments {
		keys[i] = arguments[i]
	}
	var values []string
	_, err := yamlkit.VisitPathsDoc(u.documents, u.provider.AttributePaths(attribute), keys, nil, u.provider,
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

// Check reads the unit to the end, which running functions does not: documents that no function looks at pass through unread. What
// cannot be read is a failure of class FailureInput, one for each document.
func (u *Unit) Check() []*api.Failure {
	var failures []*api.Failure
	for _, doc := range u.documents {
		resource := ""
		if info, err := u.provider.ResourceInfo(doc); err == nil {
			resource = info.String()
		}
		if err := doc.Check(); err != nil {
			failures = append(failures, unreadable(err, resource))
		}
	}
	return failures
}

// CheckDocuments opens and checks the data of a unit, see Unit.Check. Data that cannot be opened is one failure.
func (e *Executor) CheckDocuments(t api.ToolchainType, data []byte) ([]*api.Failure, error) {
	u, err := e.Open(t, data)
	if _, unsupported := errors.AsType[*UnsupportedToolchainError](err); unsupported {
		return nil, err
	}
	if err != nil {
		return []*api.Failure{unreadable(err, "")}, nil
	}
	return u.Check(), nil
}

func unreadable(err error, resource string) *api.Failure {
	f := &api.Failure{Class: api.FailureInput, Resource: resource, Message: err.Error(), Err: err}
	if e, ok := errors.AsType[*gaby.SyntaxError](err); ok {
		f.Pos, f.Message, f.Hint = e.Pos, e.Msg, e.Hint
	}
	return f
}

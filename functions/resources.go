package functions

import (
	"errors"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/api"
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
		f.Pos, f.Message, f.Hint = api.Position{Line: e.Pos.Line, Column: e.Pos.Column}, e.Msg, e.Hint
	}
	return f
}

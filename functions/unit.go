package functions

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Unit is the parsed data of a unit. It answers questions that need no function to run. It is not
// safe for concurrent use.
type Unit struct {
	documents gaby.Container
	provider  configkit.ResourceProvider
}

// Open parses the data of a unit. The error is an *UnsupportedToolchainError or one of the
// converter.
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

// Converter returns the converter of a toolchain, for callers that edit documents themselves. The
// error is an *UnsupportedToolchainError.
func (e *Executor) Converter(t api.ToolchainType) (configkit.ConfigConverter, error) {
	h, err := e.handler(t)
	if err != nil {
		return nil, err
	}
	return h.Converter(), nil
}

// Resources returns the resources of the unit, each with its text. It skips documents that are not
// resources.
func (u *Unit) Resources() (api.ResourceList, error) {
	resources := make(api.ResourceList, 0, len(u.documents))
	err := yamlkit.EachResource(u.documents, u.provider, func(i int, info api.ResourceInfo) {
		resources = append(
			resources, api.Resource{ResourceInfo: info, ResourceBody: u.documents[i].String()},
		)
	})
	return resources, err
}

// ResourceLines returns the lines at which the documents begin; see [handler.ResourceLines].
func (u *Unit) ResourceLines() []handler.ResourceLine {
	return handler.ResourceLines(u.documents, u.provider)
}

// Changes returns the mutations of a list one by one, with their positions. before is the unit before
// the mutations; see [mutation.Changes].
func (u *Unit) Changes(before *Unit, list api.ResourceMutationList) ([]api.Change, error) {
	return mutation.Changes(list, before.documents, u.documents, u.provider)
}

// PathArguments returns the values that a parameter of an attribute's paths takes in the unit,
// without duplicates and in document order. arguments fill the %s of the paths; "*" matches
// everything.
func (u *Unit) PathArguments(
	attribute api.AttributeName, arguments []string, parameter string,
) ([]string, error) {
	keys := make([]any, len(arguments))
	for i := range arguments {
		keys[i] = arguments[i]
	}
	var values []string
	_, err := yamlkit.VisitPathsDoc(
		u.documents, u.provider.AttributePaths(attribute), keys, nil, u.provider,
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

// Check reads all documents to the end. Running functions does not: a document that no function
// looks at passes through unread. It returns a failure of class FailureInput for each document that
// cannot be read.
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

// CheckDocuments opens and checks the data of a unit, see Unit.Check. Data that cannot be opened is
// reported as one failure. The error is an *UnsupportedToolchainError.
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

// unreadable returns the failure for an error of the parser, with its position and hint if
// there are any.
func unreadable(err error, resource string) *api.Failure {
	f := &api.Failure{Class: api.FailureInput, Resource: resource, Message: err.Error(), Err: err}
	if e, ok := errors.AsType[*gaby.SyntaxError](err); ok {
		f.Pos, f.Message, f.Hint = e.Pos, e.Msg, e.Hint
	}
	return f
}

// Annotations returns the values of an annotation of the unit's resources. The keys are the types
// and names of the resources, as messages show them. Values of resources with the same type and
// name are joined with commas.
func (u *Unit) Annotations(key string) map[string]string {
	values := map[string]string{}
	for _, doc := range u.documents {
		info, err := u.provider.ResourceInfo(doc)
		if err != nil || doc.Check() != nil {
			continue
		}
		value := doc.Value().Get("metadata").Get("annotations").Get(key).Text()
		if known := values[info.String()]; known != "" && value != "" {
			value = known + "," + value
		}
		if value != "" {
			values[info.String()] = value
		}
	}
	return values
}

// Labels returns the labels of the unit's resources as KEY=VALUE, without duplicates and in
// document order.
func (u *Unit) Labels() []string {
	var labels []string
	for _, doc := range u.documents {
		if _, err := u.provider.ResourceInfo(doc); err != nil || doc.Check() != nil {
			continue
		}
		for _, l := range doc.Value().Get("metadata").Get("labels").All() {
			if label := l.Key() + "=" + l.Text(); !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
	}
	return labels
}

// Paths returns the paths of the scalars in the resources of a type, of all resources if the type
// is empty or *, without duplicates and in document order. It returns no more than limit paths.
func (u *Unit) Paths(ofType api.ResourceType, limit int) []string {
	var paths []string
	seen := map[string]bool{}
	var first yamlpath.FirstByKey
	for _, doc := range u.documents {
		info, err := u.provider.ResourceInfo(doc)
		if err != nil || doc.Check() != nil ||
			ofType != "" && ofType != api.ResourceTypeAny && ofType != info.ResourceType {
			continue
		}
		keys := u.provider.MergeKeys(info.ResourceType)
		yamlkit.Walk(doc.Value(), nil, func(w *yamlkit.Cursor) bool {
			if w.Value.Kind() != gaby.Scalar || len(paths) == limit {
				return len(paths) < limit
			}
			path := string(yamlpath.ReportedFrom(doc.Value(), w.Segments, nil, keys, "", &first))
			if !seen[path] {
				seen[path] = true
				paths = append(paths, path)
			}
			return true
		})
	}
	return paths
}

package generic

import (
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

const parameterPathPrefix = "path-prefix"

// listPathsFunction returns list-paths.
func listPathsFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	none := 0
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "list-paths",
			Parameters: []api.FunctionParameter{
				handler.Optional(parameterPathPrefix, api.DataTypeString,
					"spec.template.spec.containers",
					"list only values at and below this path; list elements may be given by "+
						"index or by merge key"),
				{
					ParameterName: "depth", DataType: api.DataTypeInt, Example: "3",
					Description:      "list only paths of at most this many segments; 0 is all",
					ValueConstraints: api.ValueConstraints{Min: &none},
				},
				handler.Optional("include-subtrees", api.DataTypeBool, "true",
					"list maps and lists too, without their values"),
				handler.Optional("attributes-only", api.DataTypeBool, "true",
					"list only paths for which an attribute is registered"),
			},
			OutputInfo: handler.Output(api.OutputTypeAttributeValueList, "path",
				"the paths and their values, in the order of the documents"),
			Hermetic: true, Idempotent: true,
			Description: "List the paths of the resources with their values",
			Examples: []string{
				"list-paths", "list-paths spec 3", "list-paths --attributes-only=true",
			},
		},
		PerDocument: true,
		CheckArguments: func(args []api.FunctionArgument) error {
			if handler.Arguments(args).String(parameterPathPrefix) == "" {
				return nil
			}
			return checkPathParameter(provider, args, parameterPathPrefix)
		},
		Function: handler.Rows(func(c *handler.Call) (api.AttributeValueList, error) {
			l := newPathLister(provider, c.Args)
			err := yamlkit.EachDocument(c.Docs, provider,
				func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
					yamlkit.Walk(
						doc.Value(), provider.MergeKeys(info.ResourceType),
						func(w *yamlkit.Cursor) bool { return l.visit(w, info) },
					)
					return nil
				})
			return l.rows, err
		}),
	}
}

// pathLister collects the rows of list-paths.
type pathLister struct {
	provider       configkit.ResourceProvider
	prefix         []string
	depth          int
	subtrees       bool
	attributesOnly bool
	rows           api.AttributeValueList
}

// newPathLister returns a pathLister for the arguments of list-paths.
func newPathLister(provider configkit.ResourceProvider, args []api.FunctionArgument) *pathLister {
	a := handler.Arguments(args)
	l := &pathLister{
		provider: provider, depth: a.Int("depth"), subtrees: a.Bool("include-subtrees"),
		attributesOnly: a.Bool("attributes-only"),
		rows:           api.AttributeValueList{},
	}
	if prefix := a.String(parameterPathPrefix); prefix != "" {
		l.prefix = strings.Split(prefix, ".")
	}
	return l
}

// visit adds the row of a value and reports whether to descend into the value.
func (l *pathLister) visit(w *yamlkit.Cursor, resource *api.ResourceInfo) (down bool) {
	if l.depth > 0 && len(w.Segments) > l.depth || !l.below(w) {
		return false
	}
	if len(w.Segments) < len(l.prefix) {
		return true
	}
	subtree := w.Value.Kind() != gaby.Scalar
	if subtree && !l.subtrees {
		return true
	}
	path := w.Path()
	name := yamlkit.RegisteredName(l.provider, resource.ResourceType, path)
	if l.attributesOnly && name == api.AttributeNameNone {
		return true
	}
	row := w.Row(resource, path, name)
	if subtree {
		row.Value = nil
	}
	l.rows = append(l.rows, row)
	return true
}

// below reports whether the value is at, above or below the prefix.
func (l *pathLister) below(w *yamlkit.Cursor) bool {
	keyed := w.KeyedSegments()
	// The walk descends only into values that match, so compare only the last segment.
	i := len(keyed) - 1
	return i >= len(l.prefix) || l.prefix[i] == keyed[i] ||
		l.prefix[i] == yamlpath.Escape(w.Segments[i])
}

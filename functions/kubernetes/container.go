package kubernetes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

const attributeContainerName api.AttributeName = "container-name"

const parameterContainerName = "container-name"

// containerNameParameter returns the parameter that selects containers.
func containerNameParameter(provider configkit.ResourceProvider) api.FunctionParameter {
	return generic.ParameterOf(provider, "container-image", parameterContainerName)
}

// container is a container of a resource, located for an edit.
type container struct {
	doc      *gaby.YamlDoc
	segments []string // its path
	value    gaby.Value
}

// at returns the path of a field of the container.
func (c *container) at(segments ...string) []string {
	return append(append(make([]string, 0, len(c.segments)+len(segments)), c.segments...),
		segments...)
}

// editError returns an error about the value at a path of a document.
func editError(v gaby.Value, segments []string, hint, format string, args ...any) error {
	return &gaby.EditError{
		Pos: v.Position(), Path: string(yamlpath.Join(segments)), Msg: fmt.Sprintf(format, args...),
		Hint: hint,
	}
}

// appendTo appends an entry to the list at a path. A missing list is created.
func appendTo(doc *gaby.YamlDoc, entry any, segments ...string) error {
	list := doc.Search(segments...)
	if list.IsArray() {
		_, err := doc.Set(entry, append(slices.Clone(segments), "-")...)
		return err
	}
	if list != nil && !list.IsNull() {
		return editError(list.Value(), segments, "", "not a list")
	}
	_, err := doc.Set([]any{entry}, segments...)
	return err
}

// orderedMap returns a map with these keys and values, which alternate, in this order.
func orderedMap(keysAndValues ...any) (*gaby.YamlDoc, error) {
	m, err := gaby.ParseYAML([]byte("{}\n"))
	for i := 0; err == nil && i < len(keysAndValues); i += 2 {
		_, err = m.Set(keysAndValues[i+1], keysAndValues[i].(string))
	}
	return m, err
}

// editContainers calls edit for each container with this name and returns their number. With *, it
// calls edit for all containers, including those without a name.
func editContainers(
	docs gaby.Container, provider configkit.ResourceProvider, name string,
	edit func(*container) error,
) (int, error) {
	named := yamlkit.EditOptions{Wanted: func(p *yamlkit.Match) bool {
		return p.Value.Kind() == gaby.Map &&
			(name == "*" || p.Value.Get("name").EqualText(name))
	}}
	return yamlkit.EditPaths(docs, inContainers(provider, ""), nil, provider, named,
		func(p *yamlkit.Match) error {
			return edit(&container{
				doc: p.Doc, segments: p.Segments, value: p.Doc.Search(p.Segments...).Value(),
			})
		})
}

// inContainers returns the source of these paths in all containers; "" is the container itself.
func inContainers(provider configkit.ResourceProvider, below ...string) configkit.PathSource {
	names := provider.AttributePaths(attributeContainerName)
	return configkit.PathSourceFunc(func(t api.ResourceType) (infos []*api.PathVisitorInfo) {
		for _, name := range names.PathsOf(t) {
			prefix := strings.TrimSuffix(string(name.Path), "name")
			for _, path := range below {
				info := &api.PathVisitorInfo{
					Path: api.UnresolvedPath(prefix + path), DataType: api.DataTypeString,
				}
				if path == "" {
					info.Path, info.DataType =
						api.UnresolvedPath(strings.TrimSuffix(prefix, ".")), api.DataTypeYAML
				}
				infos = append(infos, info)
			}
		}
		return infos
	})
}

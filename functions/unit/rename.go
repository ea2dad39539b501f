package unit

import (
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// Reference is a place where a resource names another one.
type Reference struct {
	Place     *yamlkit.Place
	Types     []api.ResourceType // the types it may be of
	Namespace string             // that it is in, "" when that is not known
	Name      string
}

// SetReferences gives references other names: those for which rename reports true. It returns how many there were.
func SetReferences(docs gaby.Container, provider configkit.ResourceProvider, rename func(*Reference) (string, bool)) (int, error) {
	properties := propertiesOf(provider)
	references := filteredPaths{[]configkit.PathSource{provider.NeededPaths()}, func(info *api.PathVisitorInfo) bool {
		return len(targetTypes(info.Details)) > 0
	}}
	name := ""
	return yamlkit.UpdatePaths(docs, references, everyKey(), provider, func(string) string { return name }, yamlkit.UpdateOptions{
		Wanted: func(p *yamlkit.Place) (wanted bool) {
			value, ok := p.Scalar()
			text, isText := value.(string)
			if !ok || !isText {
				return false
			}
			name, wanted = rename(&Reference{Place: p, Types: properties.targets(p), Namespace: referredNamespace(p), Name: text})
			return wanted
		},
	})
}

// targets are the types of the resources a place can refer to.
func (p properties) targets(place *yamlkit.Place) []api.ResourceType {
	types := targetTypes(place.Info().Details)
	if p.provider != nil {
		types = p.provider.TargetTypes(place.Doc, place.Segments, types)
	}
	return types
}

// referredNamespace is the namespace of what a place refers to: the one beside the name, else that of the resource.
func referredNamespace(p *yamlkit.Place) string {
	if n := len(p.Segments); n > 1 {
		if beside := p.Doc.Search(p.Segments[:n-1]...).Value().Get("namespace"); beside.Exists() && p.Segments[0] != "metadata" {
			return beside.Text()
		}
	}
	namespace, _, _ := strings.Cut(string(p.Resource.ResourceName), "/")
	return namespace
}

// WholeUnit is what a function sees of a unit, and what a selection leaves out.
func WholeUnit(fc *api.FunctionContext, docs gaby.Container) gaby.Container {
	if s := handler.SelectionOf(fc); s != nil {
		return append(docs[:len(docs):len(docs)], s.Others...)
	}
	return docs
}

// SameKind reports whether two types are of one group and kind, whatever their versions.
func SameKind(a, b api.ResourceType) bool { return GroupKind(a) == GroupKind(b) }

// GroupKind is a type without its version.
func GroupKind(t api.ResourceType) string {
	parts := strings.Split(string(t), "/")
	if len(parts) < 3 {
		return parts[len(parts)-1]
	}
	return parts[0] + "/" + parts[len(parts)-1]
}

// CheckResourceName refuses a name that a resource of a type cannot have.
func CheckResourceName(provider configkit.ResourceProvider, t api.ResourceType, name string) error {
	if p, ok := provider.(interface {
		CheckResourceName(t api.ResourceType, name string) error
	}); ok {
		return p.CheckResourceName(t, name)
	}
	return nil
}

// CheckNewName refuses an argument that cannot name a resource of a type.
func CheckNewName(provider configkit.ResourceProvider, t api.ResourceType, parameter, name string) error {
	if err := CheckResourceName(provider, t, name); err != nil {
		return &handler.ArgumentError{Parameter: parameter, Value: name, Err: err, Message: fmt.Sprintf("argument %s: %v", parameter, err)}
	}
	return nil
}

package unit

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// Reference is a value with which a resource refers to another one.
type Reference struct {
	Match     *yamlkit.Match
	Types     []api.ResourceType // the types it can refer to
	Namespace string             // of the target, "" if not known
	Name      string
}

// SetReferences visits all references and renames those for which rename reports true. It returns
// the number of these.
func SetReferences(
	docs gaby.Container,
	provider configkit.ResourceProvider,
	rename func(*Reference) (string, bool),
) (int, error) {
	properties := propertiesOf(provider)
	name := ""
	wanted := func(p *yamlkit.Match) (wanted bool) {
		value, ok := p.Scalar()
		text, isText := value.(string)
		if !ok || !isText {
			return false
		}
		name, wanted = rename(&Reference{
			Match: p, Types: properties.targets(p), Namespace: referredNamespace(p), Name: text,
		})
		return wanted
	}
	return yamlkit.UpdatePaths(docs, referencePaths(provider), everyKey(), provider,
		func(string) string { return name }, yamlkit.UpdateOptions{Wanted: wanted})
}

// targets returns the types of the resources that the value at a match can refer to.
func (p properties) targets(match *yamlkit.Match) []api.ResourceType {
	types := targetTypes(match.Info().Details)
	if p.provider != nil {
		types = p.provider.TargetTypes(match.Doc, match.Segments, types)
	}
	return types
}

// referredNamespace returns the namespace a reference refers to: the sibling field namespace if
// there is one, otherwise the namespace of the resource.
func referredNamespace(p *yamlkit.Match) string {
	if n := len(p.Segments); n > 1 {
		if beside := p.Doc.Search(p.Segments[:n-1]...).Value().Get("namespace"); beside.Exists() &&
			p.Segments[0] != "metadata" {
			return beside.Text()
		}
	}
	namespace, _, _ := strings.Cut(string(p.Resource.ResourceName), "/")
	return namespace
}

// WholeUnit returns all documents of the unit: those that a function gets, and those that are not
// selected.
func WholeUnit(c *handler.Call) gaby.Container {
	if s := handler.ExcludedOf(c.FunctionContext); s != nil {
		return slices.Concat(c.Docs, s.Docs)
	}
	return c.Docs
}

// CheckResourceName returns an error if a resource of type t cannot have this name. A provider
// without rules accepts all names.
func CheckResourceName(provider configkit.ResourceProvider, t api.ResourceType, name string) error {
	if p, ok := provider.(interface {
		CheckResourceName(t api.ResourceType, name string) error
	}); ok {
		return p.CheckResourceName(t, name)
	}
	return nil
}

// CheckNewName checks an argument that becomes the name of a resource of type t. The error is a
// *handler.ArgumentError.
func CheckNewName(
	provider configkit.ResourceProvider, t api.ResourceType, parameter, name string,
) error {
	if err := CheckResourceName(provider, t, name); err != nil {
		return handler.InvalidArgument(parameter, "%w", err)
	}
	return nil
}

// ReferenceRows returns a row for each reference for which visit returns true. visit can add to the
// row. Resources that opt out of being asked for what they need are skipped.
func ReferenceRows(
	docs gaby.Container, provider configkit.ResourceProvider,
	visit func(*Reference, *api.AttributeValue) bool,
) (api.AttributeValueList, error) {
	properties := propertiesOf(provider)
	return yamlkit.VisitRows(docs, referencePaths(provider), everyKey(), provider,
		func(p *yamlkit.Match, row *api.AttributeValue) bool {
			name, ok := row.Value.(string)
			return ok && !properties.sets(p.Doc, optionIgnoreNeeded) && visit(&Reference{
				Match: p, Types: properties.targets(p), Namespace: referredNamespace(p), Name: name,
			}, row)
		})
}

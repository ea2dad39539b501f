package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/knowledge/typenames"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// ParseReference parses TYPE:RESOURCE:PATH. The path may be empty.
func ParseReference(text string) (entity.ResourceReference, string, error) {
	of, rest, ok := strings.Cut(text, ":")
	name, path, ok2 := strings.Cut(rest, ":")
	if !ok || !ok2 || of == "" || name == "" {
		return entity.ResourceReference{}, "", diag.UsageHint(
			"for example apps/v1/Deployment:shop/web:spec.replicas",
			"TYPE:RESOURCE:PATH is expected, not %q", text)
	}
	return entity.ResourceReference{
		ResourceType: api.ResourceType(of), ResourceName: api.ResourceName(name),
	}, path, nil
}

// Place is a resource of a unit and paths in it.
type Place struct {
	Resource mutation.Document
	Paths    []string
	Provider configkit.ResourceProvider
	unit     *workspace.Unit
}

// Place returns the place in a unit that words name: RESOURCE [PATH...], where RESOURCE is
// KIND/NAME, TYPE:NAME or, as tables print it, TYPE NAME. TYPE:NAME:PATH is one word for both.
func (s *Session) Place(u *workspace.Unit, words []string) (*Place, error) {
	executor, err := s.Functions()
	if err != nil {
		return nil, err
	}
	data, err := s.Store.Data(u, u.HeadRevisionNum)
	if err != nil {
		return nil, err
	}
	docs, err := s.Documents(u, data)
	if err != nil {
		return nil, s.Store.InUnit(u, err)
	}
	p := &Place{unit: u, Provider: executor.ResourceProvider(u.ToolchainType)}
	all, err := mutation.Documents(docs, docs, p.Provider)
	if err != nil {
		return nil, s.Store.InUnit(u, err)
	}
	resource := words[0]
	p.Paths = words[1:]
	isType := func(d mutation.Document) bool { return string(d.Info.ResourceType) == resource }
	if len(words) > 1 && slices.ContainsFunc(all, isType) {
		resource += ":" + words[1]
		p.Paths = words[2:]
	} else if of, rest, ok := strings.Cut(resource, ":"); ok {
		if name, path, ok := strings.Cut(rest, ":"); ok && path != "" {
			resource = of + ":" + name
			p.Paths = slices.Concat([]string{path}, words[1:])
		} else if ok {
			resource = of + ":" + name
		}
	}
	var found []mutation.Document
	for _, d := range all {
		if isNamed(&d.Info, resource) {
			found = append(found, d)
		}
	}
	if len(found) == 1 {
		p.Resource = found[0]
		return p, nil
	}
	return nil, p.notOne(all, found, resource)
}

// isNamed reports whether a word such as deploy/web or apps/v1/Deployment:shop/web names a resource.
func isNamed(info *api.ResourceInfo, word string) bool {
	named := func(of, name string) bool {
		if name == "" || name != string(info.ResourceName) && "/"+name != string(info.ResourceName) &&
			name != string(info.ResourceNameWithoutScope) {
			return false
		}
		if of == string(info.ResourceType) || strings.EqualFold(of, configkit.KindOf(info.ResourceType)) {
			return true
		}
		t, ok := typenames.BuiltIn().Find(of)
		return ok && t == info.ResourceType
	}
	for i := range len(word) {
		if (word[i] == ':' || word[i] == '/') && named(word[:i], word[i+1:]) {
			return true
		}
	}
	return false
}

// notOne returns the error for a word that names no resource, or several.
func (p *Place) notOne(all, found []mutation.Document, resource string) error {
	names := func(list []mutation.Document) (names []string) {
		for _, d := range list[:min(len(list), mostNamed)] {
			names = append(names, word(&d.Info))
		}
		return names
	}
	if len(found) > 0 {
		return p.unit.Fail(entity.CodeAmbiguous, "%s has %d resources %s", p.unit.Name(), len(found),
			resource).WithHint(configkit.DidYouMean("", names(found)))
	}
	known := make([]string, len(all))
	for i, d := range all {
		known[i] = word(&d.Info)
	}
	hint := configkit.DidYouMean("", configkit.Suggest(resource, known))
	switch {
	case hint != "":
	case len(all) == 1 && isPath(all[0].Value(), resource):
		hint = "for example " + known[0] + " " + resource
	case len(all) > 0 && len(all) <= mostNamed:
		hint = "its resources are " + strings.Join(known, ", ")
	case len(all) > 0:
		hint = "for example " + known[0]
	}
	return p.unit.Fail(entity.CodeResourceNotFound, "%s has no resource %s", p.unit.Name(), resource).
		WithHint(hint)
}

// mostNamed is the number of resources that a message names.
const mostNamed = 8

// Word returns the word for the resource.
func (p *Place) Word() string { return word(&p.Resource.Info) }

// word returns the word for a resource: KIND/NAME, or TYPE:NAME where that would be unclear.
func word(info *api.ResourceInfo) string {
	name := strings.TrimPrefix(string(info.ResourceName), "/")
	if kind := configkit.KindOf(info.ResourceType); kind != "" && !strings.Contains(name, ":") {
		return kind + "/" + name
	}
	return string(info.ResourceType) + ":" + name
}

// Named returns the path as mutations have it. It is an error if the resource has no value there.
func (p *Place) Named(path string) (api.ResolvedPath, error) {
	parsed, err := yamlpath.Parse(path)
	if err != nil {
		return "", diag.Usage("%s: %w", path, err)
	}
	root := p.Resource.Value()
	var named []api.ResolvedPath
	err = parsed.Resolve(root, yamlpath.Options{NoArguments: true}, func(m *yamlpath.Match) error {
		if m.Value.Exists() {
			named = append(named, mutation.NamedPath(root, m.Segments,
				p.Provider.MergeKeys(p.Resource.Info.ResourceType)))
		}
		return nil
	})
	switch {
	case err != nil:
		return "", diag.Usage("%s: %w", path, err)
	case len(named) == 1:
		return named[0], nil
	case len(named) > 1:
		return "", p.unit.Fail(entity.CodeAmbiguous, "%s names %d values of %s", path, len(named),
			p.Word()).WithHint("the first is " + mutation.PlainPath(named[0]))
	}
	return "", p.unit.Fail(entity.CodePathNotFound, "%s has nothing at %s", p.Word(),
		path).WithHint(nearPath(root, path))
}

// isPath reports whether a value exists at a path.
func isPath(root gaby.Value, path string) bool {
	parsed, err := yamlpath.Parse(path)
	found := false
	if err == nil {
		_ = parsed.Resolve(root, yamlpath.Options{NoArguments: true}, func(m *yamlpath.Match) error {
			found = found || m.Value.Exists()
			return nil
		}) // an error is as good as nothing
	}
	return found
}

// nearPath returns a hint with the existing path that is most like one that leads nowhere: its
// first segment without a value is corrected.
func nearPath(root gaby.Value, path string) string {
	segments := strings.Split(path, ".")
	v := root
	for i, s := range segments {
		next := v.Get(s)
		if next.Exists() {
			v = next
			continue
		}
		var keys []string
		if v.Kind() == gaby.Map {
			for _, e := range v.All() {
				keys = append(keys, e.Key())
			}
		}
		near := configkit.Suggest(s, keys)
		above := strings.Join(segments[:i], ".")
		if above != "" {
			above += "."
		}
		switch {
		case len(near) > 0:
			return configkit.DidYouMean(above, near)
		case v.Kind() == gaby.List:
			return fmt.Sprintf("%s is a list: name an element by its index, or by a key as in "+
				"?name=NAME", strings.TrimSuffix(above, "."))
		case len(keys) > 0 && len(keys) <= mostNamed:
			return "its fields are " + above + strings.Join(keys, ", "+above)
		}
		return ""
	}
	return ""
}

// InfoOf returns a reference as the resource of a binding.
func InfoOf(r entity.ResourceReference) *api.ResourceInfo {
	name := string(r.ResourceName)
	return &api.ResourceInfo{
		ResourceType: r.ResourceType, ResourceName: r.ResourceName,
		ResourceNameWithoutScope: api.ResourceName(name[strings.LastIndex(name, "/")+1:]),
	}
}

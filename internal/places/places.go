// Package places names values in resources by text: [RESOURCE:]PATH. Commands use it for what they
// leave out of a comparison, and for what may change.
//
// Layer: configkit.
package places

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/knowledge/typenames"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Place is a path in all resources, in those of a type, or in those of a name.
type Place struct {
	// Type is a resource type or a kind, empty for all.
	Type string
	// Namespace and Name are patterns, in which * is any text. Empty ones match all.
	Namespace, Name string
	// Path is empty for the whole resource.
	Path string
}

// Parse parses a place: PATH, RESOURCE:PATH or, for whole resources, RESOURCE: or KIND/NAME.
// RESOURCE is TYPE, TYPE:NAME or KIND/NAME, such as apps/v1/Deployment, v1/Secret:shop/* or
// Deployment/web; a type can have the name that kubectl knows, as in deploy:spec.
func Parse(text string) (Place, error) {
	var p Place
	head, rest, cut := strings.Cut(text, ":")
	kind, name := splitType(head)
	if word, rest, _ := strings.Cut(head, "/"); cut && kind == "" {
		if t, ok := typenames.BuiltIn().Find(word); ok { // as in deploy/web:spec
			kind, name = string(t), rest
		}
	}
	switch {
	case kind == "" || !cut && name == "":
		p.Path = text
		if text == "" {
			return p, errors.New("it is empty")
		}
	default:
		p.Type, p.Path = kind, rest
		if before, after, ok := strings.Cut(rest, ":"); name == "" && ok && isName(before) {
			name, p.Path = before, after
		}
		if p.Name = name; strings.Contains(name, "/") {
			p.Namespace, p.Name, _ = strings.Cut(name, "/")
		}
		for _, pattern := range []string{p.Namespace, p.Name} {
			if _, err := path.Match(pattern, ""); err != nil || strings.Contains(pattern, "/") {
				return p, fmt.Errorf("%s is not a name", configkit.Quote(name))
			}
		}
	}
	if p.Path == "" {
		return p, nil
	}
	parsed, err := yamlpath.Parse(p.Path)
	switch {
	case err != nil:
		return p, err
	case parsed.EmbeddedPath() != "":
		return p, fmt.Errorf("path %s leads to a part of a value; a whole value is expected", p.Path)
	case parsed.Arguments() > 0:
		return p, fmt.Errorf("path %s has places for arguments (%%s)", p.Path)
	}
	return p, nil
}

// splitType splits a word into a type or kind and what follows it after a slash. A kind begins with
// a capital and has small letters; without one there is no type.
func splitType(word string) (of, name string) {
	parts := strings.Split(word, "/")
	for i, part := range parts[:min(len(parts), 3)] {
		if part != "" && 'A' <= part[0] && part[0] <= 'Z' && strings.ToUpper(part) != part &&
			!strings.ContainsAny(part, ".?*@|#~") {
			return strings.Join(parts[:i+1], "/"), strings.Join(parts[i+1:], "/")
		}
	}
	return "", ""
}

// isName reports whether a text may be a pattern for a name, not the beginning of a path.
func isName(text string) bool {
	return text != "" && !strings.ContainsAny(text, "?@|#~ ")
}

// Read parses a file of places, one on each line. Empty lines and those that begin with # do not
// count. All errors are reported, with their lines.
func Read(name string, text []byte) (list []Place, err error) {
	var problems diag.List
	number := 0
	for line := range bytes.Lines(text) {
		number++
		entry := strings.TrimSpace(string(line))
		if entry == "" || entry[0] == '#' {
			continue
		}
		p, err := Parse(entry)
		if err != nil {
			failure := diag.Input(name, Hint, err)
			failure.Pos.Line, failure.Pos.Column = number, 1
			problems = append(problems, failure)
		}
		list = append(list, p)
	}
	return list, problems.Err()
}

// Hint is the hint for a text that is not a place.
const Hint = "write spec.replicas, Deployment:spec.replicas or Deployment/web:spec.replicas"

// Matches reports whether the place is in a resource.
func (p *Place) Matches(info *api.ResourceInfo) bool {
	namespace, name := "", string(info.ResourceNameWithoutScope)
	if scope, _, ok := strings.Cut(string(info.ResourceName), "/"); ok {
		namespace = scope
	}
	return matches(p.Name, name) && matches(p.Namespace, namespace) &&
		(p.Type == "" || p.Type == string(info.ResourceType) ||
			p.Type == configkit.KindOf(info.ResourceType))
}

func matches(pattern, text string) bool {
	if pattern == "" || pattern == text {
		return true
	}
	if !strings.ContainsAny(pattern, `*?[\`) {
		return false
	}
	ok, err := path.Match(pattern, text)
	return ok && err == nil
}

// Remove returns the documents without the resources that places name as a whole. In the others it
// deletes the values at the places, and the maps and lists that become empty.
func Remove(
	docs gaby.Container, list []Place, provider configkit.ResourceProvider,
) (gaby.Container, error) {
	if len(list) == 0 {
		return docs, nil
	}
	type group struct {
		docs  gaby.Container
		paths []*api.PathVisitorInfo
	}
	groups := map[string]*group{} // by the indexes of the places
	var order []*group
	whole := map[*gaby.YamlDoc]bool{}
	for _, doc := range docs {
		info, err := provider.ResourceInfo(doc)
		if err != nil {
			continue
		}
		var indexes []int
		var paths []*api.PathVisitorInfo
		for i := range list {
			p := &list[i]
			switch {
			case !p.Matches(&info):
			case p.Path == "":
				whole[doc] = true
			default:
				indexes = append(indexes, i)
				paths = append(paths, &api.PathVisitorInfo{Path: api.UnresolvedPath(p.Path)})
			}
		}
		if len(paths) == 0 || whole[doc] {
			continue
		}
		key := fmt.Sprint(indexes)
		if groups[key] == nil {
			groups[key] = &group{paths: paths}
			order = append(order, groups[key])
		}
		groups[key].docs = append(groups[key].docs, doc)
	}
	var problems []error
	for _, g := range order {
		_, err := yamlkit.PrunePaths(g.docs, configkit.PathSourceFunc(
			func(api.ResourceType) []*api.PathVisitorInfo { return g.paths }), nil, provider)
		problems = append(problems, err)
	}
	if len(whole) > 0 {
		docs = docs.Delete(func(doc *gaby.YamlDoc) bool { return whole[doc] })
	}
	return docs, errors.Join(problems...)
}

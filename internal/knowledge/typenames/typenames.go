// Package typenames finds resource types by the words that kubectl takes: kinds, plurals and short
// names, with or without their group (deploy, deployments.apps, deployment.v1.apps).
//
// Layer: knowledge.
package typenames

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

//go:embed builtin.txt
var builtIn string

// Table has resource types with their names. Earlier types are preferred to later ones.
type Table struct {
	rows []row
}

// row is a type with its names in lower case: the kind, the plural and the short names.
type row struct {
	t     api.ResourceType
	names []string
}

// BuiltIn returns a table of the types of Kubernetes.
func BuiltIn() *Table {
	table := &Table{}
	for line := range strings.Lines(builtIn) {
		if words := strings.Fields(line); len(words) > 1 && words[0] != "#" {
			table.add(api.ResourceType(words[0]), words[1:]...)
		}
	}
	return table
}

// Add adds types that are known by kind only, with the plurals that their kinds suggest. Of several
// versions of a kind, the most stable one is preferred.
func (t *Table) Add(types ...api.ResourceType) {
	sorted := slices.Clone(types)
	slices.SortStableFunc(sorted, func(a, b api.ResourceType) int {
		return cmp.Or(cmp.Compare(instability(a), instability(b)), cmp.Compare(b, a))
	})
	for _, added := range sorted {
		kind := strings.ToLower(configkit.KindOf(added))
		t.add(added, plurals(kind)...)
	}
}

// AddDefinition adds the type that a CustomResourceDefinition defines, with its names. Of its
// versions, the one that is stored is preferred.
func (t *Table) AddDefinition(definition gaby.Value) {
	spec := definition.Get("spec")
	group, names := spec.Get("group").Text(), spec.Get("names")
	kind := names.Get("kind").Text()
	if group == "" || kind == "" {
		return
	}
	words := []string{names.Get("plural").Text(), names.Get("singular").Text()}
	for _, n := range names.Get("shortNames").All() {
		words = append(words, n.Text())
	}
	var versions []string
	for _, v := range spec.Get("versions").All() {
		name := v.Get("name").Text()
		if v.Get("storage").EqualText("true") {
			versions = append([]string{name}, versions...)
		} else {
			versions = append(versions, name)
		}
	}
	for _, version := range versions {
		t.add(api.ResourceType(group+"/"+version+"/"+kind), words...)
	}
}

func (t *Table) add(added api.ResourceType, names ...string) {
	all := []string{strings.ToLower(configkit.KindOf(added))}
	for _, name := range names {
		if name = strings.ToLower(name); name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	t.rows = append(t.rows, row{added, all})
}

// Find returns the type that a word names, in any case. The word may be a resource type, which is
// returned as it is.
func (t *Table) Find(word string) (api.ResourceType, bool) {
	if strings.Contains(word, "/") {
		return api.ResourceType(word), true
	}
	name, group, hasGroup := strings.Cut(strings.ToLower(word), ".")
	for _, r := range t.rows {
		if !slices.Contains(r.names, name) {
			continue
		}
		of, version, _ := configkit.SplitType(r.t)
		if !hasGroup || group == of || group == version+"."+of {
			return r.t, true
		}
	}
	return "", false
}

// Names returns the names of a type, all in lower case: the kind, its plural, the short names and
// the plural with the group.
func (t *Table) Names(of api.ResourceType) []string {
	group, _, _ := configkit.SplitType(of)
	names := []string{strings.ToLower(configkit.KindOf(of))}
	names = append(names, plurals(names[0])[:1]...)
	for _, r := range t.rows {
		if g, _, _ := configkit.SplitType(r.t); g == group && r.names[0] == names[0] {
			names = slices.Clone(r.names)
			break
		}
	}
	if group != "" && len(names) > 1 {
		names = append(names, names[1]+"."+group)
	}
	return names
}

// Suggest returns the kinds that a misspelled word may mean.
func (t *Table) Suggest(word string) []string {
	name, _, hasGroup := strings.Cut(word, ".")
	var kinds, names []string
	for _, r := range t.rows {
		kinds = append(kinds, configkit.KindOf(r.t))
		names = append(names, r.names...)
		if hasGroup && slices.Contains(r.names, strings.ToLower(name)) {
			of, _, _ := configkit.SplitType(r.t)
			return []string{strings.ToLower(name) + strings.TrimSuffix("."+of, ".")}
		}
	}
	slices.Sort(names)
	if meant := configkit.LikelyTypos(strings.ToLower(name), slices.Compact(names)); len(
		meant) > 0 {
		return meant[:min(len(meant), 3)]
	}
	slices.Sort(kinds)
	return configkit.Suggest(name, slices.Compact(kinds))
}

// SuggestType returns the types that a misspelled type of Kubernetes may mean. It returns nothing
// for a type in the table, and for one of a group that may be anybody's.
func (t *Table) SuggestType(typed api.ResourceType) []string {
	var types []string
	ours := false
	group, version, _ := configkit.SplitType(typed)
	for _, r := range t.rows {
		of, ofVersion, _ := configkit.SplitType(r.t)
		if group == of && configkit.KindOf(typed) == configkit.KindOf(r.t) {
			return nil
		}
		ours = ours || group == of && (group != "" || version == ofVersion)
		types = append(types, string(r.t))
	}
	if !ours {
		return nil
	}
	return configkit.LikelyTypos(string(typed), types)
}

// plurals returns the plurals that a kind in lower case may have.
func plurals(kind string) []string {
	switch {
	case strings.HasSuffix(kind, "s"), strings.HasSuffix(kind, "x"), strings.HasSuffix(kind, "ch"):
		return []string{kind + "es"}
	case strings.HasSuffix(kind, "y"):
		return []string{strings.TrimSuffix(kind, "y") + "ies", kind + "s"}
	}
	return []string{kind + "s"}
}

// instability orders versions: v1 before v1beta1 before v1alpha1.
func instability(t api.ResourceType) int {
	_, version, _ := configkit.SplitType(t)
	switch {
	case strings.Contains(version, "alpha"):
		return 2
	case strings.Contains(version, "beta"):
		return 1
	}
	return 0
}

// IsShortName reports whether a word that names a type is neither its kind nor a plural of it.
func IsShortName(t api.ResourceType, word string) bool {
	name, _, _ := strings.Cut(strings.ToLower(word), ".")
	kind := strings.ToLower(configkit.KindOf(t))
	return name != kind && !slices.Contains(plurals(kind), name)
}

// HasVersion reports whether a word that names a type has its version, as in deployment.v1.apps.
func HasVersion(t api.ResourceType, word string) bool {
	_, rest, _ := strings.Cut(strings.ToLower(word), ".")
	group, version, _ := configkit.SplitType(t)
	return group != "" && rest == version+"."+group
}

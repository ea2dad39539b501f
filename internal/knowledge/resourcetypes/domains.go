package resourcetypes

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
)

// WithDomains adds built-in files that are read only when a resource type of their domain is asked
// for. The file DOMAIN.yaml covers the types whose API group ends in that domain: istio.io.yaml
// covers networking.istio.io and security.istio.io. It may use the shapes of other built-in files,
// but its own shapes are private.
func (r *Registry) WithDomains(files fs.FS) *Registry {
	r.domainFiles = files
	return r
}

// documentsAbout returns the documents that may have entries about a type, users' files last.
func (r *Registry) documentsAbout(t string) []document {
	domain := domainOf(t)
	if domain == "" || r.domainFiles == nil {
		return r.documents
	}
	if known, ok := r.domains[domain]; ok {
		return known
	}
	documents := r.domainFile(domain + ".yaml")
	if documents == nil {
		return r.documents
	}
	users := slices.IndexFunc(r.documents, func(d document) bool { return !d.BuiltIn })
	if users < 0 {
		users = len(r.documents)
	}
	if r.domains == nil {
		r.domains = map[string][]document{}
	}
	r.domains[domain] = slices.Concat(r.documents[:users], documents, r.documents[users:])
	return r.domains[domain]
}

// domainFile reads the file of one domain. It returns nil if there is none.
func (r *Registry) domainFile(name string) []document {
	text, err := fs.ReadFile(r.domainFiles, name)
	if err != nil {
		return nil
	}
	return parseDocuments(&TypesFile{Name: name, Text: text, BuiltIn: true})
}

// allDomains reads the files of all domains.
func (r *Registry) allDomains() (all []document) {
	if r.domainFiles == nil {
		return nil
	}
	names, _ := fs.Glob(r.domainFiles, "*.yaml") // an error means a bad pattern
	for _, name := range names {
		all = append(all, r.domainFile(path.Base(name))...)
	}
	return all
}

// OfOperator reports whether only the files of WithDomains have an entry for a type.
func (r *Registry) OfOperator(t api.ResourceType) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parse()
	if r.added[t] != nil {
		return false
	}
	return !slices.ContainsFunc(r.documents, func(d document) bool {
		return d.entry("resourceTypes", string(t)).Exists()
	})
}

// versionsOf returns the other versions of a type that a reference may mean, since references do
// not name a version. These are the types of the same group and kind that are sameAs t.
func (r *Registry) versionsOf(t string) []string {
	return kept(&r.versions, t, func() []string {
		documents := r.documentsAbout(t)
		return slices.DeleteFunc(sameKind(documents, api.ResourceType(t)), func(name string) bool {
			return name == t || !slices.ContainsFunc(documents, func(d document) bool {
				return d.entry("resourceTypes", name, "sameAs").EqualText(t)
			})
		})
	})
}

// typeNames returns the types that the document has entries for, unsorted.
func (d document) typeNames() (names []string) {
	if d.keys == nil {
		for _, t := range d.entry("resourceTypes").All() {
			names = append(names, t.Key())
		}
	}
	for key := range d.keys {
		if key.section == "resourceTypes" && key.key != "" {
			names = append(names, key.key)
		}
	}
	return names
}

// domainOf returns the last two labels of the API group of a type, or "" if it has fewer.
func domainOf(t string) string {
	group, _, _ := configkit.SplitType(api.ResourceType(t))
	last := strings.LastIndexByte(group, '.')
	if last < 0 {
		return ""
	}
	return group[strings.LastIndexByte(group[:last], '.')+1:]
}

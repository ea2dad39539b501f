package exceptions

import (
	"errors"
	"path"
	"slices"
	"strings"
)

// Provided is a resource that the cluster has although the input lacks it, or several of them: its
// kind, with or without the group, its namespace and its name, both of which may have wildcards.
type Provided struct{ kind, namespace, name string }

// errProvided describes the form of an entry of the setting.
var errProvided = errors.New("KIND NAME or KIND NAMESPACE/NAME is expected, such as " +
	"StorageClass standard, Secret shop/db-* or cert-manager.io/Issuer */letsencrypt")

// ParseProvided parses an entry of the setting: KIND NAME, or KIND NAMESPACE/NAME. A * in NAMESPACE
// or NAME means any text. Without NAMESPACE all of them are meant.
func ParseProvided(text string) (Provided, error) {
	words := strings.Fields(text)
	if len(words) != 2 {
		return Provided{}, errProvided
	}
	p := Provided{words[0], "*", words[1]}
	if namespace, name, found := strings.Cut(p.name, "/"); found {
		p.namespace, p.name = namespace, name
	}
	if p.namespace == "" || p.name == "" || strings.Contains(p.name, "/") ||
		strings.ContainsAny(p.kind+p.namespace+p.name, `?[\`) || strings.Contains(p.kind, "*") {
		return Provided{}, errProvided
	}
	return p, nil
}

// Has reports whether the cluster provides a resource that the input lacks, see
// [api.AttributeValue]. A namespace that is not known is like any other.
func (p Provided) Has(missing string) bool {
	kinds, namespace, name := splitMissing(missing)
	return slices.ContainsFunc(kinds, func(kind string) bool {
		return p.kind == kind || p.kind == kind[strings.LastIndexByte(kind, '/')+1:]
	}) && (namespace == "" || matches(p.namespace, namespace)) && matches(p.name, name)
}

func matches(pattern, text string) bool {
	ok, err := path.Match(pattern, text)
	return ok && err == nil
}

// splitMissing returns the possible kinds, the namespace and the name of a missing resource.
func splitMissing(missing string) (kinds []string, namespace, name string) {
	list, name, _ := strings.Cut(missing, " ")
	namespace, rest, found := strings.Cut(name, "/")
	if !found {
		namespace, rest = "", name
	}
	return strings.Split(list, ","), namespace, rest
}

// Propose returns the entries of the setting that provide the missing resources, sorted. A name that
// several namespaces lack is one entry.
func Propose(missing []string) []string {
	namespaces := map[string][]string{} // by kind and name
	for _, m := range missing {
		kinds, namespace, name := splitMissing(m)
		kind := kinds[0]
		if group, short, found := strings.Cut(kind, "/"); found && !strings.Contains(group, ".") ||
			strings.HasSuffix(group, ".k8s.io") {
			kind = short
		}
		key := kind + " " + name
		namespaces[key] = append(namespaces[key], namespace)
	}
	entries := make([]string, 0, len(namespaces))
	for key, in := range namespaces {
		slices.Sort(in)
		in = slices.Compact(in)
		if kind, name, _ := strings.Cut(key, " "); len(in) == 1 && in[0] != "" {
			key = kind + " " + in[0] + "/" + name
		}
		entries = append(entries, key)
	}
	slices.Sort(entries)
	return entries
}

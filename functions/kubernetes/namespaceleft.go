package kubernetes

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// leftNamespaces counts the values of resources that still contain the namespace the resources were in.
type leftNamespaces struct {
	namespaces map[string]bool // that resources were in
	candidates []leftCandidate
	rest       gaby.Container // resources without a namespace
}

// leftCandidate is a document whose text has a namespace more often than as that of the resource.
type leftCandidate struct {
	doc *gaby.YamlDoc
	old string
}

// add looks at a resource that is about to be moved. It reports whether the namespace may be in its values.
func (l *leftNamespaces) add(doc *gaby.YamlDoc, namespace, from, to string) bool {
	if namespace == "" {
		l.rest = append(l.rest, doc)
		return from != ""
	}
	if l.namespaces == nil {
		l.namespaces = map[string]bool{}
	}
	l.namespaces[namespace] = true
	old := cmp.Or(from, namespace)
	if old == to {
		return false
	}
	text := doc.Source()
	if text != nil {
		own := 0
		if namespace == old {
			own = 1
		}
		if wordCount(text, old, own+1) <= own {
			return bytes.IndexByte(text, '\\') >= 0 // escapes may hide it
		}
	}
	l.candidates = append(l.candidates, leftCandidate{doc, old})
	return true
}

// addRest looks at the resources without a namespace, which may name any of those that others were in.
func (l *leftNamespaces) addRest(namespaces []string) {
	for _, old := range namespaces {
		for _, doc := range l.rest {
			if text := doc.Source(); text == nil || wordCount(text, old, 1) > 0 {
				l.candidates = append(l.candidates, leftCandidate{doc, old})
			}
		}
	}
}

// addTexts looks at the texts of resources without a namespace, as addRest does.
func (l *leftNamespaces) addTexts(texts []restText, namespaces []string) {
	parsed := make([]gaby.Container, len(texts))
	for _, old := range namespaces {
		for i, rest := range texts {
			if !rest.edited && wordCount(rest.text, old, 1) == 0 {
				continue
			}
			if parsed[i] == nil {
				parsed[i], _ = gaby.ParseAll(rest.text) // as it was read before
			}
			for _, doc := range parsed[i] {
				l.candidates = append(l.candidates, leftCandidate{doc, old})
			}
		}
	}
}

// leftCount is how many values there are after a move, and which namespaces they contain.
type leftCount struct {
	values int
	names  map[string]bool
}

// count looks into the documents.
func (l *leftNamespaces) count() leftCount {
	c := leftCount{names: map[string]bool{}}
	for _, candidate := range l.candidates {
		yamlkit.Walk(candidate.doc.Value(), nil, func(w *yamlkit.WalkedValue) bool {
			top := len(w.Segments) == 1 && (w.Segments[0] == "apiVersion" || w.Segments[0] == "kind")
			if w.Value.Kind() == gaby.Scalar && !top && wordCount([]byte(w.Value.Text()), candidate.old, 1) > 0 {
				c.values++
				c.names[candidate.old] = true
			}
			return true
		})
	}
	return c
}

func (c *leftCount) add(other leftCount) {
	c.values += other.values
	maps.Copy(c.names, other.names)
}

func (c leftCount) note(fc *api.FunctionContext) {
	if c.values > 0 {
		fc.NoteSum("values still contain the old namespace", c.values, slices.Sorted(maps.Keys(c.names))...)
	}
}

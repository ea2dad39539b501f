package kubernetes

import (
	"bytes"
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

// add looks at a resource that is about to be moved.
func (l *leftNamespaces) add(doc *gaby.YamlDoc, namespace, from, to string) {
	if namespace == "" {
		l.rest = append(l.rest, doc)
		return
	}
	if l.namespaces == nil {
		l.namespaces = map[string]bool{}
	}
	l.namespaces[namespace] = true
	old := namespace
	if from != "" {
		old = from
	}
	if old == to {
		return
	}
	if doc.IsDocument() && !doc.Changed() {
		n := wordCount(gaby.Container{doc}.Text(), old, 2)
		if n == 0 || n == 1 && namespace == old {
			return
		}
	}
	l.candidates = append(l.candidates, leftCandidate{doc, old})
}

// addRest looks at the resources without a namespace, which may name any of those that others were in.
func (l *leftNamespaces) addRest(namespaces []string) {
	for _, old := range namespaces {
		for _, doc := range l.rest {
			if !doc.IsDocument() || doc.Changed() || wordCount(gaby.Container{doc}.Text(), old, 1) > 0 {
				l.candidates = append(l.candidates, leftCandidate{doc, old})
			}
		}
	}
}

// note says how many values there are after the move.
func (l *leftNamespaces) note(fc *api.FunctionContext) {
	count, names := 0, map[string]bool{}
	for _, c := range l.candidates {
		yamlkit.Walk(c.doc.Value(), nil, func(w *yamlkit.WalkedValue) bool {
			top := len(w.Segments) == 1 && (w.Segments[0] == "apiVersion" || w.Segments[0] == "kind")
			if w.Value.Kind() == gaby.Scalar && !top && wordCount([]byte(w.Value.Text()), c.old, 1) > 0 {
				count++
				names[c.old] = true
			}
			return true
		})
	}
	if count > 0 {
		fc.NoteSum("values still contain the old namespace", count, slices.Sorted(maps.Keys(names))...)
	}
}

// wordCount counts how often a namespace is in a text, up to a number. A longer name and an API group that begins with it are other words.
func wordCount(text []byte, namespace string, most int) int {
	word, count, at := []byte(namespace), 0, 0
	for count < most {
		i := bytes.Index(text[at:], word)
		if i < 0 {
			break
		}
		i += at
		at = i + len(namespace)
		if i > 0 && isLabelByte(text[i-1]) {
			continue
		}
		if rest := text[at:]; len(rest) > 0 && (isLabelByte(rest[0]) || rest[0] == '.' && len(rest) > 1 && isLabelByte(rest[1]) && !bytes.HasPrefix(rest, []byte(".svc"))) {
			continue
		}
		count++
	}
	return count
}

package namespaces

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// leftNamespaces counts the values of resources that still contain a former namespace of the
// resources.
type leftNamespaces struct {
	namespaces map[string]bool // in which resources were
	candidates []leftCandidate
	rest       gaby.Container // resources without a namespace
}

// leftCandidate is a document whose text contains a namespace more often than as the one of the
// resource itself.
type leftCandidate struct {
	doc      *gaby.YamlDoc
	isFormer func(namespace string) bool
	above    int // lines of the unit above the text that the document was read from
}

// add considers a resource that is about to be moved. It reports whether the namespace may be in
// the resource's values.
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
			return bytes.IndexByte(text, '\\') >= 0 // escape sequences may hide the namespace
		}
	}
	l.candidates = append(l.candidates, leftCandidate{
		doc: doc, isFormer: func(namespace string) bool { return namespace == old },
	})
	return true
}

// addRest considers the resources without a namespace, which may name any former namespace.
func (l *leftNamespaces) addRest(rest []restText, isFormer func(namespace string) bool) {
	for _, r := range rest {
		if !r.edited && len(namespacesIn(r.text, isFormer)) == 0 {
			continue
		}
		above := 0
		if r.docs == nil {
			r.docs, _ = gaby.ParseAll(r.text) // it was parsed before without an error
			if len(r.docs) > 0 {
				above = r.line - r.docs[0].Position().Line
			}
		}
		for _, doc := range r.docs {
			l.candidates = append(l.candidates, leftCandidate{doc, isFormer, above})
		}
	}
}

// leftCount is the number of values found after a move, the namespaces they contain, and where the
// first of them are.
type leftCount struct {
	values int
	names  map[string]bool
	places []leftPlace
}

type leftPlace struct {
	pos  gaby.Position
	name string
}

// MostPlaces is how many values of a unit that still contain an old name are named with their lines.
const MostPlaces = 100

// count searches the documents.
func (l *leftNamespaces) count() leftCount {
	c := leftCount{names: map[string]bool{}}
	for _, candidate := range l.candidates {
		yamlkit.Walk(candidate.doc.Value(), nil, func(w *yamlkit.Cursor) bool {
			top := len(w.Segments) == 1 &&
				(w.Segments[0] == "apiVersion" || w.Segments[0] == "kind")
			if w.Value.Kind() == gaby.Scalar && !top {
				found := namespacesIn([]byte(w.Value.Text()), candidate.isFormer)
				c.values += len(found)
				maps.Copy(c.names, found)
				pos := w.Value.Position()
				pos.Line += candidate.above
				for name := range found {
					c.places = append(c.places, leftPlace{pos, name})
				}
			}
			return true
		})
	}
	return c
}

// add adds the values and namespaces of other to c.
func (c *leftCount) add(other leftCount) {
	c.values += other.values
	c.places = append(c.places, other.places...)
	maps.Copy(c.names, other.names)
}

// note reports the values, if there are any.
func (c leftCount) note(fc *api.FunctionContext) {
	slices.SortFunc(c.places, func(a, b leftPlace) int {
		return cmp.Or(cmp.Compare(a.pos.Line, b.pos.Line), cmp.Compare(a.pos.Column, b.pos.Column),
			cmp.Compare(a.name, b.name))
	})
	for _, p := range c.places[:min(len(c.places), MostPlaces)] {
		fc.Note(p.pos, "the value still contains "+p.name)
	}
	if c.values > 0 {
		fc.NoteSum("left ", c.values, "value", " with the old namespace",
			slices.Sorted(maps.Keys(c.names))...)
	}
}

// namespacesIn returns the wanted namespaces in a text, as wordCount counts them.
func namespacesIn(text []byte, wanted func(namespace string) bool) map[string]bool {
	var found map[string]bool
	for at := 0; at < len(text); {
		end := at
		for end < len(text) && IsLabelByte(text[end]) {
			end++
		}
		if end == at {
			at++
			continue
		}
		if word := string(text[at:end]); !goesOn(text[end:]) && wanted(word) {
			if found == nil {
				found = map[string]bool{}
			}
			found[word] = true
		}
		at = end
	}
	return found
}

// goesOn reports whether text continues a longer name, such as that of an API group.
func goesOn(text []byte) bool {
	return len(text) > 0 && (IsLabelByte(text[0]) || text[0] == '.' && len(text) > 1 &&
		IsLabelByte(text[1]) && !bytes.HasPrefix(text, []byte(".svc")))
}

// wordCount counts how often a namespace is in a text, but at most to most. It does not count
// longer names that contain it, or API groups that begin with it.
func wordCount(text []byte, namespace string, most int) int {
	word := []byte(namespace)
	count := 0
	for at := 0; count < most; {
		i := bytes.Index(text[at:], word)
		if i < 0 {
			break
		}
		i += at
		at = i + len(word)
		if i > 0 && IsLabelByte(text[i-1]) {
			continue
		}
		if goesOn(text[at:]) {
			continue
		}
		count++
	}
	return count
}

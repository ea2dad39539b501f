package bundle

import (
	"errors"
	"fmt"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/smith/plugin"
)

// Key identifies an object. The namespace of cluster-scoped objects is empty.
type Key struct {
	plugin.GroupVersionKind
	Namespace, Name string
}

// String returns the kind, the name and the namespace.
func (k Key) String() string {
	name := k.Name
	if k.Namespace != "" {
		name = k.Namespace + "/" + name
	}
	return k.Kind + " " + name
}

// anyVersion returns the key without the version: all versions of a type have the same objects.
func (k Key) anyVersion() Key {
	k.Version = ""
	return k
}

// Pool is the objects that were observed. It may be read by several goroutines once it is complete.
type Pool struct {
	objects map[Key]*Observed
	list    []*Observed
}

// Observed is an object as it exists.
type Observed struct {
	Key
	File string

	mu  *sync.Mutex // of the documents of its file
	doc *gaby.YamlDoc
}

// Add adds the objects of a text: documents, a List, or a ResourceList. Documents that are not
// objects are counted. The error is a diag.List.
func (p *Pool) Add(text []byte, file string) (skipped int, err error) {
	docs, err := gaby.ParseAll(text)
	if err != nil {
		return 0, diag.List{unreadable(file, text, err)}
	}
	if p.objects == nil {
		p.objects = map[Key]*Observed{}
	}
	var problems diag.List
	mu := &sync.Mutex{}
	for _, doc := range docs {
		header, err := doc.Header()
		if err != nil {
			problems = append(problems, unreadable(file, text, err))
			continue
		}
		if header.Kind == "" || header.APIVersion == "" || header.Name == "" {
			if err := doc.Check(); err != nil {
				problems = append(problems, unreadable(file, text, err))
			} else if doc.Len() > 0 && !isEmptyList(doc) {
				skipped++
			}
			continue
		}
		o := &Observed{
			Key: Key{
				plugin.NewGroupVersionKind(header.APIVersion, header.Kind),
				header.Namespace, header.Name,
			},
			File: file, mu: mu, doc: doc,
		}
		if first := p.objects[o.Key]; first != nil {
			f := diag.Input(file, "", fmt.Errorf("%s was observed already, at %s", o.Key,
				first.Position()))
			f.Pos, f.Class = o.Position(), api.FailureUsage
			problems = append(problems, f)
			continue
		}
		p.objects[o.Key] = o
		p.list = append(p.list, o)
	}
	problems.Sort()
	return skipped, problems.Err()
}

// isEmptyList reports whether a document is a list of resources without items.
func isEmptyList(doc *gaby.YamlDoc) bool {
	return doc.Value().Get("items").Kind() == gaby.List && doc.Value().Get("items").Len() == 0
}

// Has reports whether an object was observed.
func (p *Pool) Has(key Key) bool {
	return p.find(key.GroupVersionKind, key.Namespace, key.Name) != nil
}

// find returns the object of a type and name in a namespace, or without one; nil if it was not
// observed.
func (p *Pool) find(gvk plugin.GroupVersionKind, namespace, name string) *Observed {
	if p == nil {
		return nil
	}
	if o := p.objects[Key{gvk, namespace, name}]; o != nil {
		return o
	}
	return p.objects[Key{gvk, "", name}]
}

// Position returns where the object is.
func (o *Observed) Position() api.Position {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.doc.Position()
	p.File = o.File
	return p
}

// open returns a copy of the object, since documents cannot be shared between goroutines.
func (o *Observed) open() (gaby.Value, error) {
	o.mu.Lock()
	var text string
	if o.doc.IsDocument() {
		text = o.doc.Content()
	} else {
		text = o.doc.Value().YAML()
	}
	o.mu.Unlock()
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		f := unreadable(o.File, []byte(text), err)
		if start := o.Position().Line; start > 0 {
			f.Pos.Line += start - 1
		}
		return gaby.Value{}, f
	}
	return doc.Value(), nil
}

// errMissing is the error of an object that was not observed.
var errMissing = errors.New("not observed")

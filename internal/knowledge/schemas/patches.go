package schemas

import (
	"bytes"
	"path"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// IsListedPatch reports whether a kustomization among the input files lists a file as a patch, so
// that its documents are parts of resources.
func (l *Library) IsListedPatch(file string) bool {
	i := l.ofRun()
	i.listed.Do(func() {
		i.patches = map[string]bool{}
		for _, f := range i.files() {
			if !bytes.Contains(f.Text, []byte("patches")) {
				continue // the usual case need not be parsed
			}
			for _, doc := range f.documents() {
				if h, err := doc.Header(); err == nil && configkit.IsKustomization(h) {
					i.addPatches(f.Name, doc)
				}
			}
		}
	})
	return i.patches[path.Clean(file)]
}

// documents returns the documents of a file. A kustomization that leaves out its type gets it.
func (f SchemaFile) documents() gaby.Container {
	docs, _ := gaby.ParseAll(f.Text)
	configkit.ImplyKustomization(f.Name, docs)
	return docs
}

// addPatches adds the files that a kustomization lists as patches.
func (i *inputs) addPatches(file string, doc *gaby.YamlDoc) {
	if doc.Check() != nil {
		return
	}
	add := func(v gaby.Value) {
		if v.Kind() == gaby.Scalar {
			i.patches[path.Join(path.Dir(file), v.Text())] = true
		}
	}
	for _, e := range doc.Value().Get("patchesStrategicMerge").All() {
		add(e)
	}
	for _, e := range doc.Value().Get("patches").All() {
		add(e) // as older releases have it
		add(e.Get("path"))
	}
}

// GetsNamespace reports whether a kustomization among the input files that sets a namespace lists a
// file, itself or by way of other kustomizations.
func (l *Library) GetsNamespace(file string) bool {
	return l.ofRun().placed()[path.Clean(file)]
}

// inNamespaces returns the files and directories to which kustomizations give a namespace.
func (i *inputs) inNamespaces() map[string]bool {
	kustomizations := map[string]gaby.Value{} // by directory
	for _, f := range i.files() {
		if !configkit.IsKustomizationFile(f.Name) {
			continue
		}
		for _, doc := range f.documents() {
			if doc.Check() == nil {
				kustomizations[path.Dir(path.Clean(f.Name))] = doc.Value()
			}
		}
	}
	placed := map[string]bool{}
	var list func(dir string)
	list = func(dir string) {
		for _, field := range []string{"resources", "bases", "components"} {
			for _, e := range kustomizations[dir].Get(field).All() {
				if at := path.Join(dir, e.Text()); !placed[at] {
					placed[at] = true
					list(at)
				}
			}
		}
	}
	for dir, kustomization := range kustomizations {
		if kustomization.Get("namespace").Text() != "" {
			list(dir)
		}
	}
	return placed
}

package schemas

import (
	"bytes"
	"path"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// IsListedPatch reports whether a kustomization among the input files lists a file as a patch, so
// that its documents are parts of resources.
func (l *Library) IsListedPatch(file string) bool {
	i := l.ofRun()
	i.listed.Do(func() {
		i.patches = map[string]bool{}
		for _, f := range i.files() {
			if isKustomization(f) {
				i.addPatches(f)
			}
		}
	})
	return i.patches[path.Clean(file)]
}

// isKustomization reports whether a file may be a kustomization with patches.
func isKustomization(f SchemaFile) bool {
	switch path.Base(f.Name) {
	case "kustomization.yaml", "kustomization.yml", "Kustomization":
		return bytes.Contains(f.Text, []byte("patches"))
	}
	return bytes.Contains(f.Text, []byte("kustomize.config.k8s.io/")) &&
		bytes.Contains(f.Text, []byte("patches"))
}

// addPatches adds the files that a kustomization lists as patches.
func (i *inputs) addPatches(f SchemaFile) {
	docs, _ := gaby.ParseAll(f.Text)
	for _, doc := range docs {
		if doc.Check() != nil {
			continue
		}
		add := func(v gaby.Value) {
			if v.Kind() == gaby.Scalar {
				i.patches[path.Join(path.Dir(f.Name), v.Text())] = true
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
}

package configkit

import (
	"path"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

const kustomizeGroup = "kustomize.config.k8s.io/"

// IsKustomizationFile reports whether kustomize reads a file, with slashes in its path, as a
// kustomization. Its documents may then leave out apiVersion and kind.
func IsKustomizationFile(file string) bool {
	switch path.Base(file) {
	case "kustomization.yaml", "kustomization.yml", "Kustomization":
		return true
	}
	return false
}

// IsKustomization reports whether a header is that of a kustomization or of a component of one.
// Neither needs a name.
func IsKustomization(h gaby.Header) bool {
	return (h.Kind == "Kustomization" || h.Kind == "Component") &&
		strings.HasPrefix(h.APIVersion, kustomizeGroup)
}

// CompleteKustomization adds apiVersion and kind to a document of a file that kustomize reads as a
// kustomization, if the document leaves out both.
func CompleteKustomization(file string, doc *gaby.YamlDoc) {
	if !IsKustomizationFile(file) {
		return
	}
	if h, err := doc.Header(); err == nil && h.APIVersion == "" && h.Kind == "" && doc.IsMap() {
		// A document that cannot be edited stays without them.
		_, _ = doc.Set(kustomizeGroup+"v1beta1", "apiVersion")
		_, _ = doc.Set("Kustomization", "kind")
	}
}

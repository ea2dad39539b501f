package configkit

import (
	"path"
	"strings"

	"github.com/fctl-dev/fctl/api"
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

// IsKustomizationType reports whether a type is that of kustomizations or of their components.
func IsKustomizationType(t api.ResourceType) bool {
	version, kind := path.Split(string(t))
	return IsKustomization(gaby.Header{APIVersion: version, Kind: kind})
}

// ImplyKustomization sets the kind of documents in a file that kustomize reads as a kustomization:
// they may leave out apiVersion and kind.
func ImplyKustomization(file string, docs gaby.Container) {
	if !IsKustomizationFile(file) {
		return
	}
	for _, doc := range docs {
		if !doc.IsNull() && doc.IsDocument() {
			doc.Imply(kustomizeGroup+"v1beta1", "Kustomization")
		}
	}
}

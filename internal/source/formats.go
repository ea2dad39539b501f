package source

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
)

// Formats returns the toolchains that a file may have according to its name, the usual one first,
// and none if the name does not say: the method ToolchainsOf of an executor, which knows the
// toolchains of authors. nil means the built-in toolchains.
type Formats func(path string) []api.ToolchainType

func (f Formats) of(path string) []api.ToolchainType {
	if f == nil {
		return functions.ToolchainsOf(path)
	}
	return f(path)
}

// ByName returns the toolchain that a file's name implies, Kubernetes/YAML for a name that implies
// none. It is not sure about JSON, which belongs to an application unless the content is a
// Kubernetes object.
func (f Formats) ByName(path string) (t api.ToolchainType, sure bool) {
	toolchains := f.of(path)
	if len(toolchains) == 0 {
		return api.ToolchainKubernetesYAML, true
	}
	return toolchains[0], len(toolchains) == 1 ||
		!slices.Contains(toolchains, api.ToolchainAppConfigJSON)
}

// Implied reports whether the name of a file implies a toolchain.
func (f Formats) Implied(path string) bool { return len(f.of(path)) > 0 }

// Toolchain returns the toolchain of a file with this name and content.
func (f Formats) Toolchain(path string, data []byte) api.ToolchainType {
	named, sure := f.ByName(path)
	if !sure && !isResource(data) {
		return api.ToolchainAppConfigJSON
	}
	return named
}

package source

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
)

// IsValues reports whether a file has the name of the values of a Helm chart: values.yaml,
// values-prod.yaml, prod.values.yml.
func IsValues(path string) bool {
	base := strings.ToLower(filepath.Base(path))
	name := strings.TrimSuffix(strings.TrimSuffix(base, ".yaml"), ".yml")
	if name == base {
		return false
	}
	for _, separator := range []string{"-", ".", "_"} {
		if strings.HasPrefix(name, "values"+separator) || strings.HasSuffix(name, separator+
			"values") {
			return true
		}
	}
	return name == "values"
}

// HasResource reports whether a YAML text has the fields of a resource.
func HasResource(data []byte) bool {
	return apiVersion().Match(data) && kind().Match(data)
}

var (
	apiVersion = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^["']?apiVersion["']?\s*:`)
	})
	kind = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^["']?kind["']?\s*:`)
	})
)

// IsKustomization reports whether a file has the name that kustomize looks for.
func IsKustomization(path string) bool {
	switch filepath.Base(path) {
	case "kustomization.yaml", "kustomization.yml", "Kustomization":
		return true
	}
	return false
}

// toolchain returns the toolchain of a file that its name implies if every format is read. Values
// of charts are then configuration, not resources.
func (r *Reader) toolchain(path string, data []byte) api.ToolchainType {
	if r.AnyFormat && IsValues(path) {
		return api.ToolchainAppConfigYAML
	}
	return r.Formats.Toolchain(path, data)
}

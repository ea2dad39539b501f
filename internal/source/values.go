package source

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/appkit"
)

// IsNamed reports whether the name of a file says that it is YAML without resources, such as the
// values of a chart.
func IsNamed(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return (ext == ".yaml" || ext == ".yml") && appkit.FileType(path) != ""
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

// toolchain returns the toolchain of a file that its name implies if every format is read. Files
// that names of files tell are then configuration, unless they are resources.
func (r *Reader) toolchain(path string, data []byte) api.ToolchainType {
	if r.AnyFormat && IsNamed(path) &&
		(appkit.FileType(path) == appkit.HelmValues || !HasResource(data)) {
		return api.ToolchainAppConfigYAML
	}
	return r.Formats.Toolchain(path, data)
}

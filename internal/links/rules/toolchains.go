package rules

import (
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
)

// toolchainConfigHub is the format of units that hold entities of ConfigHub. No function runs on
// them; exports of ConfigHub have them.
const toolchainConfigHub api.ToolchainType = "ConfigHub/YAML"

// toolchain is what a workspace knows about a format.
type toolchain struct {
	name      api.ToolchainType
	extension string // of the data, without a dot
}

// toolchains is cached because each unit's file has an extension.
var toolchains = sync.OnceValue(func() []toolchain { //nolint:gochecknoglobals // never changed
	var known []toolchain
	for _, t := range functions.Toolchains() {
		known = append(known, toolchain{t.Name, strings.TrimPrefix(t.Files[0], ".")})
	}
	return append(known, toolchain{toolchainConfigHub, "yaml"})
})

// Toolchains returns the toolchain types that a unit may have: those that functions are built in
// for, with the default one first, and ConfigHub/YAML.
func Toolchains() []api.ToolchainType {
	var names []api.ToolchainType
	for _, t := range toolchains() {
		names = append(names, t.name)
	}
	return names
}

// HasToolchain reports whether a unit may have a toolchain type.
func HasToolchain(t api.ToolchainType) bool { return find(t) >= 0 }

// Extension returns the extension of the data of a toolchain, without a dot.
func Extension(t api.ToolchainType) string {
	if i := find(t); i >= 0 {
		return toolchains()[i].extension
	}
	return "txt"
}

// OfExtension returns the toolchain that the extension of data tells. It reports false for others.
func OfExtension(extension string) (api.ToolchainType, bool) {
	for _, known := range toolchains() {
		if known.extension == extension {
			return known.name, true
		}
	}
	return "", false
}

func find(t api.ToolchainType) int {
	return slices.IndexFunc(toolchains(), func(known toolchain) bool { return known.name == t })
}

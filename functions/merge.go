package functions

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// Merge merges what two people made of the data of a unit, see yamlkit.MergeTexts. The data of a toolchain the executor does not know
// is merged line by line.
func (e *Executor) Merge(t api.ToolchainType, base, ours, theirs []byte, options yamlkit.MergeTextOptions) *yamlkit.MergedText {
	h, err := e.handler(t)
	if err != nil {
		merged := yamlkit.MergeLines(base, ours, theirs, options)
		merged.ByLines = err
		return merged
	}
	return yamlkit.MergeTexts(base, ours, theirs, h.Converter(), h.ResourceProvider(), options)
}

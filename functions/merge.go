package functions

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/merge/textmerge"
)

// Merge performs a three-way merge of the data of a unit, see textmerge.Merge. If the executor does
// not know the toolchain, the data is merged line by line.
func (e *Executor) Merge(
	t api.ToolchainType, base, ours, theirs []byte, options textmerge.Options,
) *textmerge.Merged {
	h, err := e.handler(t)
	if err != nil {
		merged := textmerge.MergeLines(base, ours, theirs, options)
		merged.ByLines = err
		return merged
	}
	return textmerge.Merge(base, ours, theirs, h.Converter(), h.ResourceProvider(), options)
}

package functions

import (
	"bytes"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/sops"
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
	merged := textmerge.Merge(base, ours, theirs, h.Converter(), h.ResourceProvider(), options)
	if len(merged.Conflicts) == 0 && sops.MayContain(merged.Text) &&
		!bytes.Equal(merged.Text, ours) && !bytes.Equal(merged.Text, theirs) {
		var docs [4]gaby.Container
		for i, text := range [][]byte{merged.Text, base, ours, theirs} {
			if docs[i], err = h.Converter().NativeToDocuments(text); err != nil {
				return merged // it was merged by lines, which a note says
			}
		}
		merged.Outdated = sops.CheckMerge(docs[0], docs[1:]...)
	}
	return merged
}

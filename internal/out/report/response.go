package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
)

// renderResponse prints the response as one line of JSON.
func renderResponse(s Terminal, result Result) (Rendered, error) {
	r := result.Response
	whole := *r
	if r.Parts != nil {
		whole.ConfigData = bytes.Join(r.Parts, nil)
	}
	if s.Interactive && result.Secrets != nil {
		if len(whole.ConfigData) > 0 {
			whole.ConfigData = result.Secrets.Text(sensitive.After)
		}
		whole.Mutations = result.Secrets.Mutations(r.Mutations)
		whole.Outputs = slices.Clone(r.Outputs)
		for i, o := range whole.Outputs {
			whole.Outputs[i] = result.Secrets.Returned(o)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(whole); err != nil {
		return Rendered{}, fmt.Errorf("printing the response: %w", err)
	}
	text := bytes.Join(safeJSON(Chunks{b.Bytes()}), nil)
	return Rendered{text: Chunks{s.shown(result, text)}}, nil
}

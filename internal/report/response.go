package report

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// renderResponse prints the response as one line of JSON.
func renderResponse(s Terminal, result Result) (Rendered, error) {
	r := result.Response
	whole := *r
	if r.Parts != nil {
		whole.ConfigData = bytes.Join(r.Parts, nil)
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

package do

import (
	"bytes"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/source"
)

// mentions returns a note for each line of a skipped file that Options.Mentions asks for.
func (l *loop) mentions(unit *source.InputUnit, why source.SkipReason) []api.Note {
	if l.options.Mentions == nil {
		return nil
	}
	message := "a file without resources, which is skipped, has: "
	if why == source.IsTemplate {
		message = "a template, which is skipped, has: "
	}
	var notes []api.Note
	number := 0
	for line := range bytes.Lines(unit.Data) {
		number++
		if text := bytes.TrimSpace(line); l.options.Mentions(text) {
			notes = append(notes, api.Note{
				Pos: api.Position{
					File: unit.File, Line: number, Column: 1 + bytes.Index(line, text),
				},
				Message: message + string(text),
			})
		}
	}
	return notes
}

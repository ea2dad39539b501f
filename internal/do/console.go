package do

import (
	"errors"

	"github.com/fatih/color"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
)

// Console writes problems and notes to the error stream.
type Console struct{ Streams *iostreams.Streams }

// Problems writes problems in the order of their positions.
func (c Console) Problems(problems diag.List) {
	problems.Sort()
	_ = problems.Write(c.Streams.ErrOut, c.style())
}

// Notes writes notes about a file, or about the command if file is empty.
func (c Console) Notes(file string, notes ...api.Note) {
	_ = diag.WriteNotes(c.Streams.ErrOut, file, notes, c.style())
}

// stacks writes the stacks of functions that panicked.
func (c Console) stacks(failures []*api.Failure) {
	for _, f := range failures {
		if p, ok := errors.AsType[*handler.PanicError](f); ok {
			_, _ = c.Streams.ErrOut.Write(p.Stack)
		}
	}
}

func (c Console) style() diag.Style {
	return diag.Style{
		Position: c.Streams.ErrStyle(color.Bold), Hint: c.Streams.ErrStyle(color.FgCyan),
		Caret: c.Streams.ErrStyle(color.FgCyan),
	}
}

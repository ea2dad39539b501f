package run

import (
	"github.com/fatih/color"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diff"
	"github.com/fctl-dev/fctl/internal/iostreams"
)

// starts returns the lines at which resources begin in a text, for the headers of hunks. It returns
// nil for a text that cannot be parsed; its errors are reported elsewhere.
func starts(executor *functions.Executor, toolchain api.ToolchainType, text []byte) []diff.Start {
	unit, err := executor.Open(toolchain, text)
	if err != nil {
		return nil
	}
	lines := unit.ResourceLines()
	starts := make([]diff.Start, len(lines))
	for i, l := range lines {
		starts[i].Line = l.Line
		if l.Resource != nil {
			starts[i].Name = l.Resource.String()
		}
	}
	return starts
}

// DiffStyle returns the colours of a diff on the standard output, which are those of git.
func DiffStyle(streams *iostreams.Streams) diff.Style {
	if !streams.ColorOut() {
		return diff.Style{}
	}
	return diff.Style{
		File:    streams.OutStyle(color.Bold),
		Hunk:    streams.OutStyle(color.FgCyan),
		Label:   streams.OutStyle(color.Bold),
		Old:     streams.OutStyle(color.FgRed),
		New:     streams.OutStyle(color.FgGreen),
		OldWord: streams.OutStyle(color.FgRed, color.ReverseVideo),
		NewWord: streams.OutStyle(color.FgGreen, color.ReverseVideo),
	}
}

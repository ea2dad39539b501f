package cli

import (
	"github.com/fatih/color"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diff"
)

// places tells where resources begin in a text, for the headers of hunks. Of a text that cannot be read it tells nothing: what is
// wrong with it is told elsewhere.
func places(executor *functions.Executor, toolchain api.ToolchainType, text []byte) []diff.Place {
	unit, err := executor.Open(toolchain, text)
	if err != nil {
		return nil
	}
	lines := unit.ResourceLines()
	places := make([]diff.Place, len(lines))
	for i, l := range lines {
		places[i].Line = l.Line
		if l.Resource != nil {
			places[i].Name = l.Resource.String()
		}
	}
	return places
}

// diffStyle are the colours of a diff on the standard output: those of git.
func (a *App) diffStyle() diff.Style {
	if !a.Streams.ColorOut() {
		return diff.Style{}
	}
	return diff.Style{
		File:    a.Streams.OutStyle(color.Bold),
		Hunk:    a.Streams.OutStyle(color.FgCyan),
		Label:   a.Streams.OutStyle(color.Bold),
		Old:     a.Streams.OutStyle(color.FgRed),
		New:     a.Streams.OutStyle(color.FgGreen),
		OldWord: a.Streams.OutStyle(color.FgRed, color.ReverseVideo),
		NewWord: a.Streams.OutStyle(color.FgGreen, color.ReverseVideo),
	}
}

package do

import (
	"github.com/fatih/color"

	"github.com/fctl-dev/fctl/internal/out/diff"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
)

// DiffStyle returns the colours of a diff on the standard output, which are those of git.
func DiffStyle(streams *iostreams.Streams) diff.Colors {
	if !streams.ColorOut() {
		return diff.Colors{}
	}
	return diff.Colors{
		File:    streams.OutStyle(color.Bold),
		Hunk:    streams.OutStyle(color.FgCyan),
		Label:   streams.OutStyle(color.Bold),
		Old:     streams.OutStyle(color.FgRed),
		New:     streams.OutStyle(color.FgGreen),
		OldWord: streams.OutStyle(color.FgRed, color.ReverseVideo),
		NewWord: streams.OutStyle(color.FgGreen, color.ReverseVideo),
	}
}

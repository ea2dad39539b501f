package source

import (
	"bytes"
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
)

// CheckConflict returns an error if a unit has an unresolved conflict between the markers that git
// writes. Units of plain text may be about such markers.
func CheckConflict(u *InputUnit) error {
	if u.Toolchain == api.ToolchainAppConfigText {
		return nil
	}
	begin := markerLine(u.Data, 0, "<<<<<<< ")
	if begin < 0 {
		return nil
	}
	middle := markerLine(u.Data, begin, "=======")
	if middle < 0 {
		return nil
	}
	end := markerLine(u.Data, middle, ">>>>>>> ")
	if end < 0 {
		return nil
	}
	first := 1 + bytes.Count(u.Data[:begin], []byte("\n"))
	last := first + bytes.Count(u.Data[begin:end], []byte("\n"))
	const hint = "keep the lines that are right, and delete the markers; " +
		"'fctl help merging' says how fctl avoids such conflicts"
	f := diag.Input(u.File, hint,
		fmt.Errorf("lines %d to %d are a git conflict that is not resolved", first, last))
	f.Pos.Line, f.Pos.Column = first, 1
	return f
}

// markerLine returns the offset of the first line of data that begins with a marker, at or after
// from, or -1. from is the beginning of a line. It searches for the marker and not for a line feed
// before it: most bytes are then compared with a character that configuration hardly has.
func markerLine(data []byte, from int, marker string) int {
	for at := from; ; at++ {
		i := bytes.Index(data[at:], []byte(marker))
		if i < 0 {
			return -1
		}
		if at += i; at == 0 || data[at-1] == '\n' {
			return at
		}
	}
}

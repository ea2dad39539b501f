package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/out"
)

// renderFull prints the table of success and messages, the configuration if it changed, and the
// output.
func renderFull(s Terminal, result Result) (Rendered, error) {
	r := result.Response
	var b bytes.Buffer
	if result.Unit != "" {
		b.WriteString("UNIT       " + diag.Printable(result.Unit) + "    \n")
	}
	if r.Success {
		b.WriteString("SUCCESS    true    \n")
	} else {
		messages := diag.PrintableLines(strings.Join(r.ErrorMessages, "; ") + "; ")
		fmt.Fprintf(&b, "%-13s    %s    \n", "SUCCESS",
			out.Pad("false", out.Width(messages)))
		fmt.Fprintf(&b, "%-13s    %s    \n", "ERRORMESSAGES", messages)
	}
	if r.Changed {
		b.WriteString("CONFIGDATA\n---------\n")
		for _, part := range r.Pieces() {
			b.Write(part)
		}
	}
	result.Unit = ""
	rendered, err := outputForm(rowsSection)(s, result)
	if err != nil {
		return rendered, err
	}
	var outputs typedSections
	text := append(outputs.add(rendered.sections, result.Signatures), outputs.end(s)...)
	if text.size() > 0 {
		if b.Bytes()[b.Len()-1] != '\n' {
			b.WriteByte('\n')
		}
		b.WriteString("OUTPUT\n------\n")
	}
	return Rendered{text: append(Chunks{b.Bytes()}, text...), apart: true}, nil
}

package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
)

// renderFull prints the table of success and messages, the configuration if it changed, and the
// output.
func renderFull(s Terminal, result Result) (Chunks, error) {
	r := result.Response
	var b bytes.Buffer
	if r.Success {
		b.WriteString("SUCCESS    true    \n")
	} else {
		messages := diag.PrintableLines(strings.Join(r.ErrorMessages, "; ") + "; ")
		fmt.Fprintf(&b, "%-13s    %-*s    \n", "SUCCESS", len(messages), "false")
		fmt.Fprintf(&b, "%-13s    %s    \n", "ERRORMESSAGES", messages)
	}
	if r.Changed {
		b.WriteString("CONFIGDATA\n---------\n")
		for _, part := range configurationParts(r) {
			b.Write(part)
		}
	}
	text, err := outputs(r.Outputs, func(o api.Output) (Chunks, error) {
		return renderOutput(s, result, o)
	})
	if err != nil {
		return nil, err
	}
	if text.size() > 0 {
		if b.Bytes()[b.Len()-1] != '\n' {
			b.WriteByte('\n')
		}
		b.WriteString("OUTPUT\n------\n")
	}
	return append(Chunks{b.Bytes()}, text...), nil
}

func renderFullOfSeveral(s Terminal, r Result) (Rendered, error) {
	text, err := renderFull(s, r)
	return Rendered{text: append(Chunks{[]byte("UNIT       " + diag.Printable(r.Unit) + "    \n")},
		text...), apart: true}, err
}

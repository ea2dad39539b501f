package report

import (
	"bytes"
	"fmt"

	"github.com/fctl-dev/fctl/api"
)

// outputForm returns a render function that prints each output of a unit with print.
func outputForm(print func(Terminal, Result, api.Output) (section, error)) func(Terminal,
	Result) (Rendered, error) {
	return func(s Terminal, r Result) (rendered Rendered, err error) {
		for _, o := range r.Response.Outputs {
			made, err := print(s, r, o)
			if err != nil {
				return rendered, err
			}
			rendered.sections = append(rendered.sections, made)
		}
		return rendered, nil
	}
}

// rowsSection prints an output as rows of an array. In a run with one unit, a value that is not a
// list is printed as it is, and null not at all.
func rowsSection(_ Terminal, r Result, o api.Output) (section, error) {
	made := section{outputType: o.OutputType}
	switch v := o.Value.(type) {
	case nil:
		return made, nil
	case api.YAMLPayload:
		if r.Unit == "" {
			made.lines = []byte(v.Payload)
		} else {
			made.document, made.file = Chunks{[]byte(v.Payload)}, r.File
		}
		return made, nil
	}
	rows, err := rowsOf(o.Value, r.Unit)
	if len(rows) == 0 && r.Unit == "" && err == nil {
		var text []byte
		if text, err = encode(o.Value, ""); string(text) != "null" && string(text) != "[]" {
			made.lines = bytes.Join(safeJSON(Chunks{text, []byte("\n")}), nil)
		}
		made.list = string(text) == "[]"
	} else {
		made.list, made.rows = true, safeJSON(rows)
	}
	if err != nil {
		return made, fmt.Errorf("printing %s: %w", o.OutputType, err)
	}
	return made, nil
}

// tableSection prints an output as rows of a table. An output without rows is printed as JSON.
func tableSection(s Terminal, r Result, o api.Output) (section, error) {
	made := section{outputType: o.OutputType}
	made.head, made.cells = tableOf(r, o, r.Unit)
	if made.head == nil {
		return rowsSection(s, r, o)
	}
	return made, nil
}

// humanSection prints an output for a person on a terminal: findings as lines, attributes as a
// table, everything else as JSON.
func humanSection(s Terminal, r Result, o api.Output) (section, error) {
	switch v := o.Value.(type) {
	case api.ValidationResultList:
		return section{outputType: o.OutputType, lines: s.lines(r, v)}, nil
	case api.AttributeValueList:
		return tableSection(s, r, o)
	}
	return rowsSection(s, r, o)
}

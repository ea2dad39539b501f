package report

import (
	"bytes"
	"fmt"
	"strings"

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
func rowsSection(s Terminal, r Result, o api.Output) (section, error) {
	made := section{outputType: o.OutputType}
	if s.Interactive {
		o = r.Secrets.Returned(o)
	}
	switch v := o.Value.(type) {
	case nil:
		return made, nil
	case api.YAMLPayload:
		if r.Unit == "" {
			made.lines = s.shown(r, []byte(v.Payload))
		} else {
			made.document, made.file = Chunks{s.shown(r, []byte(v.Payload))}, r.File
		}
		return made, nil
	}
	rows, err := rowsOf(o.Value, r.Unit)
	if len(rows) == 0 && r.Unit == "" && err == nil {
		var text []byte
		if text, err = encode(o.Value, ""); string(text) != "null" && string(text) != "[]" {
			made.lines = s.shown(r, bytes.Join(safeJSON(Chunks{text, []byte("\n")}), nil))
		}
		made.list = string(text) == "[]"
	} else {
		made.list, made.rows = true, safeJSON(rows)
		for i := range made.rows {
			made.rows[i] = s.shown(r, made.rows[i])
		}
	}
	if err != nil {
		return made, fmt.Errorf("printing %s: %w", o.OutputType, err)
	}
	return made, nil
}

// shown returns values as their reader sees them: on a terminal without secret values.
func (s Terminal) shown(r Result, text []byte) []byte {
	if !s.Interactive || r.Secrets == nil {
		return text
	}
	return []byte(r.Secrets.Copied(string(text)))
}

// tableSection prints an output as rows of a table. An output without rows is printed as JSON.
func tableSection(s Terminal, r Result, o api.Output) (section, error) {
	made := section{outputType: o.OutputType}
	made.head, made.cells = s.tableOf(r, o, r.Unit)
	if made.head == nil {
		s.Interactive = true // a table is for people, in a pipe as well
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

// renderTable prints what a chain changed and the outputs of its functions as tables. The
// configuration itself is not printed. A result without a chain, which a comparison has, is what
// changed.
func renderTable(s Terminal, r Result) (rendered Rendered, err error) {
	rendered, err = outputForm(tableSection)(s, r)
	if err != nil || len(r.Signatures) > 0 && !mutates(r.Signatures) {
		return rendered, err
	}
	if r.Response.Success && len(r.Response.Mutations) > 0 {
		made, err := tableSection(s, r, api.Output{
			OutputType: api.OutputTypeResourceMutationList, Value: r.Response.Mutations,
		})
		if err != nil {
			return rendered, err
		}
		rendered.sections = append([]section{made}, rendered.sections...)
	}
	return rendered, nil
}

// valueSection prints the values of an output, one per line.
func valueSection(s Terminal, r Result, o api.Output) (section, error) {
	made := section{outputType: o.OutputType}
	line := func(text string) {
		made.lines = append(append(made.lines, strings.TrimSuffix(text, "\n")...), '\n')
	}
	switch v := o.Value.(type) {
	case api.AttributeValueList:
		v = r.Secrets.Attributes(v)
		for i := range v {
			text, ok := v[i].Value.(string)
			if !ok {
				text = cell(v[i].Value)
			}
			line(text)
		}
	case api.ValidationResultList:
		for _, result := range v {
			line(fmt.Sprint(result.Passed))
		}
	case api.ResourceInfoList:
		for _, info := range v {
			line(string(info.ResourceNameWithoutScope))
		}
	case api.ResourceList:
		for i := range v {
			line(string(v[i].ResourceNameWithoutScope))
		}
	default:
		return rowsSection(s, r, o)
	}
	return made, nil
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
)

// Format is a value of -o.
type Format string

// The formats.
const (
	// Data if a function of the chain is mutating, else Output, or the human form on a terminal
	Auto      Format = "auto"
	Data      Format = "data"
	Output    Format = "output"
	Full      Format = "full"
	Response  Format = "response"
	Table     Format = "table"
	Value     Format = "value"
	Name      Format = "name"
	Diff      Format = "diff"      // with KeepSteps it also says which function changed what
	Mutations Format = "mutations" // needs RecordMutations
)

// form is one way to print results: a row of the table below and a file.
type form struct {
	name  Format
	alias string // another value of -o
	text  string // for help
	// render renders a unit without knowledge of the others.
	render func(Terminal, Result) (Rendered, error)
	// outputs reports whether the outputs of functions are printed.
	outputs bool
}

// forms returns the values of -o in the order of help, except auto, which means one of them.
func forms() []form {
	return []form{
		{name: Data, alias: "yaml", text: "the configuration", render: renderData},
		{
			name: Output, alias: "json", text: "what the functions return, as JSON",
			render: outputForm(rowsSection), outputs: true,
		},
		{
			name: Full, text: "configuration and outputs, under headings", render: renderFull,
			outputs: true,
		},
		{
			name: Response, text: "the executor's response, one line of JSON",
			render: renderResponse, outputs: true,
		},
		{
			name: Table, text: "what the functions return or change, as tables",
			render: renderTable, outputs: true,
		},
		{
			name: Value, alias: "lines", text: "values of functions, one per line",
			render: outputForm(valueSection), outputs: true,
		},
		{
			name: Name, text: "the names of the resources that changed, or that have a value",
			render: renderNames, outputs: true,
		},
		{name: Diff, text: "a unified diff of the configuration", render: renderDiff},
		{
			name: Mutations, text: "what changed, value by value, and by which function",
			render: renderMutations,
		},
	}
}

// formOf returns the form of a format for a chain.
func formOf(format Format, terminal Terminal, chain []api.FunctionSignature) form {
	if format == Auto {
		switch {
		case mutates(chain):
			format = Data
		case terminal.Interactive:
			return form{name: Auto, render: outputForm(humanSection), outputs: true}
		default:
			format = Output
		}
	}
	all := forms()
	return all[slices.IndexFunc(all, func(f form) bool { return f.name == format })]
}

// FormatInfo describes a value of -o.
type FormatInfo struct{ Name, Text string }

// Formats returns the values of -o, each alias after its format.
func Formats() []FormatInfo {
	all := []FormatInfo{{
		string(Auto),
		"data if a function is mutating, else output",
	}}
	for _, f := range forms() {
		all = append(all, FormatInfo{string(f.name), f.text})
		if f.alias != "" {
			all = append(all, FormatInfo{f.alias, "the same as " + string(f.name)})
		}
	}
	return all
}

// FormatNames returns the values of -o as a list for help.
func FormatNames() string {
	names := []string{string(Auto)}
	for _, f := range forms() {
		name := string(f.name)
		if f.alias != "" {
			name += " (or " + f.alias + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// ParseFormat parses a value of -o.
func ParseFormat(text string) (Format, error) {
	if text == string(Auto) {
		return Auto, nil
	}
	for _, f := range forms() {
		if text == string(f.name) || text != "" && text == f.alias {
			return f.name, nil
		}
	}
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return "", fmt.Errorf("output format %q is not one of %s", text, strings.Join(names, ", "))
}

// Package report makes the text of the standard output from an executor's
// response. It decides what is printed (-o, --report), never where.
//
// JSON is indented by two, ends in a newline and does not escape <, > and &.
// YAML payloads and configuration are printed as they are, byte for byte. Only
// what a person reads on a terminal depends on the terminal; what is piped is
// the same everywhere.
package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/sensitive"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/diff"
)

// Format is what -o says.
type Format string

// The formats.
const (
	// Auto is the configuration when a function of the chain is mutating, and
	// the functions' output otherwise: on a terminal findings as lines and
	// attributes as a table, else JSON.
	Auto Format = "auto"
	// Data is the configuration, changed or not.
	Data Format = "data"
	// Output is what the functions return, as JSON.
	Output Format = "output"
	// Full is everything under headings: SUCCESS, CONFIGDATA, OUTPUT.
	Full Format = "full"
	// Response is the executor's whole response, as one line of JSON.
	Response Format = "response"
	// Table is what the functions return, as tables.
	Table Format = "table"
	// Name is the names of the changed resources.
	Name Format = "name"
	// Diff is the unified diff of the configuration; of what a request with KeepSteps answers it also tells which function
	// changed what.
	Diff Format = "diff"
	// Mutations is what happened to the configuration, which a request with RecordMutations answers: on a terminal a line for
	// each change, else JSON.
	Mutations Format = "mutations"
)

// FormatInfo describes a value of -o.
type FormatInfo struct{ Name, Text string }

// Formats are the values of -o, an alias after the format it stands for.
func Formats() []FormatInfo {
	return []FormatInfo{
		{"auto", "the configuration when a function changes it, else the functions' output"},
		{"data", "the configuration, changed or not"},
		{"yaml", "the same as data"},
		{"output", "what the functions return, as JSON"},
		{"json", "the same as output"},
		{"full", "everything, under headings"},
		{"response", "the executor's response, one line of JSON"},
		{"table", "what the functions return, as tables"},
		{"name", "the names of the changed resources"},
		{"diff", "a unified diff of the configuration"},
		{"mutations", "what changed, value by value, and by which function"},
	}
}

// ParseFormat reads a value of -o.
func ParseFormat(text string) (Format, error) {
	names := make([]string, 0, 11)
	for _, f := range Formats() {
		if names = append(names, f.Name); f.Name != text {
			continue
		}
		switch text {
		case "yaml":
			return Data, nil
		case "json":
			return Output, nil
		}
		return Format(text), nil
	}
	return "", fmt.Errorf("output format %q is not one of %s", text, strings.Join(names, ", "))
}

// Payload is a text in parts that follow each other: large configuration is
// never put together in one piece.
type Payload [][]byte

func (p Payload) size() int {
	n := 0
	for _, part := range p {
		n += len(part)
	}
	return n
}

// Result is what there is to print about a unit.
type Result struct {
	Unit       string                  // its name
	File       string                  // as messages call it
	Toolchain  api.ToolchainType       // of its configuration
	Signatures []api.FunctionSignature // of the chain's functions
	// Invocations are the steps of the chain: their names are the rules of findings.
	Invocations api.FunctionInvocationList
	Response    *handler.Result
	Before      []byte // the configuration as it was read, for Diff
	// Places tells where resources begin in a text, for Diff.
	Places func(text []byte) []diff.Place
	// Secrets finds the secret values in the configuration, before and after. It is asked for what people read only, and is nil when
	// these may be shown.
	Secrets func() *sensitive.Values
	// Changed finds the resources that are not what they were. It is asked for
	// Name only, because finding them costs a comparison of everything.
	Changed func() ([]api.ResourceInfo, error)
}

// Screen is who reads the text.
type Screen struct {
	Terminal bool                // a person, not a program
	Head     func(string) string // colours headings and places; nil leaves them plain
	Diff     diff.Style
}

func (s Screen) head(text string) string {
	if s.Head == nil {
		return text
	}
	return s.Head(text)
}

// Render makes the payload. A unit with a failed function has no configuration
// to print, except in Full and Response.
func Render(format Format, screen Screen, r Result) (Payload, error) {
	switch format {
	case Full:
		return screen.full(r.Response)
	case Data:
		return configuration(r.Response), nil
	case Output:
		return outputs(r.Response.Outputs, screen.output)
	case Response:
		text, err := response(r.Response)
		return safeJSON(text), err
	case Name:
		return screen.names(r)
	case Diff:
		return Payload{unified(screen, r)}, nil
	case Mutations:
		return mutations(screen, r)
	case Table:
		return outputs(r.Response.Outputs, func(o api.Output) (Payload, error) { return screen.table(r, o) })
	}
	if mutates(r.Signatures) {
		return configuration(r.Response), nil
	}
	print := screen.output
	if screen.Terminal {
		print = func(o api.Output) (Payload, error) { return screen.forAPerson(r, o) }
	}
	return outputs(r.Response.Outputs, print)
}

// Locate writes the file into the positions of the outputs, which the executor
// does not know.
func Locate(outputs api.OutputList, file string) {
	in := func(rows api.AttributeValueList) {
		for i := range rows {
			if rows[i].Position != nil {
				rows[i].Position.File = file
			}
		}
	}
	for _, o := range outputs {
		switch list := o.Value.(type) {
		case api.AttributeValueList:
			in(list)
		case api.ValidationResultList:
			for _, result := range list {
				in(result.FailedAttributes)
				for _, u := range result.Unchecked {
					if u.Position != nil {
						u.Position.File = file
					}
				}
				for i := range result.Places {
					result.Places[i].Position.File = file
				}
			}
		}
	}
}

// mutates tells whether a function of the chain may change something.
func mutates(chain []api.FunctionSignature) bool {
	return slices.ContainsFunc(chain, func(s api.FunctionSignature) bool { return s.Mutating })
}

func configuration(r *handler.Result) Payload {
	if !r.Success {
		return nil
	}
	return configurationParts(r)
}

func configurationParts(r *handler.Result) Payload {
	if r.Parts != nil {
		return r.Parts
	}
	return Payload{r.ConfigData}
}

// outputs prints one output as it is and several each under its type.
func outputs(list api.OutputList, print func(api.Output) (Payload, error)) (Payload, error) {
	var texts []Payload
	var types []api.OutputType
	for _, o := range list {
		text, err := print(o)
		if err != nil {
			return nil, err
		}
		if text.size() > 0 {
			texts, types = append(texts, text), append(types, o.OutputType)
		}
	}
	if len(texts) == 1 {
		return texts[0], nil
	}
	var all Payload
	for i, text := range texts {
		all = append(all, []byte(string(types[i])+":\n"))
		all = append(append(all, text...), []byte("\n"))
	}
	return all, nil
}

// output prints one value, nothing without one. Configuration is printed as it is.
func (s Screen) output(o api.Output) (Payload, error) {
	switch v := o.Value.(type) {
	case nil:
		return nil, nil
	case api.YAMLPayload:
		return Payload{[]byte(v.Payload)}, nil
	}
	text, err := marshal(o.Value)
	if err != nil {
		return nil, fmt.Errorf("printing %s: %w", o.OutputType, err)
	}
	if len(text) == 1 && string(text[0]) == "null\n" {
		return nil, nil
	}
	return safeJSON(text), nil
}

// safeJSON is JSON in which the characters that would do something to a terminal or a log, and that JSON lets stand, are escaped.
func safeJSON(text Payload) Payload {
	for i := range text {
		if mayHaveControls(text[i]) {
			text[i] = controls.ReplaceAllFunc(text[i], func(c []byte) []byte {
				r, _ := utf8.DecodeRune(c)
				return fmt.Appendf(nil, "\\u%04x", r)
			})
		}
	}
	return text
}

// controls are DEL, C1 and the marks that change the direction of text.
var controls = regexp.MustCompile(`[\x{7f}-\x{9f}\x{61c}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`)

// mayHaveControls looks for the bytes with which controls begin. Most text has none, and then nothing slower is asked.
func mayHaveControls(text []byte) bool {
	for _, c := range []byte{0x7f, 0xc2, 0xd8, 0xe2} {
		if bytes.IndexByte(text, c) >= 0 {
			return true
		}
	}
	return false
}

// full prints the table of success and messages, the configuration if it
// changed, and the output.
func (s Screen) full(r *handler.Result) (Payload, error) {
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
	text, err := outputs(r.Outputs, s.output)
	if err != nil {
		return nil, err
	}
	if text.size() > 0 {
		if b.Bytes()[b.Len()-1] != '\n' {
			b.WriteByte('\n')
		}
		b.WriteString("OUTPUT\n------\n")
	}
	return append(Payload{b.Bytes()}, text...), nil
}

// response prints the response as it travels, in one line.
func response(r *handler.Result) (Payload, error) {
	whole := *r
	if r.Parts != nil {
		whole.ConfigData = bytes.Join(r.Parts, nil)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(whole); err != nil {
		return nil, fmt.Errorf("printing the response: %w", err)
	}
	return safeJSON(Payload{b.Bytes()}), nil
}

// unified prints what changed, if anything did.
func unified(screen Screen, r Result) []byte {
	if !r.Response.Success || !r.Response.Changed {
		return nil
	}
	f := diff.File{
		Name:   strings.TrimLeft(path.Clean(filepath.ToSlash(r.File)), "/"),
		Before: r.Before, After: bytes.Join(configuration(r.Response), nil),
		Places: r.Places, Style: screen.Diff,
	}
	if screen.Terminal || screen.Diff.Old != nil {
		f.Shown = r.shown
	}
	for i, step := range r.Response.Steps {
		text := func() []byte { return f.After }
		if i < len(r.Response.Steps)-1 {
			text = func() []byte { return bytes.Join(step.Parts, nil) }
		}
		ran := r.Response.Functions[step.Index]
		f.Steps = append(f.Steps, diff.Step{Name: api.InvocationLabel(ran.FunctionName, ran.Invocation), Text: text})
	}
	return diff.Unified(f)
}

// shown are the texts of the configuration as people see them.
func (r Result) shown(before, after []byte) ([]byte, []byte) {
	if secrets := r.secrets(); secrets != nil {
		return secrets.Text(sensitive.Before), secrets.Text(sensitive.After)
	}
	return before, after
}

// secrets are the values that people do not see, nil when there are none.
func (r Result) secrets() *sensitive.Values {
	if r.Secrets == nil {
		return nil
	}
	return r.Secrets()
}

// names prints the changed resources as kubectl names them, each name once.
func (s Screen) names(r Result) (Payload, error) {
	if !r.Response.Success || !r.Response.Changed {
		return nil, nil
	}
	changed, err := r.Changed()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	seen := map[string]bool{}
	for _, info := range changed {
		if name := shortName(info); !seen[name] {
			seen[name] = true
			if s.Terminal {
				name = diag.Printable(name)
			}
			b.WriteString(name + "\n")
		}
	}
	return Payload{b.Bytes()}, nil
}

// shortName is kind.group/name, and kind/name of what has no group. Types of
// other toolchains have no group and stay as they are.
func shortName(info api.ResourceInfo) string {
	kind := string(info.ResourceType)
	if parts := strings.Split(kind, "/"); len(parts) > 1 {
		kind = strings.ToLower(parts[len(parts)-1])
		if len(parts) == 3 {
			kind += "." + parts[0]
		}
	}
	return kind + "/" + string(info.ResourceNameWithoutScope)
}

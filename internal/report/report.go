// Package report makes the text of the standard output from an executor's
// response. It decides what is printed (-o), never where.
//
// JSON is indented by two, ends in a newline and does not escape <, > and &.
// YAML payloads and configuration are printed as they are, byte for byte.
package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/functions/api"
)

// Format is what -o says.
type Format string

// The formats.
const (
	// Auto is the configuration when a function of the chain is mutating, and
	// the functions' output otherwise.
	Auto Format = "auto"
	// Data is the configuration, changed or not.
	Data Format = "data"
	// Output is what the functions return.
	Output Format = "output"
	// Full is everything under headings: SUCCESS, CONFIGDATA, OUTPUT.
	Full Format = "full"
)

// Formats are the values of -o, aliases last.
func Formats() []string {
	return []string{string(Auto), string(Data), string(Output), string(Full), "yaml", "json"}
}

// ParseFormat reads a value of -o.
func ParseFormat(text string) (Format, error) {
	switch f := Format(text); f {
	case Auto, Data, Output, Full:
		return f, nil
	case "yaml":
		return Data, nil
	case "json":
		return Output, nil
	}
	return "", fmt.Errorf("output format %q is not one of %s", text, strings.Join(Formats(), ", "))
}

// Payload is a text in parts that follow each other: large configuration is
// never put together in one piece.
type Payload [][]byte

// Render makes the payload. signatures are those of the chain's functions.
// The notes name output that the format leaves out. A unit with a failed
// function has no configuration to print, except in full.
func Render(format Format, signatures []api.FunctionSignature, r *api.FunctionInvocationResponse) (Payload, []api.Note, error) {
	switch format {
	case Full:
		text, err := full(r)
		return Payload{text}, nil, err
	case Data:
		return configuration(r), nil, nil
	case Output:
		text, err := outputs(r.Outputs)
		return Payload{text}, nil, err
	}
	for _, s := range signatures {
		if s.Mutating {
			return configuration(r), leftOut(signatures), nil
		}
	}
	text, err := outputs(r.Outputs)
	return Payload{text}, nil, err
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
			}
		}
	}
}

func configuration(r *api.FunctionInvocationResponse) Payload {
	if !r.Success {
		return nil
	}
	return configurationParts(r)
}

func configurationParts(r *api.FunctionInvocationResponse) Payload {
	if r.Parts != nil {
		return r.Parts
	}
	return Payload{r.ConfigData}
}

// leftOut names the functions whose output auto does not show beside the configuration.
func leftOut(signatures []api.FunctionSignature) []api.Note {
	var notes []api.Note
	seen := map[string]bool{}
	for _, s := range signatures {
		if s.OutputInfo != nil && !s.Mutating && !seen[s.FunctionName] {
			seen[s.FunctionName] = true
			notes = append(notes, api.Note{Function: s.FunctionName, Message: "its output is not shown beside the configuration; -o output prints it"})
		}
	}
	return notes
}

// outputs prints one output as it is and several each under its type.
func outputs(list api.OutputList) ([]byte, error) {
	var texts [][]byte
	var types []api.OutputType
	for _, o := range list {
		text, err := output(o)
		if err != nil {
			return nil, err
		}
		if len(text) > 0 {
			texts, types = append(texts, text), append(types, o.OutputType)
		}
	}
	if len(texts) == 1 {
		return texts[0], nil
	}
	var b bytes.Buffer
	for i, text := range texts {
		fmt.Fprintf(&b, "%s:\n%s\n", types[i], text)
	}
	return b.Bytes(), nil
}

// output prints one value; nothing when there is none.
func output(o api.Output) ([]byte, error) {
	switch v := o.Value.(type) {
	case nil:
		return nil, nil
	case api.YAMLPayload:
		return []byte(v.Payload), nil
	}
	text, err := marshal(o.Value)
	if err != nil {
		return nil, fmt.Errorf("printing %s: %w", o.OutputType, err)
	}
	if string(text) == "null\n" {
		return nil, nil
	}
	return text, nil
}

// full prints the table of success and messages, the configuration if it
// changed, and the output.
func full(r *api.FunctionInvocationResponse) ([]byte, error) {
	var b bytes.Buffer
	if r.Success {
		b.WriteString("SUCCESS    true    \n")
	} else {
		messages := strings.Join(r.ErrorMessages, "; ") + "; "
		fmt.Fprintf(&b, "%-13s    %-*s    \n", "SUCCESS", len(messages), "false")
		fmt.Fprintf(&b, "%-13s    %s    \n", "ERRORMESSAGES", messages)
	}
	if r.Changed {
		b.WriteString("CONFIGDATA\n---------\n")
		for _, part := range configurationParts(r) {
			b.Write(part)
		}
	}
	text, err := outputs(r.Outputs)
	if err != nil {
		return nil, err
	}
	if len(text) > 0 {
		if b.Bytes()[b.Len()-1] != '\n' {
			b.WriteByte('\n')
		}
		b.WriteString("OUTPUT\n------\n")
		b.Write(text)
	}
	return b.Bytes(), nil
}

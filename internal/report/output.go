package report

import (
	"fmt"

	"github.com/fctl-dev/fctl/api"
)

// eachOutput turns a function that prints one output into one that prints all outputs of a unit.
func eachOutput(print func(Terminal, Result, api.Output) (Chunks, error)) func(Terminal,
	Result) (Chunks, error) {
	return func(s Terminal, r Result) (Chunks, error) {
		return outputs(r.Response.Outputs, func(o api.Output) (Chunks, error) {
			return print(s, r, o)
		})
	}
}

// sectionsOf turns a function that prints one output into one that prints all outputs of one of
// several units.
func sectionsOf(print func(Terminal, Result, api.Output) (section, error)) func(Terminal,
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

// outputs prints a single output as it is, and each of several under its type.
func outputs(list api.OutputList, print func(api.Output) (Chunks, error)) (Chunks, error) {
	var texts []Chunks
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
	var all Chunks
	for i, text := range texts {
		all = append(all, []byte(string(types[i])+":\n"))
		all = append(append(all, text...), []byte("\n"))
	}
	return all, nil
}

// renderOutput prints the value of an output, nothing if there is none. Configuration is printed as
// it is.
func renderOutput(_ Terminal, _ Result, o api.Output) (Chunks, error) {
	switch v := o.Value.(type) {
	case nil:
		return nil, nil
	case api.YAMLPayload:
		return Chunks{[]byte(v.Payload)}, nil
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

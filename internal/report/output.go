package report

import (
	"fmt"

	"github.com/fctl-dev/fctl/api"
)

// eachOutput turns a function that prints one output into one that prints all outputs of a unit.
func eachOutput(print func(Screen, Result, api.Output) (Payload, error)) func(Screen,
	Result) (Payload, error) {
	return func(s Screen, r Result) (Payload, error) {
		return outputs(r.Response.Outputs, func(o api.Output) (Payload, error) {
			return print(s, r, o)
		})
	}
}

// sectionsOf turns a function that prints one output into one that prints all outputs of one of
// several units.
func sectionsOf(print func(Screen, Result, api.Output) (section, error)) func(Screen,
	Result) (Piece, error) {
	return func(s Screen, r Result) (piece Piece, err error) {
		for _, o := range r.Response.Outputs {
			made, err := print(s, r, o)
			if err != nil {
				return piece, err
			}
			piece.sections = append(piece.sections, made)
		}
		return piece, nil
	}
}

// outputs prints a single output as it is, and each of several under its type.
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

// renderOutput prints the value of an output, nothing if there is none. Configuration is printed as
// it is.
func renderOutput(_ Screen, _ Result, o api.Output) (Payload, error) {
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

package report

import "github.com/fctl-dev/fctl/api"

// human is the form of outputs on a terminal.
func human() form {
	return form{
		name: Auto, render: eachOutput(renderHuman), renderOfSeveral: sectionsOf(humanSection),
		outputs: true,
	}
}

// renderHuman prints an output on a terminal: findings as lines, attributes and resources as a
// table, everything else as it is.
func renderHuman(s Terminal, r Result, o api.Output) (Chunks, error) {
	switch v := o.Value.(type) {
	case api.ValidationResultList:
		return Chunks{s.lines(r, v)}, nil
	case api.AttributeValueList:
		return renderTable(s, r, o)
	}
	return renderOutput(s, r, o)
}

// humanSection prints an output as renderHuman does.
func humanSection(s Terminal, r Result, o api.Output) (section, error) {
	if v, ok := o.Value.(api.ValidationResultList); ok {
		return section{outputType: o.OutputType, lines: s.lines(r, v)}, nil
	}
	if _, ok := o.Value.(api.AttributeValueList); ok {
		return tableSection(s, r, o)
	}
	return rowsSection(s, r, o)
}

package report

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
)

// section is the rendered form of one output of one unit.
type section struct {
	outputType api.OutputType
	list       bool   // an array of rows, which may be empty
	rows       Chunks // of a JSON array, from the newline before the first row on
	head       []string
	cells      [][]string // of a table
	lines      []byte     // text without a common frame
	file       string
	document   Chunks // YAML; the documents of all units form one stream
}

// typedSections groups sections by type, in the order in which the types first appeared.
type typedSections struct{ groups []*group }

// group is the sections of one type.
type group struct {
	section
	stream  stream
	text    Chunks // held back until the end
	started bool   // the array has a row
	now     bool   // the text is printed at once
}

// add returns what can be printed now. That is everything, except tables, as long as the chain
// promises, and the first unit has, outputs of one type.
func (s *typedSections) add(of []section, chain []api.FunctionSignature) Chunks {
	var now Chunks
	for _, section := range of {
		i := slices.IndexFunc(s.groups, func(g *group) bool {
			return sameRows(g.outputType, section.outputType)
		})
		if i < 0 {
			i = len(s.groups)
			g := &group{section: section, now: len(s.groups)+len(of) == 1 &&
				outputTypes(chain) <= 1}
			g.cells = nil
			s.groups = append(s.groups, g)
		}
		g := s.groups[i]
		g.list = g.list || section.list
		if g.head == nil {
			g.head = section.head
		}
		g.cells = append(g.cells, section.cells...)
		text := g.textOf(section)
		if g.now {
			now = append(now, text...)
		} else {
			g.text = append(g.text, text...)
		}
	}
	return now
}

// sameRows reports whether outputs of two types have the same rows: a validation result counts as a
// list of one.
func sameRows(a, b api.OutputType) bool {
	isResult := func(t api.OutputType) bool {
		return t == api.OutputTypeValidationResult || t == api.OutputTypeValidationResultList
	}
	return a == b || isResult(a) && isResult(b)
}

// outputTypes returns how many types of outputs a chain promises.
func outputTypes(chain []api.FunctionSignature) int {
	var types []api.OutputType
	for _, s := range chain {
		if s.OutputInfo != nil && !slices.ContainsFunc(types, func(t api.OutputType) bool {
			return sameRows(t, s.OutputInfo.OutputType)
		}) {
			types = append(types, s.OutputInfo.OutputType)
		}
	}
	return len(types)
}

// textOf returns the text of a section after those of earlier units.
func (g *group) textOf(s section) Chunks {
	switch {
	case s.document != nil:
		return g.stream.next(s.file, true, s.document)
	case len(s.rows) > 0:
		separator := ","
		if !g.started {
			separator = "["
		}
		g.started = true
		return append(Chunks{[]byte(separator)}, s.rows...)
	}
	if len(s.lines) == 0 {
		return nil
	}
	return Chunks{s.lines}
}

// end returns what was held back: tables, the ends of arrays and, with several types, everything.
func (s *typedSections) end(terminal Terminal) Chunks {
	var all Chunks
	rest := s.groups
	if len(rest) > 0 && rest[0].now {
		all, rest = rest[0].end(terminal), rest[1:]
	}
	var parts []Chunks
	var types []api.OutputType
	for _, g := range rest {
		if text := append(g.text, g.end(terminal)...); len(text) > 0 {
			parts, types = append(parts, text), append(types, g.outputType)
		}
	}
	if len(parts) == 1 && len(all) == 0 {
		return parts[0]
	}
	for i, part := range parts {
		all = append(all, []byte(string(types[i])+":\n"))
		all = append(append(all, part...), []byte("\n"))
	}
	return all
}

// end returns the part of a group that depends on all units.
func (g *group) end(terminal Terminal) Chunks {
	switch {
	case g.head != nil:
		return Chunks{terminal.table(terminal.pickColumns(g.head, g.cells))}
	case g.started:
		return Chunks{[]byte("\n]\n")}
	case g.list:
		return Chunks{[]byte("[]\n")}
	}
	return nil
}

package report

import (
	"strings"

	"github.com/fctl-dev/fctl/api"
)

// Printer prints the results of a run: that of a single unit as Render does, those of several units
// one after the other, or together if they form one text.
//
//   - Configuration is one stream of documents. A comment with the name of its file precedes that
//     of each unit.
//   - Outputs are one array for each type. Each row has a field Unit; tables have a column for it.
//   - A report is one report.
//   - Everything else is printed in the order of the units.
type Printer struct {
	Format Format
	Report Kind // if empty, Format decides
	Screen Screen
	// Several says that there are, or may be, several units.
	Several bool
	// Signatures are those of the functions of the chain.
	Signatures []api.FunctionSignature
	// Elsewhere says that the configuration is written to files, Silent that nothing is printed.
	Elsewhere, Silent bool

	stream   stream
	sections sections
	results  []Result // for Report
	units    int      // printed so far
}

// Piece is what is printed about one unit, rendered without knowledge of the others.
type Piece struct {
	text     Payload
	document bool      // text is configuration
	apart    bool      // an empty line comes before text
	sections []section // outputs, which are printed together with those of other units
	result   Result    // the result it was rendered from
}

// Piece renders a unit. It can be called concurrently.
func (p *Printer) Piece(r Result) (Piece, error) {
	if p.Report != "" {
		return Piece{result: r.withoutData()}, nil
	}
	if !p.Several {
		text, err := Render(p.Format, p.Screen, r)
		return Piece{text: text}, err
	}
	f := formOf(p.Format, p.Screen, r.Signatures)
	if f.piece != nil {
		return f.piece(p.Screen, r)
	}
	text, err := f.render(p.Screen, r)
	return Piece{text: text}, err
}

// Print returns what to write at the turn of a unit.
func (p *Printer) Print(piece Piece) Payload {
	p.units++
	switch {
	case p.Report != "":
		p.results = append(p.results, piece.result)
		return nil
	case piece.document:
		return p.stream.next(piece.result.File, piece.result.isYAML(), piece.text)
	case piece.sections != nil:
		return p.sections.add(piece.sections, p.Signatures)
	case piece.apart && p.units > 1:
		return append(Payload{[]byte("\n")}, piece.text...)
	}
	return piece.text
}

// End returns what to write after the last unit.
func (p *Printer) End() (Payload, error) {
	if p.Report != "" {
		text, err := RenderReport(p.Report, p.results)
		return Payload{text}, err
	}
	return p.sections.end(p.Screen), nil
}

func (r Result) isYAML() bool { return strings.HasSuffix(string(r.Toolchain), "/YAML") }

// withoutData returns the result without the configuration, which reports do not need.
func (r Result) withoutData() Result {
	response := *r.Response
	response.ConfigData, response.Parts, response.Steps = nil, nil, nil
	r.Response, r.Before, r.Changed, r.BeforePlaces, r.AfterPlaces, r.Secrets = &response, nil, nil,
		nil, nil, nil
	return r
}

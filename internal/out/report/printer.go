package report

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
)

// Printer prints the results of a run: those of several units one after the other, or together if
// they form one text.
//
//   - Configuration is one stream of documents. A comment with the name of its file precedes that
//     of each unit.
//   - Outputs are one array for each type. Each row has a field Unit; tables have a column for it.
//   - A report is one report.
//   - Everything else is printed in the order of the units.
type Printer struct {
	Format   Format
	Report   Kind // if empty, Format decides
	Terminal Terminal
	// Dir is the directory that the comments with the names of files are relative to, so that -C
	// does not change configuration; empty for the working directory.
	Dir string
	// Several says that there are, or may be, several units.
	Several bool
	// Signatures are those of the functions of the chain.
	Signatures []api.FunctionSignature
	// Elsewhere says that the configuration is written to files, Silent that nothing is printed.
	Elsewhere, Silent bool
	// Verbose and Quiet say how much a text report has: what passed, and no totals.
	Verbose, Quiet bool

	stream   stream
	sections typedSections
	results  []Result // for Report, except Text
	totals   totals   // for Text
	joined   map[lack]*places
	units    int // printed so far
}

// MasksValues reports whether the printed form of a result masks secret values. Results of
// validations are masked before they are printed.
func (p *Printer) MasksValues(r Result) bool {
	switch f := formOf(p.Format, p.Terminal, r.Signatures); {
	case p.Silent, p.Report != "":
		return false
	case f.name == Diff:
		return r.Response.Changed && p.Terminal.showsDiff()
	case f.name == Data, f.name == Name:
		return false
	case f.name == Table && len(r.Response.Mutations) > 0:
		return true
	case f.name != Table:
		return p.Terminal.Interactive
	default:
		return slices.ContainsFunc(r.Response.Outputs, func(o api.Output) bool {
			switch o.Value.(type) {
			case api.ValidationResultList, api.ResourceInfoList, api.ResourceList:
				return false // names and masked values
			}
			return true
		})
	}
}

// ForPeople reports whether the printer writes text that no program reads.
func (p *Printer) ForPeople() bool {
	switch f := formOf(p.Format, p.Terminal, p.Signatures); {
	case p.Report != "":
		return p.Report == Text
	case f.name == Diff:
		return p.Terminal.showsDiff()
	case f.name == Mutations:
		return p.Terminal.Interactive
	default:
		return f.name == Table || f.name == Auto
	}
}

// Lines reports whether the printer writes data as lines, which programs read.
func (p *Printer) Lines() bool {
	return p.Report == "" && (p.Format == Value || p.Format == Name)
}

// Rendered is what is printed about one unit, rendered without knowledge of the others.
type Rendered struct {
	text     Chunks
	document bool      // text is configuration
	apart    bool      // an empty line comes before text
	sections []section // outputs, which are printed together with those of other units
	result   Result    // the result it was rendered from
}

// Render renders a unit. It can be called concurrently.
func (p *Printer) Render(r Result) (Rendered, error) {
	if p.Report != "" {
		return Rendered{result: r.withoutData()}, nil
	}
	if !p.Several {
		r.Unit = "" // the output does not name the only unit
	}
	return formOf(p.Format, p.Terminal, r.Signatures).render(p.Terminal, r)
}

// sourceName returns the name of a file in the comment that precedes its documents.
func (p *Printer) sourceName(file string) string {
	rel, err := filepath.Rel(p.Dir, file)
	if p.Dir == "" || err != nil || filepath.IsAbs(file) && !filepath.IsLocal(rel) {
		return file
	}
	return diag.FileName(rel)
}

// Print returns what to write at the turn of a unit.
func (p *Printer) Print(rendered Rendered) Chunks {
	p.units++
	var passed []byte
	if p.Report == Text && p.Verbose {
		passed = p.Terminal.passed(rendered.result, rendered.result.results())
	}
	var found []finding
	if p.Report != "" && p.Report != Combined {
		if p.joined == nil {
			p.joined = map[lack]*places{}
		}
		found = rendered.result.join(p.joined)
	}
	switch {
	case p.Report == Text:
		return Chunks{append(p.textUnit(rendered.result, found), passed...)}
	case p.Report != "":
		p.results = append(p.results, rendered.result)
		return nil
	case rendered.document && p.Several:
		return p.stream.next(p.sourceName(rendered.result.File), rendered.result.isYAML(), rendered.text)
	case rendered.sections != nil:
		return p.sections.add(rendered.sections, p.Signatures)
	case rendered.apart && p.units > 1:
		return append(Chunks{[]byte("\n")}, rendered.text...)
	}
	return rendered.text
}

// End returns what to write after the last unit.
func (p *Printer) End() (Chunks, error) {
	if p.Report == Text {
		return Chunks{p.textEnd()}, nil
	}
	if p.Report != "" {
		text, err := RenderReport(p.Report, p.results)
		return Chunks{text}, err
	}
	return p.sections.end(p.Terminal), nil
}

func (r Result) isYAML() bool { return strings.HasSuffix(string(r.Toolchain), "/YAML") }

// withoutData returns the result without the configuration, which reports do not need.
func (r Result) withoutData() Result {
	response := *r.Response
	response.ConfigData, response.Parts, response.Steps = nil, nil, nil
	r.Response, r.Before, r.Changed, r.Starts, r.Secrets = &response, nil, nil, nil, nil
	return r
}

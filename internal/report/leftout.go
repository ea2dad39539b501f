package report

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
)

// LeftOut is what is worth knowing about a unit and not in what is printed about it.
type LeftOut struct {
	Notes []api.Note // outputs, or configuration, that are there and not shown
	// Failed are the results that did not pass, a line for each thing that was found. They are no notes, as they decide how the
	// run ends.
	Failed []byte
}

// LeftOut tells what the printer leaves out of a result. It can be called concurrently. The screen is where that is told.
func (p *Printer) LeftOut(screen Screen, r Result) (left LeftOut) {
	switch {
	case !p.showsOutputs(r.Signatures):
		left.Failed = failedOutputs(screen, r)
		if p.Silent || p.Format != Data {
			left.Notes = outputsLeftOut(r)
		}
	case p.configurationLeftOut(r):
		left.Notes = []api.Note{{Message: "the configuration was changed and is not shown; -o data prints it"}}
	}
	return left
}

// showsOutputs tells whether what the functions of a chain return is printed.
func (p *Printer) showsOutputs(chain []api.FunctionSignature) bool {
	switch {
	case p.Silent:
		return false
	case p.Report != "":
		return true
	}
	return formOf(p.Format, p.Screen, chain).outputs
}

// configurationLeftOut tells whether the chain did nothing but change the configuration, which is not shown.
func (p *Printer) configurationLeftOut(r Result) bool {
	onlyOutputs := p.Report == "" && (p.Format == Output || p.Format == Table)
	return onlyOutputs && !p.Elsewhere && r.Response.Success && r.Response.Changed && len(r.Response.Outputs) == 0
}

// outputsLeftOut names the functions whose output is not shown. What did not pass is told, which is all there is to say about it.
func outputsLeftOut(r Result) []api.Note {
	var notes []api.Note
	seen := map[string]bool{}
	for _, s := range r.Signatures {
		if s.OutputInfo != nil && !s.Mutating && !seen[s.FunctionName] && hasOutput(r.Response.Outputs, s) {
			seen[s.FunctionName] = true
			notes = append(notes, api.Note{Function: s.FunctionName, Message: "its output is not shown beside the configuration; -o output prints it"})
		}
	}
	return notes
}

// hasOutput tells whether there is output of a function but results that did not pass: a filter that did not pass and a function
// that was not reached have none.
func hasOutput(outputs api.OutputList, s api.FunctionSignature) bool {
	for _, o := range outputs {
		found := false
		switch v := o.Value.(type) {
		case api.AttributeValueList:
			found = slices.ContainsFunc(v, func(row api.AttributeValue) bool { return row.FunctionName == s.FunctionName })
		case api.ValidationResultList:
			found = slices.ContainsFunc(v, func(row api.ValidationResult) bool { return row.FunctionName == s.FunctionName && row.Passed })
		default:
			found = o.OutputType == s.OutputInfo.OutputType
		}
		if found {
			return true
		}
	}
	return false
}

// failedOutputs are the lines of what did not pass.
func failedOutputs(screen Screen, r Result) []byte {
	var lines []byte
	for _, o := range r.Response.Outputs {
		if results, ok := o.Value.(api.ValidationResultList); ok {
			lines = append(lines, screen.failed(r, results)...)
		}
	}
	return lines
}

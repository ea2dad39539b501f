package report

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
)

// Omitted is what is worth knowing about a unit but is not in the printed output.
type Omitted struct {
	Notes []api.Note // about outputs or configuration that are not shown
	// Failed has a line for each finding of the validations that did not pass. These are not notes,
	// because they decide the exit status.
	Failed []byte
}

// Omitted returns what the printer omits of a result, for the error stream. terminal describes it.
// It can be called concurrently.
func (p *Printer) Omitted(terminal Terminal, r Result) (omitted Omitted) {
	switch {
	case !p.showsOutputs(r.Signatures):
		omitted.Failed = terminal.findings(r.findingsOf(r.results()))
		if p.Silent || p.Format != Data {
			omitted.Notes = omittedOutputs(r)
		}
	case p.omitsConfiguration(r):
		omitted.Notes = []api.Note{{Message: "the configuration changed but is not shown; -o " +
			"data prints it"}}
	}
	return omitted
}

// showsOutputs reports whether the outputs of a chain's functions are printed.
func (p *Printer) showsOutputs(chain []api.FunctionSignature) bool {
	switch {
	case p.Silent:
		return false
	case p.Report != "":
		return true
	}
	return formOf(p.Format, p.Terminal, chain).outputs
}

// omitsConfiguration reports whether the chain did nothing but change the configuration, and the
// configuration is not shown.
func (p *Printer) omitsConfiguration(r Result) bool {
	onlyOutputs := p.Report == "" && (p.Format == Output || p.Format == Value)
	return onlyOutputs && !p.Elsewhere && r.Response.Success && r.Response.Changed &&
		len(r.Response.Outputs) == 0
}

// omittedOutputs returns a note for each function whose output is not shown. Validations that did
// not pass need none: their findings are reported.
func omittedOutputs(r Result) []api.Note {
	var notes []api.Note
	seen := map[string]bool{}
	for _, s := range r.Signatures {
		if s.OutputInfo != nil && !s.Mutating && !seen[s.FunctionName] &&
			hasOutput(r.Response.Outputs, s) {
			seen[s.FunctionName] = true
			notes = append(notes, api.Note{
				Function: s.FunctionName,
				Message:  "its output is not shown; -o output prints it",
			})
		}
	}
	return notes
}

// hasOutput reports whether a function has output other than results that did not pass. A filter
// that did not pass and a function that was not reached have none.
func hasOutput(outputs api.OutputList, s api.FunctionSignature) bool {
	for _, o := range outputs {
		found := false
		switch v := o.Value.(type) {
		case api.AttributeValueList:
			found = slices.ContainsFunc(v, func(row api.AttributeValue) bool {
				return row.FunctionName == s.FunctionName
			})
		case api.ValidationResultList:
			found = slices.ContainsFunc(v, func(row api.ValidationResult) bool {
				return row.FunctionName == s.FunctionName && row.Passed
			})
		default:
			found = o.OutputType == s.OutputInfo.OutputType
		}
		if found {
			return true
		}
	}
	return false
}

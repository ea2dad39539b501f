package do

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/source"
)

// sensitive finds the secret values that messages and outputs of a unit may have: those in its data
// before and after the chain, in other data and in arguments. The response may be nil. The unit is
// nil if it could not be read; the result is then nil, too.
func (l *loop) sensitive(unit *source.Unit, response *handler.Result) *sensitive.Values {
	if l.options.ShowSecrets || unit == nil {
		return nil
	}
	units := [][]byte{unit.Data}
	if response != nil && response.Changed {
		units = append(units, slices.Concat(report.Configuration(response)...))
	}
	others := functions.Texts(l.chain.Invocations)
	for _, data := range l.other {
		others = append(others, data)
	}
	return l.deps.Executor.Sensitive(unit.Toolchain, units, others...)
}

// hasMessages reports whether a response has messages that may quote a value. The note that no
// resource has a name, kind, namespace or label does not: looking for the secret values of a large
// file takes longer than running a function on it.
func (l *loop) hasMessages(r *handler.Result) bool {
	quotes := func(n api.Note) bool {
		return n.Kind != api.NoteNothingSelected || n.Function != "" ||
			l.options.Select.Where+l.options.Select.CEL != ""
	}
	return len(r.Failures) > 0 || slices.ContainsFunc(r.Notes, quotes) ||
		slices.ContainsFunc(r.Outputs, func(o api.Output) bool {
			switch value := o.Value.(type) {
			case api.ValidationResultList:
				return slices.ContainsFunc(value, func(result api.ValidationResult) bool {
					return !result.Passed || len(result.Details) > 0
				})
			case api.ValidationResult:
				return !value.Passed
			}
			return false
		})
}

// Mask hides secret values in messages: failures, notes and validation results. Data, mutations and
// the outputs of other functions stay as they are.
func Mask(v *sensitive.Values, r *handler.Result) {
	if v == nil {
		return
	}
	r.Failures = v.Failures(r.Failures)
	for i := range r.ErrorMessages {
		if len(r.ErrorMessages) == len(r.Failures) {
			r.ErrorMessages[i] = r.Failures[i].Error()
		} else {
			r.ErrorMessages[i] = v.Message(r.ErrorMessages[i])
		}
	}
	v.Notes(r.Notes)
	for i := range r.Functions {
		if n := r.Functions[i].Unmatched; n != nil {
			n.Message, n.Suggestion = v.Message(n.Message), v.Message(n.Suggestion)
		}
	}
	v.Outputs(r.Outputs)
}

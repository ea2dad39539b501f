package cli

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/sensitive"
	"github.com/fctl-dev/fctl/internal/source"
)

// showSecrets is the flag that turns the masks off. It is not a setting: a file of a project must not show the secrets of others.
const showSecrets = "show-secrets"

func addShowSecrets(flags *pflag.FlagSet) {
	flags.Bool(showSecrets, false, "show the values of Secrets, which are masked in messages, reports, tables and diffs")
}

// sensitive finds the secret values that messages about a unit may quote: those in its data before and after the chain, in other data and
// in arguments. The response may be nil, and the unit when it could not be read.
func (r *run) sensitive(unit *source.Unit, response *api.FunctionInvocationResponse) *sensitive.Values {
	if r.showSecrets || unit == nil {
		return nil
	}
	texts := [][]byte{unit.Data}
	if response != nil && response.Changed {
		texts = append(texts, slices.Concat(partsOf(response)...))
	}
	for _, data := range r.other {
		texts = append(texts, data)
	}
	for _, invocation := range r.chain.Invocations {
		for _, argument := range invocation.Arguments {
			if text, ok := argument.Value.(string); ok {
				texts = append(texts, []byte(text))
			}
		}
	}
	return r.executor.Sensitive(unit.Toolchain, texts...)
}

// speaks reports whether a response has anything to say that may quote a value.
func speaks(r *api.FunctionInvocationResponse) bool {
	return len(r.Failures)+len(r.Notes) > 0 || slices.ContainsFunc(r.Outputs, func(o api.Output) bool {
		switch value := o.Value.(type) {
		case api.ValidationResultList:
			return slices.ContainsFunc(value, func(result api.ValidationResult) bool { return !result.Passed || len(result.Details) > 0 })
		case api.ValidationResult:
			return !value.Passed
		}
		return false
	})
}

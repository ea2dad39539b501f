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

const secretsTopic = `fctl masks secret values wherever people or logs read them:

  messages       findings, notes and errors, --report of every form, and what
                 functions return about validations, as JSON too
  tables         -o table, which getters of values print on a terminal
  fctl diff      unless -o says mutations or patch
  fctl merge     what it says about conflicts
  --diff         on a terminal, and in colour
  -o mutations   on a terminal

A mask is (sensitive). Of a value that changed a diff shows (sensitive, before)
and (sensitive, after), so that you see what is equal and what is not.

Everything else is for programs and has the values: the configuration, patches
and --diff in a pipe or file, -o mutations and -o output as JSON, conflict
markers. Do not print these into a log.

--show-secrets shows the values. It is a flag only, no setting.

Secret are the values in data and stringData of a Secret, the comments between
them, and its annotation last-applied-configuration, which has all of them
again. A file about resource types marks more (fctl help resource-types):

  resourceTypes:
    example.com/v1/Cache:
      attributes:
        cache-password: [{path: spec.auth.password, sensitive: true}]

Secrets are masked in YAML, as AppConfig/YAML too. In the other formats of
application configuration and in HCL nothing is known to be secret.

A message is searched for the values, their base64 and their escaped spellings,
and for longer parts of them; values of one character are masked where a message
is about them. It cannot know a value that an expression has changed into
something else, such as upper case.

What people read never holds control characters: they are shown as \x1b, say.
Configuration is different: its bytes are never changed, so that on a terminal
it is like cat.
`

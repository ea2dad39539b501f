package cli

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/diag"
)

// addSelectors adds the flags that select resources.
func addSelectors(flags *pflag.FlagSet) {
	add := func(name, short, usage, several string) {
		flags.VarP(&selector{several: several}, name, short, usage)
	}
	add("kind", "", "only resources of this `KIND`, or of several with commas between them", "several have commas between them: --kind Deployment,StatefulSet")
	add("name", "", "only resources of this `NAME`, or of several with commas between them", "several have commas between them: --name web,db")
	add("namespace", "n", "only resources in this `NAMESPACE`", `for several: --where-resource "metadata.namespace IN ('shop', 'web')"`)
	add("selector", "l", "only resources with these `LABELS`, as in app=web,tier!=db", "several labels have commas between them: -l app=web,tier!=db")
	add("where-resource", "", "only resources for which this `EXPRESSION` is true: 'fctl help where'", "join expressions with AND: 'fctl help where'")
}

// selector is the value of a flag that selects resources. It can be given one time only: the last of several would undo in silence
// what the first leaves out.
type selector struct {
	text    string
	given   bool
	several string // the hint how to say what several would
}

// Set implements pflag.Value.
func (s *selector) Set(text string) error {
	if s.given {
		return errSelectedTwice
	}
	s.text, s.given = text, true
	return nil
}

// String implements pflag.Value.
func (s *selector) String() string { return s.text }

// Type implements pflag.Value; GetString reads flags of this type.
func (s *selector) Type() string { return "string" }

var errSelectedTwice = errors.New("can be given once only")

// selectedTwice is the problem with a selector that is given a second time.
func selectedTwice(flag *pflag.Flag) error {
	s, _ := flag.Value.(*selector) // no other flag has this problem
	return diag.UsageHint(s.several, "--%s %w", flag.Name, errSelectedTwice)
}

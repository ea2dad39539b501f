package command

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
)

// AddSelectors adds the flags that select resources.
func AddSelectors(flags *pflag.FlagSet, o *do.Selection) {
	add := func(text *string, name, short, usage, several string) {
		flags.VarP(&selector{text: text, several: several}, name, short, usage)
	}
	add(&o.Kind, "kind", "", "select only resources of `KIND`; separate several by commas",
		"separate several with commas: --kind Deployment,StatefulSet")
	add(&o.Name, "name", "", "select only resources with `NAME`; separate several by commas",
		"separate several with commas: --name web,db")
	add(&o.Namespace, "namespace", "n", "select only resources in `NAMESPACE`",
		`for several: --where-resource "metadata.namespace IN ('shop', 'web')"`)
	add(&o.Labels, "selector", "l", "select only resources with these `LABELS`, as in "+
		"app=web,tier!=db",
		"separate several labels with commas: -l app=web,tier!=db")
	add(&o.Where, "where-resource", "",
		"select only resources for which `EXPRESSION` is true: 'fctl help where'",
		"join expressions with AND or OR: 'fctl help where'")
	add(&o.CEL, "where-cel", "",
		"select only resources for which the CEL `EXPRESSION` is true: 'fctl help cel'",
		"join expressions with && or ||: 'fctl help cel'")
}

// selector is the value of a flag that selects resources. It can be given only once: pflag would
// silently keep the last of several values.
type selector struct {
	text    *string
	given   bool
	several string // the hint for giving several values
}

// Set implements pflag.Value.
func (s *selector) Set(text string) error {
	switch {
	case s.given:
		return errSelectedTwice
	// more likely an unset variable than a request to change everything
	case strings.TrimSpace(text) == "":
		return errNothingSelected
	}
	*s.text, s.given = text, true
	return nil
}

// String implements pflag.Value.
func (s *selector) String() string { return *s.text }

// Type implements pflag.Value.
func (s *selector) Type() string { return "string" }

var (
	errSelectedTwice   = errors.New("can be given only once")
	errNothingSelected = errors.New("the value is empty")
)

// SelectorProblem returns the problem with the value of a flag that selects resources, nil if the
// flag is another one.
func SelectorProblem(flag *pflag.Flag, err error) *api.Failure {
	s, ok := flag.Value.(*selector)
	switch {
	case !ok:
		return nil
	case errors.Is(err, errSelectedTwice):
		return diag.UsageHint(s.several, "--%s %w", flag.Name, errSelectedTwice)
	}
	return diag.UsageHint("omit the flag to select all resources", "--%s: %w", flag.Name,
		errNothingSelected)
}

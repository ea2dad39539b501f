package generic

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
)

// vetValuesFunction returns vet-values, which checks the values of any attribute.
func vetValuesFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	r := VetFunction("vet-values", "value-filter", `{"Min": 2, "Max": 10}`,
		func(
			c *handler.Call, refuses func(any) string,
		) (matches int, failed api.AttributeValueList, err error) {
			keys, err := AttributeKeys(provider, attributeOf(c.Args))
			if err != nil {
				return 0, nil, err
			}
			paths := provider.AttributePaths(attributeOf(c.Args))
			failed, err = yamlkit.VisitRows(c.Docs, paths, keys, provider,
				func(p *yamlkit.Match, row *api.AttributeValue) bool {
					matches++
					if expression.At(c.Context(), p.Doc, p.Resource) {
						return false
					}
					row.Reason = refuses(row.Value)
					return row.Reason != ""
				})
			return matches, failed, err
		})
	r.Parameters = append([]api.FunctionParameter{attributeParameter()}, r.Parameters...)
	r.Description = "Check that the values of an attribute are allowed"
	r.Examples = attributeExamples(provider,
		`vet-values replicas '{"Min": 2, "Max": 10}'`,
		`vet-values container-image '{"DenyRegexp": ":latest$"}'`,
	)
	check := r.CheckArguments
	r.CheckArguments = func(args []api.FunctionArgument) error {
		_, unknown := AttributeKeys(provider, attributeOf(args))
		return errors.Join(unknown, check(args))
	}
	return r
}

// VetVisit visits the values that a validating function checks. refuses returns the reason why a
// value is not allowed, or "". VetVisit returns the number of values and the rows of those that are
// not allowed.
type VetVisit func(
	c *handler.Call, refuses func(value any) string,
) (int, api.AttributeValueList, error)

// VetFunction returns the registration of a validating function, without description and examples.
// The function checks values with a filter, which is its last parameter.
func VetFunction(
	name, filterParameter, example string, visit VetVisit,
) handler.FunctionRegistration {
	filterOf := func(args []api.FunctionArgument) (*valueFilter, error) {
		filter, err := parseValueFilter(handler.Arguments(args).String(filterParameter))
		if err != nil {
			return nil, handler.InvalidArgument(filterParameter, "%w", err).
				WithHint(`as in {"AllowStrings": {"nginx:1.27": true}} or {"Min": 2}`)
		}
		return filter, nil
	}
	return handler.Checking(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: name,
			Parameters: []api.FunctionParameter{handler.Required(filterParameter,
				api.DataTypeJSON, example,
				"JSON object: AllowStrings and DenyStrings (objects with the strings as keys and "+
					"true as values), AllowRegexp and DenyRegexp (RE2), Min and Max, AllowBool")},
		},
		ValueParameter: filterParameter,
		PerDocument:    true,
		RowsSorted:     true,
		CheckArguments: handler.Parses(filterOf),
	}, "whether all values are allowed, and the values that are not",
		func(c *handler.Call) (api.ValidationResult, error) {
			filter, err := filterOf(c.Args)
			if err != nil {
				return api.ValidationResult{}, err
			}
			matches, failed, err := visit(c, filter.refuses)
			c.Matched(matches)
			return handler.Verdict(failed), err
		})
}

// valueFilter describes the allowed values. Values of a type without conditions are allowed.
type valueFilter struct {
	AllowStrings, DenyStrings map[string]bool
	AllowRegexp, DenyRegexp   string
	Min, Max                  *int
	AllowBool                 *bool

	allow, deny *regexp.Regexp
}

// parseValueFilter parses the JSON of a filter and compiles its expressions.
func parseValueFilter(text string) (*valueFilter, error) {
	var f valueFilter
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			return nil, fmt.Errorf("%s cannot be a JSON %s", wrong.Field, wrong.Value)
		}
		return nil, fmt.Errorf("not a JSON object of filters: %w", err)
	}
	if decoder.More() {
		return nil, errors.New("not a JSON object of filters: text follows it")
	}
	for _, rule := range []struct {
		kind, text string
		strings    map[string]bool
		compiled   **regexp.Regexp
	}{
		{"Allow", f.AllowRegexp, f.AllowStrings, &f.allow},
		{"Deny", f.DenyRegexp, f.DenyStrings, &f.deny},
	} {
		if rule.text == "" {
			continue
		}
		if len(rule.strings) > 0 {
			return nil,
				fmt.Errorf("%sStrings and %sRegexp exclude each other", rule.kind, rule.kind)
		}
		var err error
		if *rule.compiled, err = pattern.Compile(rule.text); err != nil {
			return nil, fmt.Errorf("%sRegexp: %w", rule.kind, err)
		}
	}
	if f.Min != nil && f.Max != nil && *f.Min > *f.Max {
		return nil, fmt.Errorf("the minimum %d is greater than the maximum %d", *f.Min, *f.Max)
	}
	return &f, nil
}

// refuses returns the reason why a value is not allowed, or "" if it is.
func (f *valueFilter) refuses(value any) string {
	switch v := value.(type) {
	case string:
		switch {
		case f.DenyStrings[v]:
			return fmt.Sprintf("%q is one of DenyStrings", v)
		case f.deny != nil && f.deny.MatchString(v):
			return fmt.Sprintf("%q matches DenyRegexp %s", v, f.DenyRegexp)
		case len(f.AllowStrings) > 0 && !f.AllowStrings[v]:
			return fmt.Sprintf("%q is not one of AllowStrings", v)
		case f.allow != nil && !f.allow.MatchString(v):
			return fmt.Sprintf("%q does not match AllowRegexp %s", v, f.AllowRegexp)
		}
	case int:
		switch {
		case f.Min != nil && v < *f.Min:
			return fmt.Sprintf("%d is less than Min %d", v, *f.Min)
		case f.Max != nil && v > *f.Max:
			return fmt.Sprintf("%d is greater than Max %d", v, *f.Max)
		}
	case bool:
		if f.AllowBool != nil && v != *f.AllowBool {
			return fmt.Sprintf("%t is not the value of AllowBool", v)
		}
	}
	return ""
}

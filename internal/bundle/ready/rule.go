package ready

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/bundle/jsonpath"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/lang/cel"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/smith/plugin"
)

// Rule is a rule of --ready for objects of a kind. It comes before the one that is built in.
type Rule struct {
	Group, Kind string
	AnyGroup    bool
	// path is the field that has the value when the object is ready, and holds an expression that
	// is true then; an object of a rule with neither is ready when it exists.
	path  *jsonpath.Query
	value string
	holds *cel.Expression
}

// celPrefix begins a condition that is an expression.
const celPrefix = "cel:"

// ParseRule parses KIND[.GROUP][=PATH=VALUE] or KIND[.GROUP]=cel:EXPRESSION. The path may be in
// braces.
func ParseRule(text string) (Rule, error) {
	what, condition, has := strings.Cut(text, "=")
	var r Rule
	r.Kind, r.Group, _ = strings.Cut(what, ".")
	r.AnyGroup = r.Group == ""
	if r.Kind == "" {
		return r, fmt.Errorf("%q has no kind", text)
	}
	if !has {
		return r, nil
	}
	if text, ok := strings.CutPrefix(condition, celPrefix); ok {
		var err error
		r.holds, err = cel.Compile(text, cel.Bool)
		return r, err
	}
	i := strings.LastIndex(condition, "=")
	if i < 0 {
		return r, fmt.Errorf("%q has a path and no value", text)
	}
	return r.at(condition[:i], condition[i+1:], strings.HasPrefix(condition, "{"))
}

// at returns the rule with a field and the value that it has when the object is ready.
func (r Rule) at(path, value string, inBraces bool) (Rule, error) {
	parse := jsonpath.Parse
	if inBraces {
		parse = jsonpath.ParseTemplate
	}
	var err error
	r.path, err = parse(path)
	r.value = value
	return r, err
}

// Field returns the rule by which objects are ready when a field has a value. The path is in
// braces.
func Field(path, value string) (Rule, error) { return Rule{}.at(path, value, true) }

// Matches reports whether the rule is for a type.
func (r Rule) Matches(gvk plugin.GroupVersionKind) bool {
	return r.Kind == gvk.Kind && (r.AnyGroup || r.Group == gvk.Group)
}

// Check checks an object against the rule.
func (r Rule) Check(ctx context.Context, actual gaby.Value) Readiness {
	switch {
	case r.holds != nil:
		return r.evaluate(ctx, actual)
	case r.path == nil:
		return Readiness{Ready: true}
	case r.path.First() == "status" && isStale(actual):
		return unseen()
	}
	found, err := r.path.Find(actual)
	if err != nil || len(found) == 0 {
		return waiting("%s is missing; the object is ready when it is %q", r.path, r.value)
	}
	if len(found) > 1 {
		return failed("%s: %w", r.path, jsonpath.ErrSeveral)
	}
	if got := found[0].Text(); found[0].Kind() != gaby.Scalar || got != r.value {
		shown := strconv.Quote(got)
		switch found[0].Kind() {
		case gaby.Map:
			shown = "a map"
		case gaby.List:
			shown = "a list"
		}
		if r.Kind == "Secret" && actual.Get("apiVersion").EqualText("v1") {
			shown = sensitive.Mask
		}
		return waiting("%s is %s; the object is ready when it is %q", r.path, shown, r.value)
	}
	return Readiness{Ready: true}
}

// evaluate checks an object with the expression. A status of an earlier generation says nothing.
func (r Rule) evaluate(ctx context.Context, actual gaby.Value) Readiness {
	if isStale(actual) {
		return unseen()
	}
	holds, err := r.holds.Holds(ctx, actual, &expression.Scope{})
	switch {
	case err != nil:
		return failed("--ready: %w", err)
	case !holds:
		return waiting("--ready is false: %s", r.holds.Text)
	}
	return Readiness{Ready: true}
}

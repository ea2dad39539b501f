package jsonschema

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/limit"
)

// maxRuleCost limits the cost of all rules about one document, in the units of CEL. Kubernetes has
// the same limit per resource.
const maxRuleCost = 10_000_000

// Rule is an entry of x-kubernetes-validations: an expression that must be true for the
// values of a schema.
type Rule struct {
	Rule              string
	Message           string
	MessageExpression string
	Reason            string
	FieldPath         string
	// OptionalOldSelf applies a rule about changes to new values as well.
	OptionalOldSelf bool
}

// RuleCompiler compiles a rule about the values of schema, which is a missing value if it is not
// known. isResource is set for the schema of a resource, which has apiVersion, kind and metadata.
// The program is nil if there is nothing to check.
type RuleCompiler func(rule *Rule, schema gaby.Value, isResource bool) (RuleProgram, error)

// RuleProgram is a compiled rule. It can be used concurrently.
type RuleProgram interface {
	Check(ctx context.Context, self gaby.Value) (RuleResult, error)
}

// RuleResult is the result of a rule for a value.
type RuleResult struct {
	Holds   bool
	Message string // the value of messageExpression, "" if there is none
	Cost    uint64
}

type rule struct {
	Rule
	path    []string // FieldPath, parsed
	program RuleProgram
}

// reasons maps the reasons of rules to prefixes of messages.
func reasons() map[string]string {
	return map[string]string{
		"": "", "FieldValueInvalid": "", "FieldValueForbidden": "forbidden: ",
		"FieldValueRequired": "required: ", "FieldValueDuplicate": "duplicate: ",
	}
}

// rules compiles the rules of a schema.
func (k keywords) rules(schema gaby.Value) []rule {
	v := k.get("x-kubernetes-validations")
	if !v.Exists() || k.options.Rules == nil {
		return nil
	}
	isResource := schema == k.in.root || k.get("x-kubernetes-embedded-resource").Data() == true
	if k.in.open {
		schema = gaby.Value{} // the schema does not define types
	}
	var all []rule
	for _, e := range v.All() {
		if !e.Get("rule").Exists() {
			continue // reported by the schema of CustomResourceDefinitions
		}
		text := func(key string) string {
			return strings.Clone(strings.TrimSpace(e.Get(key).Text()))
		}
		r := rule{Rule: Rule{
			Rule: text("rule"), Message: text("message"),
			MessageExpression: text("messageExpression"), Reason: text("reason"),
			FieldPath:       text("fieldPath"),
			OptionalOldSelf: k.of(e).flag("optionalOldSelf"),
		}}
		if k.ruleCost += ruleCost + ruleByteCost*(len(r.Rule.Rule)+
			len(r.MessageExpression)); k.ruleCost > rulesCost {
			k.fail(e, "the rules of this definition are too many or too long")
			return all
		}
		var err error
		if r.path, err = fieldPath(r.FieldPath, schema); err != nil {
			k.fail(e.Get("fieldPath"), "fieldPath: %v", err)
		}
		if r.program, err = k.options.Rules(&r.Rule, schema, isResource); err != nil {
			k.failRule(e, err)
			continue
		}
		if r.program != nil {
			all = append(all, r)
		}
	}
	return all
}

// RuleError is an error in an expression of a rule.
type RuleError struct {
	Keyword string // of the expression: rule or messageExpression
	Msg     string
	Hint    string
	Err     error // the cause
}

func (e *RuleError) Error() string { return e.Keyword + ": " + e.Msg }

// Unwrap returns the cause.
func (e *RuleError) Unwrap() error { return e.Err }

// failRule records the errors in a rule.
func (k keywords) failRule(v gaby.Value, err error) {
	for _, err := range configkit.Unjoin(err) {
		e, ok := errors.AsType[*RuleError](err)
		if !ok {
			e = &RuleError{Keyword: "rule", Msg: err.Error()}
		}
		k.fail(v.Get(e.Keyword), "%s: %s", e.Keyword, e.Msg)
		k.problems[len(k.problems)-1].(*SchemaError).Hint = e.Hint
	}
}

// fieldPath parses a path such as .spec.size or .labels['example.com/size'], which must lead
// through schema if that exists.
func fieldPath(text string, schema gaby.Value) ([]string, error) {
	var path []string
	for rest := text; rest != ""; {
		var name string
		switch rest[0] {
		case '.':
			rest = rest[1:]
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			name, rest = rest[:end], rest[end:]
		case '[':
			quoted, after, closed := strings.Cut(rest, "']")
			quoted, opened := strings.CutPrefix(quoted, "['")
			if !opened || !closed {
				return nil, fmt.Errorf(
					"in [] a key in single quotes is expected, as in .labels['size']")
			}
			name, rest = strings.NewReplacer(`\\`, `\`, `\'`, `'`).Replace(quoted), after
		}
		if name == "" {
			return nil, fmt.Errorf("%s does not look like .spec.size or .labels['size']",
				quote(text))
		}
		if schema.Exists() {
			at := schema.Get("properties").Get(name)
			if !at.Exists() {
				at = schema.Get("additionalProperties")
			}
			if !at.Exists() {
				return nil, fmt.Errorf("%s leads to no field of the schema: %s is missing",
					text, name)
			}
			schema = at
		}
		path = append(path, name)
	}
	return path, nil
}

// ruled is a value with the rules about it.
type ruled struct {
	rules []rule
	value gaby.Value
	path  []segment
}

// checkRules checks the collected rules until they cost too much.
func (c *checkState) checkRules(ctx context.Context) error {
	for _, r := range c.ruled {
		c.path = r.path
		for i := range r.rules {
			if err := r.rules[i].check(ctx, c, r.value); err != nil {
				return err
			}
			if c.ruleCost > maxRuleCost {
				c.fail(r.value, "x-kubernetes-validations",
					"the rules about this resource cost too much, those after %s are not checked",
					r.rules[i].Rule.Rule)
				return nil
			}
		}
	}
	return nil
}

// check evaluates a rule. If it does not hold a problem is recorded at its fieldPath. It
// returns an error only if the rule was ended.
func (r *rule) check(ctx context.Context, c *checkState, v gaby.Value) error {
	result, err := r.program.Check(ctx, v)
	c.ruleCost += result.Cost
	message := result.Message
	_, limited := errors.AsType[*limit.Error](err)
	switch {
	case limited, err != nil && ctx.Err() != nil:
		return fmt.Errorf("rule %s: %w", r.Rule.Rule, err)
	case err != nil:
		c.fail(v, "x-kubernetes-validations", "rule %s cannot be evaluated: %v",
			r.Rule.Rule, err)
		return nil
	case result.Holds:
		return nil
	case message != "":
	case r.Message != "":
		message = r.Message
	default:
		message = "failed rule: " + r.Rule.Rule
	}
	c.fail(v, "x-kubernetes-validations", "%s%s", reasons()[r.Reason], message)
	c.problems[len(c.problems)-1].move(v, r.path)
	return nil
}

// move sets the position of a problem to that of path, relative to v. If path does not exist the
// position is that of its last existing parent.
func (p *Violation) move(v gaby.Value, path []string) {
	for i, name := range path {
		if v = v.Get(name); v.Exists() {
			p.Pos = v.Position()
		} else if i == len(path)-1 {
			p.Property = name
			return
		}
		p.Path = append(p.Path, name)
	}
}

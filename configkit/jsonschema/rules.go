package jsonschema

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// maxRuleCost is what the rules about one document may cost, in the units of their language; Kubernetes allows a resource as much.
const maxRuleCost = 10_000_000

// Rule is one of x-kubernetes-validations: an expression that is true of the values of a schema.
type Rule struct {
	Rule              string
	Message           string
	MessageExpression string
	Reason            string
	FieldPath         string
	// OptionalOldSelf has a rule about changes apply to what is new, too.
	OptionalOldSelf bool
}

// RuleCompiler compiles a rule about the values of a schema, which is a missing value when it is not known. Those of a resource have
// apiVersion, kind and metadata. The program is nil when there is nothing to check.
type RuleCompiler func(rule *Rule, schema gaby.Value, isResource bool) (RuleProgram, error)

// RuleProgram is a compiled rule. It can be used concurrently.
type RuleProgram interface {
	Check(self gaby.Value) (RuleResult, error)
}

// RuleResult is what a rule says of a value.
type RuleResult struct {
	Holds   bool
	Message string // of the messageExpression, "" when there is none
	Cost    uint64
}

type rule struct {
	Rule
	path    []string // FieldPath
	program RuleProgram
}

// reasons are the reasons that a rule can give and what messages call them.
func reasons() map[string]string {
	return map[string]string{"": "", "FieldValueInvalid": "", "FieldValueForbidden": "forbidden: ", "FieldValueRequired": "required: ", "FieldValueDuplicate": "duplicate: "}
}

// rules compiles the rules of a schema.
func (c *Compiler) rules(schema gaby.Value, k keywords, in *resource) []rule {
	v := k.get("x-kubernetes-validations")
	if !v.Exists() || c.options.Rules == nil {
		return nil
	}
	isResource := schema == in.root || k.get("x-kubernetes-embedded-resource").Data() == true
	if in.open {
		schema = gaby.Value{} // it says nothing about types
	}
	var all []rule
	for e := v.First(); e.Exists(); e = e.Next() {
		if !e.Get("rule").Exists() {
			continue // what a rule must have, the schema of CustomResourceDefinitions says
		}
		text := func(key string) string { return strings.Clone(strings.TrimSpace(e.Get(key).Text())) }
		r := rule{Rule: Rule{
			Rule: text("rule"), Message: text("message"), MessageExpression: text("messageExpression"), Reason: text("reason"), FieldPath: text("fieldPath"),
			OptionalOldSelf: c.flag(keywordsOf(e), "optionalOldSelf", in),
		}}
		if c.ruleCost += ruleCost + ruleByteCost*(len(r.Rule.Rule)+len(r.MessageExpression)); c.ruleCost > rulesCost {
			c.fail(in, e, "the rules of this definition are too many or too long")
			return all
		}
		var err error
		if r.path, err = fieldPath(r.FieldPath, schema); err != nil {
			c.fail(in, e.Get("fieldPath"), "fieldPath: %v", err)
		}
		if r.program, err = c.options.Rules(&r.Rule, schema, isResource); err != nil {
			c.failRule(in, e, err)
			continue
		}
		if r.program != nil {
			all = append(all, r)
		}
	}
	return all
}

// RuleError tells what is wrong with an expression of a rule.
type RuleError struct {
	Keyword string // of the expression: rule or messageExpression
	Msg     string
	Hint    string
	Err     error // what caused it
}

func (e *RuleError) Error() string { return e.Keyword + ": " + e.Msg }

// Unwrap is the cause.
func (e *RuleError) Unwrap() error { return e.Err }

// failRule records what is wrong with a rule.
func (c *Compiler) failRule(in *resource, v gaby.Value, err error) {
	for _, err := range configkit.Unjoin(err) {
		e, ok := errors.AsType[*RuleError](err)
		if !ok {
			e = &RuleError{Keyword: "rule", Msg: err.Error()}
		}
		c.fail(in, v.Get(e.Keyword), "%s: %s", e.Keyword, e.Msg)
		c.problems[len(c.problems)-1].(*SchemaError).Hint = e.Hint
	}
}

// fieldPath is a path such as .spec.size or .labels['example.com/size'], which leads through a schema.
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
				return nil, fmt.Errorf("in [] a key in single quotes is expected, as in .labels['size']")
			}
			name, rest = strings.NewReplacer(`\\`, `\`, `\'`, `'`).Replace(quoted), after
		}
		if name == "" {
			return nil, fmt.Errorf("%s looks not like .spec.size or .labels['size']", quote(text))
		}
		if schema.Exists() {
			at := schema.Get("properties").Get(name)
			if !at.Exists() {
				at = schema.Get("additionalProperties")
			}
			if !at.Exists() {
				return nil, fmt.Errorf("%s leads to no field of the schema: there is no %s", text, name)
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

// checkRules checks the rules about all values that have some, until they cost too much.
func (c *check) checkRules() {
	for _, r := range c.ruled {
		c.path = r.path
		for i := range r.rules {
			if r.rules[i].check(c, r.value); c.ruleCost > maxRuleCost {
				c.fail(r.value, "x-kubernetes-validations", "the rules about this resource cost too much, those after %s are not checked", r.rules[i].Rule.Rule)
				return
			}
		}
	}
}

func (r *rule) check(c *check, v gaby.Value) {
	result, err := r.program.Check(v)
	c.ruleCost += result.Cost
	message := result.Message
	switch {
	case err != nil:
		c.fail(v, "x-kubernetes-validations", "the rule %s cannot be evaluated: %v", r.Rule.Rule, err)
		return
	case result.Holds:
		return
	case message != "":
	case r.Message != "":
		message = r.Message
	default:
		message = "failed rule: " + r.Rule.Rule
	}
	c.fail(v, "x-kubernetes-validations", "%s%s", reasons()[r.Reason], message)
	c.problems[len(c.problems)-1].move(v, r.path)
}

// move puts a problem where a path leads from a value. What of the path is not there has the position of what is.
func (p *Problem) move(v gaby.Value, path []string) {
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

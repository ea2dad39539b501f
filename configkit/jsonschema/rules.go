package jsonschema

import (
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Rule is one of x-kubernetes-validations: an expression that is true of the values of a schema.
type Rule struct {
	Rule              string
	Message           string
	MessageExpression string
	FieldPath         string
}

// RuleProgram is a compiled rule. It can be used concurrently. The message is of a value that breaks the rule and comes from its
// messageExpression; it is empty when there is none.
type RuleProgram interface {
	Check(self gaby.Value) (holds bool, message string, err error)
}

type rule struct {
	Rule
	program RuleProgram
}

func (c *Compiler) rules(k keywords, in *resource) []rule {
	v := k.get("x-kubernetes-validations")
	if !v.Exists() || c.options.Rules == nil {
		return nil
	}
	var all []rule
	for e := v.First(); e.Exists(); e = e.Next() {
		text := func(key string) string { return strings.Clone(strings.TrimSpace(e.Get(key).Text())) }
		r := rule{Rule: Rule{Rule: text("rule"), Message: text("message"), MessageExpression: text("messageExpression"), FieldPath: text("fieldPath")}}
		var err error
		if r.program, err = c.options.Rules(&r.Rule); err != nil {
			c.fail(in, e.Get("rule"), "x-kubernetes-validations: %v", err)
			continue
		}
		if r.program != nil {
			all = append(all, r)
		}
	}
	return all
}

func (r *rule) check(c *check, v gaby.Value) bool {
	holds, message, err := r.program.Check(v)
	switch {
	case err != nil:
		return c.fail(v, "x-kubernetes-validations", "the rule %s cannot be evaluated: %v", r.Rule.Rule, err)
	case holds:
		return true
	case message != "":
	case r.Message != "":
		message = r.Message
	default:
		message = "failed rule: " + r.Rule.Rule
	}
	if c.fail(v, "x-kubernetes-validations", "%s", message); !c.quiet && r.FieldPath != "" {
		c.problems[len(c.problems)-1].move(v, r.FieldPath)
	}
	return false
}

// move puts a problem where a path, such as .spec.size, leads from a value, as far as that is there.
func (p *Problem) move(v gaby.Value, path string) {
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		if v = v.Get(name); !v.Exists() {
			return
		}
		p.Path, p.Pos = append(p.Path, name), v.Position()
	}
}

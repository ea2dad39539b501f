package jsonschema_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/lang/limit"
)

// program is a rule with the same result for every value.
type program struct {
	result jsonschema.RuleResult
	err    error
}

func (p program) Check(context.Context, gaby.Value) (jsonschema.RuleResult, error) {
	return p.result, p.err
}

func TestRules(t *testing.T) {
	programs := map[string]program{
		"holds":        {result: jsonschema.RuleResult{Holds: true, Cost: 1}},
		"breaks":       {result: jsonschema.RuleResult{Cost: 1}},
		"says":         {result: jsonschema.RuleResult{Message: "a message of its own"}},
		"cannot":       {err: errors.New("no such key: b")},
		"ends":         {err: limit.TooLarge("it would be large")},
		"is expensive": {result: jsonschema.RuleResult{Holds: true, Cost: 6_000_000}},
	}
	options := jsonschema.CompilerOptions{
		Dialect: jsonschema.Structural,
		Rules: func(r *jsonschema.Rule, _ gaby.Value, _ bool) (jsonschema.RuleProgram, error) {
			if r.Rule == "skip" {
				return nil, nil
			}
			if p, ok := programs[r.Rule]; ok {
				return p, nil
			}
			return nil, &jsonschema.RuleError{
				Keyword: "rule", Msg: "no rule",
				Hint: "did you mean holds?",
			}
		},
	}
	const schema = `{type: object, properties: {a: {type: object, properties: {b.c: {type: ` +
		`integer}}}, m: {type: object, additionalProperties: {type: string}}}, ` +
		`x-kubernetes-validations: [%]}`
	for _, c := range []struct{ rules, value, want string }{
		{`{rule: holds, message: no}, {rule: skip}`, `{}`, ``},
		{`{rule: breaks}`, `{}`, `1:1 : failed rule: breaks`},
		{
			`{rule: breaks, message: " no "}, {rule: says, message: no}`, `{}`,
			"1:1 : no\n1:1 : a message of its own",
		},
		{`{rule: cannot, message: no}`, `{}`, `1:1 : rule cannot cannot be evaluated: no ` +
			`such key: b`},
		{
			`{rule: breaks, reason: FieldValueForbidden, fieldPath: ".a['b.c']", message: no}`,
			`{a: {b.c: 1}}`, `1:11 a.b.c: forbidden: no`,
		},
		{
			`{rule: breaks, reason: FieldValueRequired, fieldPath: ".a['b.c']", message: no}`,
			`{a: {}}`, `1:5 a.b.c: required: no`,
		},
		{
			`{rule: breaks, reason: FieldValueDuplicate, fieldPath: ".m.x", message: no}`, `{}`,
			`1:1 m.x: duplicate: no`,
		},
		// rules apply to values that are valid otherwise
		{`{rule: breaks}`, `{a: 1}`, `1:5 a: expected object, got 1`},
		{
			`{rule: is expensive}, {rule: is expensive}, {rule: breaks}`, `{}`,
			`1:1 : the rules about this resource cost too much, those after is expensive are not ` +
				`checked`,
		},
	} {
		t.Run(c.rules, func(t *testing.T) {
			if have := found(t, strings.ReplaceAll(schema, "%", c.rules), c.value,
				options); have != c.want {
				t.Errorf("%s of %s:\n%s\nwant\n%s", c.rules, c.value, have, c.want)
			}
		})
	}
	limited, err := jsonschema.Compile("", parse(t, strings.ReplaceAll(schema, "%",
		"{rule: breaks}, {rule: ends}")), options)
	if err != nil {
		t.Fatal(err)
	}
	problems, err := limited.Check(t.Context(), parse(t, "{}"))
	if _, ok := errors.AsType[*limit.Error](err); !ok || problems != nil {
		t.Errorf("a rule that was ended: %v, %v", problems, err)
	}
	for rule, want := range map[string]string{
		`{rule: nonsense}`: "rule: no rule; did you mean holds?",
		`{rule: holds, fieldPath: .b}`: "fieldPath: .b leads to no field of the " +
			"schema: b is missing",
		`{rule: holds, fieldPath: a}`:     `fieldPath: "a" does not look like`,
		`{rule: holds, fieldPath: "['a"}`: "in [] a key in single quotes is expected",
		`{rule: holds, fieldPath: ".a[0]"}`: "fieldPath: in [] a key in single quotes is " +
			"expected",
		`{rule: holds, fieldPath: ".a.."}`:        "does not look like",
		`{rule: holds, optionalOldSelf: perhaps}`: "optionalOldSelf is true or false",
	} {
		t.Run(rule, func(t *testing.T) {
			_, err := jsonschema.Compile("", parse(t, strings.ReplaceAll(schema, "%", rule)),
				options)
			e, ok := errors.AsType[*jsonschema.SchemaError](err)
			if !ok || !strings.Contains(e.Msg+"; "+e.Hint, want) {
				t.Errorf("%s: %v, want %s", rule, err, want)
			}
		})
	}
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]string{
		"1h30m": "1h30m0s", "3 days": "72h0m0s", "1 week, 2 days": "216h0m0s", "1w2d": "216h0m0s",
		"5 min": "5m0s", "2HOURS": "2h0m0s", "-1h": "-1h0m0s",
		"": "", "3": "", "three days": "", "3 moons": "", "day": "",
	} {
		t.Run(text, func(t *testing.T) {
			d, err := jsonschema.ParseDuration(text)
			if (err == nil) != (want != "") || err == nil && d.String() != want {
				t.Errorf("%q: %v %v", text, d, err)
			}
		})
	}
}

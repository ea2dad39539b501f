package cel_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/lang/cel"
	"github.com/fctl-dev/fctl/internal/lang/expression"
)

// gatewaySchema has what the rules of real CustomResourceDefinitions refer to.
const gatewaySchema = `
type: object
properties:
  apiVersion: {type: string}
  kind: {type: string}
  metadata: {type: object}
  spec:
    type: object
    properties:
      least: {type: integer}
      most: {type: integer}
      ratio: {type: number}
      paused: {type: boolean}
      port: {x-kubernetes-int-or-string: true}
      since: {type: string, format: date-time}
      until: {type: string, format: date-time}
      day: {type: string, format: date}
      grace: {type: string, format: duration}
      secret: {type: string, format: byte}
      note: {type: string, nullable: true}
      a-b.c/d: {type: string}
      namespace: {type: string}
      two__words: {type: string}
      1st: {type: string}
      labels: {type: object, additionalProperties: {type: string, nullable: true}}
      zones: {type: array, x-kubernetes-list-type: set, items: {type: string}}
      others: {type: array, x-kubernetes-list-type: set, items: {type: string}}
      names: {type: array, items: {type: string}}
      listeners:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [name, in]
        items: {type: object, properties: {name: {type: string}, in: {type: string}, port: {type: integer}}}
      options: {type: object, x-kubernetes-preserve-unknown-fields: true}
      anything: {x-kubernetes-preserve-unknown-fields: true}
      template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
      version: {type: string}
      memory: {type: string}
`

const gateway = `
apiVersion: example.com/v1
kind: Gateway
metadata: {name: shop, labels: {a: b}}
spec:
  least: 3
  most: 2.0
  ratio: 1
  paused: yes
  port: 80
  since: 2026-01-31T12:00:00Z
  until: "2026-02-01t00:00:00.5+02:00"
  day: 2026-01-31
  grace: 1 day
  secret: aGVsbG8=
  note: null
  a-b.c/d: odd
  namespace: ns
  two__words: both
  1st: hidden
  labels: {x: y, none: null}
  zones: [eu-1, us-1]
  others: [us-1, eu-1]
  names: [a, b]
  listeners: [{name: a, in: x, port: 1}, {name: b, in: x}]
  options: {any: 1}
  anything: [1]
  template: {apiVersion: v1, kind: Pod, metadata: {name: inner}, spec: {}}
  version: v1.2.3-rc.1
  memory: 1Gi
`

// program compiles a rule about the spec of a gateway.
func program(t *testing.T, r jsonschema.Rule) (jsonschema.RuleProgram, error) {
	t.Helper()
	return cel.NewRuleCompiler()(&r, parse(t, gatewaySchema).Get("properties").Get("spec"), false)
}

func TestRules(t *testing.T) {
	self := parse(t, gateway).Get("spec")
	for _, c := range []struct {
		rule  string
		holds bool
	}{
		{"self.least <= self.most", false},
		{"self.least > self.most && !has(self.listeners[1].port)", true},
		// int and double according to the schema, not to the text
		{"self.least / 2 == 1 && self.ratio / 2.0 == 0.5", true},
		{"type(self.most) == int && type(self.ratio) == double && type(self.paused) == bool", true},
		{"self.paused", true},
		{"type(self.port) == int && self.port < 1024", true},
		{"type(self.port) == string ? self.port.matches('^[a-z]+$') : self.port >= 80", true},
		{"self.until > self.since && self.until - self.since == duration('10h0.5s')", true},
		{"self.until - self.since == duration('9h') || self.until < " +
			"timestamp('2026-02-01T00:00:00Z')", true},
		{"self.day.getFullYear() == 2026 && self.day == timestamp('2026-01-31T00:00:00Z')", true},
		{"self.grace == duration('24h') && self.grace > duration('30m')", true},
		{"self.secret == b'hello' && size(self.secret) == 5", true},
		{"has(self.note)", false}, // null counts as missing
		{"self.a__dash__b__dot__c__slash__d == 'odd' && self.__namespace__ == 'ns' && " +
			"self.two__underscores__words == 'both'", true},
		{"self.labels.all(k, k.size() > 0) && self.labels['x'] == 'y' && self.labels.x == 'y' && " +
			"'none' in self.labels", true},
		{"self.zones == self.others && (self.zones + self.others).size() == 2", true},
		{"self.zones == ['us-1', 'eu-1'] && self.names != ['b', 'a']", true},
		{"self.listeners == self.listeners && (self.listeners + self.listeners).size() == 2", true},
		{"self.listeners.exists_one(l, l.name == 'a' && l.__in__ == 'x')", true},
		{"self.listeners.all(l1, self.listeners.exists_one(l2, l1.name == l2.name && l1.__in__ " +
			"== l2.__in__))", true},
		{"self.options == self.options", true},
		{"self.template.kind == 'Pod' && self.template.metadata.name == 'inner'", true},
		{"has(self.labels) ? self.labels.exists(k, self.labels[k] == 'y') : true", true},
		{"self.?version.orValue('') == 'v1.2.3-rc.1' && !self.?listeners[5].hasValue()", true},
		{
			"semver(self.version, true).major() == 1 && " +
				"semver('1.2.3').isGreaterThan(semver(self.version, true)) && " +
				"!isSemver(self.version)",
			true,
		},
		{"quantity(self.memory).compareTo(quantity('1024Mi')) == 0", true},
		{"self.names.join('-') == 'a-b' && self.names.isSorted()", true},
		{"self.listeners.map(l, l.name).isSorted() && self.listeners.filter(l, " +
			"has(l.port)).size() == 1", true},
	} {
		t.Run(c.rule, func(t *testing.T) {
			p, err := program(t, jsonschema.Rule{Rule: c.rule})
			if err != nil {
				t.Errorf("%s: %v", c.rule, err)
				return
			}
			result, err := p.Check(t.Context(), self)
			if err != nil || result.Holds != c.holds {
				t.Errorf("%s: %v %v", c.rule, result, err)
			}
			if result.Cost == 0 && c.rule != "self.paused" {
				t.Errorf("%s costs nothing", c.rule)
			}
		})
	}
}

// TestRulesAreTypeChecked checks that rules which the API server refuses are errors here, too.
func TestRulesAreTypeChecked(t *testing.T) {
	for rule, want := range map[string]string{
		"self =":                   "unexpected =",
		"self.none > 1":            "unknown field none",
		"self.least + 'x' == 'y'":  "+ is not defined for (int, string)",
		"self.listeners + 1 == []": "+ is not defined for (list(object), int)",
		"self.least":               "expression returns an int, not true or false",
		"self.1st == ''":           "",
		"self.anything == [1]":     "unknown field anything",
		"self.options.any == 1":    "unknown field any",
		"self.template.spec == {}": "unknown field spec",
		"self.least == 1.5 || self.ratio == self.paused": "",
		"params.a == 1":              "params is not known: the variables are self, oldSelf",
		"[1, 'a'].size() == 2":       "",
		"self.since > '2026-01-01'":  "> is not defined for (timestamp, string)",
		"":                           "the expression is empty",
		"selff.least > 1":            "did you mean self?",
		"self.zones.all(z, z > 1)":   "> is not defined for (string, int)",
		"self.metadata.name == 'a'":  "unknown field metadata",
		"self.labels.x.y == 'a'":     "",
		"oldSelf.hasValue() || true": "",
	} {
		t.Run(rule, func(t *testing.T) {
			if _, err := program(t, jsonschema.Rule{Rule: rule}); err == nil ||
				!strings.Contains(hinted(err), want) {
				t.Errorf("%s: %v, want %s", rule, err, want)
			}
		})
	}
	p, err := program(t, jsonschema.Rule{Rule: "true", MessageExpression: "1 + 1"})
	if err == nil || !strings.Contains(err.Error(), "messageExpression: ") {
		t.Errorf("a message that is not a string: %v %v", p, err)
	}
}

func hinted(err error) string {
	if e, ok := errors.AsType[*expression.Error](err); ok {
		return err.Error() + ": " + e.Hint
	}
	return err.Error()
}

func TestRuleMessages(t *testing.T) {
	self := parse(t, gateway).Get("spec")
	for expression, want := range map[string]string{
		`"not in eu: " + self.zones[1]`:                            "not in eu: us-1",
		`"  at least " + string(self.least) + " "`:                 "at least 3",
		"self.names[7]":                                            "",
		`"two\nlines"`:                                             "",
		`self.names.map(n, self.zones.join(n)).join(", ")`:         "eu-1aus-1, eu-1bus-1",
		`"since " + string(self.since.getFullYear())`:              "since 2026",
		`"%s of %d".format([self.version, self.listeners.size()])`: "v1.2.3-rc.1 of 2",
	} {
		t.Run(expression, func(t *testing.T) {
			p, err := program(t, jsonschema.Rule{Rule: "false", MessageExpression: expression})
			if err != nil {
				t.Errorf("%s: %v", expression, err)
				return
			}
			if result, err := p.Check(t.Context(), self); err != nil || result.Holds || result.Message != want {
				t.Errorf("%s: %v %v", expression, result, err)
			}
		})
	}
}

// TestTransitionRules checks that a rule about changes ignores a value without an old one, unless
// it says otherwise.
func TestTransitionRules(t *testing.T) {
	if p, err := program(t, jsonschema.Rule{Rule: "self.least >= oldSelf.least"}); p != nil ||
		err != nil {
		t.Errorf("a rule about changes: %v %v", p, err)
	}
	if _, err := program(t, jsonschema.Rule{Rule: "self.none == oldSelf.none"}); err == nil {
		t.Error("a wrong rule about changes is compiled")
	}
	self := parse(t, gateway).Get("spec")
	for rule, holds := range map[string]bool{
		"oldSelf.hasValue() || self.least > 3":                false,
		"!oldSelf.hasValue() || oldSelf.value() == self":      true,
		"oldSelf.optMap(o, o.least).orValue(3) == self.least": true,
	} {
		t.Run(rule, func(t *testing.T) {
			p, err := program(t, jsonschema.Rule{Rule: rule, OptionalOldSelf: true})
			if err != nil {
				t.Fatal(err)
			}
			if result, err := p.Check(t.Context(), self); err != nil || result.Holds != holds {
				t.Errorf("%s: %v %v", rule, result, err)
			}
		})
	}
}

func TestRulesOfResources(t *testing.T) {
	compile, schema, self := cel.NewRuleCompiler(), parse(t, gatewaySchema), parse(t, gateway)
	for rule, holds := range map[string]bool{
		"self.metadata.name == 'shop' && self.kind == 'Gateway' && " +
			"!has(self.metadata.generateName)": true,
		"self.apiVersion.startsWith('other')": false,
	} {
		t.Run(rule, func(t *testing.T) {
			p, err := compile(&jsonschema.Rule{Rule: rule}, schema, true)
			if err != nil {
				t.Fatal(err)
			}
			if result, err := p.Check(t.Context(), self); err != nil || result.Holds != holds {
				t.Errorf("%s: %v %v", rule, result, err)
			}
		})
	}
	if _, err := compile(&jsonschema.Rule{Rule: "self.metadata.labels.a == 'b'"}, schema,
		true); err == nil {
		t.Error("rules see labels")
	}
	// Without a schema there are no types to check.
	p, err := compile(&jsonschema.Rule{Rule: "self.metadata.labels.a == 'b'"}, gaby.Value{}, false)
	if err != nil {
		t.Fatal(err)
	}
	if result, err := p.Check(t.Context(), self); err != nil || !result.Holds {
		t.Errorf("%v %v", result, err)
	}
}

func TestRulesAreLimited(t *testing.T) {
	const expensive = "self.names.all(a, self.names.all(b, self.names.all(c, self.names.all(d, " +
		"self.names.all(e, a + b + c + d + e != 'x')))))"
	p, err := program(t, jsonschema.Rule{Rule: expensive})
	if err != nil {
		t.Fatal(err)
	}
	self := parse(t, "{names: ["+strings.Repeat("a, ", 100)+"b]}")
	if result, err := p.Check(t.Context(), self); err == nil ||
		!strings.Contains(err.Error(), "costs too much") || result.Cost < 1_000_000 {
		t.Errorf("%v %v", result, err)
	}
}

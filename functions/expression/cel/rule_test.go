package cel_test

import (
	"testing"

	"github.com/fctl-dev/fctl/configkit/jsonschema"
	"github.com/fctl-dev/fctl/functions/expression/cel"
)

func TestRules(t *testing.T) {
	self := parse(t, "least: 3\nmost: 2\nzones: [eu-1, us-1]\n")
	for _, c := range []struct {
		rule    jsonschema.Rule
		holds   bool
		message string
	}{
		{jsonschema.Rule{Rule: "self.least <= self.most"}, false, ""},
		{jsonschema.Rule{Rule: "self.least > self.most && !has(self.none)"}, true, ""},
		{jsonschema.Rule{Rule: `self.zones.all(z, z.startsWith("eu-"))`, MessageExpression: `"not in eu: " + self.zones[1]`}, false, "not in eu: us-1"},
		{jsonschema.Rule{Rule: "false", MessageExpression: "self.none"}, false, ""},
	} {
		program, err := cel.CompileRule(&c.rule)
		if err != nil {
			t.Fatal(err)
		}
		if holds, message, err := program.Check(self); err != nil || holds != c.holds || message != c.message {
			t.Errorf("%s: %t %q %v", c.rule.Rule, holds, message, err)
		}
	}
	if program, err := cel.CompileRule(&jsonschema.Rule{Rule: "self == oldSelf"}); program != nil || err != nil {
		t.Errorf("a rule about changes: %v %v", program, err)
	}
	if _, err := cel.CompileRule(&jsonschema.Rule{Rule: "self ="}); err == nil {
		t.Error("a rule that is no expression is compiled")
	}
	program, err := cel.CompileRule(&jsonschema.Rule{Rule: "self.none > 1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := program.Check(self); err == nil {
		t.Error("a rule about something that is not there can be evaluated")
	}
}

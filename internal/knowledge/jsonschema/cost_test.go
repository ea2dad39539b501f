package jsonschema_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
)

// TestReferencesIntoSchemas checks that a schema is compiled once, however many
// references point into it.
func TestReferencesIntoSchemas(t *testing.T) {
	inner := `"properties": {`
	for i := range 5_000 {
		inner += fmt.Sprintf(`"k%d": {"type": "string"}, `, i)
	}
	inner = "{" + inner + "}}"
	refs, pointer := "", "#/$defs/a"
	for range 500 {
		inner = `{"items": ` + inner + `}`
		pointer += "/items"
		refs += fmt.Sprintf(`{"$ref": %q}, `, pointer)
	}
	begin := time.Now()
	_, err := jsonschema.Compile("", parse(t, `{"$defs": {"a": `+inner+`}, "allOf": [`+refs+`]}`),
		jsonschema.CompilerOptions{})
	if took := time.Since(begin); err != nil || took > 3*time.Second {
		t.Errorf("%s, %v", took, err)
	}
}

// TestTooManyRules checks the limit for rules: compiling one takes as long as
// checking a thousand values.
func TestTooManyRules(t *testing.T) {
	compiled := 0
	options := jsonschema.CompilerOptions{
		Dialect: jsonschema.Structural,
		Rules: func(*jsonschema.Rule, gaby.Value, bool) (jsonschema.RuleProgram, error) {
			compiled++
			return nil, nil
		},
	}
	rules := strings.Repeat("{rule: self.a != 'x'}, ", 50_000)
	_, err := jsonschema.Compile("",
		parse(t, `{type: object, x-kubernetes-validations: [`+rules+`]}`), options)
	if err == nil || !strings.HasSuffix(err.Error(),
		": the rules of this definition are too many or too long") || compiled < 5_000 ||
		compiled > 20_000 {
		t.Errorf("%d rules, %v", compiled, err)
	}
}

// TestLongAlternatives checks that messages shorten long values of an enum.
func TestLongAlternatives(t *testing.T) {
	long := strings.Repeat("abcdefghij", 10)
	problems := check(t, `{enum: [`+long+`, [`+long+`]]}`, "other")
	want := `"other" is not one of ` + long[:60] + `..., ["` + long[:58] + `...`
	if len(problems) != 1 || problems[0].Message != want {
		t.Errorf("%v", problems)
	}
}

func check(t *testing.T, schema, value string) []jsonschema.Violation {
	t.Helper()
	s, err := jsonschema.Compile("", parse(t, schema), jsonschema.CompilerOptions{Formats: true})
	if err != nil {
		t.Fatal(err)
	}
	problems, err := s.Check(t.Context(), parse(t, value))
	if err != nil {
		t.Fatal(err)
	}
	return problems
}

// TestProblemsOnce checks that a problem found by several parts of a schema is reported once.
func TestProblemsOnce(t *testing.T) {
	s, err := jsonschema.Compile("",
		parse(t,
			`{allOf: [{$ref: "#/$defs/a"}, {$ref: "#/$defs/a"}, {type: object}], $defs: {a: `+
				`{properties: {b: {type: string}}}}}`),
		jsonschema.CompilerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if problems, err := s.Check(t.Context(), parse(t, `{b: 1}`)); err != nil || len(problems) != 1 {
		t.Errorf("%v %v", problems, err)
	}
}

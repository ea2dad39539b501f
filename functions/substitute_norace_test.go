//go:build !race

package functions_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/envsubst"
	"pgregory.net/rapid"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

// TestSubstituteLikeFlux compares substitute by value with what Flux does: it replaces variables in
// the text of resources, which are read again. The type has no schema, so only the quotes decide
// about types.
func TestSubstituteLikeFlux(t *testing.T) {
	pieces := []string{
		"${A}", "${B}", "${A:=x}", "${NONE:=7}", "${NONE:-${B}}", "${WORD^^}", "${WORD/o/0}", "${#WORD}",
		"$${A}", "$$5", "$5", "word", "9", ".", "x-",
		"${Q}", "${Q}${A}${Q}",
	}
	values := []string{"1", "1.10", "true", "words", "a-b", "08", "1e3", "[x, y]", "", "null"}
	rapid.Check(t, func(t *rapid.T) {
		variables, args := map[string]string{"WORD": "foo", "Q": `"`}, []string{"WORD=foo", `Q="`}
		for _, name := range []string{"A", "B"} {
			variables[name] = rapid.SampledFrom(values).Draw(t, name)
			args = append(args, name+"="+variables[name])
		}
		text := "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: thing\nspec:\n"
		for i := range 5 {
			value := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 3).Draw(t, "value"), "")
			form := rapid.SampledFrom([]string{"%s", `"%s"`, "'%s'", "|\n    x %s", "# c\n    - %s", "\n    - {in: '%s'}"})
			text += fmt.Sprintf("  v%d: "+form.Draw(t, "form")+"\n", i, value)
		}
		flux, err := envsubst.Eval(text, func(name string) (string, bool) {
			value, ok := variables[name]
			return value, ok
		})
		if err != nil {
			t.Fatal(err)
		}
		want, err := kyaml.Parse(flux)
		if err != nil {
			t.Skip("the result is not YAML") // such as [x, y]9
		}
		changed, err := changedBy(text, "substitute", args...)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		got, err := kyaml.Parse(changed)
		if err != nil {
			t.Fatalf("%v\n%s", err, changed)
		}
		if got, want := dataIn(t, got), dataIn(t, want); !reflect.DeepEqual(got, want) {
			t.Errorf("%v %v\n%s\ngot\n%s\nwant\n%s", got, want, text, changed, flux)
		}
	})
}

func dataIn(t *rapid.T, node *kyaml.RNode) (data any) {
	if err := node.YNode().Decode(&data); err != nil {
		t.Fatal(err)
	}
	return data
}

// TestSubstituteIsBounded shows that variables in the defaults of others cannot nest without end.
func TestSubstituteIsBounded(t *testing.T) {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  v: '" +
		strings.Repeat("${A:=", 100_000) + strings.Repeat("}", 100_000) + "'\n"
	if _, err := changedBy(text, "substitute", "B=1"); err == nil || !strings.Contains(err.Error(), "nested") {
		t.Error(err)
	}
}

// TestSubstituteReadsVariables shows which arguments have variables: a line break is not part of
// a value, as in Flux, and a file need not end in one.
func TestSubstituteReadsVariables(t *testing.T) {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  v: ${A}-x\n"
	secret := "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
	for _, c := range []struct{ variables, want string }{
		{"A=q", "v: q-x\n"},
		{"A=", "v: -x\n"},
		{`A="q v"`, "v: q v-x\n"},
		{"# A=x\nA='q'\n", "v: q-x\n"},
		{secret + "data: {A: Zm9vCg==}\n", "v: foo-x\n"},
		{secret + "data: {A: Zm9v}\nstringData: {A: bar}\n", "v: bar-x\n"},
		{secret + "data: {A: '%'}\n", "not base64"},
		{secret + "stringData: {A: 'ENC[AES256_GCM,data:x]'}\n", "decrypted first"},
		{"# A=x", "variable A has no value"},
		{"A", "is neither NAME=VALUE nor a file"},
	} {
		got, err := changedBy(text, "substitute", c.variables)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%q: %s, want %s", c.variables, got, c.want)
		}
	}
	if _, err := changedBy(strings.Replace(text, "${A}", strings.Repeat("$$", 50_000), 1), "substitute", "A=1"); err == nil {
		t.Error("$$ takes quadratic time")
	}
}

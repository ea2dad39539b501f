package report_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/out/report"
)

// schemaOf returns the file of a schema that make report-schemas fetched.
func schemaOf(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "out", "schemas", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("not compared: %s is missing; make report-schemas fetches it", path)
	}
	return path
}

// golden returns the reports of the golden cases, each from its first line to its last, and those of
// every kind of finding.
func golden(t *testing.T, kind report.Kind, first, last string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "golden-output", "*", "*.out"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{
		"findings": rendered(t, kind, validation()),
		"nothing":  rendered(t, kind, &handler.Result{}),
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, printed, _ := strings.Cut(string(text), "== stdout\n")
		if printed, _, _ = strings.Cut(printed, "== stderr\n"); strings.HasPrefix(printed, first) &&
			strings.HasSuffix(printed, last) && strings.Contains(string(text), "report "+string(kind)) {
			all[filepath.Base(file)] = printed
		}
	}
	if len(all) < 8 {
		t.Fatalf("only %d reports", len(all))
	}
	return all
}

// TestSARIFHasItsSchema compares the reports with the schema of OASIS.
func TestSARIFHasItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaOf(t, "sarif-2.1.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range golden(t, report.SARIF, "{\n", "}\n") {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestJUnitHasItsSchema compares the reports with the schema that JUnit itself is tested with.
func TestJUnitHasItsSchema(t *testing.T) {
	if _, err := exec.LookPath("xmllint"); err != nil {
		t.Skip("not compared: xmllint is not installed")
	}
	schema, dir := schemaOf(t, "junit.xsd"), t.TempDir()
	words := []string{"--noout", "--schema", schema}
	for name, text := range golden(t, report.JUnit, "<?xml", "</testsuites>\n") {
		file := filepath.Join(dir, name+".xml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		words = append(words, file)
	}
	if out, err := exec.Command("xmllint", words...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, bytes.TrimSpace(out))
	}
}

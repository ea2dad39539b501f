package jsonschema_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/google/jsonschema-go/jsonschema" // for its copy of the official test suite

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
)

// moduleDir returns the directory with the source of a module.
func moduleDir(t testing.TB, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatalf("go list -m %s: %v", module, err)
	}
	return strings.TrimSpace(string(out))
}

// value parses JSON as a value of a document.
func value(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, text []byte,
) gaby.Value {
	t.Helper()
	doc, err := gaby.ParseYAML(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return doc.Value()
}

// suite is a file of the official test suite.
type suite []struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// loader returns a function that loads the schemas that the suite refers to: its own remote schemas
// and the meta-schemas.
func loader(t testing.TB, remotes, metaschemas string) func(string) (gaby.Value, error) {
	return func(uri string) (gaby.Value, error) {
		path, ok := strings.CutPrefix(uri, "http://localhost:1234/")
		path = filepath.Join(remotes, path)
		if !ok {
			path = filepath.Join(metaschemas,
				strings.TrimPrefix(strings.TrimPrefix(uri, "http://json-schema.org"),
					"https://json-schema.org"))
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return gaby.Value{}, fmt.Errorf("%s: %w", uri, err)
		}
		return value(t, text), nil
	}
}

// TestOfficialSuite runs the tests of https://github.com/json-schema-org/JSON-Schema-Test-Suite.
func TestOfficialSuite(t *testing.T) {
	dir := filepath.Join(moduleDir(t, "github.com/google/jsonschema-go"), "jsonschema", "testdata")
	metaschemas := filepath.Join(moduleDir(t, "github.com/santhosh-tekuri/jsonschema/v6"),
		"metaschemas")
	for draft, dialect := range map[string]jsonschema.Dialect{
		"draft7":       jsonschema.Draft7,
		"draft2020-12": jsonschema.Draft2020,
	} {
		t.Run(draft, func(t *testing.T) {
			files, _ := filepath.Glob(filepath.Join(dir, draft, "*.json"))
			tests := 0
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				var s suite
				if err := json.Unmarshal(text, &s); err != nil {
					t.Fatal(err)
				}
				for _, group := range s {
					name := draft + "/" + filepath.Base(file) + ": " + group.Description
					schema, err := jsonschema.Compile("", value(t, group.Schema),
						jsonschema.CompilerOptions{
							Dialect: dialect, Load: loader(t, filepath.Join(dir, "remotes"),
								metaschemas),
						})
					if err != nil {
						t.Errorf("%s: %v", name, err)
						continue
					}
					for _, test := range group.Tests {
						tests++
						problems, err := schema.Check(t.Context(), value(t, test.Data))
						if err != nil || len(problems) == 0 != test.Valid {
							t.Errorf("%s: %s: %v, %v, want %t\n%s\n%s", name, test.Description,
								problems, err, test.Valid, group.Schema, test.Data)
						}
					}
				}
			}
			if t.Logf("%s: %d tests", draft, tests); tests < 800 {
				t.Errorf("%s: only %d tests", draft, tests)
			}
		})
	}
}

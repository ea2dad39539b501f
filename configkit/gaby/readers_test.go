package gaby_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// TestOtherReadersReadWhatIsPrinted writes random texts as keys, values and comments and reads the
// result with yaml.v3, with libfyaml (a YAML 1.2 reader) and with PyYAML.
func TestOtherReadersReadWhatIsPrinted(t *testing.T) {
	const n = 600
	r := rand.New(rand.NewPCG(31, 1))
	texts, want := make([]string, n), make([]map[string]any, n)
	for i := range n {
		texts[i], want[i] = randomDocument(t, r)
	}
	t.Run("yaml.v3", func(t *testing.T) {
		for i, text := range texts {
			var got map[string]any
			err := yaml.Unmarshal([]byte(text), &got)
			compareReader(t, text, want[i], got, err)
		}
	})
	t.Run("libfyaml", func(t *testing.T) {
		if _, err := exec.LookPath("fy-tool"); err != nil {
			t.Skip("no fy-tool here (Debian: libfyaml-utils)")
		}
		cmd := exec.Command("fy-tool", "--mode=json", "-")
		cmd.Stdin = strings.NewReader("---\n" + strings.Join(texts, "---\n"))
		var problems strings.Builder
		cmd.Stderr = &problems
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, problems.String())
		}
		values := json.NewDecoder(bytes.NewReader(bytes.ReplaceAll(out, []byte("---\n"), nil)))
		for i, text := range texts {
			var got map[string]any
			err := values.Decode(&got)
			compareReader(t, text, want[i], got, err)
		}
	})
	t.Run("PyYAML", func(t *testing.T) {
		python := pythonWithYAML(t)
		in, err := json.Marshal(texts)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(python, "-c", readAllWithPyYAML)
		cmd.Stdin = bytes.NewReader(in)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var got []struct {
			Value map[string]any
			Error string
		}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			if got[i].Error != "" {
				t.Errorf("%q: %s", text, got[i].Error)
				continue
			}
			compareReader(t, text, want[i], got[i].Value, nil)
		}
	})
}

const readAllWithPyYAML = `
import json, sys, yaml
def read(text):
    try:
        return {"Value": yaml.safe_load(text)}
    except yaml.YAMLError as e:
        return {"Error": str(e)}
json.dump([read(text) for text in json.load(sys.stdin)], sys.stdout)
`

// pythonWithYAML returns the path of a Python that has PyYAML.
func pythonWithYAML(t *testing.T) string {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import yaml").Run() == nil {
			return python
		}
	}
	t.Skip("no python3 with PyYAML here (Debian: python3-yaml)")
	return ""
}

func compareReader(t *testing.T, text string, want, got map[string]any, err error) {
	t.Helper()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q is read as %q, want %q (%v)", text, got, want, err)
	}
}

// randomDocument edits a document with random texts and returns it with its value.
func randomDocument(t *testing.T, r *rand.Rand) (string, map[string]any) {
	sources := []string{
		"a: x\nm:\n  b: y # c\n", "a: 'x'\nm: {b: \"y\"}\n",
		"a: \"x\" # c\nm:\n    b: |\n      y\n",
	}
	doc, err := gaby.ParseYAML([]byte(sources[r.IntN(len(sources))]))
	if err != nil {
		t.Fatal(err)
	}
	key, value, other := specialText(r), specialText(r), specialText(r)
	set := func(value string, segments ...string) bool {
		_, err := doc.Set(value, segments...)
		return err == nil
	}
	want := map[string]any{"a": "x", "m": map[string]any{"b": doc.Search("m", "b").Data()}}
	if key != "a" && key != "m" && set(value, key) {
		want[key] = value
	}
	m := want["m"].(map[string]any)
	if set(other, "m", "b") {
		m["b"] = other
	}
	if key != "b" && set(other, "m", key) {
		m[key] = other
	}
	_ = doc.SetComment(specialText(r), "a") // a refused text leaves the document unchanged
	return string(doc.Bytes()), want
}

// specialText returns a text of characters that are special to some YAML reader.
func specialText(r *rand.Rand) string {
	special := []string{
		"\u0085", "\u2028", "\u2029", "\ufeff", "\x00", "\a", "\x1b", "\x7f", "\u009b", "\ufffd",
		"\ufffe", "\U0001f600", "\u00a0", "\v", "\f",
		"\t", "\n", "\r", " ", "  ", "#", " #", ": ", ":", "-", "- ", "? ", "!", "&", "*", "'",
		"\"", "\\", "%", "@", "`", "|", ">", "{", "}", "[", "]", ",",
		"~", "yes", "0x1", "1.0", "---", "...", "<<", "=", "a", "é", strings.Repeat("x", 300),
	}
	var b strings.Builder
	for range r.IntN(8) {
		b.WriteString(special[r.IntN(len(special))])
	}
	return b.String()
}

func TestKeysThatReadersDoNotAcceptAreErrors(t *testing.T) {
	const long = "is written with more than 1,000 bytes"
	explicit, err := gaby.ParseYAML([]byte("b:\n  ? " + strings.Repeat("x", 1001) + "\n  : 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		value any
		path  []string
	}{
		{name: "in a document with an explicit key", path: []string{"a"}, value: explicit},
		{name: "in an item of a document", path: []string{"l"}, value: []any{explicit.Value()}},
		{name: "as a path", path: []string{"a", strings.Repeat("x", 1001)}, value: 1},
		{
			name: "below what is missing", path: []string{"b", "c", strings.Repeat("x", 1001)},
			value: 1,
		},
		{name: "in an item", path: []string{"l", "-", strings.Repeat("x", 1001)}, value: 1},
		{
			name: "in a value", path: []string{"a"},
			value: map[string]any{strings.Repeat("x", 1001): 1},
		},
		{name: "with escapes", path: []string{"a", strings.Repeat("\a", 300)}, value: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, err := gaby.ParseYAML([]byte("a: {}\nl: []\n"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := doc.Set(c.value, c.path...); err == nil ||
				!strings.Contains(err.Error(), long) {
				t.Errorf("the error is %v", err)
			}
			if got := string(doc.Bytes()); got != "a: {}\nl: []\n" {
				t.Errorf("the document has become %q", got)
			}
		})
	}
	doc, _ := gaby.ParseYAML([]byte("a: {}\n"))
	if _, err := doc.Set(1, "a", strings.Repeat("x", 998)); err != nil {
		t.Error(err)
	}
}

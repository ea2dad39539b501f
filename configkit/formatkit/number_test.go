package formatkit_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/formats/hclkit"
	"github.com/fctl-dev/fctl/internal/formats/jsonkit"
	"github.com/fctl-dev/fctl/internal/formats/tomlkit"
)

// A decimal fraction has the text that it is written with in the YAML that patches and yq have, and
// where it is copied to. Other numbers have the text of their value.
func TestSpellingOfNumbers(t *testing.T) {
	for _, c := range []struct {
		name             string
		converter        configkit.ConfigConverter
		text, yaml, copy string
	}{
		{"TOML, 1.20", tomlkit.Converter{}, "a = 1.20\n", "1.20", "a = 1.20\nb = 1.20\n"},
		{"TOML, 0x1F", tomlkit.Converter{}, "a = 0x1F\n", "31", "a = 0x1F\nb = 31\n"},
		{"TOML, text", tomlkit.Converter{}, "a = '1.20'\n", `"1.20"`, "a = '1.20'\nb = '1.20'\n"},
		{"JSON, 1.20", jsonkit.Converter{}, `{"a": 1.20}`, "1.20", `{"a": 1.20, "b": 1.20}`},
		{"JSON, 1E3", jsonkit.Converter{}, `{"a": 1E3}`, "1000.0", `{"a": 1E3, "b": 1000.0}`},
		{"HCL, 1.20", hclkit.Converter{}, "a = 1.20\n", "1.20", "a = 1.20\nb = 1.20\n"},
		{"HCL, 010", hclkit.Converter{}, "a = 010\n", "10", "a = 010\nb = 10\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			docs, err := c.converter.NativeToDocuments([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			a := docs[0].Value().Get("a")
			if got := strings.TrimSpace(a.YAML()); got != c.yaml {
				t.Errorf("YAML: %s, want %s", got, c.yaml)
			}
			if _, err := docs[0].SetP(a, "b"); err != nil {
				t.Fatal(err)
			}
			if text, err := c.converter.DocumentsToNative(docs); err != nil {
				t.Error(err)
			} else if string(text) != c.copy {
				t.Errorf("copied: %s", text)
			}
		})
	}
}

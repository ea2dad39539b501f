package schemas

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
)

func TestParseLocation(t *testing.T) {
	const all = "/c/{{.Group}}/{{ .ResourceKind }}_{{.ResourceAPIVersion}}{{.KindSuffix}}.json"
	for _, c := range []struct {
		location string
		of       api.ResourceType
		version  string
		want     string // a path, or what the error contains
	}{
		{all, "cert-manager.io/v1/Certificate", "", "/c/cert-manager.io/certificate_v1-cert-manager-v1.json"},
		{all, "v1/Pod", "", "/c/v1/pod_v1-v1.json"},
		{"/c", "apps/v1/Deployment", "", "/c/master-standalone-strict/deployment-apps-v1.json"},
		{"file:///c", "v1/Pod", "1.35", "/c/v1.35.0-standalone-strict/pod-v1.json"},
		{"/c", "v1/Pod", "v1.35.2", "/c/v1.35.2-standalone-strict/pod-v1.json"},
		{"default", "v1/Pod", "", "default"},
		{"https://example.com", "v1/Pod", "", "fetches nothing"},
		{"/c/{{.Kind}}.json", "v1/Pod", "", "{{.Kind}} is not a variable"},
		{"/c/{{Group}}.json", "v1/Pod", "", "{{Group}} is not a variable"},
		{"/c/{{.Group.json", "v1/Pod", "", "no }}"},
		{"", "v1/Pod", "", "empty"},
		{all, "../v1/Pod", "", ""},
		{all, `v1/..\x`, "", ""},
		{all, "./Pod", "", ""},
	} {
		location, err := ParseLocation(c.location)
		have := location.File(c.of, c.version, true)
		if err != nil {
			have = err.Error()
		}
		if have != c.want && (err == nil || !strings.Contains(have, c.want)) {
			t.Errorf("%s of %s: %q, want %q", c.location, c.of, have, c.want)
		}
	}
}

// TestLocations checks that files are read once, when a resource needs them, and that a schema does
// not refer to files outside its directory.
func TestLocations(t *testing.T) {
	files := map[string]string{
		"c/widget-example-v1.json": `{"properties": {"a": {"$ref": "parts/a.json"}}}`,
		"c/parts/a.json":           `{"type": "string"}`,
		"c/gadget-example-v1.json": `{"properties": {"a": {"$ref": "../a.json"}}}`,
		"a.json":                   `{"type": "string"}`,
		"c/broken-example-v1.json": "{\n",
	}
	reads := map[string]int{}
	var library Library
	library.AddLocations(Locations{
		List: []Location{"c/{{.ResourceKind}}{{.KindSuffix}}.json"},
		Read: func(file string) ([]byte, error) {
			reads[file]++
			if text, ok := files[file]; ok {
				return []byte(text), nil
			}
			if file == "c/locked-example-v1.json" {
				return nil, fs.ErrPermission
			}
			return nil, fs.ErrNotExist
		},
	})
	set, err := library.Snapshot().Set("", nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(reads) > 0 {
		t.Errorf("%v are read before they are needed", reads)
	}
	schema, err := set.Schema("example.com/v1/Widget")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		problems, err := schema.Check(t.Context(), parse(t, "a: 1"))
		if err != nil || len(problems) != 1 {
			t.Errorf("%v, %v", problems, err)
		}
		for _, none := range []api.ResourceType{"example.com/v2/Widget", "v1/Pod"} {
			if schema, err := set.Schema(none); schema != nil || err != nil {
				t.Errorf("%s: %v, %v", none, schema, err)
			}
		}
	}
	for file, n := range reads {
		if n > 1 {
			t.Errorf("%s is read %d times", file, n)
		}
	}
	if _, err := set.Schema("example.com/v1/Gadget"); err == nil || reads["a.json"] > 0 {
		t.Errorf("a schema refers to a file outside its directory: %v", err)
	}
	if _, err := set.Schema("example.com/v1/Broken"); err == nil ||
		!strings.Contains(err.Error(), "c/broken-example-v1.json:") {
		t.Errorf("a file with a syntax error: %v", err)
	}
	if _, err := set.Schema("example.com/v1/Locked"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

//go:build !race

package k8skit_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
)

// TestEntries compares the built-in types, of which only the files and documents that have an entry
// are read, with what the same files say when all are read: for every fifth type, and with LONG=1
// (make long) for every type.
func TestEntries(t *testing.T) {
	names, err := filepath.Glob("operators/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var files []resourcetypes.TypesFile
	for _, name := range append([]string{"resource_types.yaml"}, names...) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, resourcetypes.TypesFile{Name: name, Text: text})
	}
	whole := resourcetypes.New(files...)
	types := whole.ResourceTypes()
	if len(types) < 200 {
		t.Fatal(len(types))
	}
	attributes := whole.RegisteredPaths()
	for i, of := range types {
		if i%5 > 0 && os.Getenv("LONG") == "" {
			continue
		}
		if whole.Scope(of) != k8skit.New().Scope(of) {
			t.Errorf("scope of %s: %q, not %q", of, k8skit.New().Scope(of), whole.Scope(of))
		}
		lazy := k8skit.New()
		for name := range attributes {
			if attributes[name][of] == nil {
				continue
			}
			have, want := lazy.AttributePaths(name).PathsOf(of),
				whole.AttributePaths(name).PathsOf(of)
			if !reflect.DeepEqual(have, want) {
				t.Errorf("%s of %s: %d paths, not %d", name, of, len(have), len(want))
			}
		}
		if have, want := lazy.Registry.MergeKeys(of), whole.MergeKeys(of); !reflect.DeepEqual(have, want) {
			t.Errorf("merge keys of %s: %v, not %v", of, have, want)
		}
	}
}

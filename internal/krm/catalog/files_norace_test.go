//go:build !race

package catalog

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm"
)

// TestCorpus runs the functions on the YAML files of the repository. A function may refuse a
// file. If it does not, documents that it did not change keep their bytes, and a second run changes
// nothing.
func TestCorpus(t *testing.T) {
	configs := map[string]string{
		"set-namespace":                 "{namespace: new}",
		"set-labels":                    "{zone: eu, app: x}",
		"set-annotations":               "{a/b: 'c: d'}",
		"set-image":                     "{name: nginx, newTag: '9'}",
		"apply-setters":                 "{tag: '1', replicas: '2'}",
		"create-setters":                "{app: nginx, n: '80'}",
		"search-replace":                "{by-value-regex: 'ng(.*)', put-value: 'ng-${1}x'}",
		"ensure-name-substring":         "{prepend: dev-}",
		"kubeconform":                   "{ignore_missing_schemas: 'true', strict: 'true'}",
		"remove-local-config-resources": "{}",
		"list-setters":                  "{}",
		"starlark": "{source: 'x = [r for r in " +
			"ctx.resource_list[\"items\"]]'}",
	}
	var files []string
	err := filepath.WalkDir("../../..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "out" || entry.Name() == ".git") {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".yaml") {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	ran, refused := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for name, config := range configs {
			config, err := gaby.ParseYAML([]byte("{apiVersion: v1, kind: ConfigMap, data: " +
				config + "}"))
			if err != nil {
				t.Fatal(err)
			}
			function, _ := Find(name, "")
			call := func(text []byte) (gaby.Container, bool) {
				list := &krm.ResourceList{FunctionConfig: config}
				docs, err := gaby.ParseAll(text)
				if err != nil {
					return nil, false
				}
				for i, doc := range docs {
					list.Items = append(list.Items, &krm.Item{Doc: doc, Path: "r.yaml", Index: i})
				}
				if err := function(t.Context(), list); err != nil {
					return nil, false
				}
				return list.Docs(), true
			}
			docs, ok := call(text)
			if !ok {
				refused++
				continue
			}
			ran++
			output := docs.Bytes()
			for _, doc := range docs {
				if !doc.Changed() && !bytes.Contains(text, doc.Source()) {
					t.Errorf("%s: %s: a document that was not changed has other bytes:\n%s", file,
						name, doc)
				}
			}
			if name == "search-replace" {
				continue // it matches what it wrote
			}
			if again, ok := call(output); !ok || string(again.Bytes()) != string(output) {
				t.Errorf("%s: %s: a second run changes\n%s\nto\n%s", file, name, output,
					again.Bytes())
			}
		}
	}
	if ran < 6*refused { // refused are resources without a name, and two of one name
		t.Errorf("%d runs succeeded, %d were refused", ran, refused)
	}
	t.Logf("%d files: %d runs succeeded, %d were refused", len(files), ran, refused)
}

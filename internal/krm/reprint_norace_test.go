//go:build !race

package krm

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/fctl-dev/fctl/internal/source"
)

// F1, F7, F11: functions that print all resources again, in their own layout and with their own
// order of keys, change nothing.
func TestCorpusReprinted(t *testing.T) {
	printers := map[string]func([]byte) ([]byte, error){
		"nodes of yaml.v3": func(text []byte) ([]byte, error) {
			var n yaml.Node
			if err := yaml.Unmarshal(text, &n); err != nil {
				return nil, err
			}
			var b bytes.Buffer
			enc := yaml.NewEncoder(&b)
			enc.SetIndent(2)
			err := enc.Encode(&n)
			return b.Bytes(), err
		},
		"values of yaml.v3": func(text []byte) ([]byte, error) {
			var v any
			if err := yaml.Unmarshal(text, &v); err != nil {
				return nil, err
			}
			return yaml.Marshal(v)
		},
		"JSON": func(text []byte) ([]byte, error) {
			var v any
			if err := yaml.Unmarshal(text, &v); err != nil {
				return nil, err
			}
			return json.MarshalIndent(v, "", "\t")
		},
	}
	dirs := []string{"../../testdata", "../../examples"}
	if more := os.Getenv("FCTL_KRM_FILES"); more != "" {
		dirs = append(dirs, more)
	}
	for name, reprint := range printers {
		t.Run(name, func(t *testing.T) {
			compared := 0
			for _, dir := range dirs {
				err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
					ext := filepath.Ext(path)
					if err != nil || e.IsDir() || ext != ".yaml" && ext != ".yml" &&
						ext != ".json" {
						return err
					}
					p, err := ReadPackage(t.Context(), path, ReadOptions{
						Reader: &source.Reader{}, All: true,
					})
					if err != nil {
						return nil //nolint:nilerr // not YAML
					}
					sent := p.Items()
					text, err := (&ResourceList{Items: sent}).wire(&wireOptions{ids: true})
					if err != nil {
						return nil //nolint:nilerr // cannot be sent
					}
					text, err = reprint(text)
					if err != nil {
						return nil //nolint:nilerr // yaml.v3 does not read it
					}
					list, err := Parse(text)
					if err != nil {
						t.Logf("%s: %v", path, err)
						return nil
					}
					compared++
					items, err := merge(sent, list.Items, provider())
					if err != nil {
						t.Errorf("%s: %v", path, err)
						return nil
					}
					switch filepath.Base(path) {
					case "21-timestamps.yaml", "broken-comments.json":
						return nil // the printer changes times, or keys that are null
					}
					if have := changes(t, p, items); have != "" {
						t.Errorf("%s changed", path)
						if testing.Verbose() {
							t.Log(have)
						}
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if compared < 50 {
				t.Errorf("only %d files were compared", compared)
			}
		})
	}
}

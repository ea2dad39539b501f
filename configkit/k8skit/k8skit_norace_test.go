//go:build !race

package k8skit_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
)

func TestMoreFiles(t *testing.T) {
	const more = `resourceTypes:
  example.com/v1/Cache:
    embeds:
      - {shape: PodSpecLike, path: spec}
shapes:
  PodSpecLike:
    mergeKeys:
      - {path: nodes, key: id}
    attributes:
      cache-node:
        - path: "nodes.?id:node-id=%s.host"
`
	p := k8skit.New(resourcetypes.TypesFile{Name: "more.yaml", Text: []byte(more)})
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if got := paths(
		p, "cache-node", "example.com/v1/Cache",
	); got != "spec.nodes.?id:node-id=%s.host" {
		t.Errorf("paths: %q", got)
	}
	if keys := p.MergeKeys("example.com/v1/Cache").Child("spec").Child("nodes"); keys == nil ||
		keys.Keys[0] != "id" {
		t.Errorf("merge keys: %v", keys)
	}
	for text, want := range map[string]string{
		"resourceTypes:\n  a/v1/B:\n    paths: {}\n":                                      "f.yaml:3:",
		"resourceTypes:\n  a/v1/B:\n    embeds:\n    - {shape: Gone}\n":                   "there is no shape Gone",
		"resourceTypes:\n  a/v1/B:\n    attributes:\n      x:\n      - {path: a..b}\n":    "column 3",
		"resourceTypes:\n  a/v1/B:\n    attributes:\n      x:\n      - {dataType: int}\n": "it is missing",
		"shapes:\n  S:\n    embeds:\n    - {shape: S}\nresourceTypes:\n  a/v1/B:\n    embeds:\n" +
			"    - {shape: S}\n": "embedded more than",
	} {
		t.Run(text, func(t *testing.T) {
			err := k8skit.New(resourcetypes.TypesFile{Name: "f.yaml", Text: []byte(text)}).Check()
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %s", text, err, want)
			}
		})
	}
}

package yamlkit_test

import (
	"fmt"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// What results call a place leads back to it, however strange the names are.
func TestReportedPathsLeadBack(t *testing.T) {
	names := []string{
		"a", "a", `"b.c"`, `"*"`, `"@1"`, `"x;@0"`, `"#h"`, `"~1"`, `"%s"`, `""`, "5",
		"true", `"a=b"`, `"a:b"`, `"|x"`, `"?y"`, `"é"`, "~", "[l]",
	}
	text := "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"
	for i, name := range names {
		text += fmt.Sprintf("  - {name: %s, image: i%d}\n", name, i)
	}
	for i := range 30 { // long enough for the list to be remembered
		text += fmt.Sprintf("  - {name: n%d, image: m%d}\n", i%20, i)
	}
	docs := container(t, text)
	provider := k8skit.New()
	rows, err := yamlkit.GetStringPaths(docs, provider.AttributePaths("container-image"),
		[]any{"*"}, provider)
	if err != nil || len(rows) != len(names)+30 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	keyed := 0
	for _, row := range rows {
		source := api.ResourceTypeToPathToVisitorInfoType{"v1/Pod": {api.UnresolvedPath(
			row.Path): {}}}
		again, err := yamlkit.GetStringPaths(docs, source, nil, provider)
		if err != nil || len(again) != 1 || again[0].Value != row.Value ||
			again[0].Path != row.Path {
			t.Errorf("%s leads to %v %v, want %v", row.Path, again, err, row.Value)
		}
		if row.Path[len("spec.containers.")] == '?' {
			keyed++
		}
	}
	if want := 30; keyed < want {
		t.Errorf("%d elements are known by their key, want at least %d", keyed, want)
	}
}

func TestCompositeMergeKeys(t *testing.T) {
	docs := container(t,
		"apiVersion: v1\nkind: Service\nmetadata: {name: dns}\nspec:\n  ports:\n"+
			"  - {port: 53, protocol: UDP}\n  - {port: 53, protocol: TCP}\n  - {port: 80}\n")
	provider := k8skit.New()
	if keys := provider.MergeKeys("v1/Service").Child("spec").Child("ports"); fmt.Sprint(
		keys.Keys) != "[port protocol]" {
		t.Errorf("%v", keys)
	}
	source := api.ResourceTypeToPathToVisitorInfoType{"v1/Service": {"spec.ports.*.port": {}}}
	rows, err := yamlkit.GetPaths[int](docs, source, nil, provider)
	got := ""
	for _, row := range rows {
		got += string(row.Path) + " "
	}
	if want := "spec.ports.1.port spec.ports.?port=53.port spec.ports.?port=80.port "; err != nil ||
		got != want {
		t.Errorf("%s %v, want %s", got, err, want)
	}
}

package workspace_test

import (
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/rules"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// TestToolchains checks that a unit may have each toolchain, and the name of its file of data. The
// names of built-in toolchains are written out because files on disk have them.
func TestToolchains(t *testing.T) {
	files := map[api.ToolchainType]string{
		"Kubernetes/YAML": "data.yaml", "AppConfig/YAML": "data.yaml",
		"AppConfig/JSON": "data.json", "AppConfig/Properties": "data.properties",
		"AppConfig/TOML": "data.toml", "AppConfig/INI": "data.ini", "AppConfig/Env": "data.env",
		"AppConfig/Text": "data.txt", "OpenTofu/HCL": "data.tf", "ConfigHub/YAML": "data.yaml",
	}
	toolchains := []api.ToolchainType{"ConfigHub/YAML"}
	for _, known := range functions.Toolchains() {
		toolchains = append(toolchains, known.Name)
	}
	for _, toolchain := range toolchains {
		t.Run(string(toolchain), func(t *testing.T) {
			dir := shop(t)
			s, w := open(t, dir, workspace.OpenOptions{Write: true})
			tx := s.Begin("create")
			u := &workspace.Unit{Unit: &entity.Unit{
				Common: entity.Common{Slug: "new", SpaceSlug: "shop"}, ToolchainType: toolchain,
			}}
			if err := tx.Create(w, u); err != nil {
				t.Fatal(err)
			}
			if _, err := tx.Record(recorder{}, u, []byte("a\n"), entity.SourceCreateUnit, "",
				entity.Mutation{}, false); err != nil {
				t.Fatal(err)
			}
			if err := tx.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			_, w = open(t, dir, workspace.OpenOptions{})
			if len(w.Problems) > 0 {
				t.Error(w.Problems)
			}
			file, pinned := files[toolchain]
			if _, found := content(t, dir)["spaces/shop/units/new/"+file]; pinned && !found {
				t.Errorf("the workspace has no file %s", file)
			}
		})
	}
	if rules.HasToolchain("AppConfig/Unknown") {
		t.Error("a unit may have any toolchain")
	}
}

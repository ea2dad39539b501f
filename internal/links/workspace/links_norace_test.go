//go:build !race

package workspace_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// TestManyLinksAreLinear makes links as link create does. The work of a link must not grow with the
// number of links that are there: it is counted as the memory that is allocated.
func TestManyLinksAreLinear(t *testing.T) {
	few, many := madeLinks(t, 500), madeLinks(t, 2000)
	t.Logf("500 links: %d KB, 2000 links: %d KB", few>>10, many>>10)
	if many > 6*few {
		t.Errorf("2000 links take %d times the memory of 500", many/few)
	}
}

// madeLinks returns how many bytes are allocated to make links from n units to one.
func madeLinks(t *testing.T, n int) uint64 {
	t.Helper()
	files := map[string]string{"spaces/shop/space.yaml": "{}\n"}
	for i := range n + 1 {
		name := fmt.Sprintf("spaces/shop/units/u%d/unit.yaml", i)
		files[name] = "ToolchainType: Kubernetes/YAML\n"
	}
	dir := t.TempDir()
	if _, err := workspace.Init(t.Context(), dir, workspace.InitOptions{Space: "shop"}); err != nil {
		t.Fatal(err)
	}
	write(t, dir, files)
	s, w := open(t, dir, workspace.OpenOptions{Write: true})
	defer s.Close() //nolint:errcheck // nothing is committed
	tx := s.Begin("")
	defer tx.Drop()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var made []*workspace.Link
	for i := range n {
		l := &workspace.Link{Link: &entity.Link{
			Common:   entity.Common{Slug: fmt.Sprintf("l%d", i), SpaceSlug: "shop"},
			FromUnit: fmt.Sprintf("u%d", i+1), ToUnit: "u0",
			UpdateType: entity.UpdateUpgradeUnit,
		}}
		errs := append(w.ResolveLink(l), w.ValidateLink(l)...)
		if errs = append(errs, w.LinkCycle(l)...); len(errs) > 0 {
			t.Fatal(errs)
		}
		if err := tx.Create(w, l); err != nil {
			t.Fatal(err)
		}
		made = append(made, l)
	}
	if errs := w.LinkCycles(made); errs != nil {
		t.Fatal(errs)
	}
	runtime.ReadMemStats(&after)
	if got := len(w.LinksTo(made[0].To)); got != n {
		t.Errorf("%d links lead to the unit, not %d", got, n)
	}
	return after.TotalAlloc - before.TotalAlloc
}

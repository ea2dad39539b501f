package workspace

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

func newUnitTree(a *command.App) *cobra.Command {
	c, sel := &session.Common{App: a}, &session.SelectFlags{}
	cmd := &cobra.Command{
		Use: "tree [flags] [UNIT...]", Short: "Show units as trees, upstreams at the top",
		Long: `Show units as trees: upstreams at the top, with what depends on them below. With
--edge clone only clones count, with --node space the spaces are shown.`,
	}
	flags := session.Flags(cmd, c.AddSpace, sel.Add)
	edge := &command.Choice{What: "edge", Value: "link", Values: []string{"link", "clone"}}
	node := &command.Choice{What: "node", Value: "unit", Values: []string{"unit", "space"}}
	flags.Var(edge, "edge", "connect units by `EDGE`: link or clone")
	flags.Var(node, "node", "show `NODE`: unit or space")
	return c.Reads(cmd, func(s *session.Session, names []string) error {
		if len(names) == 0 {
			s.SpaceFlag = cmp.Or(s.SpaceFlag, "*")
		}
		if err := s.CheckCycles(); err != nil {
			return err
		}
		units, err := sel.UnitsNamed(s, names)
		if err != nil {
			return err
		}
		t := newTree(s, units, edge.Value == "clone", node.Value == "space", len(names) > 0)
		return s.App.WriteText(t.String())
	})
}

// tree is a graph without cycles shown as trees. A node with several parents is shown below each,
// its own children only the first time.
type tree struct {
	strings.Builder
	below map[string][]string
	shown map[string]bool
}

// newTree makes the trees of units, or of their spaces. The roots are the units themselves if
// named, otherwise those without an upstream among them.
func newTree(s *session.Session, units []*workspace.Unit, clones, spaces, named bool) *tree {
	t := &tree{below: map[string][]string{}, shown: map[string]bool{}}
	name := func(u *workspace.Unit) string {
		if spaces {
			return u.SpaceSlug
		}
		return u.Name()
	}
	chosen, roots := map[string]bool{}, map[string]bool{}
	for _, u := range units {
		chosen[name(u)], roots[name(u)] = true, true
	}
	for _, l := range s.Links {
		if l.From == nil || l.To == nil || clones && l.UpdateType != entity.UpdateUpgradeUnit {
			continue
		}
		from, to := name(l.From), name(l.To)
		if from == to || !named && (!chosen[from] || !chosen[to]) {
			continue
		}
		if !slices.Contains(t.below[to], from) {
			t.below[to] = append(t.below[to], from)
		}
		if !named {
			delete(roots, from)
		}
	}
	if spaces && len(roots) == 0 { // spaces may depend on each other
		roots = chosen
	}
	for _, root := range slices.Sorted(maps.Keys(roots)) {
		t.WriteString(root + "\n")
		t.children(root, "")
	}
	return t
}

func (t *tree) children(of, indent string) {
	if t.shown[of] {
		return
	}
	t.shown[of] = true
	below := slices.Sorted(slices.Values(t.below[of]))
	for i, child := range below {
		branch, deeper := "├─ ", "│  "
		if i == len(below)-1 {
			branch, deeper = "└─ ", "   "
		}
		again := ""
		if t.shown[child] && len(t.below[child]) > 0 {
			again = " (see above)"
		}
		t.WriteString(indent + branch + child + again + "\n")
		t.children(child, indent+deeper)
	}
}

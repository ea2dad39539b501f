package workspace

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/workspace"
)

// ordered returns units upstreams first or, to destroy them, downstreams first.
func (s *session) ordered(units []*workspace.Unit, destroy bool) ([]*workspace.Unit, error) {
	levels, err := s.Levels()
	if err != nil {
		if destroy || len(units) < 2 {
			return units, nil // what breaks a cycle must be possible
		}
		return nil, err
	}
	sorted := slices.Clone(units)
	slices.SortFunc(sorted, func(a, b *workspace.Unit) int {
		byLevel := cmp.Compare(levels[a], levels[b])
		if destroy {
			byLevel = -byLevel
		}
		return cmp.Or(byLevel, cmp.Compare(a.SpaceSlug, b.SpaceSlug), cmp.Compare(a.Slug, b.Slug))
	})
	return sorted, nil
}

// orderRow is a row of unit order.
type orderRow struct {
	Level       int
	Space, Unit string
}

func newUnitOrder(a *app.App) *cobra.Command {
	c, sel, out := &common{app: a}, &selection{}, &output{}
	cmd := &cobra.Command{
		Use: "order [flags] [UNIT...]", Short: "Print units in the order in which to apply them",
		Long: `Print units with their level, upstreams first; with --destroy downstreams first.
Units of one level do not depend on each other. The order also respects links
through units that are not printed.`,
	}
	flags := cmd.Flags()
	c.addSpace(flags)
	sel.add(flags)
	out.add(flags)
	destroy := flags.Bool("destroy", false, "downstreams first")
	complete := flags.Bool("complete", false,
		"add everything the units depend on; with --destroy everything that depends on them")
	asJSON := flags.Bool("json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if *asJSON {
			out.form = "json"
		}
		if len(names) == 0 && !sel.isSet() && c.space == "" {
			c.space = "*"
		}
		return c.read(cmd, func(s *session) error {
			units, err := sel.unitsNamed(s, names)
			if err != nil {
				return err
			}
			levels, err := s.Levels()
			if err != nil {
				return err
			}
			if *complete {
				units = s.Connected(units, !*destroy)
			}
			if units, err = s.ordered(units, *destroy); err != nil {
				return err
			}
			rows := make([]orderRow, len(units))
			for i, u := range units {
				rows[i] = orderRow{levels[u], u.SpaceSlug, u.Slug}
			}
			return printList(s, out, rows, []column[orderRow]{
				{"LEVEL", false, func(r orderRow) string { return strconv.Itoa(r.Level) }},
				{"SPACE", false, func(r orderRow) string { return r.Space }},
				{"UNIT", false, func(r orderRow) string { return r.Unit }},
			}, func(r orderRow) string { return r.Space + "/" + r.Unit },
				func(r orderRow) any { return r })
		})
	}
	return cmd
}

package workspace

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
)

// orderRow is a row of unit order.
type orderRow struct {
	Level       int
	Space, Unit string
}

func newUnitOrder(a *command.App) *cobra.Command {
	c, sel, out := &session.Common{App: a}, &session.Selection{}, &session.Output{}
	cmd := &cobra.Command{
		Use: "order [flags] [UNIT...]", Short: "Print units in the order in which to apply them",
		Long: `Print units with their level, upstreams first; with --destroy downstreams first.
Units of one level do not depend on each other. The order also respects links
through units that are not printed.`,
	}
	flags := cmd.Flags()
	c.AddSpace(flags)
	sel.Add(flags)
	out.Add(flags)
	destroy := flags.Bool("destroy", false, "list downstreams first")
	complete := flags.Bool("complete", false,
		"add everything the units depend on; with --destroy everything that depends on them")
	asJSON := flags.Bool("json", false, "print JSON")
	more := flags.StringSlice("unit", nil, "add `UNIT`, as without the flag; can be repeated")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		names = append(names, *more...)
		if len(names) > 0 && sel.IsSet() {
			return diag.UsageHint(cmd.UseLine(), "either units or --where is expected, not both")
		}
		if *asJSON {
			out.Form = "json"
		}
		if len(names) == 0 && !sel.IsSet() && c.SpaceFlag == "" {
			c.SpaceFlag = "*"
		}
		return c.Read(cmd, func(s *session.Session) error {
			units, err := sel.UnitsNamed(s, names)
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
			if units, err = s.Ordered(units, *destroy); err != nil {
				return err
			}
			rows := make([]orderRow, len(units))
			for i, u := range units {
				rows[i] = orderRow{levels[u], u.SpaceSlug, u.Slug}
			}
			return session.PrintList(s, out, rows, []session.Column[orderRow]{
				session.Col("LEVEL", func(r orderRow) string { return strconv.Itoa(r.Level) }),
				session.Col("SPACE", func(r orderRow) string { return r.Space }),
				session.Col("UNIT", func(r orderRow) string { return r.Unit }),
			}, func(r orderRow) string { return r.Space + "/" + r.Unit },
				func(r orderRow) any { return r })
		})
	}
	return cmd
}

package workspace

import (
	"cmp"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

func newUnitOrder(a *command.App) *cobra.Command {
	c, sel, out := &session.Common{App: a}, &session.SelectFlags{}, &session.PrintFlags{}
	var more []string
	cmd := &cobra.Command{
		Use: "order [flags] [UNIT...]", Short: "Print units in the order in which to apply them",
		Long: `Print units with their level, upstreams first; with --destroy downstreams first.
Units of one level do not depend on each other. The order also respects links
through units that are not printed.`,
		Args: func(cmd *cobra.Command, names []string) error {
			if len(names)+len(more) > 0 && sel.IsSet() {
				return diag.UsageHint(cmd.UseLine(), "either units or --where is expected, not both")
			}
			return nil
		},
	}
	flags := session.Flags(cmd, c.AddSpace, sel.Add, out.Add)
	destroy := flags.Bool("destroy", false, "list downstreams first")
	complete := flags.Bool("complete", false,
		"add everything the units depend on; with --destroy everything that depends on them")
	asJSON := flags.Bool("json", false, "print JSON")
	flags.StringSliceVar(&more, "unit", nil, "add `UNIT`, as without the flag; can be repeated")
	return c.Reads(cmd, func(s *session.Session, names []string) error {
		names = append(names, more...)
		if *asJSON {
			out.Form = "json"
		}
		if len(names) == 0 && !sel.IsSet() {
			s.SpaceFlag = cmp.Or(s.SpaceFlag, "*")
		}
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
		table := session.Listing[*workspace.Unit]{
			Head: []string{"LEVEL", "SPACE", "UNIT"},
			Cells: func(u *workspace.Unit) []string {
				return []string{strconv.Itoa(levels[u]), u.SpaceSlug, u.Slug}
			},
			Name: (*workspace.Unit).Name,
			Object: func(u *workspace.Unit) any {
				return struct {
					Level       int
					Space, Unit string
				}{levels[u], u.SpaceSlug, u.Slug}
			},
		}
		return table.Print(s, out, units)
	})
}

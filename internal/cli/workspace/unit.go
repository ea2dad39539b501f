package workspace

import (
	"cmp"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

func newUnit(a *command.App) *cobra.Command {
	return session.Group(a, "unit", "Make, change and look at units",
		`A unit is a file of configuration with a history. Edit its data with any editor,
with functions (unit do) or by links (unit update --resolve); each change is a
revision. Units are named in their space, or as SPACE/UNIT.`,
		newUnitCreate(a), newUnitList(a), newUnitGet(a), newUnitData(a), newUnitUpdate(a),
		newUnitDo(a), newUnitRename(a), newUnitDelete(a), newUnitDiff(a), newUnitOrder(a),
		newUnitTree(a),
		newUnitConflicts(a), newUnitLivestate(a), newUnitSetPredicate(a), newUnitResolveSelf(a))
}

func unitColumns(edited map[*workspace.Unit]bool) []session.Column[*workspace.Unit] {
	return []session.Column[*workspace.Unit]{
		session.Col("NAME", func(u *workspace.Unit) string { return u.Slug }),
		session.Col("SPACE", func(u *workspace.Unit) string { return u.SpaceSlug }),
		session.Col("TOOLCHAIN", func(u *workspace.Unit) string { return string(u.ToolchainType) }),
		session.Col("REVISION", func(u *workspace.Unit) string {
			text := strconv.FormatInt(u.HeadRevisionNum, 10)
			if edited[u] {
				text += "+" // an edit that is not recorded yet
			}
			return text
		}),
		session.WideCol("UPSTREAM", func(u *workspace.Unit) string {
			if u.UpstreamUnitID == "" {
				return "-"
			}
			return strconv.FormatInt(u.UpstreamRevisionNum, 10)
		}),
		session.WideCol("LABELS", func(u *workspace.Unit) string {
			return session.Dash(session.Pairs(u.Labels))
		}),
		session.WideCol("CHANGE", func(u *workspace.Unit) string {
			return session.Dash(u.LastChangeDescription)
		}),
	}
}

func newUnitList(a *command.App) *cobra.Command {
	c, sel, out := &session.Common{App: a}, &session.Selection{}, &session.Output{}
	cmd := &cobra.Command{
		Use: "list [flags]", Short: "List the units of a space",
		Long: `List the units of a space, or of every space with --space "*". A plus sign after
the revision marks an edit that is not recorded yet.`,
		Args: command.NoArguments,
	}
	c.AddSpace(cmd.Flags())
	sel.Add(cmd.Flags())
	out.Add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.Read(cmd, func(s *session.Session) error {
			units, err := sel.Units(s)
			if err != nil {
				return err
			}
			edited, problems := s.Edited(units)
			s.Unread(problems.Err())
			return session.PrintList(s, out, units, unitColumns(edited), (*workspace.Unit).Name,
				func(u *workspace.Unit) any { return u.Unit })
		})
	}
	return cmd
}

func newUnitGet(a *command.App) *cobra.Command {
	c, out := &session.Common{App: a}, &session.Output{}
	cmd := &cobra.Command{
		Use: "get [flags] UNIT", Short: "Show a unit",
		Long: `Show a unit. JSON and YAML also have what the head revision needs and provides,
where each value came from (MutationSources), and the outstanding conflicts.`,
		Args: session.Words(1, 1),
	}
	c.AddSpace(cmd.Flags())
	command.AddShowSecrets(cmd.Flags(), &c.ShowSecrets)
	out.Add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.Read(cmd, func(s *session.Session) error {
			u, err := s.UnitNamed(words[0])
			if err != nil {
				return err
			}
			edited, _, err := s.Store.Edited(u)
			if err != nil {
				return err
			}
			revision := strconv.FormatInt(u.HeadRevisionNum, 10)
			if edited {
				revision += ", and an edit that is not recorded"
			}
			upstream := ""
			if u.UpstreamUnitID != "" {
				upstream = s.UnitName(u.UpstreamUnitID) + " at revision " +
					strconv.FormatInt(u.UpstreamRevisionNum, 10)
			}
			conflicts, err := s.Store.Conflicts(u)
			if err != nil {
				return err
			}
			var object any = u.Unit
			if out.AsObjects() {
				if object, err = wholeUnit(s, u, conflicts); err != nil {
					return err
				}
			}
			return s.PrintGet(out, u.Name(), object, [][]string{
				{"ID", u.UnitID},
				{"Name", u.Slug},
				{"Space", u.SpaceSlug},
				{"Display Name", u.DisplayName},
				{"Toolchain", string(u.ToolchainType)},
				{"File", u.DataFile()},
				{"Head Revision", revision},
				{"Last Change", u.LastChangeDescription},
				{"Upstream", upstream},
				{"Conflicts", countOrNone(len(conflicts))},
				{"Labels", session.Pairs(u.Labels)},
				{"Annotations", session.Pairs(u.Annotations)},
				{"Delete Gates", session.Gates(u.DeleteGates)},
			})
		})
	}
	return cmd
}

func countOrNone(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func newUnitData(a *command.App) *cobra.Command {
	c := &session.Common{App: a}
	cmd := &cobra.Command{
		Use: "data [flags] UNIT", Short: "Print the data of a unit",
		Long: "Print the working copy of a unit, or the data of one of its revisions.",
		Args: session.Words(1, 1),
	}
	c.AddSpace(cmd.Flags())
	file := cmd.Flags().StringP("output", "o", "", "write to `FILE`")
	revision := cmd.Flags().Int64("revision", -1, "print the data of revision `N`")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.Read(cmd, func(s *session.Session) error {
			u, err := s.UnitNamed(words[0])
			if err != nil {
				return err
			}
			var data []byte
			if *revision < 0 {
				data, err = s.Store.Working(u)
			} else {
				data, err = s.Store.Data(u, *revision)
			}
			if err != nil {
				return noRevision(err, u)
			}
			secret := s.Store.Secret(u.ToolchainType, data)
			return session.WriteFile(s, cmp.Or(*file, "-"), data, secret)
		})
	}
	return cmd
}

func newUnitDelete(a *command.App) *cobra.Command {
	c, sel := &session.Common{App: a}, &session.Selection{}
	cmd := &cobra.Command{
		Use: "delete [flags] [UNIT...]", Short: "Delete units with their links and history",
		Long: `Delete units, the links that they have, and their history. Links of other units
to them prevent that, unless --force deletes them, too.`,
	}
	c.AddSpace(cmd.Flags())
	c.AddDryRun(cmd.Flags())
	sel.Add(cmd.Flags())
	force := cmd.Flags().Bool("force", false, "delete links of other units to it, too")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if err := session.NamesOrWhere(cmd, names, sel); err != nil {
			return err
		}
		return c.Write(cmd, "unit delete", func(s *session.Session) error {
			units, err := sel.UnitsNamed(s, names)
			if err != nil {
				return err
			}
			order, err := s.Ordered(units, true)
			if err != nil {
				return err
			}
			if err := s.Tx.DeleteUnits(s.Workspace, *force, order...); err != nil {
				return err
			}
			for _, u := range order {
				s.After(func() error {
					s.Note("deleted unit %s", u.Name())
					return nil
				})
			}
			return nil
		})
	}
	return cmd
}

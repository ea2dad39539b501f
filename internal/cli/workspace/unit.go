package workspace

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

func newUnit(a *app.App) *cobra.Command {
	return group(a, "unit", "Make, change and look at units",
		`A unit is a file of configuration with a history. Edit its data with any editor,
with functions (unit do) or by links (unit update --resolve); each change is a
revision. Units are named in their space, or as SPACE/UNIT.`,
		newUnitCreate(a), newUnitList(a), newUnitGet(a), newUnitData(a), newUnitUpdate(a),
		newUnitDo(a), newUnitDelete(a), newUnitDiff(a), newUnitOrder(a), newUnitTree(a),
		newUnitConflicts(a), newUnitLivestate(a), newUnitSetPredicate(a), newUnitResolveSelf(a))
}

func unitColumns(edited map[*workspace.Unit]bool) []column[*workspace.Unit] {
	return []column[*workspace.Unit]{
		{"NAME", false, func(u *workspace.Unit) string { return u.Slug }},
		{"SPACE", false, func(u *workspace.Unit) string { return u.SpaceSlug }},
		{"TOOLCHAIN", false, func(u *workspace.Unit) string { return string(u.ToolchainType) }},
		{"REVISION", false, func(u *workspace.Unit) string {
			text := strconv.FormatInt(u.HeadRevisionNum, 10)
			if edited[u] {
				text += "+" // an edit that is not recorded yet
			}
			return text
		}},
		{"UPSTREAM", true, func(u *workspace.Unit) string {
			if u.UpstreamUnitID == "" {
				return "-"
			}
			return strconv.FormatInt(u.UpstreamRevisionNum, 10)
		}},
		{"LABELS", true, func(u *workspace.Unit) string { return dash(pairs(u.Labels)) }},
		{"CHANGE", true, func(u *workspace.Unit) string { return dash(u.LastChangeDescription) }},
	}
}

// edited returns the units whose working copy was edited.
func (s *session) edited(units []*workspace.Unit) (map[*workspace.Unit]bool, error) {
	edited := map[*workspace.Unit]bool{}
	for _, u := range units {
		is, _, err := s.Store.Edited(u)
		if err != nil {
			return nil, err
		}
		edited[u] = is
	}
	return edited, nil
}

func newUnitList(a *app.App) *cobra.Command {
	c, sel, out := &common{app: a}, &selection{}, &output{}
	cmd := &cobra.Command{
		Use: "list [flags]", Short: "List the units of a space",
		Long: `List the units of a space, or of every space with --space "*". A plus sign after
the revision marks an edit that is not recorded yet.`,
		Args: app.NoArguments,
	}
	c.addSpace(cmd.Flags())
	sel.add(cmd.Flags())
	out.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.read(cmd, func(s *session) error {
			units, err := sel.units(s)
			if err != nil {
				return err
			}
			edited, err := s.edited(units)
			if err != nil {
				return err
			}
			return printList(s, out, units, unitColumns(edited), (*workspace.Unit).Name,
				func(u *workspace.Unit) any { return u.Unit })
		})
	}
	return cmd
}

func newUnitGet(a *app.App) *cobra.Command {
	c, out := &common{app: a}, &output{}
	cmd := &cobra.Command{Use: "get [flags] UNIT", Short: "Show a unit", Args: words(1, 1)}
	c.addSpace(cmd.Flags())
	out.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.read(cmd, func(s *session) error {
			u, err := s.unit(words[0])
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
			return s.printGet(out, u.Name(), u.Unit, [][]string{
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
				{"Labels", pairs(u.Labels)},
				{"Annotations", pairs(u.Annotations)},
				{"Delete Gates", gates(u.DeleteGates)},
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

func newUnitData(a *app.App) *cobra.Command {
	c := &common{app: a}
	cmd := &cobra.Command{
		Use: "data [flags] UNIT", Short: "Print the data of a unit",
		Long: "Print the working copy of a unit, or the data of one of its revisions.",
		Args: words(1, 1),
	}
	c.addSpace(cmd.Flags())
	file := cmd.Flags().StringP("output", "o", "", "write to `FILE`")
	revision := cmd.Flags().Int64("revision", -1, "the data of revision `N`")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.read(cmd, func(s *session) error {
			u, err := s.unit(words[0])
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
				return err
			}
			if *file != "" && *file != "-" {
				return s.writeFile(*file, data)
			}
			return s.app.Write(data)
		})
	}
	return cmd
}

func newUnitDelete(a *app.App) *cobra.Command {
	c, sel := &common{app: a}, &selection{}
	cmd := &cobra.Command{
		Use: "delete [flags] [UNIT...]", Short: "Delete units with their links and history",
		Long: `Delete units, the links that they have, and their history. Links of other units
to them prevent that, unless --force deletes them, too.`,
	}
	c.addSpace(cmd.Flags())
	c.addDryRun(cmd.Flags())
	sel.add(cmd.Flags())
	force := cmd.Flags().Bool("force", false, "delete links of other units to it, too")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if err := namesOrWhere(cmd, names, sel); err != nil {
			return err
		}
		return c.write(cmd, "unit delete", func(s *session) error {
			units, err := sel.unitsNamed(s, names)
			if err != nil {
				return err
			}
			// downstreams first, so that links between deleted units do not prevent it
			order, err := s.ordered(units, true)
			if err != nil {
				return err
			}
			for _, u := range order {
				if err := s.tx.DeleteUnit(s.Workspace, u, *force); err != nil {
					return err
				}
				s.after(func() error {
					s.note("deleted unit %s", u.Name())
					return nil
				})
			}
			return nil
		})
	}
	return cmd
}

// upgradeLink returns the link of a clone u of the unit up.
func upgradeLink(u, up *workspace.Unit) *workspace.Link {
	l := &entity.Link{
		Common:   entity.Common{Slug: "upgrade-" + u.Slug, SpaceSlug: u.SpaceSlug},
		FromUnit: u.Slug, FromUnitID: u.UnitID, ToUnit: up.Slug, ToUnitID: up.UnitID,
		ToSpace: up.SpaceSlug, ToSpaceID: up.SpaceID, UpdateType: entity.UpdateUpgradeUnit,
		WhereMutation: "MergeSourceID = '" + up.UnitID + "'",
	}
	l.UpstreamLastMergedRevisionNum = up.HeadRevisionNum
	l.DownstreamLastMergedRevisionNum = 1
	l.MadeCurrent = true
	return &workspace.Link{Link: l, Stated: true}
}

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
		newUnitConflicts(a), newUnitLivestate(a), newUnitProtect(a), newUnitResolveSelf(a))
}

func newUnitList(a *command.App) *cobra.Command {
	c, sel, out := &session.Common{App: a}, &session.SelectFlags{}, &session.PrintFlags{}
	cmd := &cobra.Command{
		Use: "list [flags]", Short: "List the units of a space",
		Long: `List the units of a space, or of every space with --space "*". A plus sign after
the revision marks an edit that is not recorded yet.`,
		Args: command.NoArguments,
	}
	session.Flags(cmd, c.AddSpace, sel.Add, out.Add)
	return c.Reads(cmd, func(s *session.Session, _ []string) error {
		units, err := sel.Units(s)
		if err != nil {
			return err
		}
		edited, problems := s.Edited(units)
		s.Unread(problems.Err())
		table := session.Listing[*workspace.Unit]{
			Head: []string{
				"NAME", "SPACE", "TOOLCHAIN", "REVISION", "+UPSTREAM", "+LABELS", "+CHANGE",
			},
			Cells: func(u *workspace.Unit) []string {
				revision, upstream := number(u.HeadRevisionNum), "-"
				if edited[u] {
					revision += "+" // an edit that is not recorded yet
				}
				if u.UpstreamUnitID != "" {
					upstream = number(u.UpstreamRevisionNum)
				}
				return []string{
					u.Slug, u.SpaceSlug, string(u.ToolchainType), revision, upstream,
					session.Dash(session.Pairs(u.Labels)), session.Dash(u.LastChangeDescription),
				}
			},
			Name:   (*workspace.Unit).Name,
			Object: func(u *workspace.Unit) any { return u.Unit },
		}
		return table.Print(s, out, units)
	})
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

func newUnitGet(a *command.App) *cobra.Command {
	c, out := &session.Common{App: a}, &session.PrintFlags{}
	cmd := &cobra.Command{
		Use: "get [flags] UNIT", Short: "Show a unit",
		Long: `Show a unit. JSON and YAML also have what the head revision needs and provides,
where each value came from (MutationSources), and the outstanding conflicts.`,
		Args: command.Words(1, 1),
	}
	session.Flags(cmd, c.AddSpace, c.AddShowSecrets, out.Add)
	return c.Reads(cmd, func(s *session.Session, words []string) error {
		u, err := s.UnitNamed(words[0])
		if err != nil {
			return err
		}
		edited, _, err := s.Store.Edited(u)
		if err != nil {
			return err
		}
		conflicts, err := s.Store.Conflicts(u)
		if err != nil {
			return err
		}
		revision, upstream, outstanding := number(u.HeadRevisionNum), "", ""
		if edited {
			revision += ", and an edit that is not recorded"
		}
		if u.UpstreamUnitID != "" {
			upstream = s.UnitName(u.UpstreamUnitID) + " at revision " + number(u.UpstreamRevisionNum)
		}
		if len(conflicts) > 0 {
			outstanding = strconv.Itoa(len(conflicts))
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
			{"Conflicts", outstanding},
			{"Labels", session.Pairs(u.Labels)},
			{"Annotations", session.Pairs(u.Annotations)},
			{"Delete Gates", session.Gates(u.DeleteGates)},
		})
	})
}

func newUnitData(a *command.App) *cobra.Command {
	c := &session.Common{App: a}
	cmd := &cobra.Command{
		Use: "data [flags] UNIT", Short: "Print the data of a unit",
		Long: "Print the working copy of a unit, or the data of one of its revisions.",
		Args: command.Words(1, 1),
	}
	flags := session.Flags(cmd, c.AddSpace)
	file := flags.StringP("output", "o", "", "write to `FILE`")
	revision := flags.Int64("revision", -1, "print the data of revision `N` (default: the working copy)")
	flags.Lookup("revision").DefValue = "0" // the text says it
	return c.Reads(cmd, func(s *session.Session, words []string) error {
		u, err := s.UnitNamed(words[0])
		if err != nil {
			return err
		}
		data, err := revisionOrWorking(s, u, *revision)
		if err != nil {
			return err
		}
		return session.WriteFile(s, cmp.Or(*file, "-"), data, s.Store.Secret(u, data))
	})
}

func newUnitRename(a *command.App) *cobra.Command {
	c, out := &session.Common{App: a}, &session.PrintFlags{}
	cmd := &cobra.Command{
		Use: "rename [flags] UNIT NAME", Short: "Give a unit another name",
		Long: `Give a unit another name. Its files and its history move; links to it and from it
stay as they are, and are not stale afterwards.`,
		Args: command.Words(2, 2),
	}
	session.Flags(cmd, c.AddSpace, c.AddDryRun, out.Add)
	return c.Writes(cmd, func(s *session.Session, words []string) error {
		u, err := s.UnitNamed(words[0])
		if err != nil {
			return err
		}
		done := "renamed unit " + u.Name() + " to "
		if err := s.Tx.RenameUnit(s.Workspace, u, words[1]); err != nil {
			return err
		}
		return s.PrintOne(out, u, u.Unit, done+u.Name())
	})
}

func newUnitDelete(a *command.App) *cobra.Command {
	c, sel := &session.Common{App: a}, &session.SelectFlags{}
	cmd := &cobra.Command{
		Use: "delete [flags] [UNIT...]", Short: "Delete units with their links and history",
		Long: `Delete units, the links that they have, and their history. Links of other units
to them prevent that, unless --force deletes them, too.`,
		Args: func(cmd *cobra.Command, names []string) error {
			return session.NamesOrWhere(cmd, names, sel, "UNIT")
		},
	}
	force := session.Flags(cmd, c.AddSpace, c.AddDryRun, sel.Add).
		Bool("force", false, "delete links of other units to it, too")
	return c.Writes(cmd, func(s *session.Session, names []string) error {
		units, err := sel.UnitsNamed(s, names)
		if err != nil {
			return err
		}
		if units, err = s.Ordered(units, true); err != nil {
			return err
		}
		for _, u := range units {
			s.NoteAfter("deleted unit %s", u.Name())
		}
		return s.Tx.DeleteUnits(s.Workspace, *force, units...)
	})
}

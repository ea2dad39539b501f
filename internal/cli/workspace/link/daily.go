package link

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// Daily makes the commands of 'fctl ws' about links: plan, resolve, upgrade and graph.
func Daily(a *command.App) []*cobra.Command {
	resolve := &linkResolve{Common: session.Common{App: a}, everything: true}
	all := resolve.command(`Resolve links: change their downstream units. Without words it resolves the links
of all spaces that are out of date, as 'fctl ws plan' shows. The links of one unit
are resolved together: one that fails keeps all from being written, unless
--keep-going is given. Links with AutoUpdate bring the changes further downstream.`, `  fctl ws resolve
  fctl ws resolve --from shop/web --all
  fctl ws resolve web-ns`)
	return []*cobra.Command{
		daily(newLinkPlan(a)), all, newUpgrade(a), newClone(a), newPromote(a),
		daily(newLinkGraph(a)),
	}
}

// daily lets the help of a command of fctl link name it as a command of fctl ws.
func daily(cmd *cobra.Command) *cobra.Command {
	for _, text := range []*string{&cmd.Long, &cmd.Example} {
		*text = strings.ReplaceAll(*text, "fctl link ", "fctl ws ")
	}
	return cmd
}

// linkUpgrade holds the flags of ws upgrade.
type linkUpgrade struct{ linkResolve }

func newUpgrade(a *command.App) *cobra.Command {
	o := &linkUpgrade{linkResolve{Common: session.Common{App: a}}}
	cmd := &cobra.Command{
		Use:   "upgrade [flags] [UNIT...]",
		Short: "Bring the changes of upstream units to their clones",
		Long: `Merge the changes of the upstream unit into each UNIT, which is a clone of it.
Changes of the clone stay; a value that both changed is a conflict ('fctl ws
conflicts'). Without UNIT, all clones that are out of date are upgraded, in all
spaces. --dry-run shows the changes and writes nothing.`,
		Example: `  fctl ws upgrade --dry-run
  fctl ws upgrade prod/web`,
	}
	flags := session.Flags(cmd, o.ResolveFlags.Add, o.AddWrite)
	flags.StringVarP(&o.form, "output", "o", "", "output `FORMAT`: text, json or mutations")
	return o.Writes(cmd, func(s *session.Session, units []string) error {
		names, err := upgrades(s, units)
		if err != nil || len(names) == 0 {
			return err
		}
		return o.run(s, names, s.ShowResults)
	})
}

func newPromote(a *command.App) *cobra.Command {
	o := &linkUpgrade{linkResolve{Common: session.Common{App: a}}}
	cmd := &cobra.Command{
		Use:   "promote [flags] SPACE SPACE...",
		Short: "Bring the changes of a space to the spaces of its clones, in order",
		Long: `Bring the changes of the units of the first SPACE to their clones in the second one,
from there to those in the third one, and so on. Values that links wrote, such as
namespaces and host names, stay where they are. Changes of a clone stay; a value
that both changed is a conflict ('fctl ws conflicts'). Units without a clone are
named. --dry-run shows the changes and writes nothing.`,
		Example: `  fctl ws promote --dry-run dev staging prod
  fctl ws promote dev staging`,
		Args: command.Words(2, -1),
	}
	flags := session.Flags(cmd, o.ResolveFlags.Add, o.AddWrite)
	flags.StringVarP(&o.form, "output", "o", "", "output `FORMAT`: text, json or mutations")
	return o.Writes(cmd, func(s *session.Session, spaces []string) error {
		names, err := promotions(s, spaces)
		if err != nil || len(names) == 0 {
			return err
		}
		return o.run(s, names, s.ShowResults)
	})
}

// promotions returns the names of the links through which changes of the first space reach the others,
// each through the one before it.
func promotions(s *session.Session, spaces []string) ([]string, error) {
	for i, name := range spaces {
		space, err := s.Space(name)
		if err != nil {
			return nil, err
		}
		if spaces[i] = space.Slug; slices.Contains(spaces[:i], space.Slug) {
			return nil, diag.Usage("%s is there twice", space.Slug)
		}
	}
	problems, err := s.RecordEdits()
	if err != nil {
		return nil, err
	}
	s.Unread(problems.Err())
	s.StaleLinks()
	var names []string
	change := map[*workspace.Unit]bool{} // units that the links before may change
	for i, to := range spaces[1:] {
		from, clones := spaces[i], map[*workspace.Unit]bool{}
		for _, l := range s.Links {
			if l.UpdateType != entity.UpdateUpgradeUnit || l.From == nil || l.To == nil ||
				l.From.SpaceSlug != to || l.To.SpaceSlug != from {
				continue
			}
			if clones[l.To] = true; l.Stale || change[l.To] {
				names = append(names, l.Name())
				change[l.From] = true
			}
		}
		if len(clones) == 0 {
			hint := "fctl ws clone --allow-exists " + from + " " + to
			if slices.ContainsFunc(s.Links, func(l *workspace.Link) bool {
				return l.UpdateType == entity.UpdateUpgradeUnit && l.From != nil && l.To != nil &&
					l.From.SpaceSlug == from && l.To.SpaceSlug == to
			}) {
				hint = "units of " + from + " are clones of those of " + to
			}
			return nil, entity.Fail(entity.CodeNoUpstream, "%s has no clones of units of %s", to, from).
				WithHint(hint)
		}
		for _, u := range s.Units {
			if u.SpaceSlug == from && !clones[u] {
				s.NoteAfter("%s has no clone in %s: fctl ws clone --allow-exists %s %s", u.Name(), to,
					from, to)
			}
		}
	}
	if len(names) == 0 {
		s.Note("%s: nothing to promote", strings.Join(spaces, ", "))
	}
	return names, nil
}

// upgrades returns the names of the links that upgrade units, or of all such links that are stale.
func upgrades(s *session.Session, units []string) ([]string, error) {
	var names []string
	add := func(links []*workspace.Link, stale bool) int {
		n := len(names)
		for _, l := range links {
			if l.UpdateType == entity.UpdateUpgradeUnit && (l.Stale || !stale) {
				names = append(names, l.Name())
			}
		}
		return len(names) - n
	}
	if len(units) > 0 {
		for _, name := range units {
			u, err := s.UnitNamed(name)
			if err != nil {
				return nil, err
			}
			if add(s.LinksFrom(u), false) == 0 {
				return nil, u.Fail(entity.CodeUpdateType, "%s is not a clone: it has no link of the "+
					"type UpgradeUnit", u.Name())
			}
		}
		return names, nil
	}
	problems, err := s.RecordEdits()
	if err != nil {
		return nil, err
	}
	s.Unread(problems.Err())
	s.Unread(s.BrokenIn(entity.KindLink, func(string) bool { return true }))
	s.StaleLinks()
	if add(s.Links, true) == 0 {
		s.Note("no clone is out of date")
	}
	return names, nil
}

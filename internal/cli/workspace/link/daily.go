package link

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
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
	return []*cobra.Command{daily(newLinkPlan(a)), all, newUpgrade(a), daily(newLinkGraph(a))}
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
	s.StaleLinks()
	if add(s.Links, true) == 0 {
		s.Note("no clone is out of date")
	}
	return names, nil
}

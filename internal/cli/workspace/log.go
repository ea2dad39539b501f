package workspace

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// logFlags holds the flags of ws log.
type logFlags struct {
	session.Common
	print  session.PrintFlags
	causes bool
	most   int
}

// logEntry is a revision of a unit, with its causes if they are asked for.
type logEntry struct {
	Unit string
	*entity.Revision
	Causes []string `json:",omitempty"`
}

func newLog(a *command.App) *cobra.Command {
	o := &logFlags{Common: session.Common{App: a}}
	cmd := &cobra.Command{
		Use:   "log [flags] [UNIT...]",
		Short: "List the revisions of units, newest first",
		Long: `List the last revisions of each UNIT, or of all units, newest first. With --causes
the table also has their causes: functions, links, merges and edits. 'fctl unit
diff UNIT --from N --to M' shows the changes.`,
		Example: `  fctl ws log
  fctl ws log prod/web --causes`,
	}
	flags := session.Flags(cmd, o.AddSpace, o.print.Add)
	flags.Lookup("space").Usage = "look only at `SPACE`"
	flags.BoolVar(&o.causes, "causes", false, "list the causes of each revision, too")
	flags.IntVarP(&o.most, "number", "n", 20, "list at most `N` revisions; 0 is all")
	return o.Reads(cmd, o.run)
}

func (o *logFlags) run(s *session.Session, names []string) error {
	if len(names) == 0 {
		if err := s.OneSpaceOrAll(); err != nil {
			return err
		}
	}
	if o.most < 0 {
		return diag.Usage("--number: a number from 0 on is expected, not %d", o.most)
	}
	units, err := o.units(s, names)
	if err != nil {
		return err
	}
	s.FromGit(units...)
	var rows []*logEntry
	for _, u := range units {
		more, err := o.entries(s, u)
		if err != nil {
			s.Unread(err) // of the others there is a log
			continue
		}
		rows = append(rows, more...)
	}
	slices.SortStableFunc(rows, func(a, b *logEntry) int { return b.CreatedAt.Compare(a.CreatedAt) })
	if o.most > 0 {
		rows = rows[:min(o.most, len(rows))]
	}
	table := session.Listing[*logEntry]{
		Head: []string{"CREATED", "UNIT", "REVISION", "SOURCE", "DESCRIPTION"},
		Cells: func(e *logEntry) []string {
			cells := []string{
				e.CreatedAt.Format(time.RFC3339), e.Unit, number(e.RevisionNum), string(e.Source),
				session.Dash(e.Description),
			}
			if o.causes {
				cells = append(cells, session.Dash(strings.Join(e.Causes, ", ")))
			}
			return cells
		},
		Name:   func(e *logEntry) string { return e.Unit + " " + number(e.RevisionNum) },
		Object: func(e *logEntry) any { return e },
	}
	if o.causes {
		table.Head = append(table.Head, "CAUSES")
	}
	return table.Print(s, &o.print, rows)
}

// units returns the units with the names, or all.
func (o *logFlags) units(s *session.Session, names []string) (units []*workspace.Unit, err error) {
	for _, name := range names {
		u, err := s.UnitNamed(name)
		if err != nil {
			return nil, err
		}
		units = append(units, u)
	}
	for _, u := range s.Units {
		if len(names) == 0 && s.In(u.SpaceSlug) {
			units = append(units, u)
		}
	}
	return units, nil
}

// entries returns the revisions of a unit, newest first.
func (o *logFlags) entries(s *session.Session, u *workspace.Unit) ([]*logEntry, error) {
	causes := map[int64][]string{}
	if o.causes {
		list, err := s.Store.Mutations(u)
		if err != nil {
			return nil, err
		}
		for i := range list {
			n := list[i].RevisionNum
			causes[n] = append(causes[n], cause(s, &list[i]))
		}
	}
	var rows []*logEntry
	for n := u.HeadRevisionNum; n > 0 && (o.most == 0 || len(rows) < o.most); n-- {
		r, err := s.Store.Revision(u, n)
		if err != nil {
			return nil, err
		}
		rows = append(rows, &logEntry{u.Name(), r, causes[n]})
	}
	return rows, nil
}

// cause names the cause of a change, without the arguments of functions, which may be secret.
func cause(s *session.Session, m *entity.Mutation) string {
	switch {
	case m.FunctionInvocation != nil:
		return m.FunctionInvocation.FunctionName
	case m.LinkID != "":
		if slug := s.Slug(m.LinkID); slug != "" {
			return "link " + slug
		}
		return "a link that was deleted"
	case m.MergeSourceID != "":
		return "merge of " + s.UnitName(m.MergeSourceID)
	}
	return "edit"
}

package workspace

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/staleness"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// status lists the open work of a workspace.
type status struct {
	// Edited are the units whose working copies were edited since their head revisions and, in git,
	// since the last commit.
	Edited []string
	// Stale are the links that are out of date, and Failed those whose last resolve failed.
	Stale, Failed []linkStatus
	// Conflicts are the units with outstanding conflicts.
	Conflicts []conflictStatus
	// Next is the command to go on with, "" if nothing waits.
	Next string `json:",omitempty"`

	units, links int // how many were looked at
	upgrades     int // how many of the stale links upgrade clones
}

// linkStatus is a link that is stale or failed, with the reason.
type linkStatus struct {
	Link, FromUnit, ToUnit string
	Reasons                []entity.StaleReason `json:",omitempty"`
	Error                  string               `json:",omitempty"` // of the last resolve
}

// why returns the reason in words.
func (l *linkStatus) why() string {
	texts := []string{}
	for _, r := range l.Reasons {
		texts = append(texts, r.Text())
	}
	if l.Error != "" {
		texts = append(texts, l.Error)
	}
	return strings.Join(texts, ", ")
}

// conflictStatus counts the conflicts of a unit.
type conflictStatus struct {
	Unit      string
	Conflicts int
}

func newStatus(a *command.App) *cobra.Command {
	c := &session.Common{App: a}
	cmd := &cobra.Command{
		Use:   "status [flags]",
		Short: "Show edits, stale links, conflicts, and the next command to type",
		Long: `Show which working copies were edited, which links are out of date or failed,
which units have conflicts, and the command to go on with. Files that cannot be
read are reported. It writes nothing. --matrix prints a table instead, service by
space: the revision of the origin that a clone has and the hash of its data, how many
revisions of its upstream are pending, how many values are its own, and conflicts.`,
		Example: `  fctl ws status
  fctl ws status --space prod -o json
  fctl ws status --matrix -o markdown`,
		Args: command.NoArguments,
	}
	flags := session.Flags(cmd, c.AddSpace)
	flags.Lookup("space").Usage = "look only at `SPACE`"
	grid := flags.Bool("matrix", false, "print a table of services by spaces")
	form := command.AddOutput(flags, "text or json, with --matrix also markdown", "text", "json",
		"markdown")
	return c.Reads(cmd, func(s *session.Session, _ []string) error {
		if err := s.OneSpaceOrAll(); err != nil {
			return err
		}
		if *grid {
			return matrixOf(s).write(s, form.Value)
		}
		if form.Value == "markdown" {
			return diag.Usage("-o markdown is for --matrix")
		}
		now, err := statusOf(s)
		if err != nil {
			return err
		}
		if form.Value == "json" {
			return s.App.WriteJSON(now)
		}
		if now.Next == "" {
			s.Note("%s and %s: nothing to do", diag.Count(now.units, "unit"),
				diag.Count(now.links, "link"))
			return nil
		}
		return s.App.WriteText(now.text())
	})
}

func statusOf(s *session.Session) (*status, error) {
	now := &status{
		Edited: []string{}, Stale: []linkStatus{}, Failed: []linkStatus{},
		Conflicts: []conflictStatus{},
	}
	edited, problems := s.Edited(s.Units)
	s.Problems = append(s.Problems, problems...)
	s.FromGit(s.Units...)
	staleness.Mark(s.Workspace, edited)
	for _, u := range s.Units {
		if !s.In(u.SpaceSlug) {
			continue
		}
		now.units++
		if edited[u] && !s.Store.IsCommitted(u) {
			now.Edited = append(now.Edited, u.Name())
		}
		n, err := conflictCount(s, u)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			now.Conflicts = append(now.Conflicts, conflictStatus{u.Name(), n})
		}
	}
	for _, l := range s.Links {
		if l.From == nil || l.To == nil || !s.In(l.SpaceSlug) {
			continue
		}
		now.links++
		row := linkStatus{Link: l.Name(), FromUnit: l.From.Name(), ToUnit: l.To.Name()}
		switch {
		case l.LastError != nil:
			if err := s.HideUpstream(l); err != nil {
				return nil, err
			}
			row.Error = s.App.Masked(l.LastError.Message)
			now.Failed = append(now.Failed, row)
		case l.Stale:
			row.Reasons = l.StaleReasons
			now.Stale = append(now.Stale, row)
			if l.UpdateType == entity.UpdateUpgradeUnit {
				now.upgrades++
			}
		}
	}
	now.next(s)
	return now, nil
}

// conflictCount returns the number of conflicts of a unit that are not to be ignored.
func conflictCount(s *session.Session, u *workspace.Unit) (n int, err error) {
	all, err := s.Store.Conflicts(u)
	for i := range all {
		if severityOf(s, &all[i]) != "ignore" {
			n++
		}
	}
	return n, err
}

// next sets the command to go on with: conflicts first, since the next merge replaces their list.
func (now *status) next(s *session.Session) {
	space := ""
	if s.SpaceFlag != "*" {
		space = " --space " + s.SpaceFlag
	}
	switch {
	case len(now.Conflicts) > 0:
		now.Next = "fctl ws conflicts " + now.Conflicts[0].Unit
	case len(now.Stale) > 0 && len(now.Stale) == now.upgrades && space == "":
		now.Next = "fctl ws upgrade --dry-run"
	case len(now.Stale) > 0:
		now.Next = "fctl ws plan" + space
	case len(now.Failed) > 0:
		now.Next = "fctl link get " + now.Failed[0].Link
	case len(s.Problems) > 0:
		now.Next = "fctl ws check"
	case len(now.Edited) > 0:
		now.Next = "fctl unit diff " + now.Edited[0]
	}
}

// text returns the status for people.
func (now *status) text() string {
	var b strings.Builder
	part := func(title string, n int, line func(i int) string) {
		if n == 0 {
			return
		}
		b.WriteString(title + ":\n")
		for i := range n {
			b.WriteString("  " + line(i) + "\n")
		}
	}
	links := func(of []linkStatus) func(i int) string {
		return func(i int) string {
			l := of[i]
			return fmt.Sprintf("%s  %s -> %s: %s", l.Link, l.ToUnit, l.FromUnit, l.why())
		}
	}
	part("edited", len(now.Edited),
		func(i int) string { return now.Edited[i] })
	part("stale", len(now.Stale),
		links(now.Stale))
	part("failed", len(now.Failed), links(now.Failed))
	part("in conflict", len(now.Conflicts),
		func(i int) string {
			c := now.Conflicts[i]
			return c.Unit + ": " + diag.Count(c.Conflicts, "conflict")
		})
	b.WriteString("next: " + now.Next + "\n")
	return b.String()
}

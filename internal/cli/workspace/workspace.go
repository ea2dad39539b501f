// Package workspace implements the commands that work on a workspace of units and links: fctl
// workspace, space, unit, invocation, filter, revision, mutation and undo. A command has its flags
// in a struct of its own, and opens the workspace through package session, which holds the lock
// and the transaction. The commands of links are in package link.
//
// Layer: commands.
package workspace

import (
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/exchange"
	wslink "github.com/fctl-dev/fctl/internal/cli/workspace/link"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/starter"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/source"
)

// New makes the commands.
func New(a *command.App) []*cobra.Command {
	all := []*cobra.Command{
		newWorkspace(a), newSpace(a), newUnit(a), wslink.New(a), newInvocation(a), newFilter(a),
		newRevision(a), newMutation(a), newUndo(a), newWatch(a),
		exchange.NewImport(a), exchange.NewExport(a),
	}
	for _, cmd := range all {
		session.AddServerFlags(cmd)
	}
	return all
}

func newWorkspace(a *command.App) *cobra.Command {
	cmd := session.Group(a, "ws", "Work with a workspace of linked units",
		`A workspace is a directory of spaces, units and links. A unit is a file of
configuration with a history. A link says what a unit takes from another one.
Definitions are files for git; what fctl records is in the folder .fctl. 'fctl
workspace' is the same command.`,
		slices.Concat([]*cobra.Command{
			newWorkspaceInit(a), newStatus(a), newUnitConflicts(a), newLog(a), newUndo(a),
			newWatch(a), newWorkspaceCheck(a), newWorkspaceConvert(a), newWorkspaceAttributes(a),
		}, wslink.Daily(a))...)
	cmd.Aliases = []string{"workspace"}
	return cmd
}

func newWorkspaceInit(a *command.App) *cobra.Command {
	o := workspace.InitOptions{}
	history := command.Choice{
		What: "history", Value: "ignored", Values: []string{"ignored", "bases", "git"},
	}
	cmd := &cobra.Command{
		Use:   "init [flags] [DIR]",
		Short: "Make a directory a workspace",
		Long: `Make a directory a workspace with one space. Files that exist already are not
touched, except that .gitignore gets the lines that it lacks.`,
		Example: "  fctl ws init shop",
		Args:    command.Words(0, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			s, err := a.Settings(cmd.Flags())
			if err != nil {
				return err
			}
			dir := "."
			if len(words) == 1 {
				dir = words[0]
			}
			if history.Value != "ignored" {
				o.History = history.Value
			}
			o.WorkspaceID = randomID()
			a.Writes.Begin()
			defer a.Writes.End()
			done, err := workspace.Init(cmd.Context(), source.InDirectory(a.Dir, dir), o)
			if err != nil {
				return err
			}
			for _, name := range done.Wrote {
				a.Note(s, "wrote "+name)
			}
			for _, name := range done.Left {
				a.Note(s, name+" exists already, and stays as it is")
			}
			for _, line := range done.Ignored {
				a.Note(s, "added "+line+" to .gitignore")
			}
			if done.Hidden {
				a.Note(s, "remove the line .fctl/ from .gitignore: it hides .fctl/"+
					map[string]string{"bases": "bases", "git": "state"}[o.History])
			}
			return nil
		},
	}
	cmd.Flags().Var(&history, "history",
		"let git keep `HISTORY`: ignored (nothing), bases (data for later merges) or "+
			"git (all)")
	cmd.Flags().StringVar(&o.Space, "space", "default", "`SLUG` of the first space")
	cmd.Flags().BoolVar(&o.Attributes, "attributes", false,
		"write "+starter.AttributesFile+", as 'ws attributes' prints it")
	return cmd
}

// randomID returns a UUID of version 4 (RFC 9562, section 5.4). Nothing is derived from it: it only
// distinguishes a workspace from others, whose units have the same IDs if they have the same names.
func randomID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func newWorkspaceAttributes(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "attributes",
		Short: "Print references of well-known custom resources, to begin with",
		Long: `Print a file for the folder attributes of a workspace. It says which fields of
custom resources of cert-manager, External Secrets, Flux, Argo, the Gateway API,
Istio, Traefik, the Prometheus Operator, KEDA and the AWS controllers refer to
other resources, and which names these provide.`,
		Example: "  fctl ws attributes > attributes/operators.yaml",
		Args:    command.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			return a.Write(starter.Attributes())
		},
	}
}

func newWorkspaceCheck(a *command.App) *cobra.Command {
	c := &session.Common{App: a}
	cmd := &cobra.Command{
		Use:   "check [flags]",
		Short: "Check the files of the workspace, and look for mistakes",
		Long: `Check every definition of the workspace and the data of its units, and print
all problems with file, line and column. Find what is probably a mistake in the
rest, as 'fctl link doctor' does, and with Lock: true compare the workspace with
fctl.lock, as 'fctl link verify' does; without problems, the status is 1 if
something is found. A command that was killed while it wrote is reported. --repair takes back
what it had written, as any command that writes does, and discards records of
commands that are damaged or not of fctl.`,
		Args: command.NoArguments,
	}
	cmd.Flags().BoolVar(&c.Repair, "repair", false,
		"take back what a killed command wrote, and discard damaged records")
	kind := command.AddReport(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if c.Repair { // when the workspace is opened; the checks write nothing
			err := c.Read(cmd, func(s *session.Session) error {
				s.Problems = nil // the checks report them
				return nil
			})
			if err != nil {
				return err
			}
		}
		c.Repair, c.DryRun = false, true
		var others []report.Result // of units that are read
		found := false
		err := c.Write(cmd, "", func(s *session.Session) (err error) {
			problems := append(s.Store.CheckUndo(), s.Validate()...)
			for _, check := range []func() (entity.Errors, error){s.CheckFunctions, s.CheckData} {
				more, err := check()
				if err != nil {
					return err
				}
				problems = append(problems, more...)
			}
			others, found, err = wslink.Check(s, report.Kind(kind.Value))
			if len(problems) > 0 { // which are also why link doctor cannot read units
				s.Problems = nil
				return problems
			}
			if err == nil && !found {
				s.App.Note(s.Settings, fmt.Sprintf("%s, %s and %s: no problem",
					diag.Count(len(s.Spaces), "space"), diag.Count(len(s.Units), "unit"),
					diag.Count(len(s.Links), "link")))
			}
			return err
		})
		if err = a.Report(cmd, kind, "workspace-check", nil, err, others...); err == nil && found {
			return diag.ExitError(diag.ExitNo)
		}
		return err
	}
	return cmd
}

func newUndo(a *command.App) *cobra.Command {
	c := &session.Common{App: a}
	cmd := &cobra.Command{
		Use:   "undo [flags]",
		Short: "Take back the last command that changed the workspace",
		Long: `Restore the units, links and definitions that the last command changed: their
data, history and records. Up to 20 commands can be taken back, one after
another. A working copy that was edited since prevents it. If the last command
changed nothing, nothing is taken back: fctl undo says so, and which command the
next fctl undo takes back.`,
		Args: command.NoArguments,
	}
	session.Flags(cmd, c.AddDryRun)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.Write(cmd, "", func(s *session.Session) error {
			s.Tx.Drop()
			idle, err := s.Store.LastIdle(!c.DryRun)
			if err != nil {
				return err
			}
			title, err := s.Store.Undo(cmd.Context(), c.DryRun || idle != "")
			if err != nil {
				return err
			}
			if title == "" {
				return diag.Usage("nothing can be undone")
			}
			if idle != "" {
				s.Note("nothing is undone: the last command, %s, changed nothing; the next 'fctl "+
					"undo' takes back %s", idle, title)
				return diag.ExitError(diag.ExitNo)
			}
			if c.DryRun {
				s.Note("this would be undone: %s", title)
			} else {
				s.Note("undone: %s", title)
			}
			return nil
		})
	}
	return cmd
}

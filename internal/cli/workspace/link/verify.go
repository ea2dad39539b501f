package link

import (
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/propagate"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

func newLinkVerify(a *command.App) *cobra.Command {
	c := &session.Common{App: a}
	cmd := &cobra.Command{
		Use: "verify [flags]", Short: "Check that everything was resolved, for CI",
		Long: `Compare the workspace with fctl.lock: the definitions of links and the data of
their upstreams must be those that were resolved, and resolving automatic links
must change nothing. Edits of downstreams are fine, unless --frozen is given,
which also wants an entry for every link. The exit status is 1 if something
differs. The file is kept if fctl-workspace.yaml says Lock: true.`,
		Args: command.NoArguments,
	}
	frozen := cmd.Flags().Bool("frozen", false,
		"fail also if the data of downstreams has changed")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c.DryRun = true
		return c.Write(cmd, "", func(s *session.Session) error { return verify(s, *frozen) })
	}
	return cmd
}

// verify returns the differences from the lock file, and the units that are not resolved.
func verify(s *session.Session, frozen bool) error {
	problems, err := s.VerifyLock(frozen)
	if err != nil {
		return err
	}
	more, err := unresolved(s)
	if err != nil {
		return err
	}
	return append(problems, more...).Err()
}

// unresolved returns a problem for each unit that its automatic links would change.
func unresolved(s *session.Session) (entity.Errors, error) {
	s.Propagator.Options = resolve.Options{DryRun: true}
	results, err := s.Propagator.Run(s.Ctx, propagate.ChangedUnits{}, propagate.Wave{
		Explicit: true, Links: func(l *workspace.Link) bool { return l.AutoUpdate },
	})
	if err != nil {
		return nil, err
	}
	var errs entity.Errors
	for _, r := range results {
		if r.Err == nil && !r.Output.Changed {
			continue
		}
		message := "resolving its automatic links would change " + r.Unit.Name()
		if r.Err != nil {
			message = r.Err.Error()
		}
		errs = append(errs, r.Unit.Fail(entity.CodeState, "%s", message).WithClass(api.FailureNo))
	}
	return errs, nil
}

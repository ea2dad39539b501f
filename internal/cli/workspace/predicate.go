package workspace

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

func newUnitSetPredicate(a *command.App) *cobra.Command {
	c := &session.Common{App: a}
	cmd := &cobra.Command{
		Use:     "set-predicate [flags] UNIT TYPE:NAME[:PATH]",
		Aliases: []string{"protect"},
		Short:   "Protect values of a unit from merges",
		Long: `Say whether merges may overwrite a value. --protect keeps it, --unprotect gives it
up. A path protects everything below it.`,
		Example: "  fctl unit set-predicate web --protect " +
			"apps/v1/Deployment:shop/web:spec.replicas",
		Args: session.Words(2, 2),
	}
	c.AddWrite(cmd.Flags())
	protect := cmd.Flags().Bool("protect", false, "keep merges from overwriting it")
	unprotect := cmd.Flags().Bool("unprotect", false, "let merges overwrite it")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if *protect == *unprotect {
			return diag.Usage("either --protect or --unprotect is expected")
		}
		return c.Write(cmd, "unit set-predicate "+words[0], func(s *session.Session) error {
			u, err := s.UnitNamed(words[0])
			if err != nil {
				return err
			}
			return setProtection(s, u, words[1], *protect)
		})
	}
	return cmd
}

// setProtection sets or clears the protection of a value or a resource.
func setProtection(s *session.Session, u *workspace.Unit, text string, protected bool) error {
	e, err := s.Engine()
	if err != nil {
		return err
	}
	if _, err := s.Tx.Edits(e, []*workspace.Unit{u}, s.StrictWorktree); err != nil {
		return err
	}
	if strings.Count(text, ":") == 1 {
		text += ":" // the resource as a whole
	}
	resource, path, err := session.ParseReference(text)
	if err != nil {
		return err
	}
	info := session.InfoOf(resource)
	rows := api.AttributeValueList{{AttributeInfo: api.AttributeInfo{
		AttributeIdentifier: api.AttributeIdentifier{
			ResourceInfo: *info, Path: api.ResolvedPath(path),
		},
	}}}
	sources, err := s.Store.Sources(u, u.HeadRevisionNum)
	if err != nil {
		return err
	}
	sources, n := mutation.Protect(sources, rows, protected,
		e.Executor.ResourceProvider(u.ToolchainType))
	if n == 0 {
		return &entity.Error{
			Code: entity.CodeResourceNotFound, Space: u.SpaceSlug, Unit: u.Slug,
			Message: u.Name() + " has nothing at " + text,
		}
	}
	s.After(func() error {
		s.Note("%s: protection changed", u.Name())
		return nil
	})
	s.Tx.WriteSources(u, sources)
	return nil
}

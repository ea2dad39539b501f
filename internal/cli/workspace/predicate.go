package workspace

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

func newUnitSetPredicate(a *app.App) *cobra.Command {
	c := &common{app: a}
	cmd := &cobra.Command{
		Use:     "set-predicate [flags] UNIT TYPE:NAME[:PATH]",
		Aliases: []string{"protect"},
		Short:   "Protect values of a unit from merges",
		Long: `Say whether merges may overwrite a value. --protect keeps it, --unprotect gives it
up. A path protects everything below it.`,
		Example: "  fctl unit set-predicate web --protect apps/v1/Deployment:shop/web:spec.replicas",
		Args:    words(2, 2),
	}
	c.addWrite(cmd.Flags())
	protect := cmd.Flags().Bool("protect", false, "merges must not overwrite it")
	unprotect := cmd.Flags().Bool("unprotect", false, "merges may overwrite it")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if *protect == *unprotect {
			return diag.Usage("either --protect or --unprotect is expected")
		}
		return c.write(cmd, "unit set-predicate "+words[0], func(s *session) error {
			u, err := s.unit(words[0])
			if err != nil {
				return err
			}
			return s.protect(u, words[1], *protect)
		})
	}
	return cmd
}

// protect sets or clears the protection of a value or a resource.
func (s *session) protect(u *workspace.Unit, text string, protected bool) error {
	e, err := s.engine()
	if err != nil {
		return err
	}
	if _, err := s.tx.Edits(e, []*workspace.Unit{u}, s.strictWorktree); err != nil {
		return err
	}
	if strings.Count(text, ":") == 1 {
		text += ":" // the resource as a whole
	}
	resource, path, err := parseReference(text)
	if err != nil {
		return err
	}
	info := infoOf(resource)
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
	s.after(func() error {
		s.note("%s: protection changed", u.Name())
		return nil
	})
	return s.tx.WriteSources(u, sources)
}

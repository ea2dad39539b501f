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
	var protect, unprotect bool
	cmd := &cobra.Command{
		Use:     "set-predicate [flags] UNIT TYPE:NAME[:PATH]",
		Aliases: []string{"protect"},
		Short:   "Protect values of a unit from merges",
		Long: `Say whether merges may overwrite a value. --protect keeps it, --unprotect gives it
up. A path protects everything below it.`,
		Example: "  fctl unit set-predicate web --protect " +
			"apps/v1/Deployment:shop/web:spec.replicas",
		Args: func(cmd *cobra.Command, words []string) error {
			if protect == unprotect {
				return diag.Usage("either --protect or --unprotect is expected")
			}
			return command.Words(2, 2)(cmd, words)
		},
	}
	flags := session.Flags(cmd, c.AddWrite)
	flags.BoolVar(&protect, "protect", false, "keep merges from overwriting it")
	flags.BoolVar(&unprotect, "unprotect", false, "let merges overwrite it")
	return c.Writes(cmd, func(s *session.Session, words []string) error {
		u, err := s.UnitNamed(words[0])
		if err != nil {
			return err
		}
		return setProtection(s, u, words[1], protect)
	})
}

// setProtection sets or clears the protection of a value or a resource.
func setProtection(s *session.Session, u *workspace.Unit, text string, protected bool) error {
	executor, err := s.Functions()
	if err == nil {
		err = s.Edits(u)
	}
	if err != nil {
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
		executor.ResourceProvider(u.ToolchainType))
	if n == 0 {
		return u.Fail(entity.CodeResourceNotFound, "%s has nothing at %s", u.Name(), text)
	}
	s.NoteAfter("%s: protection changed", u.Name())
	s.Tx.WriteSources(u, sources)
	return nil
}

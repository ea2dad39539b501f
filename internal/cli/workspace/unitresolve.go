package workspace

import (
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/links/resolve"
)

func newUnitResolveSelf(a *command.App) *cobra.Command {
	c, form := &session.Common{App: a}, ""
	cmd := &cobra.Command{
		Use:   "resolve-self [flags] UNIT",
		Short: "Fill the placeholders that the unit itself can fill",
		Args:  command.Words(1, 1),
	}
	session.Flags(cmd, c.AddWrite).StringVarP(&form, "output", "o", "",
		"output `FORMAT`: text or json")
	return c.Writes(cmd, func(s *session.Session, words []string) error {
		u, err := s.UnitNamed(words[0])
		if err != nil {
			return err
		}
		out, err := s.Propagator.Resolve(s.Ctx, u, nil,
			resolve.Options{SelfOnly: true, DryRun: s.DryRun}, nil)
		if err != nil {
			return err
		}
		if form == "json" {
			s.After(func() error { return s.App.WriteValuesJSON(out.Result) })
		} else {
			s.NoteAfter("%s: revision %d -> %d", u.Name(), out.Result.BaseRevisionNum,
				out.Result.NewRevisionNum)
		}
		return s.Propagate()
	})
}

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
		Args:  session.Words(1, 1),
	}
	c.AddWrite(cmd.Flags())
	cmd.Flags().StringVarP(&form, "output", "o", "", "output `FORMAT`: text or json")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.Write(cmd, "unit resolve-self "+words[0], func(s *session.Session) error {
			u, err := s.UnitNamed(words[0])
			if err != nil {
				return err
			}
			e, err := s.Engine()
			if err != nil {
				return err
			}
			out, err := e.Resolve(s.Ctx, u, nil, resolve.Options{SelfOnly: true, DryRun: s.DryRun},
				nil)
			if err != nil {
				return err
			}
			s.After(func() error {
				if form == "json" {
					return s.App.WriteValuesJSON(out.Result)
				}
				s.Note("%s: revision %d -> %d", u.Name(), out.Result.BaseRevisionNum,
					out.Result.NewRevisionNum)
				return nil
			})
			return s.Propagate()
		})
	}
	return cmd
}

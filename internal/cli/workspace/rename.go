package workspace

import (
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
)

func newUnitRename(a *command.App) *cobra.Command {
	c, out := &session.Common{App: a}, &session.Output{}
	cmd := &cobra.Command{
		Use: "rename [flags] UNIT NAME", Short: "Give a unit another name",
		Long: `Give a unit another name. Its files and its history move; links to it and from it
stay as they are, and are not stale afterwards.`,
		Args: session.Words(2, 2),
	}
	c.AddSpace(cmd.Flags())
	c.AddDryRun(cmd.Flags())
	out.Add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		title := "unit rename " + words[0] + " " + words[1]
		return c.Write(cmd, title, func(s *session.Session) error {
			u, err := s.UnitNamed(words[0])
			if err != nil {
				return err
			}
			was := u.Name()
			if err := s.Tx.RenameUnit(s.Workspace, u, words[1]); err != nil {
				return err
			}
			return s.PrintUnit(out, u, "Successfully renamed unit "+was+" to "+u.Name())
		})
	}
	return cmd
}

func newSpaceRename(a *command.App) *cobra.Command {
	c, out := &session.Common{App: a}, &session.Output{}
	cmd := &cobra.Command{
		Use: "rename [flags] SPACE NAME", Short: "Give a space another name",
		Long: `Give a space another name. Everything in it moves; links from other spaces stay as
they are, and are not stale afterwards.`,
		Args: session.Words(2, 2),
	}
	c.AddDryRun(cmd.Flags())
	out.Add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		title := "space rename " + words[0] + " " + words[1]
		return c.Write(cmd, title, func(s *session.Session) error {
			p, err := s.Space(words[0])
			if err != nil {
				return err
			}
			was := p.Slug
			if err := s.Tx.RenameSpace(s.Workspace, p, words[1]); err != nil {
				return err
			}
			return printSpace(s, out, p, "Successfully renamed space "+was+" to "+p.Slug)
		})
	}
	return cmd
}

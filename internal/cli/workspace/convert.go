package workspace

import (
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
)

func newWorkspaceConvert(a *command.App) *cobra.Command {
	c := &session.Common{App: a}
	cmd := &cobra.Command{
		Use:   "convert [flags]",
		Short: "Give an older workspace the layout of a new one",
		Long: `Give the files of a workspace that an older fctl made the layout of a new one:
units/NAME.EXT for the data of a unit, links.yaml for the links of a space, and
definitions only where something cannot be derived. Names, IDs, history and
plans stay the same. Definitions with comments keep their files, and so do
units whose folders have other files. It changes nothing in a workspace that has
the layout already.`,
		Example: "  fctl ws convert --dry-run",
		Args:    command.NoArguments,
	}
	session.Flags(cmd, c.AddDryRun)
	return c.Writes(cmd, func(s *session.Session, _ []string) error {
		wrote, deleted, err := s.Tx.Convert(s.Workspace)
		if err != nil {
			return err
		}
		if wrote+deleted == 0 {
			s.Note("converted already: the layout is small")
			return nil
		}
		s.NoteAfter("wrote %s and deleted %s", diag.Count(wrote, "file"), diag.Count(deleted, "file"))
		return nil
	})
}

package workspace

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

func newUnitLivestate(a *command.App) *cobra.Command {
	return session.Group(a, "livestate", "Keep captures of the live state of a unit",
		`The live state of a unit is what runs: fetched from a cluster, or rendered. Links
with UseLiveState read the newest capture instead of the unit's data.`,
		newLivestateSet(a), newLivestateGet(a))
}

func newLivestateSet(a *command.App) *cobra.Command {
	c := &session.Common{App: a}
	cmd := &cobra.Command{
		Use: "set [flags] UNIT FILE", Short: "Capture the live state of a unit",
		Long: `Keep the content of a file, or of the standard input (-), as the newest capture of
the unit's live state. Links with AutoUpdate and UseLiveState are resolved.`,
		Args: command.Words(2, 2),
	}
	session.Flags(cmd, c.AddWrite)
	return c.Writes(cmd, func(s *session.Session, words []string) error {
		u, err := s.UnitNamed(words[0])
		if err != nil {
			return err
		}
		data, err := s.Input(words[1])
		if err != nil {
			return err
		}
		if u.HeadUnitActionNum > 0 {
			before, err := s.Store.Live(u, u.HeadUnitActionNum)
			if err != nil || bytes.Equal(before, data) {
				return err
			}
		}
		s.Tx.WriteLive(u, data)
		s.NoteAfter("%s: live state %d", u.Name(), u.HeadUnitActionNum)
		return s.Propagate(u)
	})
}

func newLivestateGet(a *command.App) *cobra.Command {
	return newPrintNumbered(a, "get", "Print the newest capture of the live state, or the N-th",
		func(u *workspace.Unit) int64 { return u.HeadUnitActionNum }, (*workspace.Store).Live)
}

package workspace

import (
	"bytes"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/app"
)

func newUnitLivestate(a *app.App) *cobra.Command {
	return group(a, "livestate", "Keep captures of the live state of a unit",
		`The live state of a unit is what runs: fetched from a cluster, or rendered. Links
with UseLiveState read the newest capture instead of the unit's data.`,
		newLivestateSet(a), newLivestateGet(a))
}

func newLivestateSet(a *app.App) *cobra.Command {
	c := &common{app: a}
	cmd := &cobra.Command{
		Use: "set [flags] UNIT FILE", Short: "Capture the live state of a unit",
		Long: `Keep the content of a file, or of the standard input (-), as the newest capture of
the unit's live state. Links with AutoUpdate and UseLiveState are resolved.`,
		Args: words(2, 2),
	}
	c.addWrite(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.write(cmd, "unit livestate set "+words[0], func(s *session) error {
			u, err := s.unit(words[0])
			if err != nil {
				return err
			}
			data, err := s.input(words[1])
			if err != nil {
				return err
			}
			if u.HeadUnitActionNum > 0 {
				before, err := s.Store.Live(u, u.HeadUnitActionNum)
				if err != nil || bytes.Equal(before, data) {
					return err
				}
			}
			if err := s.tx.WriteLive(u, data); err != nil {
				return err
			}
			s.after(func() error {
				s.note("%s: live state %d", u.Name(), u.HeadUnitActionNum)
				return nil
			})
			return s.propagate(u)
		})
	}
	return cmd
}

func newLivestateGet(a *app.App) *cobra.Command {
	c := &common{app: a}
	cmd := &cobra.Command{
		Use: "get [flags] UNIT [N]", Short: "Print the newest capture of the live state, or the N-th",
		Args: words(1, 2),
	}
	c.addSpace(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.read(cmd, func(s *session) error {
			u, err := s.unit(words[0])
			if err != nil {
				return err
			}
			n := u.HeadUnitActionNum
			if len(words) == 2 {
				if n, err = strconv.ParseInt(words[1], 10, 64); err != nil {
					return err
				}
			}
			data, err := s.Store.Live(u, n)
			if err != nil {
				return err
			}
			return s.app.Write(data)
		})
	}
	return cmd
}

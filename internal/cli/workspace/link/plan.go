package link

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// linkPlan holds the flags of link plan.
type linkPlan struct {
	linkResolve
	exitCode bool
	whatIf   []string
}

func newLinkPlan(a *command.App) *cobra.Command {
	o := &linkPlan{linkResolve: linkResolve{Common: session.Common{App: a}, everything: true}}
	cmd := &cobra.Command{
		Use:   "plan [flags] [LINK...]",
		Short: "Show what resolving links would do, and write nothing",
		Long: `Show what 'fctl link resolve' with the same words would do, including what follows
downstream. Without words it is what --stale --all would do in all spaces. A unit
sees what the units before it would become. --what-if gives a unit other data
first.`,
		Example: `  fctl link plan
  fctl link plan --what-if dev/web=new.yaml -o diff`,
	}
	flags := session.Flags(cmd, o.add, o.AddSpace, o.AddNoCrossSpace, o.AddShowSecrets)
	flags.BoolVar(&o.NoPropagate, "no-propagate", false, "do not follow automatic links")
	flags.BoolVar(&o.StrictWorktree, "strict-worktree", false,
		"fail if a working copy was edited, instead of taking the edit into account")
	flags.BoolVar(&o.exitCode, "exit-code", false, "exit with 1 if something would change")
	flags.StringArrayVar(&o.whatIf, "what-if", nil, "pretend that a unit has other data: "+
		"`UNIT=FILE`")
	flags.Lookup("output").Usage = "output `FORMAT`: text, diff, json or mutations"
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		asDiff := o.form == "diff"
		if asDiff {
			o.form = "text"
		}
		if err := o.check(cmd, names); err != nil {
			return err
		}
		o.DryRun = true
		var changed []*workspace.Unit
		heads := map[*workspace.Unit]int64{}
		err := o.Write(cmd, "", func(s *session.Session) error {
			for _, u := range s.Units {
				heads[u] = u.HeadRevisionNum
			}
			if err := o.pretend(s); err != nil {
				return err
			}
			show := s.ShowResults
			if asDiff {
				show = func() error { return nil }
			}
			if err := o.run(s, names, show); err != nil {
				return err
			}
			changed = s.Tx.Revised
			if asDiff {
				return o.showDiff(s, heads)
			}
			return nil
		})
		if err == nil && o.exitCode && len(changed) > 0 {
			return diag.ExitError(diag.ExitNo)
		}
		return err
	}
	return cmd
}

// pretend gives units the data of --what-if.
func (o *linkPlan) pretend(s *session.Session) error {
	for _, word := range o.whatIf {
		name, file, ok := strings.Cut(word, "=")
		if !ok {
			return diag.Usage("--what-if: UNIT=FILE is expected, not %q", word)
		}
		u, err := s.UnitNamed(name)
		if err != nil {
			return err
		}
		data, err := s.Input(file)
		if err != nil {
			return err
		}
		if api.DataHash(data) == u.DataHash {
			continue
		}
		if _, err := s.Tx.Record(s.Propagator, u, data, entity.SourceUpdate, "what if", entity.Mutation{},
			false); err != nil {
			return session.InFile(err, file)
		}
	}
	return nil
}

// showDiff prints the changes of all units as one diff, instead of what was resolved.
func (o *linkPlan) showDiff(s *session.Session, heads map[*workspace.Unit]int64) error {
	s.NoteConflicts(slices.Concat(s.Results, s.Propagated))
	var all []byte
	for _, u := range s.Tx.Revised {
		before, err := s.Store.Data(u, heads[u])
		if err != nil {
			return err
		}
		after, err := s.Store.Data(u, u.HeadRevisionNum)
		if err != nil {
			return err
		}
		text, err := s.Shown(u, before, after)
		if err != nil {
			return err
		}
		all = append(all, text...)
	}
	return s.App.WriteText(string(all))
}

package workspace

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/link"
	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

// linkPlan holds the flags of link plan.
type linkPlan struct {
	linkResolve
	exitCode bool
	whatIf   []string
}

func newLinkPlan(a *app.App) *cobra.Command {
	o := &linkPlan{linkResolve: linkResolve{common: common{app: a}}}
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
	o.add(cmd)
	flags := cmd.Flags()
	o.addSpace(flags)
	flags.BoolVar(&o.noPropagate, "no-propagate", false, "do not follow automatic links")
	flags.BoolVar(&o.strictWorktree, "strict-worktree", false,
		"fail if a working copy was edited, instead of taking the edit into account")
	app.AddShowSecrets(flags, &o.showSecrets)
	flags.BoolVar(&o.exitCode, "exit-code", false, "exit with 1 if something would change")
	flags.StringArrayVar(&o.whatIf, "what-if", nil, "pretend that a unit has other data: `UNIT=FILE`")
	flags.Lookup("output").Usage = "output `FORMAT`: text, diff, json or mutations"
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		asDiff := o.form == "diff"
		if asDiff {
			o.form = "text"
		}
		if err := o.check(cmd, names, true); err != nil {
			return err
		}
		if len(names) == 0 && !o.selection.isSet() && o.from == "" && !o.stale {
			o.stale, o.all = true, true
			if o.space == "" {
				o.space = "*"
			}
		}
		o.dryRun = true
		var changed []*workspace.Unit
		heads := map[*workspace.Unit]int64{}
		err := o.write(cmd, "", func(s *session) error {
			for _, u := range s.Units {
				heads[u] = u.HeadRevisionNum
			}
			if err := o.pretend(s); err != nil {
				return err
			}
			if err := o.run(s, names); err != nil {
				return err
			}
			changed = s.tx.Revised
			if asDiff {
				return o.showDiff(s, heads)
			}
			return nil
		})
		if err == nil && o.exitCode && len(changed) > 0 {
			return app.ExitError(app.ExitNo)
		}
		return err
	}
	return cmd
}

// pretend gives units the data of --what-if.
func (o *linkPlan) pretend(s *session) error {
	for _, word := range o.whatIf {
		name, file, ok := strings.Cut(word, "=")
		if !ok {
			return diag.Usage("--what-if: UNIT=FILE is expected, not %q", word)
		}
		u, err := s.unit(name)
		if err != nil {
			return err
		}
		data, err := s.input(file)
		if err != nil {
			return err
		}
		e, err := s.engine()
		if err != nil {
			return err
		}
		if api.DataHash(data) == u.DataHash {
			continue
		}
		if _, err := s.tx.Record(e, u, data, entity.SourceUpdate, "what if", entity.Mutation{},
			false); err != nil {
			return err
		}
	}
	return nil
}

// showDiff prints the changes of all units as one diff.
func (o *linkPlan) showDiff(s *session, heads map[*workspace.Unit]int64) error {
	s.done, s.results, s.propagated = nil, nil, nil
	var all []byte
	for _, u := range s.tx.Revised {
		before, err := s.Store.Data(u, heads[u])
		if err != nil {
			return err
		}
		after, err := s.Store.Data(u, u.HeadRevisionNum)
		if err != nil {
			return err
		}
		text, err := s.shown(u, before, after)
		if err != nil {
			return err
		}
		all = append(all, text...)
	}
	return s.app.Write(all)
}

func newUnitResolveSelf(a *app.App) *cobra.Command {
	c, form := &common{app: a}, ""
	cmd := &cobra.Command{
		Use: "resolve-self [flags] UNIT", Short: "Fill the placeholders that the unit itself can fill",
		Args: words(1, 1),
	}
	c.addWrite(cmd.Flags())
	cmd.Flags().StringVarP(&form, "output", "o", "", "output `FORMAT`: text or json")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return c.write(cmd, "unit resolve-self "+words[0], func(s *session) error {
			u, err := s.unit(words[0])
			if err != nil {
				return err
			}
			e, err := s.engine()
			if err != nil {
				return err
			}
			out, err := e.Resolve(s.ctx, u, nil, link.Options{SelfOnly: true, DryRun: s.dryRun})
			if err != nil {
				return err
			}
			s.after(func() error {
				if form == "json" {
					return s.app.WriteJSON(out.Result)
				}
				s.note("%s: revision %d -> %d", u.Name(), out.Result.BaseRevisionNum,
					out.Result.NewRevisionNum)
				return nil
			})
			return s.propagate()
		})
	}
	return cmd
}

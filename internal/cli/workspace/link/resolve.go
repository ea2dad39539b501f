package link

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/propagate"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

func newLinkResolve(a *command.App) *cobra.Command {
	o := &linkResolve{Common: session.Common{App: a}}
	return o.command(`Resolve links: change their downstream units. The links of one unit are resolved
together: one that fails keeps all from being written, unless --keep-going is
given. With --from and --all, all links of a unit are resolved; with --stale those
that are out of date. What a change makes necessary downstream follows, for links
with AutoUpdate.`, `  fctl link resolve web-ns
  fctl link resolve --from web --all
  fctl link resolve --stale --all --space '*'`)
}

// command makes a command that resolves links.
func (o *linkResolve) command(long, example string) *cobra.Command {
	cmd := &cobra.Command{
		Use: "resolve [flags] [LINK...]", Short: "Resolve links", Long: long, Example: example,
		Args: o.check,
	}
	session.Flags(cmd, o.add, o.AddWrite)
	return o.Writes(cmd, func(s *session.Session, names []string) error {
		return o.run(s, names, s.ShowResults)
	})
}

// linkResolve holds the flags of link resolve and link plan.
type linkResolve struct {
	session.Common
	session.SelectFlags
	session.ResolveFlags
	form  string
	from  string
	all   bool
	stale bool
	// everything means that a command without words is about all stale links of all spaces.
	everything bool
}

func (o *linkResolve) add(flags *pflag.FlagSet) {
	o.SelectFlags.Add(flags)
	o.ResolveFlags.Add(flags)
	flags.StringVar(&o.from, "from", "", "resolve the links of `UNIT`")
	flags.BoolVar(&o.all, "all", false, "resolve all links; with --stale also links without "+
		"AutoUpdate")
	flags.BoolVar(&o.stale, "stale", false, "resolve the links that are stale")
	flags.StringVarP(&o.form, "output", "o", "", "output `FORMAT`: text, json or mutations")
}

func (o *linkResolve) check(cmd *cobra.Command, names []string) error {
	switch {
	case len(names) > 0 || o.SelectFlags.IsSet() || o.from != "" || o.stale || o.all:
	case o.everything:
		o.stale, o.all, o.SpaceFlag = true, true, cmp.Or(o.SpaceFlag, "*")
	default:
		return command.Missing(cmd, "LINK, --from, --stale or --where")
	}
	if len(names) > 0 && (o.SelectFlags.IsSet() || o.from != "" || o.stale) {
		return diag.UsageHint(cmd.UseLine(), "either names or flags that select links, not both")
	}
	if forms := []string{"text", "json", "mutations"}; o.form != "" && !slices.Contains(forms, o.form) {
		if cmd.Name() == "plan" {
			forms = slices.Insert(forms, 1, "diff")
		}
		return diag.Usage("output format %q is not one of %s", o.form, strings.Join(forms, ", "))
	}
	return nil
}

// run resolves the selected links unit by unit, upstreams first, and what follows, and shows what was
// done. What could not be resolved is reported after everything else.
func (o *linkResolve) run(s *session.Session, names []string, show func() error) error {
	var err error
	if s.Propagator.Options, err = o.Options(s); err != nil {
		return err
	}
	links, err := o.selected(s, names)
	if err != nil {
		return err
	}
	results, err := s.Propagator.Run(s.Ctx, s.Revised(), propagate.Wave{
		Explicit: true, OneSpace: s.NoCrossSpace,
		Propagate: !s.NoPropagate && !s.Store.Config.NoAutoUpdate,
		Links:     func(l *workspace.Link) bool { return links[l] },
	})
	if err != nil {
		return err
	}
	failed, err := o.failures(s, results, links)
	if err != nil {
		return err
	}
	s.Form, s.Asked = o.form, true
	for _, r := range results {
		if r.Follows {
			s.Propagated = append(s.Propagated, r)
		} else {
			s.Results = append(s.Results, r)
		}
	}
	s.After(show)
	if len(results) == 1 && results[0].Err != nil && !results[0].Follows {
		s.Failed(chosen(s, results[0].Unit, links), results[0].Err)
	} else {
		s.After(func() error { return errors.Join(failed...) })
	}
	return nil
}

// failures returns what could not be resolved, and gives units that failed a result that says so. The
// error means that nothing may be written.
func (o *linkResolve) failures(
	s *session.Session, results []propagate.UnitResult, links map[*workspace.Link]bool,
) (failed []error, err error) {
	for i, r := range results {
		if r.Err != nil {
			if !r.Follows { // else it is noted
				failed = append(failed, r.Err)
				results[i].Output = s.FailedResult(r.Unit, chosen(s, r.Unit, links), r.Err)
			}
			continue
		}
		if err := o.Refused(s, r.Unit, r.Output); err != nil {
			if !s.DryRun {
				return nil, err
			}
			failed = append(failed, err)
		}
		failed = append(failed, session.FailedLinks(r, false)...)
	}
	return failed, nil
}

// chosen returns the links of a unit that are among others.
func chosen(
	s *session.Session, u *workspace.Unit, links map[*workspace.Link]bool,
) []*workspace.Link {
	return slices.DeleteFunc(slices.Clone(s.LinksFrom(u)), func(l *workspace.Link) bool {
		return !links[l]
	})
}

// selected returns which links are resolved first. An edit makes links stale, so it is recorded
// before stale ones are selected.
func (o *linkResolve) selected(
	s *session.Session, names []string,
) (map[*workspace.Link]bool, error) {
	links := map[*workspace.Link]bool{}
	if o.stale {
		problems, err := s.RecordEdits()
		if err != nil {
			return nil, err
		}
		s.Unread(problems.Err())
		s.StaleLinks()
	}
	switch {
	case len(names) > 0:
		for _, name := range names {
			l, err := s.LinkNamed(name)
			if err == nil {
				err = s.Ends(l)
			}
			if err == nil {
				_, err = s.Explicit(l.From, l.Slug)
			}
			if err != nil {
				return nil, err
			}
			links[l] = true
		}
	case o.from != "":
		u, err := s.UnitNamed(o.from)
		if err != nil {
			return nil, err
		}
		for _, l := range s.LinksFrom(u) {
			links[l] = true
			s.Unread(s.Ends(l))
		}
	case o.SelectFlags.IsSet() || o.all || o.stale:
		all, err := o.Links(s)
		if err != nil {
			return nil, err
		}
		for _, l := range all {
			links[l] = !o.stale || l.Stale && (o.all || l.AutoUpdate)
			s.Unread(s.Ends(l))
		}
		if o.stale {
			s.Left = left(s, links)
		}
	}
	return links, nil
}

// left says which stale links were not selected.
func left(s *session.Session, selected map[*workspace.Link]bool) string {
	stale := slices.DeleteFunc(slices.Clone(s.Workspace.Links), func(l *workspace.Link) bool {
		return !l.Stale || selected[l]
	})
	if len(stale) == 0 {
		return ""
	}
	return fmt.Sprintf("; left out, as not automatic or in another space: %s (%s); to take all: "+
		"fctl link resolve --stale --all --space '*'", diag.Count(len(stale), "stale link"), stale[0].Name())
}

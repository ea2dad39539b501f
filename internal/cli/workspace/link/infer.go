package link

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// linkInfer holds the flags of link infer.
type linkInfer struct {
	session.Common
	write bool
	form  string
}

func newLinkInfer(a *command.App) *cobra.Command {
	o := &linkInfer{Common: session.Common{App: a}}
	cmd := &cobra.Command{
		Use:   "infer [flags]",
		Short: "Propose links that units seem to lack",
		Long: `Propose links between the units of a space: for placeholders that exactly one other
unit can fill, for references to resources of another unit, and, as links of the
type None, between Services and the pods they select and between custom resources
and their definitions. References that no unit of the space explains are listed
separately. No proposed link closes a cycle.`,
		Example: "  fctl link infer --write",
		Args:    command.NoArguments,
	}
	flags := session.Flags(cmd, o.AddSpace)
	flags.Lookup("space").Usage = "look only at `SPACE`"
	flags.BoolVar(&o.write, "write", false, "make the links")
	flags.StringVarP(&o.form, "output", "o", "", "output `FORMAT`: text or json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if o.form != "" && o.form != "text" && o.form != "json" {
			return diag.Usage("output format %q is not one of text, json", o.form)
		}
		o.DryRun = !o.write
		return o.Common.Write(cmd, "link infer --write", o.run)
	}
	return cmd
}

func (o *linkInfer) run(s *session.Session) error {
	g, err := s.LinkGraph()
	if err != nil {
		return err
	}
	if g.Units, err = onlySpace(s, g); err != nil {
		return err
	}
	found, err := g.Infer()
	if err != nil {
		return err
	}
	if o.write {
		for i := range found.Proposals {
			if err := makeLink(s, &found.Proposals[i]); err != nil {
				return err
			}
		}
	}
	s.After(func() error {
		if o.form == "json" {
			return s.App.WriteJSON(found)
		}
		return s.App.WriteText(inferText(found, o.write))
	})
	return nil
}

// onlySpace returns the units of a graph that are in the space of --space, if it is given.
func onlySpace(s *session.Session, g *resolve.Inspector) ([]*entity.Unit, error) {
	if s.SpaceFlag == "" || s.SpaceFlag == "*" {
		return g.Units, nil
	}
	space, err := s.InSpace()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(g.Units), func(u *entity.Unit) bool {
		return u.SpaceSlug != space.Slug
	}), nil
}

// makeLink makes a proposed link.
func makeLink(s *session.Session, p *resolve.Proposal) error {
	from, err := s.Unit("", p.FromUnitID)
	if err != nil {
		return err
	}
	to, err := s.Unit("", p.ToUnitID)
	if err != nil {
		return err
	}
	l := &workspace.Link{Link: &entity.Link{
		FromUnit: from.Slug, ToUnit: to.Slug, UpdateType: p.UpdateType, Stated: true,
	}}
	l.Slug, l.SpaceSlug = "-", from.SpaceSlug
	if to.SpaceSlug != from.SpaceSlug {
		l.ToSpace = to.SpaceSlug
	}
	if err := s.ResolveLink(l).Err(); err != nil {
		return err
	}
	l.Slug = l.FromUnit + "-" + l.ToUnit
	if err := s.FreeSlug(l); err != nil {
		return err
	}
	if err := s.CheckEdge(l); err != nil {
		return err
	}
	return s.Tx.Create(s.Workspace, l)
}

// inferText returns the proposals as people read them.
func inferText(found *resolve.Inferred, made bool) string {
	var b strings.Builder
	for _, p := range found.Proposals {
		fmt.Fprintf(&b, "%s -> %s  %s\n", p.From, p.To, p.UpdateType)
		for _, reason := range p.Reasons {
			fmt.Fprintf(&b, "  %s\n", reason)
		}
		if !made {
			fmt.Fprintf(&b, "  fctl link create - %s %s --update-type %s\n", p.From, p.To,
				p.UpdateType)
		}
	}
	if len(found.Unmatched) > 0 {
		b.WriteString("Nothing in the space explains:\n")
	}
	for _, u := range found.Unmatched {
		what := "refers to " + u.Value + ", a " + strings.ReplaceAll(u.Wants, ",", " or ")
		if configkit.IsPlaceholder(u.Value) {
			what = "is a placeholder for a " + strings.ReplaceAll(u.Wants, ",", " or ")
		}
		fmt.Fprintf(&b, "  %s: %s of %s %s", u.Unit, u.Path, &u.Resource, what)
		if len(u.Candidates) > 0 {
			fmt.Fprintf(&b, "; it can come from %s", strings.Join(u.Candidates, ", "))
		}
		b.WriteString("\n")
	}
	return b.String()
}

package link

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// spaceClone holds the flags of ws clone.
type spaceClone struct {
	session.Common
	originOnly, allowExists bool
	from                    *workspace.Space
	count                   map[entity.Kind]int // of new entities
}

func newClone(a *command.App) *cobra.Command {
	o := &spaceClone{Common: session.Common{App: a}, count: map[entity.Kind]int{}}
	cmd := &cobra.Command{
		Use:   "clone [flags] SPACE NEWSPACE",
		Short: "Clone a space with its units, links and invocations",
		Long: `Make the space NEWSPACE with a clone of each unit of SPACE, and with its links and
invocations. Links between units of SPACE become links between their clones. Values
that links wrote in SPACE are placeholders again, which the links of NEWSPACE fill.
'fctl ws promote SPACE NEWSPACE' brings later changes. With --allow-exists the space
may exist: it gets what it lacks, and the rest stays.`,
		Example: `  fctl ws clone dev staging
  fctl ws clone --allow-exists --origin-only staging prod`,
		Args: command.Words(2, 2),
	}
	flags := session.Flags(cmd, o.AddWrite)
	flags.BoolVar(&o.allowExists, "allow-exists", false,
		"add missing units and links to an existing NEWSPACE")
	flags.BoolVar(&o.originOnly, "origin-only", false,
		"let later changes pass only if they came to SPACE from its own origins")
	return o.Writes(cmd, func(s *session.Session, words []string) error {
		return o.run(s, words[0], words[1])
	})
}

func (o *spaceClone) run(s *session.Session, from, to string) error {
	var err error
	if o.from, err = s.Space(from); err != nil {
		return err
	}
	if o.from.Slug == to {
		return diag.Usage("a space cannot be a clone of itself")
	}
	space, err := o.space(s, to)
	if err != nil {
		return err
	}
	if err := o.units(s, space); err != nil {
		return err
	}
	links, err := o.links(s, space)
	if err != nil {
		return err
	}
	verb := "cloned"
	if s.DryRun {
		verb = "would clone"
	}
	s.NoteAfter("%s %s to %s: %s, %s and %s", verb, o.from.Slug, space.Slug,
		diag.Count(o.count[entity.KindUnit], "unit"), diag.Count(o.count[entity.KindLink], "link"),
		diag.Count(o.count[entity.KindInvocation], "invocation"))
	if names := providers(links, space.Slug); len(names) > 0 {
		s.NoteAfter("links of %s read %s: change them where the spaces differ",
			space.Slug, strings.Join(names, ", "))
	}
	return s.PropagateLinks(links)
}

// space makes the new space, or returns the one that exists if that is allowed.
func (o *spaceClone) space(s *session.Session, to string) (*workspace.Space, error) {
	if s.Existing(entity.KindSpace, to) != nil {
		space, err := s.Space(to)
		if err == nil && !o.allowExists {
			err = entity.Fail(entity.CodeSlugTaken, "space %s exists already", to).
				WithHint("--allow-exists adds missing units and links")
		}
		return space, err
	}
	space := &workspace.Space{Space: &entity.Space{
		Common: entity.Common{Slug: to, Labels: o.from.Labels}, TargetFacts: o.from.TargetFacts,
	}}
	return space, s.Tx.Create(s.Workspace, space)
}

// units clones the units and copies the invocations that the new space lacks.
func (o *spaceClone) units(s *session.Session, space *workspace.Space) error {
	for _, i := range slices.Clone(s.Invocations) {
		if i.SpaceSlug != o.from.Slug ||
			s.Existing(entity.KindInvocation, space.Slug+"/"+i.Slug) != nil {
			continue
		}
		c := *i.Invocation
		c.Common, c.InvocationID = copied(&i.Common, space), ""
		if err := s.Tx.Create(s.Workspace, &workspace.Invocation{Invocation: &c}); err != nil {
			return err
		}
		o.count[entity.KindInvocation]++
	}
	for _, up := range slices.Clone(s.Units) {
		if up.SpaceSlug != o.from.Slug || s.Existing(entity.KindUnit, space.Slug+"/"+up.Slug) != nil {
			continue
		}
		u := &workspace.Unit{Unit: &entity.Unit{
			Common: copied(&up.Common, space), ToolchainType: up.ToolchainType,
		}}
		if err := s.Tx.Create(s.Workspace, u); err != nil {
			return err
		}
		if err := s.Clone(u, up, o.ChangeDesc, o.originOnly); err != nil {
			return err
		}
		o.count[entity.KindUnit]++
	}
	return nil
}

// links copies the links that the new space lacks, except those of clones to their origins.
func (o *spaceClone) links(s *session.Session, space *workspace.Space) ([]*workspace.Link, error) {
	var made []*workspace.Link
	for _, l := range slices.Clone(s.Links) {
		if l.SpaceSlug != o.from.Slug || l.UpdateType == entity.UpdateUpgradeUnit ||
			s.HasLink(space.Slug+"/"+l.Slug) {
			continue
		}
		c := copyOf(l, space)
		if err := s.ResolveLink(c).Err(); err != nil {
			return nil, err
		}
		if err := s.CheckLink(c); err != nil {
			return nil, err
		}
		if err := s.Tx.Create(s.Workspace, c); err != nil {
			return nil, err
		}
		made = append(made, c)
	}
	o.count[entity.KindLink] = len(made)
	if errs := s.LinkCycles(made); errs != nil {
		return nil, errs
	}
	return made, nil
}

// providers returns the units of a space from which links of the space take values.
func providers(links []*workspace.Link, space string) (names []string) {
	for _, l := range links {
		if l.To.SpaceSlug == space && !l.CopiesResources() && l.UpdateType != entity.UpdateNone {
			names = append(names, l.To.Name())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

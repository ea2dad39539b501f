package link

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/filter"
	"github.com/fctl-dev/fctl/internal/links/propagate"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// linkCreate holds the flags of link create.
type linkCreate struct {
	session.Common
	linkFlags
	session.Output
	whereFrom, whereTo, whereToSpace string
	whereSpace                       string
	destSpaces                       []string
	keepGoing                        bool
	together                         bool // cycles are looked for when all links are made
}

func newLinkCreate(a *command.App) *cobra.Command {
	o := &linkCreate{Common: session.Common{App: a}}
	cmd := &cobra.Command{
		Use:   "create [flags] [LINK|-] FROM-UNIT TO-UNIT [TO-SPACE]",
		Short: "Make a link between two units",
		Long: `Make a link from a downstream unit to an upstream unit. Without a name, or with -,
it is named FROM-TO. With --where-from and --where-to, every selected unit gets a
link to every selected one; with --where-space and --dest-space, links are copied to
other spaces. A link with AutoUpdate is resolved at once.`,
		Example: `  fctl link create - web ns
  fctl link create - web db --update-type UpgradeUnit --make-current
  fctl link create - web profile --update-type TransformPaths \
    --upstream-path replicas=example.com/v1/Profile:/main:spec.replicas \
    --downstream-path 'apps/v1/Deployment:shop/web:spec.replicas=int:cel:params.replicas * 2'`,
		Args: session.Words(0, 4),
	}
	flags := cmd.Flags()
	o.AddWrite(flags)
	o.linkFlags.add(flags)
	o.AddAllowExists(flags)
	o.Output.Add(flags)
	flags.StringVar(&o.whereFrom, "where-from", "", "link every unit with `EXPR`")
	flags.StringVar(&o.whereTo, "where-to", "", "link them to every unit with `EXPR`")
	flags.StringVar(&o.whereToSpace, "where-to-space", "",
		"take the units to link to from every space with `EXPR`")
	flags.BoolVar(&o.keepGoing, "keep-going", false,
		"make the other links if one of several is refused")
	flags.StringVar(&o.whereSpace, "where-space", "",
		"copy the links of every space with `EXPR` to --dest-space")
	flags.StringSliceVar(&o.destSpaces, "dest-space", nil,
		"copy links to `SPACE`, between the units with the same names; can be repeated")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		bulk, err := o.checkBulk(cmd.UseLine(), words)
		if err != nil {
			return err
		}
		title := "link create " + strings.Join(words, " ")
		return o.Write(cmd, title, func(s *session.Session) error {
			switch {
			case o.whereSpace != "":
				return o.copy(s)
			case bulk:
				return o.bulk(s)
			}
			l, err := o.named(s, words)
			if err != nil {
				return err
			}
			made, err := o.create(s, l)
			if err != nil || made == nil {
				return err
			}
			return s.PropagateLinks([]*workspace.Link{made})
		})
	}
	return cmd
}

// named returns the link that the words and the body name.
func (o *linkCreate) named(s *session.Session, words []string) (*workspace.Link, error) {
	body, err := o.body(s)
	if err != nil {
		return nil, err
	}
	l := &workspace.Link{Link: body}
	if body == nil {
		l.Link = &entity.Link{}
	}
	l.LinkID = ""
	switch len(words) {
	case 0, 1:
		if body == nil {
			return nil, diag.UsageHint("fctl link create - FROM-UNIT TO-UNIT",
				"a downstream and an upstream unit are expected")
		}
		if len(words) == 1 {
			l.Slug = words[0]
		}
	case 2:
		l.Slug, l.FromUnit, l.ToUnit = "-", words[0], words[1]
	case 3:
		l.Slug, l.FromUnit, l.ToUnit = words[0], words[1], words[2]
	case 4:
		l.Slug, l.FromUnit, l.ToUnit, l.ToSpace = words[0], words[1], words[2], words[3]
	}
	if len(words) > 1 {
		l.FromUnitID, l.ToUnitID, l.ToSpaceID = "", "", ""
	}
	l.SpaceSlug = s.SpaceSlug()
	// space/slug of the downstream is the space of the link
	if space, slug, ok := strings.Cut(l.FromUnit, "/"); ok && s.SpaceFlag == "" {
		l.SpaceSlug, l.FromUnit = space, slug
	}
	if space, slug, ok := strings.Cut(l.ToUnit, "/"); ok && l.ToSpace == "" {
		l.ToSpace, l.ToUnit = space, slug
	}
	return l, nil
}

// create makes a link. It returns nil if it exists already and that is allowed.
func (o *linkCreate) create(s *session.Session, l *workspace.Link) (*workspace.Link, error) {
	if err := o.linkFlags.apply(s.Flags, l.Link, false); err != nil {
		return nil, err
	}
	stated := l.Stated || s.Flags.Changed("auto-update") || s.Flags.Changed("no-auto-update")
	if !stated && l.UpdateType == "" {
		l.AutoUpdate = true
	}
	if err := s.ResolveLink(l).Err(); err != nil {
		return nil, err
	}
	if l.Slug == "" || l.Slug == "-" {
		l.Slug = l.FromUnit + "-" + l.ToUnit
		if l.ToSpace != l.SpaceSlug {
			l.Slug = l.FromUnit + "-" + l.ToSpace + "-" + l.ToUnit
		}
		if err := s.FreeSlug(l); err != nil {
			return nil, err
		}
	}
	if o.AllowExists && s.HasLink(l.Name()) {
		existing, err := s.Link(l.SpaceSlug, l.Slug)
		if err != nil {
			return nil, err
		}
		return nil, printLink(s, &o.Output, existing, "")
	}
	valid := validEdge
	if o.together {
		valid = validLink
	}
	if err := valid(s, l); err != nil {
		return nil, err
	}
	warnDuplicate(s, l)
	if o.makeCurrent {
		if err := makeCurrent(s, l); err != nil {
			return nil, err
		}
	}
	if err := s.Tx.Create(s.Workspace, l); err != nil {
		return nil, err
	}
	if l.UpdateType == entity.UpdateUpgradeUnit {
		if err := followUpstream(s, l); err != nil {
			return nil, err
		}
	}
	return l, printLink(s, &o.Output, l, "Successfully created link "+l.Slug)
}

// printLink prints a link after a command, or only a message without -o.
func printLink(s *session.Session, out *session.Output, l *workspace.Link, message string) error {
	return s.PrintOne(out, l.Name(), shown(l), message, l.LinkID)
}

// followUpstream sets the fields of a unit that follow its UpgradeUnit link.
func followUpstream(s *session.Session, l *workspace.Link) error {
	l.From.UpstreamUnitID, l.From.UpstreamSpaceID = l.ToUnitID, l.ToSpaceID
	l.From.UpstreamRevisionNum = l.UpstreamLastMergedRevisionNum
	s.Tx.WriteState(l.From)
	return nil
}

// makeCurrent sets the pointers of a link to the present.
func makeCurrent(s *session.Session, l *workspace.Link) error {
	e, err := s.Engine()
	if err != nil {
		return err
	}
	if _, err := s.Tx.Edits(e, []*workspace.Unit{l.To, l.From}, s.StrictWorktree); err != nil {
		return err
	}
	l.UpstreamLastMergedRevisionNum, l.MergedHash = l.To.HeadRevisionNum, ""
	if l.UseLiveState {
		l.UpstreamLastMergedRevisionNum = l.To.HeadUnitActionNum
	} else if l.Merges() {
		l.MergedHash = l.To.DataHash
	}
	l.DownstreamLastMergedRevisionNum = l.From.HeadRevisionNum
	l.MadeCurrent, l.ResolvedHash, l.LastError = true, l.Hash, nil
	l.BaseUnknown, l.MergeMutationNum = false, 0
	return adopt(s, e, l)
}

// adopt lets a link whose WhereMutation asks what set a value overwrite what the downstream unit
// has in common with the upstream unit since its history began, as in a unit that was made as a
// clone. In a clone of the git repository, history begins again.
func adopt(s *session.Session, e *propagate.Propagator, l *workspace.Link) error {
	if !l.Merges() || l.UseLiveState || l.WhereMutation == "" {
		return nil
	}
	up, err := s.Store.Data(l.To, l.To.HeadRevisionNum)
	if err != nil {
		return err
	}
	down, err := e.Unit(l.From)
	if err != nil {
		return err
	}
	if down.Mutations, err = s.Store.Mutations(l.From); err != nil {
		return err
	}
	sources, err := resolve.Adopt(e.Executor, &down, up)
	if err != nil || sources == nil {
		return err
	}
	head := l.To.HeadRevisionNum
	m := entity.Mutation{
		MergeSourceID: l.ToUnitID, MergeBaseRevisionNum: &head, MergeEndRevisionNum: &head,
	}
	if l.UpdateType == entity.UpdateUpgradeUnit {
		m.UpgradedFromUpstreamRevisionNum = &head
	}
	s.Tx.Attribute(l.From, m, sources)
	l.MergeMutationNum = l.From.HeadMutationNum
	return nil
}

// validLink checks a link that is to be written, cycles excluded.
func validLink(s *session.Session, l *workspace.Link) error {
	if errs := s.ValidateLink(l); len(errs) > 0 {
		return errs
	}
	return s.CheckLink(l)
}

// validEdge checks a link that is to be written, cycles included.
func validEdge(s *session.Session, l *workspace.Link) error {
	if err := validLink(s, l); err != nil {
		return err
	}
	return s.LinkCycle(l).Err()
}

// warnDuplicate warns of a second link of the same type between the same units.
func warnDuplicate(s *session.Session, l *workspace.Link) {
	for _, other := range s.LinksFrom(l.From) {
		if other.ToUnitID == l.ToUnitID && other.Type() == l.Type() && other.LinkID != l.LinkID {
			s.Warn([]entity.Warning{{
				Code: entity.WarnDupLink, Space: l.SpaceSlug, Unit: l.FromUnit, Link: l.Slug,
				Message: "the link " + other.Slug + " has the same units and the same type",
			}})
			return
		}
	}
}

// bulk makes a link from every selected unit to every selected unit.
func (o *linkCreate) bulk(s *session.Session) error {
	from, err := filter.Parse(o.whereFrom, filter.UnitSchema())
	if err != nil {
		return err
	}
	to, err := filter.Parse(o.whereTo, filter.UnitSchema())
	if err != nil {
		return err
	}
	space, err := filter.Parse(o.whereToSpace, filter.SpaceSchema())
	if err != nil {
		return err
	}
	upstreams := map[string][]*workspace.Unit{} // by space, or by "" if spaces are selected
	for _, t := range s.Units {
		in, err := s.Space(t.SpaceSlug)
		if err != nil || !s.Matches(to, filter.OfUnit(t.Unit)) ||
			!s.Matches(space, filter.OfSpace(in.Space)) {
			continue
		}
		key := t.SpaceSlug
		if o.whereToSpace != "" {
			key = ""
		}
		upstreams[key] = append(upstreams[key], t)
	}
	var all []*workspace.Link
	for _, f := range s.Units {
		if !s.In(f.SpaceSlug) || !s.Matches(from, filter.OfUnit(f.Unit)) {
			continue
		}
		key := f.SpaceSlug
		if o.whereToSpace != "" {
			key = ""
		}
		for _, t := range upstreams[key] {
			if t == f {
				continue
			}
			all = append(all, &workspace.Link{Link: &entity.Link{
				Common:   entity.Common{SpaceSlug: f.SpaceSlug},
				FromUnit: f.Slug, ToUnit: t.Slug, ToSpace: t.SpaceSlug,
			}})
		}
	}
	if len(all) == 0 {
		s.Note("no units are selected")
	}
	return o.createAll(s, all)
}

package link

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/filter"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// linkCreate holds the flags of link create.
type linkCreate struct {
	session.Common
	linkFlags
	session.PrintFlags
	whereFrom, whereTo, whereToSpace string
	whereSpace                       string
	destSpaces                       []string
	keepGoing                        bool
	together                         bool // cycles are looked for when all links are made
}

func newLinkCreate(a *command.App) *cobra.Command {
	o := &linkCreate{Common: session.Common{App: a}}
	var bulk bool
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
		Args: func(cmd *cobra.Command, words []string) (err error) {
			if bulk, err = o.checkBulk(cmd.UseLine(), words); err != nil {
				return err
			}
			return command.Words(0, 4)(cmd, words)
		},
	}
	flags := session.Flags(cmd, o.AddWrite, o.linkFlags.add, o.AddAllowExists, o.PrintFlags.Add)
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
	return o.Writes(cmd, func(s *session.Session, words []string) error {
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

// named returns the link that the words and the body name.
func (o *linkCreate) named(s *session.Session, words []string) (*workspace.Link, error) {
	l := &workspace.Link{Link: &entity.Link{}}
	given, err := o.Decode(s, l.Link)
	if err != nil {
		return nil, err
	}
	l.LinkID = ""
	switch len(words) {
	case 0, 1:
		if !given {
			return nil, diag.UsageHint("fctl link create - FROM-UNIT TO-UNIT",
				"FROM-UNIT is missing")
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
		return nil, s.PrintOne(&o.PrintFlags, existing, shown(existing), "")
	}
	check := s.CheckEdge
	if o.together {
		check = s.CheckLink
	}
	if err := check(l); err != nil {
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
	s.FollowUpstream(l)
	return l, printLink(s, &o.PrintFlags, l, "created")
}

// printLink prints a link after a command that created or updated it.
func printLink(s *session.Session, out *session.PrintFlags, l *workspace.Link, verb string) error {
	return s.PrintOne(out, l, shown(l), verb+" link "+l.Name())
}

// makeCurrent sets the pointers of a link to the present.
func makeCurrent(s *session.Session, l *workspace.Link) error {
	if err := s.Edits(l.To, l.From); err != nil {
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
	l.Merged = ""
	if l.UseLiveState {
		return nil
	}
	up, err := s.Store.Data(l.To, l.To.HeadRevisionNum)
	if err != nil {
		return err
	}
	return s.Propagator.Adopt(l, up, func(m *entity.Mutation) bool { return m.RevisionNum == 1 })
}

// warnDuplicate warns of a second link of the same type between the same units.
func warnDuplicate(s *session.Session, l *workspace.Link) {
	for _, other := range s.LinksFrom(l.From) {
		if other.ToUnitID == l.ToUnitID && other.Type() == l.Type() && other.LinkID != l.LinkID {
			s.Warn(entity.Warning{
				Code: entity.WarnDupLink, Space: l.SpaceSlug, Unit: l.FromUnit, Link: l.Slug,
				Message: "the link " + other.Slug + " has the same units and the same type",
			})
			return
		}
	}
}

// bulk makes a link from every selected unit to every selected unit.
func (o *linkCreate) bulk(s *session.Session) error {
	from, err := filter.Parse(o.whereFrom, entity.KindUnit)
	if err != nil {
		return err
	}
	to, err := filter.Parse(o.whereTo, entity.KindUnit)
	if err != nil {
		return err
	}
	space, err := filter.Parse(o.whereToSpace, entity.KindSpace)
	if err != nil {
		return err
	}
	key := func(u *workspace.Unit) string {
		if o.whereToSpace != "" {
			return "" // of any selected space
		}
		return u.SpaceSlug
	}
	upstreams := map[string][]*workspace.Unit{}
	for _, t := range s.Units {
		in, err := s.Space(t.SpaceSlug)
		if err == nil && s.Matches(to, filter.Of(t.Unit)) && s.Matches(space, filter.Of(in.Space)) {
			upstreams[key(t)] = append(upstreams[key(t)], t)
		}
	}
	var all []*workspace.Link
	for _, f := range s.Units {
		if !s.In(f.SpaceSlug) || !s.Matches(from, filter.Of(f.Unit)) {
			continue
		}
		for _, t := range upstreams[key(f)] {
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

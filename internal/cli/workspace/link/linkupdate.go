package link

import (
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// linkUpdate holds the flags of link update.
type linkUpdate struct {
	session.Common
	session.SelectFlags
	linkFlags
	session.PrintFlags
	patch, reverse   bool
	fromUnit, toUnit string
	toSpace          string
	version          int64
}

func newLinkUpdate(a *command.App) *cobra.Command {
	o := &linkUpdate{Common: session.Common{App: a}}
	cmd := &cobra.Command{
		Use:   "update [flags] [LINK...]",
		Short: "Change links",
		Long: `Change the fields of links that flags name. Flags of lists replace the whole list;
with --patch they replace the entries with the same name or key and add others.
Updating resolves nothing, except for links with AutoUpdate.`,
		Example: `  fctl link update --patch web-ns --no-auto-update
  fctl link update --patch upgrade-web --make-current`,
		Args: o.check,
	}
	flags := session.Flags(cmd, o.AddWrite, o.SelectFlags.Add, o.linkFlags.add, o.PrintFlags.Add)
	flags.BoolVar(&o.patch, "patch", false, "change lists entry by entry")
	flags.BoolVar(&o.reverse, "reverse", false, "swap the downstream and the upstream unit")
	flags.StringVar(&o.fromUnit, "from-unit", "", "another downstream `UNIT`")
	flags.StringVar(&o.toUnit, "to-unit", "", "another upstream `UNIT`")
	flags.StringVar(&o.toSpace, "to-space", "", "`SPACE` of the upstream unit")
	flags.Int64Var(&o.version, "version", 0, "fail if the link has another version than `N`")
	return o.Writes(cmd, func(s *session.Session, names []string) error {
		links, err := o.LinksNamed(s, names)
		if err != nil {
			return err
		}
		for i, l := range links {
			if links[i], err = o.run(s, l); err != nil {
				return err
			}
		}
		return s.PropagateLinks(links)
	})
}

// check reports names and flags that do not go together.
func (o *linkUpdate) check(cmd *cobra.Command, names []string) error {
	if err := session.NamesOrWhere(cmd, names, &o.SelectFlags, "LINK"); err != nil {
		return err
	}
	if (o.makeCurrent || o.reverse) && !o.patch {
		return diag.Usage("--make-current and --reverse need --patch")
	}
	if o.makeCurrent && o.reverse {
		return diag.Usage("--make-current and --reverse exclude each other")
	}
	return nil
}

func (o *linkUpdate) run(s *session.Session, l *workspace.Link) (*workspace.Link, error) {
	if err := workspace.CheckVersion(&l.Common, o.version); err != nil {
		return nil, err
	}
	body := &entity.Link{}
	given, err := o.Decode(s, body)
	if err != nil {
		return nil, err
	}
	was := *l.Link
	if given {
		if err := o.replace(l, body); err != nil {
			return nil, err
		}
	}
	if err := o.linkFlags.apply(s.Flags, l.Link, o.patch); err != nil {
		return nil, err
	}
	if o.fromUnit != "" {
		l.FromUnit, l.FromUnitID = o.fromUnit, ""
	}
	if o.toUnit != "" || o.toSpace != "" {
		l.ToUnitID, l.ToSpaceID = "", ""
		setTo(s.Flags, "to-unit", &l.ToUnit, o.toUnit)
		setTo(s.Flags, "to-space", &l.ToSpace, o.toSpace)
	}
	if o.reverse {
		return o.turn(s, l)
	}
	if err := s.ResolveLink(l).Err(); err != nil {
		return nil, err
	}
	check := s.CheckEdge
	if was.FromUnitID == l.FromUnitID && was.ToUnitID == l.ToUnitID {
		check = s.CheckLink // no new cycle
	}
	if err := check(l); err != nil {
		return nil, err
	}
	if o.makeCurrent {
		if err := makeCurrent(s, l); err != nil {
			return nil, err
		}
	}
	// The upstream fields of units follow a changed UpgradeUnit link.
	if was.UpdateType == entity.UpdateUpgradeUnit &&
		(was.FromUnitID != l.FromUnitID || l.UpdateType != was.UpdateType) {
		if u, err := s.UnitNamed(was.FromUnitID); err == nil {
			s.Tx.SetUpstream(u, "", "", 0)
		}
	}
	s.FollowUpstream(l)
	s.Tx.Updated(&l.Common)
	s.Tx.Write(l)
	return l, printLink(s, &o.PrintFlags, l, "updated")
}

// replace takes over the fields of a body.
func (o *linkUpdate) replace(l *workspace.Link, body *entity.Link) error {
	if body.Slug != "" && body.Slug != l.Slug || body.LinkID != "" && body.LinkID != l.LinkID {
		return entity.Fail(entity.CodeRefMismatch, "the text is about another link than %s", l.Slug)
	}
	if err := workspace.CheckVersion(&l.Common, body.Version); err != nil {
		return err
	}
	state, common, auto := l.State(), l.Common, l.AutoUpdate
	id, version := l.LinkID, l.Version
	*l.Link = *body
	l.Restore(state)
	l.LinkID, l.Slug, l.SpaceSlug, l.SpaceID = id, common.Slug, common.SpaceSlug, common.SpaceID
	l.Version = version
	if !body.Stated {
		l.AutoUpdate = auto
	}
	return nil
}

// turn swaps the units of a link. In another space it becomes a new link there.
func (o *linkUpdate) turn(s *session.Session, l *workspace.Link) (*workspace.Link, error) {
	if len(l.Bindings)+len(l.UpstreamPaths)+len(l.UpstreamGetters)+len(l.DownstreamPaths)+
		len(l.DownstreamSetters) > 0 || l.TransformInvocation != "" {
		return nil, l.Fail(entity.CodeFieldNotAllowed,
			"a link with bindings, paths, functions or a transform cannot be reversed")
	}
	turned := &workspace.Link{Link: l.Defined()}
	turned.Stated = true
	turned.Common = l.Common
	turned.SpaceSlug, turned.SpaceID = l.To.SpaceSlug, l.To.SpaceID
	turned.FromUnit, turned.FromUnitID = l.ToUnit, l.ToUnitID
	turned.ToUnit, turned.ToUnitID = l.FromUnit, l.FromUnitID
	turned.ToSpace, turned.ToSpaceID = l.From.SpaceSlug, l.From.SpaceID
	turned.LinkRecord = l.LinkRecord
	turned.UpstreamLastMergedRevisionNum = l.DownstreamLastMergedRevisionNum
	turned.DownstreamLastMergedRevisionNum = l.UpstreamLastMergedRevisionNum
	turned.MergeBaseRevisionNum, turned.MergedHash, turned.MergeMutationNum = 0, "", 0
	if !l.Merges() {
		turned.LinkRecord = entity.LinkRecord{}
	}
	if err := s.Tx.DeleteLinks(s.Workspace, l); err != nil {
		return nil, err
	}
	if err := s.ResolveLink(turned).Err(); err != nil {
		return nil, err
	}
	turned.ResolvedHash = ""
	if turned.Merges() && l.UpstreamLastMergedRevisionNum > 0 {
		turned.ResolvedHash, turned.MadeCurrent = turned.Hash, true
	}
	if err := s.FreeSlug(turned); err != nil {
		return nil, err
	}
	if err := s.CheckEdge(turned); err != nil {
		return nil, err
	}
	if err := s.Tx.ReplaceLink(s.Workspace, l, turned); err != nil {
		return nil, err
	}
	s.FollowUpstream(turned)
	return turned, printLink(s, &o.PrintFlags, turned, "updated")
}

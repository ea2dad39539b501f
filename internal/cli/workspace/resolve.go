package workspace

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/link"
	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
	"github.com/fctl-dev/fctl/internal/workspace/wave"
)

// resolveOne resolves links of a unit explicitly, and shows the result. several says that the
// command is about more units.
func resolveOne(
	s *session.Session,
	u *workspace.Unit, links []*workspace.Link, o *session.ResolveFlags, form string, several bool,
) error {
	options, err := o.Options(s)
	if err != nil {
		return err
	}
	e, err := s.Engine()
	if err != nil {
		return err
	}
	s.Form = form
	out, err := e.Resolve(s.Ctx, u, links, options)
	if err != nil {
		s.Results = append(s.Results, wave.UnitResult{
			Unit: u, Err: err, Output: s.FailedResult(u, func(l *workspace.Link) bool {
				return slices.Contains(links, l)
			}, err),
		})
		if several {
			return err
		}
		s.NoPropagate = true
		return s.Failed(links, err)
	}
	if err := o.Refuse(s, u, out); err != nil {
		return err
	}
	s.Results = append(s.Results, wave.UnitResult{Unit: u, Output: out})
	return nil
}

// resolveUnit resolves the links that the flags of unit update name.
func (o *unitUpdate) resolveUnit(s *session.Session, u *workspace.Unit) error {
	var links []*workspace.Link
	add := func(l *workspace.Link) {
		if !slices.Contains(links, l) {
			links = append(links, l)
		}
	}
	own := s.LinksFrom(u)
	if o.upgrade {
		i := slices.IndexFunc(own, func(l *workspace.Link) bool {
			return l.UpdateType == entity.UpdateUpgradeUnit
		})
		if i < 0 {
			return &entity.Error{
				Code: entity.CodeNoUpstream, Space: u.SpaceSlug, Unit: u.Slug,
				Message: u.Name() + " has no link of the type UpgradeUnit",
			}
		}
		add(own[i])
	}
	for _, word := range o.resolve {
		slug, ok := strings.CutPrefix(word, "Link:")
		switch {
		case !ok || slug == "":
			return diag.Usage("--resolve: Link:SLUG or Link:* is expected, not %q", word)
		case slug == "*":
			for _, l := range own {
				add(l)
			}
		default:
			l, err := s.Explicit(u, slug)
			if err != nil {
				return err
			}
			add(l)
		}
	}
	return resolveOne(s, u, links, &o.ResolveFlags, o.Form, o.several)
}

// merge merges a range of another unit, or a file, once.
func (o *unitUpdate) merge(s *session.Session, u *workspace.Unit) error {
	e, err := s.Engine()
	if err != nil {
		return err
	}
	options, err := o.Options(s)
	if err != nil {
		return err
	}
	options.Protect = o.protect
	in := &link.MergeInput{Source: entity.SourceMergeUnits}
	in.Options = options
	var up *workspace.Unit
	description := o.ChangeDesc
	if o.mergeExternal != "" {
		in.Source = entity.SourceMergeExternal
		if in.Base, err = s.Store.External(u); err != nil {
			return err
		}
		if in.End, err = s.Input(o.mergeExternal); err != nil {
			return err
		}
		description = cmp.Or(description, "merged "+o.mergeExternal)
	} else {
		if up, err = s.UnitNamed(o.mergeSource); err != nil {
			return err
		}
		if err := o.mergeRange(s, e, up, in); err != nil {
			return err
		}
		description = cmp.Or(description, "merged "+up.Name())
	}
	out, err := e.Merge(u, up, in, description)
	if err != nil {
		return err
	}
	if err := o.Refuse(s, u, out); err != nil {
		return err
	}
	if o.mergeExternal != "" {
		if err := s.Tx.WriteExternal(u, in.End); err != nil {
			return err
		}
	}
	s.Results = append(s.Results, wave.UnitResult{Unit: u, Output: out})
	s.Form = o.Form
	return nil
}

// mergeRange fills in the range of the upstream to merge.
func (o *unitUpdate) mergeRange(
	s *session.Session, e *wave.Runner, up *workspace.Unit, in *link.MergeInput,
) error {
	if _, err := s.Tx.Edits(e, []*workspace.Unit{up}, s.StrictWorktree); err != nil {
		return err
	}
	base, end := o.mergeBase, o.mergeEnd
	if end == 0 {
		end = up.HeadRevisionNum
	}
	if base < 0 || base > end || end > up.HeadRevisionNum {
		return diag.Usage("--merge-base and --merge-end: 0 <= base <= end <= %d is expected, "+
			"got %d and %d", up.HeadRevisionNum, base, end)
	}
	var err error
	if in.Base, err = s.Store.Data(up, base); err != nil {
		return err
	}
	if in.End, err = s.Store.Data(up, end); err != nil {
		return err
	}
	in.Mutation = entity.Mutation{
		MergeSourceID: up.UnitID, MergeBaseRevisionNum: &base, MergeEndRevisionNum: &end,
		Subgroup: o.subgroup,
	}
	return nil
}

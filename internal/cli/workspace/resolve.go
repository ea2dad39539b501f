package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/propagate"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/yamlpath"
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
	refuse := func(u *workspace.Unit, out *resolve.Output) error { return o.Refuse(s, u, out) }
	out, err := e.Resolve(s.Ctx, u, links, options, refuse)
	if out != nil && err != nil {
		return err
	}
	if err != nil {
		s.Results = append(s.Results, propagate.UnitResult{
			Unit: u, Err: err, Output: s.FailedResult(u, func(l *workspace.Link) bool {
				return slices.Contains(links, l)
			}, err),
		})
		if several {
			e.Failed(links, err)
			return err
		}
		s.NoPropagate = true
		return s.Failed(links, err)
	}
	result := propagate.UnitResult{Unit: u, Output: out}
	s.Results = append(s.Results, result)
	if failed := session.FailedLinks(result, false); len(failed) > 0 {
		s.After(func() error { return errors.Join(failed...) })
	}
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
	in := &resolve.MergeInput{Source: entity.SourceMergeUnits}
	in.Options = options
	from := o.mergeExternal
	if from != "" {
		in.Source = entity.SourceMergeExternal
		if in.Base, err = s.Store.External(u); err != nil {
			return err
		}
		if in.End, err = o.external(s, u); err != nil {
			return err
		}
		in.Name = "file " + o.mergeExternal
	} else {
		up, err := s.UnitNamed(o.mergeSource)
		if err != nil {
			return err
		}
		if err := o.mergeRange(s, e, up, in); err != nil {
			return err
		}
		from = up.Name()
	}
	secrets, err := s.Unwritten(u, in.Base, in.End)
	if err != nil {
		return err
	}
	if !s.ShowSecrets {
		s.App.Hide(secrets, false)
	}
	description := cmp.Or(o.ChangeDesc, secrets.Copied("merged "+from))
	refuse := func(u *workspace.Unit, out *resolve.Output) error { return o.Refuse(s, u, out) }
	out, err := e.Merge(u, in, description, refuse)
	if err != nil {
		return err
	}
	if o.mergeExternal != "" {
		s.Tx.WriteExternal(u, in.End)
	}
	s.Results = append(s.Results, propagate.UnitResult{Unit: u, Output: out})
	s.Form = o.Form
	return nil
}

// external reads the file of --merge-external and checks that it parses.
func (o *unitUpdate) external(s *session.Session, u *workspace.Unit) ([]byte, error) {
	data, err := s.Input(o.mergeExternal)
	if err != nil {
		return nil, err
	}
	executor, err := s.Functions()
	if err != nil {
		return nil, err
	}
	converter, err := executor.Converter(u.ToolchainType)
	if err != nil {
		return nil, err
	}
	if _, err := session.Documents(converter, data); err != nil {
		return nil, session.InFile(s.Store.InUnit(u, yamlpath.Locate(err, nil)), o.mergeExternal)
	}
	return data, nil
}

// mergeRange fills in the range of the upstream to merge.
func (o *unitUpdate) mergeRange(
	s *session.Session, e *propagate.Propagator, up *workspace.Unit, in *resolve.MergeInput,
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
	in.UnitID, in.Name = up.UnitID, fmt.Sprintf("unit %s %d..%d", up.Name(), base, end)
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

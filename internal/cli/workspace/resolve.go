package workspace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/propagate"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/source"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// resolveLinks resolves links of a unit explicitly, and shows the result.
func (o *unitUpdate) resolveLinks(
	s *session.Session, u *workspace.Unit, links []*workspace.Link,
) error {
	options, err := o.Options(s)
	if err != nil {
		return err
	}
	s.Form = o.Form
	out, err := s.Propagator.Resolve(s.Ctx, u, links, options, o.Refuse(s))
	if err == nil {
		result := propagate.UnitResult{Unit: u, Output: out}
		s.Results = append(s.Results, result)
		if failed := session.FailedLinks(result, false); len(failed) > 0 {
			s.After(func() error { return errors.Join(failed...) })
		}
		return nil
	}
	if out != nil { // it was refused
		return err
	}
	s.Results = append(s.Results, propagate.UnitResult{
		Unit: u, Err: err, Output: s.FailedResult(u, links, err),
	})
	if o.several {
		s.Propagator.Failed(links, err)
		return err
	}
	s.NoPropagate = true
	s.Failed(links, err)
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
			return u.Fail(entity.CodeNoUpstream, "%s has no link of the type UpgradeUnit", u.Name())
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
	return o.resolveLinks(s, u, links)
}

// merge merges a range of another unit, or a file, once.
func (o *unitUpdate) merge(s *session.Session, u *workspace.Unit) error {
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
		if err := o.mergeRange(s, up, in); err != nil {
			return err
		}
		if err := s.Merges(u, up); err != nil {
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
	out, err := s.Propagator.Merge(s.Ctx, u, in, description, o.Refuse(s))
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
	if _, err := s.Documents(u, data); err != nil {
		return nil, session.InFile(s.Store.InUnit(u, yamlpath.Locate(err, nil)), o.mergeExternal)
	}
	if u.ToolchainType == api.ToolchainKubernetesYAML && len(bytes.TrimSpace(data)) > 0 &&
		!source.HasResource(data) { // every resource of the unit would count as deleted
		return nil, diag.Input(diag.FileName(o.mergeExternal), "",
			fmt.Errorf("no resource was found, and %s is %s", u.Name(), u.ToolchainType))
	}
	return data, nil
}

// mergeRange fills in the range of the upstream to merge.
func (o *unitUpdate) mergeRange(
	s *session.Session, up *workspace.Unit, in *resolve.MergeInput,
) error {
	if err := s.Edits(up); err != nil {
		return err
	}
	base, end := o.mergeBase, cmp.Or(o.mergeEnd, up.HeadRevisionNum)
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

package exchange

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/exchange"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// link makes a link.
func (o *importer) link(object *exchange.Foreign, from *entity.Link) error {
	if o.failed[from.FromUnitID] || o.failed[from.ToUnitID] ||
		o.failed[from.TransformInvocationID] {
		return nil // what it refers to is an error already
	}
	l := &workspace.Link{Link: from.Defined()}
	l.Common = from.Common
	l.LinkID, l.Bindings = "", from.Bindings
	l.WhereMutation = o.ids.Rewrite(from.WhereMutation)
	if err := o.ends(l, from); err != nil {
		return err
	}
	if err := o.ResolveLink(l).Err(); err != nil {
		return err
	}
	data, err := o.Store.Data(l.From, l.From.HeadRevisionNum)
	if err != nil {
		return err
	}
	l.Bindings = o.bindings(l.From, data, l.Bindings)
	if err := o.CheckEdge(l); err != nil {
		return err
	}
	o.pointers(l, from)
	if err := o.create(object.ID, l); err != nil {
		return err
	}
	o.follow(l)
	return nil
}

// ends finds the units and the invocation of a link.
func (o *importer) ends(l *workspace.Link, from *entity.Link) error {
	unit := func(field, there, slug, space string) (*workspace.Unit, error) {
		for _, ref := range []string{o.ids[there], there, o.set.Units[there]} {
			if u, err := o.Unit(space, ref); ref != "" && err == nil {
				return u, nil
			}
		}
		if there == "" && slug != "" {
			return o.Unit(space, slug)
		}
		return nil, entity.Fail(entity.CodeUnitNotFound,
			"%s %s is neither in the files nor in the workspace", field, there).
			WithHint("add the output of 'cub unit list -o json'")
	}
	toSpace := from.ToSpace
	if s := o.set.Spaces[from.ToSpaceID]; toSpace == "" && s != nil {
		toSpace = s.Slug
	}
	toSpace = cmp.Or(toSpace, l.SpaceSlug)
	down, err := unit("FromUnitID", from.FromUnitID, from.FromUnit, l.SpaceSlug)
	if err != nil {
		return err
	}
	up, err := unit("ToUnitID", from.ToUnitID, from.ToUnit, toSpace)
	if err != nil {
		return err
	}
	l.FromUnit, l.FromUnitID = down.Slug, down.UnitID
	l.ToUnit, l.ToUnitID = up.Slug, up.UnitID
	l.ToSpace, l.ToSpaceID = up.SpaceSlug, up.SpaceID
	if there := from.TransformInvocationID; there != "" {
		if own, ok := o.ids[there]; ok {
			l.TransformInvocationID, l.TransformInvocation = own, ""
		}
	}
	return nil
}

// pointers says what a link has merged. The revisions there have other numbers, so that only a link
// that has merged the newest one is known to be up to date.
func (o *importer) pointers(l *workspace.Link, from *entity.Link) {
	merged := from.UpstreamLastMergedRevisionNum
	object := o.objects[from.ToUnitID]
	if merged == 0 || l.UpdateType == entity.UpdateNone {
		return
	}
	there := &entity.Unit{}
	if object != nil {
		there = object.Entity.(*entity.Unit)
	}
	newest, own := there.HeadRevisionNum, l.To.HeadRevisionNum
	if l.UseLiveState {
		newest, own = there.HeadUnitActionNum, l.To.HeadUnitActionNum
	}
	if merged == newest && own > 0 {
		l.UpstreamLastMergedRevisionNum, l.DownstreamLastMergedRevisionNum = own,
			l.From.HeadRevisionNum
		l.MadeCurrent, l.ResolvedHash = true, l.Hash
		if l.Merges() && !l.UseLiveState {
			l.MergedHash = l.To.DataHash
		}
		if i, err := o.Invocation("", l.TransformInvocationID); err == nil {
			l.TransformHash = resolve.TransformHash(i.Invocation)
		}
		return
	}
	if l.Merges() {
		l.BaseUnknown = true
		o.noteAfter("link %s: what it has merged is not known here, so that it merges nothing until "+
			"'fctl link update --patch %s --space %s --make-current' takes the present as merged",
			l.Name(), l.Slug, l.SpaceSlug)
	}
}

// noteAfter writes a note that --quiet does not turn off.
func (o *importer) noteAfter(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	o.After(func() error {
		o.App.Console().Notes("", api.Note{Message: text})
		return nil
	})
}

// follow sets the fields of a unit that follow its link.
func (o *importer) follow(l *workspace.Link) {
	if l.UpdateType == entity.UpdateUpgradeUnit {
		o.upgrade[l.From] = true
		o.FollowUpstream(l)
	}
}

// clones gives units that have an upstream, but no link to it, the link of a clone. Older versions
// of ConfigHub have clones without links.
func (o *importer) clones() {
	for _, there := range slices.Sorted(maps.Keys(o.objects)) {
		object := o.objects[there]
		from := object.Entity.(*entity.Unit)
		u, err := o.Unit("", o.ids[there])
		if from.UpstreamUnitID == "" || err != nil || o.upgrade[u] || u.UpstreamUnitID != "" {
			continue
		}
		up, err := o.Unit("", o.ids[from.UpstreamUnitID])
		if err != nil {
			o.noteAfter("unit %s is a clone of a unit that is neither in the files nor in the "+
				"workspace; it cannot be upgraded", u.Name())
			continue
		}
		l := session.UpgradeLink(u, up)
		l.LinkRecord = entity.LinkRecord{}
		if err := o.cloneLink(l, from); err != nil {
			o.add(object, err)
		}
	}
}

func (o *importer) cloneLink(l *workspace.Link, from *entity.Unit) error {
	if err := o.ResolveLink(l).Err(); err != nil {
		return err
	}
	if err := o.FreeSlug(l); err != nil {
		return err
	}
	if err := o.LinkCycle(l).Err(); err != nil {
		return err
	}
	o.pointers(l, &entity.Link{
		ToUnitID: from.UpstreamUnitID, UpdateType: entity.UpdateUpgradeUnit,
		LinkRecord: entity.LinkRecord{UpstreamLastMergedRevisionNum: from.UpstreamRevisionNum},
	})
	if err := o.Tx.Create(o.Workspace, l); err != nil {
		return err
	}
	o.made[entity.KindLink]++
	o.follow(l)
	return nil
}

// bindings returns bindings that resolving made there with the value that the unit has now, so that
// it is not taken for an edit.
func (o *importer) bindings(
	u *workspace.Unit, data []byte, all []entity.Binding,
) []entity.Binding {
	executor, err := o.Functions()
	if err != nil {
		return all
	}
	all = slices.Clone(all)
	for i := range all {
		b := &all[i]
		if !b.AutoUpdate || b.LastValue != nil || b.NeededResource == nil {
			continue
		}
		text := resolve.ValueAt(executor, u.ToolchainType, data, b.NeededResource,
			api.ResolvedPath(b.NeededPath))
		doc, err := gaby.ParseYAML([]byte(text))
		if err != nil || strings.TrimSpace(text) == "" {
			continue
		}
		switch value := doc.Value().Data().(type) {
		case string, bool:
			b.LastValue = value
		case int:
			b.LastValue = int64(value)
		}
	}
	return all
}

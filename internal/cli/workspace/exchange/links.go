package exchange

import (
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
func (o *importer) link(space *workspace.Space, object *exchange.Object) error {
	if o.allowExists { // a search for a missing name takes long
		if existing, err := o.Link(space.Slug, object.Slug); err == nil {
			o.same(object.ID, existing.LinkID)
			return nil
		}
	}
	from := object.Link
	if o.failed[from.FromUnitID] || o.failed[from.ToUnitID] ||
		o.failed[from.TransformInvocationID] {
		return nil // what it refers to is an error already
	}
	made := *from
	made.Common = o.common(entity.KindLink, space.Slug, object.ID, &from.Common)
	made.SpaceID, made.SpaceSlug = space.SpaceID, space.Slug
	made.LinkID, made.Hash = "", ""
	made.LinkRecord, made.Stale, made.StaleReasons = entity.LinkRecord{}, false, nil
	made.WhereMutation = o.ids.Rewrite(from.WhereMutation)
	made.Stated = object.Stated
	l := &workspace.Link{Link: &made}
	if err := o.ends(l, object); err != nil {
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
	if errs := o.ValidateLink(l); len(errs) > 0 {
		return errs
	}
	if err := o.CheckLink(l); err != nil {
		return err
	}
	if err := o.LinkCycle(l).Err(); err != nil {
		return err
	}
	o.pointers(l, from)
	if err := o.Tx.Create(o.Workspace, l); err != nil {
		return err
	}
	o.record(entity.KindLink, object.ID, l.LinkID)
	if l.UpdateType == entity.UpdateUpgradeUnit {
		return o.follow(l)
	}
	return nil
}

// ends finds the units and the invocation of a link.
func (o *importer) ends(l *workspace.Link, object *exchange.Object) error {
	from := object.Link
	unit := func(field, there, slug, space string) (*workspace.Unit, error) {
		for _, ref := range []string{o.ids[there], there, o.set.Units[there]} {
			if u, err := o.Unit(space, ref); ref != "" && err == nil {
				return u, nil
			}
		}
		if there == "" && slug != "" {
			return o.Unit(space, slug)
		}
		return nil, &entity.Error{
			Code:    entity.CodeUnitNotFound,
			Message: field + " " + there + " is neither in the files nor in the workspace",
			Hint:    "add the output of 'cub unit list -o json'",
		}
	}
	toSpace := from.ToSpace
	if s := o.set.Spaces[from.ToSpaceID]; toSpace == "" && s != nil {
		toSpace = s.Slug
	}
	if toSpace == "" {
		toSpace = l.SpaceSlug
	}
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
	newest, own := int64(0), l.To.HeadRevisionNum
	if object != nil {
		newest = object.Unit.HeadRevisionNum
	}
	if l.UseLiveState {
		own = l.To.HeadUnitActionNum
		if object != nil {
			newest = object.Unit.HeadUnitActionNum
		}
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
		name, hint := l.Name(), "fctl link update --patch "+l.Slug+" --space "+l.SpaceSlug+
			" --make-current"
		o.After(func() error {
			o.App.Console().Notes("", api.Note{Message: "link " + name +
				": what it has merged is not known here, so that it merges nothing until '" +
				hint + "' takes the present as merged"})
			return nil
		})
	}
}

// follow sets the fields of a unit that follow its link.
func (o *importer) follow(l *workspace.Link) error {
	o.upgrade[l.From] = true
	l.From.UpstreamUnitID, l.From.UpstreamSpaceID = l.ToUnitID, l.ToSpaceID
	l.From.UpstreamRevisionNum = l.UpstreamLastMergedRevisionNum
	o.Tx.WriteState(l.From)
	return nil
}

// clones gives units that have an upstream, but no link to it, the link of a clone. Older versions
// of ConfigHub have clones without links.
func (o *importer) clones() {
	for _, there := range slices.Sorted(maps.Keys(o.objects)) {
		object := o.objects[there]
		u, err := o.Unit("", o.ids[there])
		if object.Unit.UpstreamUnitID == "" || err != nil || o.upgrade[u] ||
			u.UpstreamUnitID != "" {
			continue
		}
		up, err := o.Unit("", o.ids[object.Unit.UpstreamUnitID])
		if err != nil {
			o.After(func() error {
				o.App.Console().Notes("", api.Note{Message: "unit " + u.Name() +
					" is a clone of a unit that is neither in the files nor in the workspace; " +
					"it cannot be upgraded"})
				return nil
			})
			continue
		}
		l := session.UpgradeLink(u, up)
		l.LinkRecord = entity.LinkRecord{}
		if err := o.cloneLink(l, object); err != nil {
			o.add(object, err)
		}
	}
}

func (o *importer) cloneLink(l *workspace.Link, object *exchange.Object) error {
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
		ToUnitID: object.Unit.UpstreamUnitID, UpdateType: entity.UpdateUpgradeUnit,
		LinkRecord: entity.LinkRecord{
			UpstreamLastMergedRevisionNum: object.Unit.UpstreamRevisionNum,
		},
	})
	if err := o.Tx.Create(o.Workspace, l); err != nil {
		return err
	}
	o.made[entity.KindLink]++
	return o.follow(l)
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

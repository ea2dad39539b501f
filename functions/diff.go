package functions

import (
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/configkit/mutation/exported"
	"github.com/fctl-dev/fctl/internal/places"
)

// Versions holds two states of the data of a unit. Before is nil if the unit is new, After is nil
// if it was removed.
type Versions struct {
	Toolchain     api.ToolchainType
	Before, After []byte
}

// Detail says how much the mutations of a [Difference] tell of a new map.
type Detail int

const (
	// NewLeaves is one mutation for each leaf of a new map, as in mutation.Compute.
	NewLeaves Detail = iota
	// NewMaps is one mutation for a new map, as in mutation.Compare.
	NewMaps
)

// Only limits a comparison.
type Only struct {
	// WhereResource and WhereCEL are true for the resources that are compared, in one of the states.
	WhereResource, WhereCEL string
	// Ignore has the places that are not compared.
	Ignore []places.Place
	// Live leaves out what a server has added to manifests, see package exported.
	Live bool
}

// Selects reports whether o limits the comparison to some resources.
func (o *Only) Selects() bool { return o.WhereResource != "" || o.WhereCEL != "" }

// All reports whether o does not limit the comparison.
func (o *Only) All() bool { return !o.Selects() && len(o.Ignore) == 0 && !o.Live }

// Difference describes what happened to a unit.
type Difference struct {
	// Mutations describe the changed resources.
	Mutations api.ResourceMutationList
	// Moved lists the resources that were in another unit before. They are compared with their
	// state there.
	Moved []Move
	// Err says why the unit could not be compared. It is an error of the converter, an
	// *api.Failure, or an *UnsupportedToolchainError.
	Err error
}

// Move is a resource that was in another unit before.
type Move struct {
	Resource api.ResourceInfo
	From     int // the index of the other unit
}

// Diff compares the two states of each unit. A Kubernetes resource whose type and name occur
// exactly once before and once after, but in different units, has moved. In other toolchains a
// resource belongs to its unit and cannot move.
func (e *Executor) Diff(units []Versions, detail Detail, only Only) []Difference {
	differences := make([]Difference, len(units))
	read := make([]readVersions, len(units))
	for i, u := range units {
		read[i], differences[i].Err = e.readVersions(u)
	}
	e.leaveOut(units, read, differences, &only)
	e.findMoves(units, read, differences)
	for i := range units {
		d := &differences[i]
		if d.Err == nil && only.Selects() {
			d.Err = e.limit(&read[i], units[i].Toolchain, only, d)
		}
		if d.Err != nil {
			continue
		}
		provider := e.ResourceProvider(units[i].Toolchain)
		if detail == NewMaps {
			d.Mutations, d.Err = mutation.Compare(read[i].before, read[i].after, provider)
			continue
		}
		var all api.ResourceMutationList
		all, d.Err = mutation.Compute(read[i].before, read[i].after, 0, provider)
		d.Mutations = slices.DeleteFunc(all, func(m api.ResourceMutation) bool {
			return m.ResourceMutationInfo.MutationType == api.MutationTypeNone
		})
	}
	return differences
}

// Replay returns the text of a unit after mutations, as the function patch-mutations makes it. What
// cannot be applied is left out.
func (e *Executor) Replay(
	t api.ToolchainType, data []byte, mutations api.ResourceMutationList,
) ([]byte, error) {
	h, err := e.handler(t)
	if err != nil {
		return nil, err
	}
	docs, err := h.Converter().NativeToDocuments(data)
	if err != nil {
		return nil, err
	}
	if docs, _, err = mutation.Patch(docs, nil, mutations, nil, e.ResourceProvider(t)); err != nil {
		return nil, err
	}
	return h.Converter().DocumentsToNative(docs)
}

// leaveOut takes out of the documents what only leaves out. With Live, an exported object may be in
// another unit than its manifest.
func (e *Executor) leaveOut(
	units []Versions, read []readVersions, differences []Difference, only *Only,
) {
	for i := range read {
		for _, docs := range []*gaby.Container{&read[i].before, &read[i].after} {
			if len(only.Ignore) == 0 || differences[i].Err != nil {
				continue
			}
			*docs, differences[i].Err = places.Remove(
				*docs, only.Ignore, e.ResourceProvider(units[i].Toolchain))
		}
	}
	if !only.Live {
		return
	}
	var sides [2][]gaby.Container
	var of []int
	for i := range read {
		if units[i].Toolchain == api.ToolchainKubernetesYAML && differences[i].Err == nil {
			sides[0], sides[1] = append(sides[0], read[i].before), append(sides[1], read[i].after)
			of = append(of, i)
		}
	}
	problems := exported.Reduce(sides, e.ResourceProvider(api.ToolchainKubernetesYAML))
	for k, i := range of {
		read[i].before, read[i].after = sides[0][k], sides[1][k]
		differences[i].Err = problems[k]
	}
}

// limit drops the documents that only does not select.
func (e *Executor) limit(
	r *readVersions, t api.ToolchainType, only Only, d *Difference,
) error {
	h, err := e.handler(t)
	if err != nil {
		return err
	}
	selected := map[api.ResourceInfo]bool{}
	for _, docs := range []gaby.Container{r.before, r.after} {
		found, err := h.Selected(docs, only.WhereResource, only.WhereCEL)
		if err != nil {
			return err
		}
		for _, doc := range found {
			if info, err := h.ResourceProvider().ResourceInfo(doc); err == nil {
				selected[info] = true
			}
		}
	}
	isOther := func(doc *gaby.YamlDoc) bool {
		info, err := h.ResourceProvider().ResourceInfo(doc)
		return err != nil || !selected[info]
	}
	r.before, r.after = r.before.Delete(isOther), r.after.Delete(isOther)
	d.Moved = slices.DeleteFunc(d.Moved, func(m Move) bool { return !selected[m.Resource] })
	return nil
}

// readVersions holds the parsed documents of a Versions.
type readVersions struct{ before, after gaby.Container }

// readVersions parses both states. The errors of the two are joined.
func (e *Executor) readVersions(u Versions) (r readVersions, err error) {
	h, err := e.handler(u.Toolchain)
	if err != nil {
		return r, err
	}
	var errAfter error
	if u.Before != nil {
		r.before, err = h.Converter().NativeToDocuments(u.Before)
	}
	if u.After != nil {
		r.after, errAfter = h.Converter().NativeToDocuments(u.After)
	}
	return r, errors.Join(err, errAfter)
}

// findMoves finds the moved resources. It takes their old documents out of the unit they were in
// and appends them to the old documents of the unit they are in now, so that they are compared
// there.
func (e *Executor) findMoves(units []Versions, read []readVersions, differences []Difference) {
	if len(units) < 2 {
		return
	}
	type occurrences struct{ unit, times int }
	provider := e.ResourceProvider(api.ToolchainKubernetesYAML)
	each := func(unit int, docs gaby.Container, do func(doc *gaby.YamlDoc, info api.ResourceInfo)) {
		if units[unit].Toolchain != api.ToolchainKubernetesYAML {
			return
		}
		for _, doc := range docs {
			if info, err := provider.ResourceInfo(doc); err == nil {
				do(doc, info)
			}
		}
	}
	was, is := map[api.ResourceInfo]occurrences{}, map[api.ResourceInfo]occurrences{}
	for i, r := range read {
		each(i, r.before, func(_ *gaby.YamlDoc, info api.ResourceInfo) {
			was[info] = occurrences{i, was[info].times + 1}
		})
		each(i, r.after, func(_ *gaby.YamlDoc, info api.ResourceInfo) {
			is[info] = occurrences{i, is[info].times + 1}
		})
	}
	moved := make([]gaby.Container, len(read)) // by the index of the unit they are in now
	for i := range read {
		var stay gaby.Container
		gone := map[*gaby.YamlDoc]bool{}
		each(i, read[i].before, func(doc *gaby.YamlDoc, info api.ResourceInfo) {
			to := is[info]
			if was[info].times != 1 || to.times != 1 || to.unit == i || differences[i].Err != nil ||
				differences[to.unit].Err != nil {
				return
			}
			gone[doc] = true
			moved[to.unit] = append(moved[to.unit], doc)
			differences[to.unit].Moved = append(differences[to.unit].Moved, Move{info, i})
		})
		for _, doc := range read[i].before {
			if !gone[doc] {
				stay = append(stay, doc)
			}
		}
		read[i].before = stay
	}
	for i := range read {
		read[i].before = append(read[i].before, moved[i]...)
	}
}

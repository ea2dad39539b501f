package kubernetes

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/generic"
)

// Sources of the data that is compared with, the first that is there.
const (
	sourceLastReleased = "LastReleasedRevisionNum"
	sourceHead         = "HeadRevisionNum"
	sourceBefore       = "Before:" // followed by the name of any source
)

// baselinePartBytes is about what one lock is for.
const baselinePartBytes = 256 << 10

// baselines keeps what the data that was last compared with is, which is mostly the same for all units and parts of units of a run.
type baselines struct {
	provider configkit.ResourceProvider

	mu   sync.Mutex
	data []byte
	last func() (*baseline, error)
}

func newBaselines(provider configkit.ResourceProvider) *baselines {
	return &baselines{provider: provider}
}

// of is what data is. It is nil, which is told, when none was given.
func (b *baselines) of(fc *api.FunctionContext, data []byte) (*baseline, error) {
	if data == nil {
		fc.NoteOnce("there is nothing to compare with (--other-data " + sourceLastReleased + "=FILE), so everything passes")
		return nil, nil
	}
	b.mu.Lock()
	if b.last == nil || unsafe.SliceData(b.data) != unsafe.SliceData(data) || len(b.data) != len(data) {
		b.data, b.last = data, sync.OnceValues(func() (*baseline, error) { return newBaseline(data, b.provider) })
	}
	last := b.last
	b.mu.Unlock()
	return last()
}

// baseline is the data a unit is compared with, in parts, each of which only one can look into at a time.
type baseline struct {
	provider configkit.ResourceProvider
	parts    []sync.Mutex
	of       map[yamlkit.ResourceTypeAndName]baselineResource
}

type baselineResource struct {
	part int
	doc  *gaby.YamlDoc
}

func newBaseline(data []byte, provider configkit.ResourceProvider) (*baseline, error) {
	cut := gaby.Cut(data, baselinePartBytes)
	b := &baseline{provider: provider, parts: make([]sync.Mutex, cut.Len()), of: map[yamlkit.ResourceTypeAndName]baselineResource{}}
	for i := range b.parts {
		docs := cut.Parse(i, nil)
		err := yamlkit.EachResource(docs, provider, func(n int, info api.ResourceInfo) {
			b.of[yamlkit.TypeAndName(&info)] = baselineResource{i, docs[n]}
		})
		if err != nil {
			return nil, baselineError(err)
		}
	}
	return b, nil
}

// baselineError tells what is wrong with what is compared with. It does not wrap its cause, whose positions are not those of the unit.
func baselineError(err error) error {
	return errors.New("what to compare with cannot be read: " + err.Error())
}

// changes lists the fields of attributes that are not what they were, and counts those that were compared. What is only on one side is
// not compared.
func (b *baseline) changes(fc *api.FunctionContext, docs gaby.Container, names []api.AttributeName, describe func(*api.AttributeValue),
) (api.AttributeValueList, error) {
	pairs := map[int]*changes{}
	err := yamlkit.EachResource(docs, b.provider, func(i int, info api.ResourceInfo) {
		if was, ok := b.of[yamlkit.TypeAndName(&info)]; ok {
			c := pairs[was.part]
			if c == nil {
				c = &changes{provider: b.provider}
				pairs[was.part] = c
			}
			if docs[i].SameText(was.doc) {
				c.same = append(c.same, docs[i])
				return
			}
			c.before, c.docs = append(c.before, was.doc), append(c.docs, docs[i])
		}
	})
	if err != nil {
		return nil, err
	}
	var rows api.AttributeValueList
	var problems []error
	compared := 0
	for _, part := range slices.Sorted(maps.Keys(pairs)) {
		b.parts[part].Lock()
		for _, name := range names {
			changed, err := pairs[part].find(name, describe)
			rows, problems = append(rows, changed...), append(problems, err)
		}
		b.parts[part].Unlock()
		compared += pairs[part].compared
	}
	fc.Matched(compared)
	return yamlkit.SortRows(rows), errors.Join(problems...)
}

// changes compares documents with what they were.
type changes struct {
	docs, before gaby.Container // in pairs
	same         gaby.Container // the documents in which nothing was changed
	provider     configkit.ResourceProvider
	compared     int // fields that are in both
}

// field is a place of a resource that has a name of its own in the unit.
type field struct {
	resource yamlkit.ResourceTypeAndName
	path     api.ResolvedPath
}

// fieldValue is what is there: a map or list, or a scalar, of which a path may be about a part.
type fieldValue struct {
	value  gaby.Value
	scalar any
}

func valueOf(p *yamlkit.Place) (fieldValue, bool) {
	if p.Value.Kind() != gaby.Scalar {
		return fieldValue{value: p.Value}, true
	}
	scalar, ok := p.Scalar()
	return fieldValue{p.Value, scalar}, ok
}

func (v fieldValue) equal(o fieldValue) bool {
	if v.value.Kind() != gaby.Scalar || o.value.Kind() != gaby.Scalar {
		return v.value.Equal(o.value)
	}
	return reflect.DeepEqual(v.scalar, o.scalar)
}

// find lists the fields of an attribute that are not what they were.
func (c *changes) find(name api.AttributeName, describe func(*api.AttributeValue)) (api.AttributeValueList, error) {
	keys, err := generic.AttributeKeys(c.provider, name)
	if err != nil {
		return nil, err
	}
	paths := c.provider.AttributePaths(name)
	was := map[field]fieldValue{}
	err = yamlkit.VisitPlaces(c.before, paths, keys, c.provider, func(p *yamlkit.Place) {
		if v, ok := valueOf(p); ok {
			was[field{yamlkit.TypeAndName(p.Resource), p.Path()}] = v
		}
	})
	if err != nil {
		return nil, baselineError(err)
	}
	errSame := yamlkit.VisitPlaces(c.same, paths, keys, c.provider, func(*yamlkit.Place) { c.compared++ })
	var rows api.AttributeValueList
	err = yamlkit.VisitPlaces(c.docs, paths, keys, c.provider, func(p *yamlkit.Place) {
		before, ok := was[field{yamlkit.TypeAndName(p.Resource), p.Path()}]
		if !ok {
			return
		}
		is, ok := valueOf(p)
		if !ok {
			return
		}
		c.compared++
		if is.equal(before) {
			return
		}
		row, _ := p.Row()
		if row.DataType == api.DataTypeYAML {
			if pos := firstDifference(p.Value, before.value).Position(); pos.Line > 0 {
				row.Position = &pos
			}
		} else {
			row.Value = fmt.Sprint(row.Value)
		}
		row.DataType = api.DataTypeYAML
		describe(&row)
		rows = append(rows, row)
	})
	return rows, errors.Join(errSame, err)
}

// firstDifference is the first place in a value where it is not what it was.
func firstDifference(is, was gaby.Value) gaby.Value {
	if is.Kind() != was.Kind() || is.Kind() == gaby.Scalar {
		return is
	}
	index := 0
	for v := is.First(); v.Exists(); v = v.Next() {
		old := was.Get(v.Key())
		if is.Kind() == gaby.List {
			old = was.Index(index)
			index++
		}
		if !old.Exists() {
			return v
		}
		if !v.Equal(old) {
			return firstDifference(v, old)
		}
	}
	return is // something is missing
}

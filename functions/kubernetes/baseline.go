package kubernetes

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/generic"
)

// Names of the other data to compare with. The first one that was sent is used.
const (
	sourceLastReleased = "LastReleasedRevisionNum"
	sourceHead         = "HeadRevisionNum"
	sourceBefore       = "Before:" // followed by the name of any source
)

// changes compares the documents of a unit with their baseline.
type changes struct {
	docs, before gaby.Container // docs[i] is compared with before[i]
	same         gaby.Container // documents whose text is that of the baseline
	provider     configkit.ResourceProvider
	compared     int // fields that both sides have
}

// changesSince pairs documents with those of data. Documents that exist on one side only are not
// compared. If no data was given, it reports that and returns nil.
func changesSince(
	fc *api.FunctionContext, data []byte, docs gaby.Container, provider configkit.ResourceProvider,
) (*changes, error) {
	if data == nil {
		fc.NoteOnce("there is nothing to compare with (--other-data " + sourceLastReleased +
			"=FILE), so everything passes")
		return nil, nil
	}
	before, err := gaby.ParseAll(data)
	if err != nil {
		return nil, baselineError(err)
	}
	was := map[yamlkit.ResourceTypeAndName]*gaby.YamlDoc{}
	err = yamlkit.EachResource(before, provider, func(i int, info api.ResourceInfo) {
		was[yamlkit.TypeAndName(&info)] = before[i]
	})
	if err != nil {
		return nil, baselineError(err)
	}
	c := &changes{provider: provider}
	err = yamlkit.EachResource(docs, provider, func(i int, info api.ResourceInfo) {
		switch old := was[yamlkit.TypeAndName(&info)]; {
		case old == nil:
		case docs[i].SameText(old):
			c.same = append(c.same, docs[i])
		default:
			c.before, c.docs = append(c.before, old), append(c.docs, docs[i])
		}
	})
	return c, err
}

// baselineError reports that the baseline cannot be read. It does not wrap its cause, whose
// positions refer to the baseline and not to the unit.
func baselineError(err error) error {
	return errors.New("what to compare with cannot be read: " + err.Error())
}

// of returns the changed fields of attributes and counts the compared ones as matches.
func (c *changes) of(
	fc *api.FunctionContext, describe func(*api.AttributeValue), names ...api.AttributeName,
) (api.AttributeValueList, error) {
	var rows api.AttributeValueList
	var problems []error
	for _, name := range names {
		changed, err := c.find(name, describe)
		rows, problems = append(rows, changed...), append(problems, err)
	}
	fc.Matched(c.compared)
	return yamlkit.SortRows(rows), errors.Join(problems...)
}

// field identifies a field of a resource within the unit.
type field struct {
	resource yamlkit.ResourceTypeAndName
	path     api.ResolvedPath
}

// fieldValue is the value of a field: a map, a list or a scalar. For a path into a scalar, scalar
// is the part it addresses.
type fieldValue struct {
	value  gaby.Value
	scalar any
}

// valueOf returns the value of a match. It reports false if the path addresses a part of a scalar
// that does not exist.
func valueOf(p *yamlkit.Place) (fieldValue, bool) {
	if p.Value.Kind() != gaby.Scalar {
		return fieldValue{value: p.Value}, true
	}
	scalar, ok := p.Scalar()
	return fieldValue{p.Value, scalar}, ok
}

// equal reports whether two fields have the same value. Of scalars it compares the addressed part.
func (v fieldValue) equal(o fieldValue) bool {
	if v.value.Kind() != gaby.Scalar || o.value.Kind() != gaby.Scalar {
		return v.value.Equal(o.value)
	}
	return reflect.DeepEqual(v.scalar, o.scalar)
}

// find returns the changed fields of an attribute.
func (c *changes) find(
	name api.AttributeName, describe func(*api.AttributeValue),
) (api.AttributeValueList, error) {
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
	errSame := yamlkit.VisitPlaces(c.same, paths, keys, c.provider,
		func(*yamlkit.Place) { c.compared++ })
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

// firstDifference returns the first value within is that differs from was.
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
	return is // something was removed, so there is no value to return
}

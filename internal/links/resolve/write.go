package resolve

import (
	"errors"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// place is a value of a resource, or one that can be created there.
type place struct {
	segments []string
	value    gaby.Value // missing if it can be created
}

// locations returns the values of a resource that a path leads to. A missing one is included if it
// can be created: its parents are maps or are missing below a map. List elements are never created.
func locations(doc *gaby.YamlDoc, compiled *yamlpath.Path, path string) ([]place, error) {
	if err := doc.Check(); err != nil {
		return nil, err
	}
	var found []place
	err := compiled.Resolve(doc.Value(), yamlpath.Options{Upsert: true, NoArguments: true},
		func(m *yamlpath.Match) error {
			found = append(found, place{append([]string(nil), m.Segments...), m.Value})
			return nil
		})
	if dotted, ok := errors.AsType[*yamlpath.KeyWithDotsError](err); ok {
		key := dotted.Segments[len(dotted.Segments)-1]
		return nil, entity.Fail(entity.CodePathDottedKey, "path %s: %w", path, err).
			WithHint("the key is written " + yamlpath.Escape(key))
	}
	if through, ok := errors.AsType[*yamlpath.NotAMapError](err); ok {
		e := entity.Fail(entity.CodePathType, "path %s leads through %s", path,
			yamlpath.Describe(through.Value)).WithHint(through.Hint)
		e.Err = err
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, notThere(path).WithHint("maps are created, list elements are not")
	}
	return found, nil
}

func notThere(path string) *entity.Error {
	return entity.Fail(entity.CodePathNotFound, "path %s does not exist", path)
}

// scalars returns the values at a path that can be written as scalars.
func (r *resource) scalars(compiled *yamlpath.Path, path string) ([]place, error) {
	found, err := locations(r.doc, compiled, path)
	for _, at := range found {
		if kind := at.value.Kind(); kind == gaby.Map || kind == gaby.List {
			return nil, entity.Fail(entity.CodePathType, "path %s is a map or a list", path)
		}
	}
	return found, err
}

// write writes value, a string, int or bool, to every value that a path of the resource leads to. A
// value that is equal already is not edited. It returns the paths that it created. Its errors with a
// code are completed by resolver.at.
func (r *resource) write(path string, value any) (created []string, err error) {
	compiled, err := yamlpath.Parse(path)
	if err != nil {
		return nil, entity.Fail(entity.CodePathNotFound, "%w", err)
	}
	if compiled.EmbeddedPath() != "" {
		return nil, r.writePart(compiled, path, value)
	}
	found, err := r.scalars(compiled, path)
	if err != nil {
		return nil, err
	}
	for _, at := range found {
		if sameScalar(at.value, value) {
			continue
		}
		if !at.value.Exists() {
			created = append(created, string(yamlpath.Join(at.segments)))
		}
		if _, err := r.doc.Set(value, at.segments...); err != nil {
			return nil, err
		}
	}
	return created, nil
}

// writePart writes the part of a scalar that a path with # names.
func (r *resource) writePart(compiled *yamlpath.Path, path string, value any) error {
	accessor, err := r.accessor(compiled, path)
	if err != nil {
		return entity.Fail(entity.CodePathNotFound, "%w", err)
	}
	if err := r.doc.Check(); err != nil {
		return err
	}
	var found []place
	err = compiled.Resolve(r.doc.Value(), yamlpath.Options{Accessor: accessor, NoArguments: true},
		func(m *yamlpath.Match) error {
			found = append(found, place{append([]string(nil), m.Segments...), m.Value})
			return nil
		})
	if err != nil {
		return err
	}
	count := 0
	for _, at := range found {
		text, ok := accessor.Replace(at.value.Text(), compiled.EmbeddedPath(), value)
		if !ok {
			continue
		}
		count++
		if text == at.value.Text() {
			continue
		}
		if _, err := r.doc.Set(text, at.segments...); err != nil {
			return err
		}
	}
	if count == 0 {
		return notThere(path)
	}
	return nil
}

// sameScalar reports whether a value is the scalar want, of the same type.
func sameScalar(v gaby.Value, want any) bool {
	if v.Kind() != gaby.Scalar {
		return false
	}
	switch w := want.(type) {
	case string:
		return v.Tag() != "!!int" && v.Tag() != "!!bool" && v.Tag() != "!!float" && !v.IsNull() &&
			v.Text() == w
	case int:
		return v.Tag() == "!!int" && v.Data() == any(w)
	case bool:
		return v.Tag() == "!!bool" && v.Data() == any(w)
	}
	return false
}

// at completes the error of a read or write with the link, the resource and the path.
func (r *resolver) at(l *entity.Link, about *api.ResourceInfo, path string, err error) error {
	e, ok := errors.AsType[*entity.Error](err)
	if !ok {
		return yamlpath.Locate(err, about)
	}
	problem := r.problem(l, e.Code, "%s: %s", about, e.Message).WithHint(e.Hint)
	problem.Path, problem.Err, problem.Resource = path, e.Err, about.String()
	return problem
}

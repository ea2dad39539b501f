package resolve

import (
	"errors"
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// location is a value of a resource, or one that can be created there.
type location struct {
	segments []string
	value    gaby.Value // missing if it can be created
}

// errorAt is an error with a code, which a link completes.
type errorAt struct {
	code entity.Code
	msg  string
	hint string
	err  error
}

func (e *errorAt) Error() string { return e.msg }

func (e *errorAt) Unwrap() error { return e.err }

// locations returns the values of a resource that a path leads to. A missing one is included if it
// can be created: its parents are maps or are missing below a map. List elements are never created.
func locations(doc *gaby.YamlDoc, compiled *yamlpath.Path, path string) ([]location, error) {
	if err := doc.Check(); err != nil {
		return nil, err
	}
	var found []location
	err := compiled.Resolve(doc.Value(), yamlpath.Options{Upsert: true, NoArguments: true},
		func(m *yamlpath.Match) error {
			found = append(found, location{append([]string(nil), m.Segments...), m.Value})
			return nil
		})
	if dotted, ok := errors.AsType[*yamlpath.KeyWithDotsError](err); ok {
		key := dotted.Segments[len(dotted.Segments)-1]
		return nil, &errorAt{
			entity.CodePathDottedKey, fmt.Sprintf("path %s: %v", path, err),
			"the key is written " + yamlpath.Escape(key), err,
		}
	}
	if through, ok := errors.AsType[*yamlpath.NotAMapError](err); ok {
		return nil, &errorAt{
			entity.CodePathType, fmt.Sprintf("path %s leads through %s", path,
				yamlpath.Describe(through.Value)), through.Hint, err,
		}
	}
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, &errorAt{
			entity.CodePathNotFound, fmt.Sprintf("path %s does not exist", path),
			"maps are created, list elements are not", nil,
		}
	}
	return found, nil
}

// writePath writes value, a string, int or bool, to every value that a path of a resource leads to.
// A value that is equal already is not edited. It returns the paths that it created.
func writePath(
	doc *gaby.YamlDoc, t api.ResourceType, path string, value any,
	provider configkit.ResourceProvider,
) (created []string, err error) {
	compiled, err := yamlpath.Parse(path)
	if err != nil {
		return nil, &errorAt{code: entity.CodePathNotFound, msg: err.Error(), err: err}
	}
	if compiled.EmbeddedPath() != "" {
		return nil, writePart(doc, t, compiled, path, value, provider)
	}
	found, err := locations(doc, compiled, path)
	if err != nil {
		return nil, err
	}
	for _, at := range found {
		if kind := at.value.Kind(); kind == gaby.Map || kind == gaby.List {
			return nil, &errorAt{
				entity.CodePathType, fmt.Sprintf("path %s is a map or a list", path), "", nil,
			}
		}
	}
	for _, at := range found {
		if sameScalar(at.value, value) {
			continue
		}
		if !at.value.Exists() {
			created = append(created, string(yamlpath.Join(at.segments)))
		}
		if _, err := doc.Set(value, at.segments...); err != nil {
			return nil, err
		}
	}
	return created, nil
}

// writePart writes the part of a scalar that a path with # names.
func writePart(
	doc *gaby.YamlDoc, t api.ResourceType, compiled *yamlpath.Path, path string, value any,
	provider configkit.ResourceProvider,
) error {
	accessor, err := accessorOf(t, compiled, path, provider)
	if err != nil {
		return &errorAt{code: entity.CodePathNotFound, msg: err.Error(), err: err}
	}
	if err := doc.Check(); err != nil {
		return err
	}
	var found []location
	err = compiled.Resolve(doc.Value(), yamlpath.Options{Accessor: accessor, NoArguments: true},
		func(m *yamlpath.Match) error {
			found = append(found, location{append([]string(nil), m.Segments...), m.Value})
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
		if _, err := doc.Set(text, at.segments...); err != nil {
			return err
		}
	}
	if count == 0 {
		return &errorAt{
			code: entity.CodePathNotFound, msg: fmt.Sprintf("path %s does not exist", path),
		}
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
	e, ok := errors.AsType[*errorAt](err)
	if !ok {
		return yamlpath.Locate(err, about)
	}
	problem := r.problem(l, e.code, "%s: %s", about, e.msg)
	problem.Hint, problem.Path, problem.Err = e.hint, path, e.err
	problem.Resource = about.String()
	return problem
}

package functionconfig

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/strict"
)

// release returns the schemas of the newest Kubernetes, which are unpacked when the first field of
// one of its types is read.
//
//nolint:gochecknoglobals // made once, never changed
var release = sync.OnceValues(func() (*schemas.Release, error) {
	return new(schemas.Library).Release("")
})

// kubernetes checks a value against the schema of a type of the API group core/v1, and reports
// whether it fits. The API server removes a null in a map and refuses one in a list.
func kubernetes(v strict.Value, name string) bool {
	before := v.Reader().Count()
	problems, err := check(v.Value, name)
	if err != nil {
		v.Fail("", "%s: %w", v.Path, err)
	}
	for i := range problems {
		p := &problems[i]
		path := strings.Join(append([]string{v.Path}, p.FullPath()...), ".")
		found := v.Reader().Report(p.Pos, p.Hint, "%s: %s", path, p.Message)
		found.Failure.Path = path
		// Porch's definition has the types of Kubernetes, but not the values that it allows, and
		// the API server removes fields that it does not know.
		if slices.Contains([]string{"type", "required", "format"}, p.Keyword) {
			found.Code = alsoServer
		}
	}
	v.Any()
	noNulls(v)
	return v.Reader().Count() == before
}

func check(v gaby.Value, name string) ([]jsonschema.Violation, error) {
	types, err := release()
	if err != nil {
		return nil, err
	}
	schema, err := types.Definition("io.k8s.api.core.v1." + name)
	if err != nil {
		return nil, err
	}
	return schema.Check(context.Background(), v)
}

// noNulls refuses the nulls in the lists of a value.
func noNulls(v strict.Value) {
	switch v.Kind() {
	case gaby.Map:
		for e := range v.Map() {
			noNulls(e)
		}
	case gaby.List:
		for e := range v.List() {
			if e.IsNull() {
				e.Must("a value", "").Code = alsoServer
			}
			noNulls(e)
		}
	}
}

// one checks that a map has exactly one of some fields, which the API server finds when it gets the
// pod.
func one(v strict.Value, names ...string) {
	if v.Kind() != gaby.Map {
		return
	}
	n := 0
	for _, name := range names {
		if v.Get(name).Exists() {
			n++
		}
	}
	if n != 1 {
		v.Fail("", "%s must have exactly one of %s", v.Path, strings.Join(names, ", "))
	}
}

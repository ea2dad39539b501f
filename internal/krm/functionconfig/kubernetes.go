package functionconfig

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
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

// kubernetes checks a value against the schema of a type of the API group core/v1. The API server
// removes a null in a map and refuses one in a list.
func kubernetes(v strict.Value, name string) {
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

// beyondTypes adds the problems that the API server finds when it gets the pod. One at a value that
// has another problem says the same.
func beyondTypes(v strict.Value, found []jsonschema.Violation) {
	known := map[api.Position]bool{}
	for _, p := range v.Reader().Problems() {
		known[p.Failure.Pos] = true
	}
	for i := range found {
		p := &found[i]
		at := api.Position{File: v.Reader().File, Line: p.Pos.Line, Column: p.Pos.Column}
		if known[at] && p.Property == "" {
			continue
		}
		path := strings.Join(p.FullPath(), ".")
		v.Reader().Report(p.Pos, p.Hint, "%s: %s", path, p.Message).Failure.Path = path
	}
}

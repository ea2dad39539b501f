package functionconfig

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
)

// release returns the schemas of the newest Kubernetes, which are unpacked when the first field of
// one of its types is read.
//
//nolint:gochecknoglobals // made once, never changed
var release = sync.OnceValues(func() (*schemas.Release, error) {
	return new(schemas.Library).Release("")
})

// kubernetes checks a field against the schema of a type of the API group core/v1, and reports
// whether it fits. The API server removes a null in a map and refuses one in a list.
func (d *decoder) kubernetes(f field, name string) bool {
	if !f.Exists() {
		return true
	}
	before := len(d.problems)
	d.schema(f, name)
	d.noNulls(f)
	return len(d.problems) == before
}

func (d *decoder) schema(f field, name string) {
	types, err := release()
	if err != nil {
		_ = d.fail(f, "%w", err)
		return
	}
	schema, err := types.Definition("io.k8s.api.core.v1." + name)
	if err != nil {
		_ = d.fail(f, "%w", err)
		return
	}
	problems, err := schema.Check(context.Background(), f.Value)
	if err != nil {
		_ = d.fail(f, "%w", err)
	}
	for i := range problems {
		p := &problems[i]
		found := d.add(p.Pos, f.below(p.FullPath()), "%s", p.Message)
		found.Hint = p.Hint
		// Porch's definition has the types of Kubernetes, but not the values that it allows, and
		// the API server removes fields that it does not know.
		found.Server = slices.Contains([]string{"type", "required", "format"}, p.Keyword)
	}
}

// below returns the path of a value that keys and indexes lead to from the field.
func (f field) below(keys []string) string {
	path := f.path
	v := f.Value
	for _, key := range keys {
		if i, err := strconv.Atoi(key); err == nil && v.Kind() == gaby.List {
			path, v = path+"["+key+"]", v.Index(i)
		} else {
			path, v = path+"."+key, v.Get(key)
		}
	}
	return path
}

// noNulls refuses the nulls in the lists of a field.
func (d *decoder) noNulls(f field) {
	i := 0
	for v := f.First(); v.Exists(); v = v.Next() {
		if f.Kind() == gaby.Map {
			d.noNulls(f.get(v.Key()))
			continue
		}
		e := f.element(v, i)
		if i++; v.IsNull() {
			_ = d.refuse(e, "a value is expected, not null")
		}
		d.noNulls(e)
	}
}

// one checks that a map has exactly one of some fields, which the API server finds when it gets the
// pod.
func (d *decoder) one(f field, names ...string) {
	if f.Kind() != gaby.Map {
		return
	}
	n := 0
	for _, name := range names {
		if f.get(name).isSet() {
			n++
		}
	}
	if n != 1 {
		_ = d.fail(f, "exactly one of %s is needed", strings.Join(names, ", "))
	}
}

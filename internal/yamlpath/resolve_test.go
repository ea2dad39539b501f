package yamlpath_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

const sample = `metadata:
  annotations:
    example.com/owner: me
    plain: 1
spec:
  empty:
  replicas: 3
  containers:
  - name: web
    image: nginx:1.0
    ports:
    - containerPort: 80
      name: http
    - containerPort: 443
  - name: side.car
    image: proxy:2
    args: [--flag=a, --other=b]
  - image: nameless
  byName:
    one: {name: x, n: 1}
    two: {name: y, n: 2}
`

func parse(t *testing.T, text string) *gaby.YamlDoc {
	t.Helper()
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// resolve returns the matches as lines of the form path=value argument:value...
func resolve(t *testing.T, doc *gaby.YamlDoc, path string, options yamlpath.Options,
	args ...string,
) string {
	t.Helper()
	p, err := yamlpath.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = p.Bind(args); err != nil {
		t.Fatal(err)
	}
	var found []string
	err = p.Resolve(doc.Value(), options, func(m *yamlpath.Match) error {
		text := string(yamlpath.Join(m.Segments)) + "="
		if m.Value.Exists() {
			text += m.Value.Text()
		} else {
			text += "(missing)"
		}
		for _, a := range m.Arguments {
			text += fmt.Sprintf(" %s:%v", a.ParameterName, a.Value)
		}
		found = append(found, text)
		return nil
	})
	if err != nil {
		found = append(found, "error: "+err.Error())
	}
	return strings.Join(found, "\n")
}

func TestResolve(t *testing.T) {
	doc := parse(t, sample)
	flags, err := yamlpath.NewAccessor(api.EmbeddedAccessorRegexp,
		`^--(?P<flag>\w+)=(?P<value>.+)$`)
	if err != nil {
		t.Fatal(err)
	}
	read, upsert := yamlpath.Options{}, yamlpath.Options{Upsert: true}
	for _, c := range []struct {
		name    string
		path    string
		options yamlpath.Options
		args    []string
		want    string
	}{
		{"plain", "spec.replicas", read, nil, "spec.replicas=3"},
		{"index", "spec.containers.1.image", read, nil, "spec.containers.1.image=proxy:2"},
		{"index out of range", "spec.containers.3.image", read, nil, ""},
		{"index out of range is not created", "spec.containers.3.image", upsert, nil, ""},
		{
			"escaped dot", "metadata.annotations.example~1com/owner", read, nil,
			"metadata.annotations.example~1com/owner=me",
		},
		{
			"wildcard in document order", "spec.containers.*.image", read, nil,
			"spec.containers.0.image=nginx:1.0\nspec.containers.1.image=proxy:2\n" +
				"spec.containers.2.image=nameless",
		},
		{
			"wildcard over a map", "spec.byName.*.n", read, nil,
			"spec.byName.one.n=1\nspec.byName.two.n=2",
		},
		{
			"binding wildcard", "spec.containers.*?name:c.image", read, nil,
			"spec.containers.0.image=nginx:1.0 c:web\nspec.containers.1.image=proxy:2 " +
				"c:side.car\nspec.containers.2.image=nameless",
		},
		{"filtering wildcard", "spec.byName.*?name=y.n", read, nil, "spec.byName.two.n=2"},
		{
			"key wildcard", "spec.byName.*@:key.n", read, nil,
			"spec.byName.one.n=1 key:one\nspec.byName.two.n=2 key:two",
		},
		{
			"literal key", "metadata.annotations.@example~1com/owner:key", read, nil,
			"metadata.annotations.example~1com/owner=me key:example.com/owner",
		},
		{
			"lookup", "spec.containers.?name:c=side~1car.image", read, nil,
			"spec.containers.1.image=proxy:2 c:side.car",
		},
		{
			"lookup of a number", "spec.containers.0.ports.?containerPort=80.name", read, nil,
			"spec.containers.0.ports.0.name=http",
		},
		{
			"lookup by position", "spec.containers.?name=@1.image", read, nil,
			"spec.containers.1.image=proxy:2",
		},
		{
			"lookup with position as fallback", "spec.containers.?name=gone;@0.image", read, nil,
			"spec.containers.0.image=nginx:1.0",
		},
		{
			"lookup before its position", "spec.containers.?name=web;@1.image", read, nil,
			"spec.containers.0.image=nginx:1.0",
		},
		{"lookup in a map", "spec.byName.?name=x.n", read, nil, ""},
		{"lookup creates nothing", "spec.containers.?name=gone.image", upsert, nil, ""},
		{
			"lookup through an accessor", "spec.containers.1.args.?flag:f=other",
			yamlpath.Options{Accessor: flags},
			nil, "spec.containers.1.args.1=--other=b f:other",
		},
		{
			"argument", "spec.containers.?name:c=%s.image", read,
			[]string{"side~1car"},
			"spec.containers.1.image=proxy:2 c:side.car",
		},
		{
			"argument that is a wildcard", "spec.containers.?name:c=%s.image", read,
			[]string{"*"},
			"spec.containers.0.image=nginx:1.0 c:web\nspec.containers.1.image=proxy:2 " +
				"c:side.car\nspec.containers.2.image=nameless",
		},
		{
			"key argument", "metadata.annotations.@%s:key", read,
			[]string{"example~1com/owner"},
			"metadata.annotations.example~1com/owner=me key:example.com/owner",
		},
		{
			"key argument that is a wildcard", "metadata.annotations.@%s:key", read,
			[]string{"*"},
			"metadata.annotations.example~1com/owner=me key:example.com/owner\n" +
				"metadata.annotations.plain=1 key:plain",
		},
		{"missing is not a match", "spec.gone.deeper", read, nil, ""},
		{"upsert", "spec.gone.deeper", upsert, nil, "spec.gone.deeper=(missing)"},
		{"upsert below null", "spec.empty.deeper", upsert, nil, "spec.empty.deeper=(missing)"},
		{
			"upsert below a wildcard", "spec.containers.*.security.on", upsert, nil,
			"spec.containers.0.security.on=(missing)\nspec.containers.1.security.on=(missing)\n" +
				"spec.containers.2.security.on=(missing)",
		},
		{
			"upsert of a literal key", "metadata.labels.@%s:key", upsert,
			[]string{"a~1b"},
			"metadata.labels.a~1b=(missing) key:a.b",
		},
		{
			"a number is a key of a map that is there", "spec.byName.80", upsert, nil,
			"spec.byName.80=(missing)",
		},
		{"elements of lists that are missing are not created", "spec.gone.0.name", upsert, nil, ""},
		{"nor below null", "spec.empty.0", upsert, nil, ""},
		{"upsert cannot create a wildcard", "spec.gone.*.x", upsert, nil, ""},
		{
			"existence: the parent is there", "spec.|gone.deeper", upsert, nil,
			"spec.gone.deeper=(missing)",
		},
		{"existence: the parent is not", "spec.gone.|deeper", upsert, nil, ""},
		{"existence when reading", "spec.|gone", read, nil, "spec.gone=(missing)"},
		{"existence and it is there", "spec.|replicas", read, nil, "spec.replicas=3"},
		{"through a scalar", "spec.replicas.deeper", read, nil, ""},
		{
			"upsert through a scalar", "spec.replicas.deeper", upsert, nil,
			"error: value 3 at path spec.replicas cannot be converted to map",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := resolve(t, doc, c.path, c.options, c.args...); got != c.want {
				t.Errorf("%s: %s:\n%s\nwant:\n%s", c.name, c.path, got, c.want)
			}
		})
	}
}

func TestResolveStopsAtTheFirstError(t *testing.T) {
	p, err := yamlpath.Parse("spec.containers.*")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	stop := fmt.Errorf("stop")
	err = p.Resolve(parse(t, sample).Value(), yamlpath.Options{},
		func(*yamlpath.Match) error { calls++; return stop })
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("%d calls, error %v", calls, err)
	}
}

func TestResolveAssociativePaths(t *testing.T) {
	places, err := yamlpath.ResolveAssociativePaths(parse(t, sample),
		"spec.containers.*?name:c.image", "spec.containers.1.image", false)
	if err != nil {
		t.Fatal(err)
	}
	want := []yamlpath.ResolvedPathInfo{{
		Path:          "spec.containers.1.image",
		PathArguments: []api.FunctionArgument{{ParameterName: "c", Value: "side.car"}},
	}}
	equal := func(a, b yamlpath.ResolvedPathInfo) bool {
		return a.Path == b.Path && slices.Equal(a.PathArguments, b.PathArguments)
	}
	if !slices.EqualFunc(places, want, equal) {
		t.Errorf("%v, want %v", places, want)
	}
}

func BenchmarkResolve(b *testing.B) {
	doc, err := gaby.ParseYAML([]byte(sample))
	if err != nil {
		b.Fatal(err)
	}
	p, err := yamlpath.Parse("spec.containers.?name:c=web.image")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		_ = p.Resolve(doc.Value(), yamlpath.Options{}, func(*yamlpath.Match) error { return nil })
	}
}

func TestConstraints(t *testing.T) {
	doc := parse(t, sample)
	for _, c := range []struct{ path, constraint, want string }{
		{
			"spec.containers.*?name:c.image", "spec.containers.1.image",
			"spec.containers.1.image=proxy:2 c:side.car",
		},
		{
			"spec.containers.*?name:c.image", "spec.containers.?name=web.image",
			"spec.containers.0.image=nginx:1.0 c:web",
		},
		{
			"spec.containers.*?name:c.image", "spec.containers.2.image",
			"spec.containers.2.image=nameless",
		},
		{"spec.containers.*?name:c.image", "spec.containers.7.image", ""},
		{
			"spec.containers.?name:c=web.image", "spec.containers.0.image",
			"spec.containers.0.image=nginx:1.0 c:web",
		},
		{"spec.containers.?name:c=web.image", "spec.containers.1.image", ""},
		{
			"spec.containers.*?name:c.ports.*.name", "spec.containers.0.ports.0.name",
			"spec.containers.0.ports.0.name=http c:web",
		},
		{"spec.byName.*@:key.n", "spec.byName.two.n", "spec.byName.two.n=2 key:two"},
		{"spec.byName.*?name=y.n", "spec.byName.one.n", ""},
		{"spec.byName.*.n", "spec.byName.*.n", "spec.byName.one.n=1\nspec.byName.two.n=2"},
		{
			"metadata.annotations.@plain:key", "metadata.annotations.plain",
			"metadata.annotations.plain=1 key:plain",
		},
		{"spec.replicas", "spec.other", ""},
	} {
		t.Run(c.path, func(t *testing.T) {
			constraint, err := yamlpath.Parse(c.constraint)
			if err != nil {
				t.Fatal(err)
			}
			if got := resolve(t, doc, c.path,
				yamlpath.Options{Constraint: constraint}); got != c.want {
				t.Errorf("%s constrained by %s:\n%s\nwant:\n%s", c.path, c.constraint, got, c.want)
			}
		})
	}
}

func TestResolvingDoesNotAllocate(t *testing.T) {
	doc := parse(t, sample)
	for _, path := range []string{
		"spec.containers.?name:c=web.image",
		"spec.containers.*?name:c.image", "spec.containers.*.ports.?containerPort=443.name",
	} {
		t.Run(path, func(t *testing.T) {
			p, err := yamlpath.Parse(path)
			if err != nil {
				t.Fatal(err)
			}
			allocs := func(times int) float64 {
				return testing.AllocsPerRun(100, func() {
					for range times {
						_ = p.Resolve(doc.Value(), yamlpath.Options{NoArguments: true},
							func(*yamlpath.Match) error { return nil })
					}
				})
			}
			if once, often := allocs(1), allocs(3); often > 3*once || once > 5 {
				t.Errorf("%s: %v allocations to resolve once, %v three times", path, once, often)
			}
		})
	}
}

func FuzzResolve(f *testing.F) {
	for _, seed := range []string{
		"spec.containers.*.image", "spec.containers.?name:c=web.ports.*?containerPort=80",
		"spec.byName.*@:k.n", "*.*.*", "spec.|gone.x",
		"spec.containers.?name=@1", "metadata.@annotations:x.*", "spec.containers.?name=x;@0.name",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := yamlpath.Parse(text)
		if err != nil || p.Arguments() > 0 {
			return
		}
		doc, err := gaby.ParseYAML([]byte(sample))
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		err = p.Resolve(doc.Value(), yamlpath.Options{}, func(m *yamlpath.Match) error {
			place := string(yamlpath.Join(m.Segments))
			if doc.Search(m.Segments...).Value() != m.Value && m.Value.Exists() {
				t.Fatalf("%q: something else is at %s", text, place)
			}
			found[place] = true
			return nil
		})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		// Constrained by one of its matches, the path has only that match.
		for place := range found {
			constrained, err := yamlpath.ResolveAssociativePaths(doc, api.UnresolvedPath(text),
				api.ResolvedPath(place), false)
			if err == nil && (len(constrained) != 1 || string(constrained[0].Path) != place) {
				t.Fatalf("%q constrained by %s: %v", text, place, constrained)
			}
		}
	})
}

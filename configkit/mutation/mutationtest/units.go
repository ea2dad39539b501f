package mutationtest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/mutation"
)

// Maker makes random units of Kubernetes resources, and variants of them.
type Maker struct {
	*rand.Rand
	comments *int // made so far, so that each one is different
}

// NewMaker returns a Maker whose units depend on seed alone.
func NewMaker(seed uint64) Maker {
	return Maker{rand.New(rand.NewPCG(seed, 1)), new(int)}
}

// Object is a resource, or a map in one.
type Object = map[string]any

// PickOne returns one of the values.
func PickOne[T any](m Maker, from ...T) T { return from[m.IntN(len(from))] }

// OneIn reports true once in n times.
func (m Maker) OneIn(n int) bool { return m.IntN(n) == 0 }

// Unit returns resources with different names.
func (m Maker) Unit() []Object {
	docs := []Object{m.deployment("web")}
	if m.OneIn(2) {
		docs = append(docs, m.service("web"))
	}
	if m.OneIn(2) {
		docs = append(docs, Object{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": m.metadata("settings"),
			"data": m.stringMap(4),
		})
	}
	if m.OneIn(2) {
		docs = append(docs, m.route("public"))
	}
	return docs
}

func (m Maker) metadata(name string) Object {
	md := Object{"name": name, "namespace": PickOne(m, "dev", "shop")}
	if m.OneIn(2) {
		md["labels"] = m.stringMap(3)
	}
	return md
}

func (m Maker) stringMap(n int) Object {
	o := Object{}
	for range m.IntN(n + 1) {
		o[PickOne(m, "app", "tier", "team", "x.y/z", "t~1")] = m.word()
	}
	return o
}

func (m Maker) word() string { return PickOne(m, "a", "b", "c", "true", "1", "on", "") }

func (m Maker) scalar() any { return PickOne[any](m, "a", "b", 1, 2, true, nil, 1.5, "1") }

func (m Maker) deployment(name string) Object {
	spec := Object{"containers": m.containers()}
	if m.OneIn(3) {
		spec["volumes"] = m.keyed(func(n string) Object {
			return Object{"name": n, "emptyDir": Object{}}
		})
	}
	if m.OneIn(4) {
		spec["strategies"] = m.tree(2)
	}
	return Object{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": m.metadata(name),
		"spec": Object{"replicas": m.IntN(4), "template": Object{"spec": spec}},
	}
}

func (m Maker) containers() []any {
	return m.keyed(func(name string) Object {
		c := Object{"name": name, "image": "i:" + m.word()}
		if m.OneIn(2) {
			c["args"] = m.words()
		}
		if m.OneIn(2) {
			c["env"] = m.keyed(func(n string) Object {
				return Object{"name": n, "value": m.word()}
			})
		}
		if m.OneIn(3) {
			c["ports"] = m.ports("containerPort")
		}
		if m.OneIn(3) {
			c["resources"] = PickOne(m, Object{}, Object{"limits": Object{"cpu": m.word()}})
		}
		return c
	})
}

// keyed returns a list of elements with different names.
func (m Maker) keyed(element func(name string) Object) []any {
	names := []string{"app", "proxy", "init", "log", "side"}
	m.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	list := []any{}
	for _, name := range names[:m.IntN(4)] {
		list = append(list, element(name))
	}
	return list
}

func (m Maker) ports(key string) []any {
	list := []any{}
	seen := map[string]bool{}
	for range m.IntN(4) {
		p := Object{key: PickOne(m, 53, 80, 443)}
		if m.OneIn(2) {
			p["protocol"] = PickOne(m, "TCP", "UDP")
		}
		protocol := p["protocol"]
		if protocol == nil {
			protocol = "TCP"
		}
		if id := fmt.Sprint(p[key], protocol); !seen[id] {
			seen[id] = true
			list = append(list, p)
		}
		if m.OneIn(2) {
			p["name"] = m.word()
		}
	}
	return list
}

func (m Maker) words() []any {
	list := []any{}
	for range m.IntN(5) {
		list = append(list, PickOne(m, "--a", "--b", "--c", "--d=1", "--d=2"))
	}
	return list
}

func (m Maker) service(name string) Object {
	return Object{
		"apiVersion": "v1", "kind": "Service", "metadata": m.metadata(name),
		"spec": Object{"ports": m.ports("port")},
	}
}

// route returns a resource with nested lists without merge keys.
func (m Maker) route(name string) Object {
	list := []any{}
	for range m.IntN(4) {
		services := []any{}
		for range m.IntN(3) {
			services = append(services, Object{"name": m.word(), "weight": m.IntN(3)})
		}
		list = append(list, Object{"match": "Host(" + m.word() + ")", "services": services})
	}
	return Object{
		"apiVersion": "traefik.io/v1alpha1", "kind": "IngressRoute", "metadata": m.metadata(name),
		"spec": Object{"routes": list},
	}
}

// tree returns any value of limited depth.
func (m Maker) tree(depth int) any {
	switch n := m.IntN(5); {
	case depth == 0 || n < 2:
		return m.scalar()
	case n < 4:
		o := Object{}
		for range m.IntN(3) {
			o[PickOne(m, "k", "l", "m", "n.o")] = m.tree(depth - 1)
		}
		return o
	}
	list := []any{}
	for range m.IntN(3) {
		list = append(list, m.tree(depth-1))
	}
	return list
}

// Variant returns a copy of docs with a number of edits.
func (m Maker) Variant(docs []Object, edits int) []Object {
	out := Clone(any(docs)).([]Object)
	for range edits {
		switch m.IntN(12) {
		case 0:
			if len(out) > 1 {
				out = slices.Delete(out, 1, 2)
			}
		case 1:
			if !slices.ContainsFunc(out, func(o Object) bool { return o["kind"] == "Service" }) {
				out = append(out, m.service("web"))
			}
		case 2:
			out[m.IntN(len(out))]["metadata"].(Object)["namespace"] = PickOne(
				m, "dev", "shop", "prod",
			)
		default:
			m.Edit(out[m.IntN(len(out))])
		}
	}
	return out
}

// Clone returns a deep copy of maps and lists.
func Clone(v any) any {
	switch v := v.(type) {
	case []Object:
		c := make([]Object, len(v))
		for i := range v {
			c[i] = Clone(v[i]).(Object)
		}
		return c
	case Object:
		c := Object{}
		for k := range v {
			c[k] = Clone(v[k])
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i := range v {
			c[i] = Clone(v[i])
		}
		return c
	}
	return v
}

// Wilder returns a variant that also has changes the reference model cannot handle: renamed
// resources and containers, and multi-line texts.
func (m Maker) Wilder(docs []Object) []Object {
	out := m.Variant(docs, m.IntN(4))
	for range 1 + m.IntN(2) {
		doc := out[m.IntN(len(out))]
		switch m.IntN(4) {
		case 0:
			doc["metadata"].(Object)["name"] = PickOne(m, "web", "api", "settings", "front")
		case 1:
			if doc["kind"] == "ConfigMap" {
				doc["data"] = Object{"text": m.Text()}
			}
		default:
			var in any = doc
			for _, key := range []string{"spec", "template", "spec", "containers"} {
				o, _ := in.(Object)
				in = o[key]
			}
			list, _ := in.([]any)
			if len(list) == 0 {
				continue
			}
			used := map[any]bool{}
			for _, c := range list {
				used[c.(Object)["name"]] = true
			}
			if name := PickOne(m, "main", "app", "worker"); !used[name] {
				list[m.IntN(len(list))].(Object)["name"] = name
			}
		}
	}
	return out
}

// Text returns a text of several lines that differs little from other results.
func (m Maker) Text() string {
	var b strings.Builder
	for i := range 6 {
		if m.OneIn(4) {
			b.WriteString(m.word())
		}
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// Edit changes one value of a resource, but nothing that identifies the resource or its list
// elements.
func (m Maker) Edit(doc Object) {
	var edits []func()
	can := func(edit func()) { edits = append(edits, edit) }
	var walk func(v any, set func(any))
	walk = func(v any, set func(any)) {
		switch v := v.(type) {
		case Object:
			can(func() { v[PickOne(m, "k", "l", "app", "replicas")] = m.tree(1) })
			for _, k := range slices.Sorted(maps.Keys(v)) {
				switch k {
				case "apiVersion", "kind", "metadata", "name", "containerPort", "port", "protocol":
				default:
					walk(v[k], func(x any) { v[k] = x })
					can(func() { delete(v, k) })
				}
			}
		case []any:
			for i := range v {
				walk(v[i], func(x any) { v[i] = x })
			}
			if len(v) > 0 {
				m.editList(v, set, can)
			}
		default:
			can(func() { set(m.scalar()) })
			can(func() { set(m.word()) })
		}
	}
	for _, k := range slices.Sorted(maps.Keys(doc)) {
		if k != "apiVersion" && k != "kind" && k != "metadata" {
			walk(doc[k], func(x any) { doc[k] = x })
		}
	}
	if labels, ok := doc["metadata"].(Object)["labels"].(Object); ok {
		walk(labels, func(any) {})
	}
	if len(edits) > 0 {
		edits[m.IntN(len(edits))]()
	}
}

// editList offers edits of the list v: without an element, in another order, with a new element.
func (m Maker) editList(v []any, set func(any), can func(func())) {
	can(func() {
		i := m.IntN(len(v))
		set(slices.Delete(slices.Clone(v), i, i+1))
	})
	can(func() {
		c := slices.Clone(v)
		m.Shuffle(len(c), func(i, j int) { c[i], c[j] = c[j], c[i] })
		set(c)
	})
	if _, isObject := v[0].(Object); !isObject {
		can(func() { set(slices.Insert(slices.Clone(v), m.IntN(len(v)+1), any("--"+m.word()))) })
		return
	}
	can(func() {
		e, ok := Clone(v[m.IntN(len(v))]).(Object)
		if !ok {
			return
		}
		if _, named := e["name"]; named {
			e["name"] = PickOne(m, "new", "other")
		}
		for _, key := range []string{"containerPort", "port"} {
			if _, has := e[key]; has {
				e[key] = 1000 + m.IntN(3)
			}
		}
		set(slices.Insert(slices.Clone(v), m.IntN(len(v)+1), any(e)))
	})
}

// Text returns the unit as YAML.
func Text(t testing.TB, docs []Object) string {
	t.Helper()
	var b strings.Builder
	for i, d := range docs {
		if i > 0 {
			b.WriteString("---\n")
		}
		enc := yaml.NewEncoder(&b)
		enc.SetIndent(2)
		if err := enc.Encode(d); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// comment returns a new comment.
func (m Maker) comment() string {
	*m.comments++
	return fmt.Sprintf("# comment %d.", *m.comments)
}

// Decorated returns text with comments, blank lines and quotes at n places.
func (m Maker) Decorated(text string, n int) string {
	for range n {
		rows := strings.SplitAfter(text, "\n")
		i := m.IntN(len(rows))
		row := strings.TrimSuffix(rows[i], "\n")
		indent := row[:len(row)-len(strings.TrimLeft(row, " "))]
		switch m.IntN(5) {
		case 0, 1:
			rows[i] = indent + m.comment() + "\n" + rows[i]
		case 2:
			if row != "" && !strings.Contains(row, "#") && !strings.HasSuffix(row, "|") &&
				!strings.Contains(row, "line") && row != "---" && row != "-" {
				rows[i] = row + " " + m.comment() + "\n"
			}
		case 3:
			rows[i] = "\n" + rows[i]
		case 4:
			if before, _, has := strings.Cut(row, "# comment"); has {
				rows[i] = before + m.comment() + "\n"
			}
		}
		text = strings.Join(rows, "")
	}
	return text
}

// Edited returns text with the values of unit.
func Edited(t testing.TB, text string, unit []Object) string {
	t.Helper()
	result, err := mutation.Merge(
		Parse(t, text), Parse(t, Text(t, unit)), Parse(t, text), k8skit.K8sResourceProvider,
		mutation.Options{},
	)
	if err != nil {
		t.Fatal(err)
	}
	return result.Docs.String()
}

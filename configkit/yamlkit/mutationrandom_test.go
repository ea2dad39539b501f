package yamlkit_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A unitMaker makes random units of Kubernetes resources, and variants of them.
type unitMaker struct{ *rand.Rand }

func newUnitMaker(seed uint64) unitMaker { return unitMaker{rand.New(rand.NewPCG(seed, 1))} }

type object = map[string]any

func pickOne[T any](m unitMaker, from ...T) T { return from[m.IntN(len(from))] }

func (m unitMaker) oneIn(n int) bool { return m.IntN(n) == 0 }

// unit is a list of resources with different names.
func (m unitMaker) unit() []object {
	docs := []object{m.deployment("web")}
	if m.oneIn(2) {
		docs = append(docs, m.service("web"))
	}
	if m.oneIn(2) {
		docs = append(docs, object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m.metadata("settings"), "data": m.stringMap(4)})
	}
	if m.oneIn(2) {
		docs = append(docs, m.route("public"))
	}
	return docs
}

func (m unitMaker) metadata(name string) object {
	md := object{"name": name, "namespace": pickOne(m, "dev", "shop")}
	if m.oneIn(2) {
		md["labels"] = m.stringMap(3)
	}
	return md
}

func (m unitMaker) stringMap(n int) object {
	o := object{}
	for range m.IntN(n + 1) {
		o[pickOne(m, "app", "tier", "team", "x.y/z", "t~1")] = m.word()
	}
	return o
}

func (m unitMaker) word() string { return pickOne(m, "a", "b", "c", "true", "1", "on", "") }

func (m unitMaker) scalar() any { return pickOne[any](m, "a", "b", 1, 2, true, nil, 1.5, "1") }

func (m unitMaker) deployment(name string) object {
	spec := object{"containers": m.containers()}
	if m.oneIn(3) {
		spec["volumes"] = m.keyed(func(n string) object { return object{"name": n, "emptyDir": object{}} })
	}
	if m.oneIn(4) {
		spec["strategies"] = m.tree(2)
	}
	return object{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": m.metadata(name),
		"spec": object{"replicas": m.IntN(4), "template": object{"spec": spec}},
	}
}

func (m unitMaker) containers() []any {
	return m.keyed(func(name string) object {
		c := object{"name": name, "image": "i:" + m.word()}
		if m.oneIn(2) {
			c["args"] = m.words()
		}
		if m.oneIn(2) {
			c["env"] = m.keyed(func(n string) object { return object{"name": n, "value": m.word()} })
		}
		if m.oneIn(3) {
			c["ports"] = m.ports("containerPort")
		}
		if m.oneIn(3) {
			c["resources"] = pickOne(m, object{}, object{"limits": object{"cpu": m.word()}})
		}
		return c
	})
}

// keyed is a list of elements with different names.
func (m unitMaker) keyed(element func(name string) object) []any {
	names := []string{"app", "proxy", "init", "log", "side"}
	m.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	list := []any{}
	for _, name := range names[:m.IntN(4)] {
		list = append(list, element(name))
	}
	return list
}

func (m unitMaker) ports(key string) []any {
	list := []any{}
	seen := map[string]bool{}
	for range m.IntN(4) {
		p := object{key: pickOne(m, 53, 80, 443)}
		if m.oneIn(2) {
			p["protocol"] = pickOne(m, "TCP", "UDP")
		}
		protocol := p["protocol"]
		if protocol == nil {
			protocol = "TCP"
		}
		if id := fmt.Sprint(p[key], protocol); !seen[id] {
			seen[id] = true
			list = append(list, p)
		}
		if m.oneIn(2) {
			p["name"] = m.word()
		}
	}
	return list
}

func (m unitMaker) words() []any {
	list := []any{}
	for range m.IntN(5) {
		list = append(list, pickOne(m, "--a", "--b", "--c", "--d=1", "--d=2"))
	}
	return list
}

func (m unitMaker) service(name string) object {
	return object{"apiVersion": "v1", "kind": "Service", "metadata": m.metadata(name), "spec": object{"ports": m.ports("port")}}
}

// route has lists without merge keys in each other.
func (m unitMaker) route(name string) object {
	list := []any{}
	for range m.IntN(4) {
		services := []any{}
		for range m.IntN(3) {
			services = append(services, object{"name": m.word(), "weight": m.IntN(3)})
		}
		list = append(list, object{"match": "Host(" + m.word() + ")", "services": services})
	}
	return object{"apiVersion": "traefik.io/v1alpha1", "kind": "IngressRoute", "metadata": m.metadata(name), "spec": object{"routes": list}}
}

// tree is any value.
func (m unitMaker) tree(depth int) any {
	switch n := m.IntN(5); {
	case depth == 0 || n < 2:
		return m.scalar()
	case n < 4:
		o := object{}
		for range m.IntN(3) {
			o[pickOne(m, "k", "l", "m", "n.o")] = m.tree(depth - 1)
		}
		return o
	}
	list := []any{}
	for range m.IntN(3) {
		list = append(list, m.tree(depth-1))
	}
	return list
}

// variant changes some places of a unit.
func (m unitMaker) variant(docs []object, edits int) []object {
	out := clone(any(docs)).([]object)
	for range edits {
		switch m.IntN(12) {
		case 0:
			if len(out) > 1 {
				out = slices.Delete(out, 1, 2)
			}
		case 1:
			if !slices.ContainsFunc(out, func(o object) bool { return o["kind"] == "Service" }) {
				out = append(out, m.service("web"))
			}
		case 2:
			out[m.IntN(len(out))]["metadata"].(object)["namespace"] = pickOne(m, "dev", "shop", "prod")
		default:
			m.edit(out[m.IntN(len(out))])
		}
	}
	return out
}

func clone(v any) any {
	switch v := v.(type) {
	case []object:
		c := make([]object, len(v))
		for i := range v {
			c[i] = clone(v[i]).(object)
		}
		return c
	case object:
		c := object{}
		for k := range v {
			c[k] = clone(v[k])
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i := range v {
			c[i] = clone(v[i])
		}
		return c
	}
	return v
}

// wilder also changes what the reference model knows nothing about: names of resources and of containers, texts of several lines.
func (m unitMaker) wilder(docs []object) []object {
	out := m.variant(docs, m.IntN(4))
	for range 1 + m.IntN(2) {
		doc := out[m.IntN(len(out))]
		switch m.IntN(4) {
		case 0:
			doc["metadata"].(object)["name"] = pickOne(m, "web", "api", "settings", "front")
		case 1:
			if doc["kind"] == "ConfigMap" {
				doc["data"] = object{"text": m.text()}
			}
		default:
			spec, _ := doc["spec"].(object)
			template, _ := spec["template"].(object)
			spec, _ = template["spec"].(object)
			list, _ := spec["containers"].([]any)
			if len(list) == 0 {
				continue
			}
			used := map[any]bool{}
			for _, c := range list {
				used[c.(object)["name"]] = true
			}
			if name := pickOne(m, "main", "app", "worker"); !used[name] {
				list[m.IntN(len(list))].(object)["name"] = name
			}
		}
	}
	return out
}

// text has several lines that differ little from those of other texts.
func (m unitMaker) text() string {
	var b strings.Builder
	for i := range 6 {
		if m.oneIn(4) {
			b.WriteString(m.word())
		}
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// edit changes one place of a resource, but not what identifies it or its elements.
func (m unitMaker) edit(doc object) {
	var places []func()
	var walk func(v any, set func(any))
	walk = func(v any, set func(any)) {
		switch v := v.(type) {
		case object:
			places = append(places, func() { v[pickOne(m, "k", "l", "app", "replicas")] = m.tree(1) })
			for _, k := range slices.Sorted(maps.Keys(v)) {
				if k == "apiVersion" || k == "kind" || k == "metadata" || k == "name" || k == "containerPort" || k == "port" || k == "protocol" {
					continue
				}
				walk(v[k], func(x any) { v[k] = x })
				places = append(places, func() { delete(v, k) })
			}
		case []any:
			for i := range v {
				walk(v[i], func(x any) { v[i] = x })
			}
			if len(v) > 0 {
				places = append(places, func() { i := m.IntN(len(v)); set(slices.Delete(slices.Clone(v), i, i+1)) })
				places = append(places, func() {
					c := slices.Clone(v)
					m.Shuffle(len(c), func(i, j int) { c[i], c[j] = c[j], c[i] })
					set(c)
				})
				if _, isObject := v[0].(object); !isObject {
					places = append(places, func() { set(slices.Insert(slices.Clone(v), m.IntN(len(v)+1), any("--"+m.word()))) })
				} else {
					places = append(places, func() {
						e, ok := clone(v[m.IntN(len(v))]).(object)
						if !ok {
							return
						}
						if _, named := e["name"]; named {
							e["name"] = pickOne(m, "new", "other")
						}
						for _, key := range []string{"containerPort", "port"} {
							if _, has := e[key]; has {
								e[key] = 1000 + m.IntN(3)
							}
						}
						set(slices.Insert(slices.Clone(v), m.IntN(len(v)+1), any(e)))
					})
				}
			}
		default:
			places = append(places, func() { set(m.scalar()) }, func() { set(m.word()) })
		}
	}
	for _, k := range slices.Sorted(maps.Keys(doc)) {
		if k != "apiVersion" && k != "kind" && k != "metadata" {
			walk(doc[k], func(x any) { doc[k] = x })
		}
	}
	if labels, ok := doc["metadata"].(object)["labels"].(object); ok {
		walk(labels, func(any) {})
	}
	if len(places) > 0 {
		places[m.IntN(len(places))]()
	}
}

func unitText(t testing.TB, docs []object) string {
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

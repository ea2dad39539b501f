package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// manifest is a resource generated from its schema or found in a file, unchanged or with one
// change.
type manifest struct {
	text   string
	change string
}

// each is the number of changed manifests of each kind.
const each = 20

// manifests generates valid resources of all kinds, and changes them. The result is the same on
// every run.
func manifests(definitions map[string]*schema) []manifest {
	g := generator{definitions: definitions, random: rand.New(rand.NewPCG(1, 2))}
	var all []manifest
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		for _, k := range definitions[name].Kinds {
			make := func() *node {
				n := g.value(&schema{Ref: name}, 0)
				n.set("apiVersion", strings.TrimPrefix(k.Group+"/"+k.Version, "/"))
				n.set("kind", k.Kind)
				m := n.entry("metadata")
				if m == nil {
					m = g.value(&schema{Ref: "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}, 1)
					m.key = "metadata"
					n.entries = append(n.entries, m)
				}
				m.fixed = true // without a name fctl does not count it as a resource
				m.set("name", "some-name")
				return n
			}
			if strings.HasSuffix(k.Kind, "List") {
				continue // a list is not a resource, and not validated as a whole
			}
			for range 3 {
				all = append(all, manifest{text: make().text() + "\n", change: k.Kind + ": none"})
			}
			for range each {
				n := make()
				m := g.change(n)
				m.text = n.text() + "\n"
				m.change = k.Kind + ": " + m.change
				all = append(all, m)
			}
		}
	}
	return all
}

// node is a value to be written: a map, a list or the text of a scalar.
type node struct {
	schema   *schema // without $ref
	required bool    // by the schema of its parent
	key      string
	entries  []*node
	list     []*node
	scalar   string
	fixed    bool // identifies the resource, so it is never changed
}

func (n *node) entry(key string) *node {
	for _, e := range n.entries {
		if e.key == key {
			return e
		}
	}
	return nil
}

func (n *node) set(key, value string) {
	e := n.entry(key)
	if e == nil {
		e = &node{key: key, schema: &schema{Type: "string"}}
		n.entries = append(n.entries, e)
	}
	e.scalar, e.fixed = strconv.Quote(value), true
}

// text returns the value in flow style.
func (n *node) text() string {
	var parts []string
	switch {
	case n.entries != nil:
		for _, e := range n.entries {
			parts = append(parts, strconv.Quote(e.key)+": "+e.text())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case n.list != nil:
		for _, e := range n.list {
			parts = append(parts, e.text())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return n.scalar
}

// generator generates values of schemas.
type generator struct {
	definitions map[string]*schema
	random      *rand.Rand
}

func (g *generator) pick(values ...string) string { return values[g.random.IntN(len(values))] }

func (g *generator) value(s *schema, depth int) *node {
	for s.Ref != "" {
		s = g.definitions[s.Ref]
	}
	n := &node{schema: s}
	switch {
	case len(s.Enum) > 0:
		n.scalar = strconv.Quote(g.pick(s.Enum...))
	case s.Format == "int-or-string":
		n.scalar = g.pick("80", `"http"`)
	case s.Format == "quantity":
		n.scalar = g.pick(`"100m"`, "2", `"1.5Gi"`, "0.5")
	case s.Format == "date-time":
		n.scalar = g.pick(`"2026-01-31T12:00:00Z"`, `"2026-01-31T12:00:00.123456+01:00"`)
	case s.Format == "byte":
		n.scalar = `"c29tZQ=="`
	case s.Properties != nil:
		g.object(n, depth)
	case s.Items != nil:
		n.list = []*node{}
		for range g.random.IntN(3) {
			if depth < 8 {
				n.list = append(n.list, g.value(s.Items, depth+1))
			}
		}
	case s.AdditionalProperties != nil:
		n.entries = []*node{}
		for i := range g.random.IntN(3) {
			e := g.value(s.AdditionalProperties, depth+1)
			e.key = "key-" + strconv.Itoa(i)
			n.entries = append(n.entries, e)
		}
	default:
		n.scalar = map[any]string{
			"integer": "3", "number": "0.5", "boolean": "true",
			"string": `"some text"`, "object": "{}",
		}[s.Type]
		if n.scalar == "" {
			n.scalar = "{}"
		}
	}
	return n
}

func (g *generator) object(n *node, depth int) {
	n.entries = []*node{}
	for _, name := range slices.Sorted(maps.Keys(n.schema.Properties)) {
		required := slices.Contains(n.schema.Required, name)
		if !required && (depth > 6 || g.random.IntN(5) > 1) {
			continue
		}
		e := g.value(n.schema.Properties[name], depth+1)
		e.key, e.required = name, required
		n.entries = append(n.entries, e)
	}
}

// change changes a value somewhere below n and describes the change.
func (g *generator) change(n *node) manifest {
	var nodes []*node
	var collect func(*node)
	collect = func(n *node) {
		for _, e := range slices.Concat(n.entries, n.list) {
			if !e.fixed {
				nodes = append(nodes, e)
			}
			collect(e)
		}
	}
	collect(n)
	for range 100 {
		if len(nodes) == 0 {
			break
		}
		at := nodes[g.random.IntN(len(nodes))]
		if m, ok := g.changed(at); ok {
			m.change = at.key + ": " + m.change
			return m
		}
	}
	n.entries = append(n.entries, &node{key: "unknownField", scalar: "1"})
	return manifest{change: "unknown field at the top"}
}

// changed makes one of several kinds of changes to a value. It reports false if that kind is not
// possible there.
func (g *generator) changed(n *node) (manifest, bool) {
	s := n.schema
	to := func(scalar, change string) (manifest, bool) {
		n.entries, n.list, n.scalar = nil, nil, scalar
		return manifest{change: fmt.Sprintf("%s %s", change, scalar)}, true
	}
	isString := s.Type == "string" && s.Format == ""
	switch g.random.IntN(20) {
	case 0, 1:
		if s.Properties != nil {
			n.entries = append(n.entries,
				&node{key: g.pick("unknown", "Name", "replica", "x-y"), scalar: "1"})
			return manifest{change: "unknown field"}, true
		}
	case 2, 3:
		for i, e := range n.entries {
			if e.required {
				n.entries = slices.Delete(n.entries, i, i+1)
				return manifest{change: "no " + e.key}, true
			}
		}
	case 4:
		if isString && len(s.Enum) == 0 {
			return to(g.pick("5", "true", "1.5", "{}", "[]", "yes", "Off", "0x1F"), "not a string")
		}
	case 5:
		if s.Type == "integer" {
			return to(g.pick(`"3"`, "true", "1.5", "{}", "text", "on"), "not an integer")
		}
	case 6:
		if s.Type == "boolean" {
			return to(g.pick(`"true"`, "1", "{}", "text"), "not a boolean")
		}
	case 7:
		if s.Type == "boolean" {
			return to(g.pick("yes", "off", "True", "FALSE"), "a boolean")
		}
	case 8:
		if s.Type == "integer" {
			return to(g.pick("0755", "1_000", "0x1F", "+3", "0o17"), "an integer")
		}
	case 9:
		if s.Type == "integer" && s.Format == "int32" {
			return to("3000000000", "too large")
		}
	case 10:
		if s.Type == "integer" {
			return to(g.pick("3.0", "1e2"), "a float that is whole")
		}
	case 11:
		return to("null", "nothing at")
	case 12:
		if s.Properties != nil || s.Items != nil || s.AdditionalProperties != nil ||
			s.Type == "object" {
			return to(g.pick("5", `"text"`, "true"), "a scalar for a collection")
		}
	case 13:
		if s.Items != nil {
			return to("{a: 1}", "a map for a list")
		}
		if s.Properties != nil || s.AdditionalProperties != nil {
			return to("[a]", "a list for a map")
		}
	case 14:
		if len(n.entries) > 0 && n.entries[0].scalar != "" {
			n.entries = append(n.entries, n.entries[0])
			return manifest{change: "a key twice"}, true
		}
	case 15:
		if len(s.Enum) > 0 {
			return to(`"Nonsense"`, "no such value")
		}
	case 16:
		if s.Format == "quantity" {
			return to(g.pick(`"1GiB"`, `"abc"`, `""`, `"1 Gi"`), "no quantity")
		}
	case 17:
		if s.Format == "quantity" {
			return to(g.pick("true", "{}", "1e3", `"1e3"`, `"+5"`, `".5"`), "perhaps a quantity")
		}
	case 18:
		switch s.Format {
		case "date-time":
			return to(g.pick(`"yesterday"`, `"2026-13-01T00:00:00Z"`, "2026-01-31",
				`"2026-01-31 12:00:00"`), "no time")
		case "byte":
			return to(`"not base64!"`, "not base64")
		}
	case 19:
		if s.Format == "int-or-string" {
			return to(g.pick("1.5", "true", "{}", "[]"), "neither integer nor string")
		}
	}
	return manifest{}, false
}

package jsonschema

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// noBase is the base URI of schemas without a URI, as relative references need one.
const noBase = "schema:///"

// schemaResource is a schema with a URI of its own, which is the base of the references inside it.
type schemaResource struct {
	compiler *Compiler
	name     string // for messages
	uri      *url.URL
	root     gaby.Value
	dialect  Dialect
	open     bool // Structural: schemas in it do not define which fields exist

	anchors   map[string]gaby.Value
	dynamic   map[string]*referredSchema // dynamic anchors
	recursive *referredSchema            // the root, if it has $recursiveAnchor
	loose     *schemaResource            // the result of valuesOnly
}

// valuesOnly returns the resource for schemas that only restrict values, without defining
// which fields exist.
func (r *schemaResource) valuesOnly() *schemaResource {
	if r.loose == nil {
		loose := *r
		loose.open = true
		loose.loose = &loose
		r.loose = &loose
	}
	return r.loose
}

// add creates the resource of a schema and those of all schemas with a URI inside it.
func (c *Compiler) add(uri string, v gaby.Value) *schemaResource {
	in := &schemaResource{name: uri, root: v, dialect: c.options.Dialect, compiler: c}
	c.setDialect(in)
	if in.dialect.isKubernetes() {
		return in
	}
	base, err := url.Parse(uri)
	if err != nil || uri == "" {
		base, _ = url.Parse(noBase)
	}
	in.uri = base
	c.resources[withoutFragment(base)] = in
	c.scan(v, in, true)
	return in
}

func (c *Compiler) setDialect(in *schemaResource) {
	if c.options.Dialect.isKubernetes() {
		return
	}
	if v := in.root.Get("$schema"); v.Exists() {
		d, ok := dialectNamed(v.Text())
		if !ok {
			c.fail(in, v, "$schema: %s is not a supported draft; supported are %s", describe(v),
				names())
			return
		}
		in.dialect = d
	}
}

func withoutFragment(u *url.URL) string {
	plain := *u
	plain.Fragment, plain.RawFragment = "", ""
	return plain.String()
}

// scan finds the schemas with URIs and the anchors at v and below.
func (c *Compiler) scan(v gaby.Value, in *schemaResource, root bool) {
	if v.Kind() != gaby.Map {
		return
	}
	if id := v.Get("$id"); typeOf(id) == stringType &&
		(!in.dialect.refAlone() || !v.Get("$ref").Exists()) {
		in = c.identified(id, v, in, root)
	}
	if in.dialect.atLeast(Draft2019) {
		c.anchor(v.Get("$anchor"), v, in)
		if v.Get("$recursiveAnchor").Data() == true {
			in.recursive = c.targetOf(in.uri.String(), in, v)
		}
	}
	if in.dialect.atLeast(Draft2020) {
		if name := v.Get("$dynamicAnchor"); name.Exists() {
			c.anchor(name, v, in)
			if in.dynamic == nil {
				in.dynamic = map[string]*referredSchema{}
			}
			in.dynamic[name.Text()] = c.targetOf(withoutFragment(in.uri)+"#"+name.Text(), in, name)
		}
	}
	one, several, byName := in.dialect.subschemas()
	for _, keyword := range one {
		c.scan(v.Get(keyword), in, false)
	}
	for _, keyword := range several {
		if all := v.Get(keyword); all.Kind() == gaby.List {
			for _, e := range all.All() {
				c.scan(e, in, false)
			}
		}
	}
	for _, keyword := range byName {
		if all := v.Get(keyword); all.Kind() == gaby.Map {
			for _, e := range all.All() {
				c.scan(e, in, false)
			}
		}
	}
}

// identified returns the resource of a schema with a URI.
func (c *Compiler) identified(id, v gaby.Value, in *schemaResource, root bool) *schemaResource {
	u, err := in.uri.Parse(id.Text())
	if err != nil {
		c.fail(in, id, "$id: %s is not a URI", describe(id))
		return in
	}
	if u.Fragment != "" && withoutFragment(u) == withoutFragment(in.uri) {
		// before 2019 this was how anchors were written
		if in.anchors == nil {
			in.anchors = map[string]gaby.Value{}
		}
		in.anchors[u.Fragment] = v
		return in
	}
	own := in
	if !root {
		own = &schemaResource{name: u.String(), root: v, dialect: in.dialect, compiler: c}
		c.setDialect(own)
		c.roots[v] = own
	}
	own.uri = u
	if key := withoutFragment(u); c.resources[key] == nil {
		c.resources[key] = own
	}
	return own
}

func (c *Compiler) anchor(name, v gaby.Value, in *schemaResource) {
	if !name.Exists() {
		return
	}
	if in.anchors == nil {
		in.anchors = map[string]gaby.Value{}
	}
	in.anchors[strings.Clone(name.Text())] = v
}

// reference is a reference to a schema.
type reference struct {
	target    *referredSchema
	anchor    string // of $dynamicRef
	recursive bool   // of $recursiveRef
}

// referredSchema is a schema that is referred to.
type referredSchema struct {
	compiler *Compiler
	uri      string
	from     *schemaResource
	at       gaby.Value

	once   sync.Once
	schema *Schema
	err    error
}

// references compiles the keywords that refer to other schemas.
func (k keywords) references() []*reference {
	var all []*reference
	add := func(keyword string, of Dialect) *reference {
		v := k.get(keyword)
		if !v.Exists() || !k.in.dialect.atLeast(of) {
			return nil
		}
		if typeOf(v) != stringType {
			k.fail(v, "%s is a string, not %s", keyword, describe(v))
			return nil
		}
		uri := v.Text()
		if !k.in.dialect.isKubernetes() {
			u, err := k.in.uri.Parse(uri)
			if err != nil {
				k.fail(v, "%s: %s is not a URI", keyword, describe(v))
				return nil
			}
			uri = u.String()
		}
		r := &reference{target: k.targetOf(uri, k.in, v)}
		all = append(all, r)
		return r
	}
	add("$ref", Structural)
	if r := add("$recursiveRef", Draft2019); r != nil {
		r.recursive = true
	}
	if r := add("$dynamicRef", Draft2020); r != nil {
		if _, anchor, ok := strings.Cut(r.target.uri, "#"); ok && !strings.HasPrefix(anchor, "/") {
			r.anchor = anchor
		}
	}
	return all
}

// targetOf returns the target with a URI. All references to the URI share it.
func (c *Compiler) targetOf(uri string, from *schemaResource, at gaby.Value) *referredSchema {
	t := c.targets[uri]
	if t == nil {
		t = &referredSchema{compiler: c, uri: strings.Clone(uri), from: from, at: at}
		c.targets[t.uri] = t
		if !c.options.Lazy {
			c.pending = append(c.pending, t)
		}
	}
	return t
}

// follow compiles the pending targets, and those that they refer to.
func (c *Compiler) follow() {
	for len(c.pending) > 0 {
		t := c.pending[0]
		c.pending = c.pending[1:]
		t.once.Do(func() { c.resolve(t) })
	}
}

// resolved returns the target's schema, and compiles it if necessary.
func (t *referredSchema) resolved() (*Schema, error) {
	t.once.Do(func() {
		t.compiler.mu.Lock()
		defer t.compiler.mu.Unlock()
		t.compiler.resolve(t)
		if !t.compiler.options.Lazy {
			t.compiler.follow()
		}
		t.err = t.compiler.taken()
	})
	return t.schema, t.err
}

// resolve finds and compiles a target. If that fails the target gets a schema that
// accepts everything.
func (c *Compiler) resolve(t *referredSchema) {
	v, in, err := c.find(t)
	if err != nil {
		e := &SchemaError{
			URI: t.from.name, Pos: t.at.Position(),
			Msg: fmt.Sprintf("it refers to %s, %v", strings.TrimPrefix(t.uri, noBase), err),
			Err: err,
		}
		switch base, _, _ := strings.Cut(t.uri, "#"); {
		case !errors.Is(err, errMissing) || c.resources[base] != nil ||
			t.from.dialect.isKubernetes():
		case c.options.Load == nil:
			e.Hint = "no other schema is read: put it below $defs of this one"
		case strings.HasPrefix(t.uri, "http"):
			e.Hint = "nothing is fetched: put a file with this $id beside the others"
		}
		c.problems = append(c.problems, e)
		t.schema = &Schema{resource: t.from}
		return
	}
	t.schema = c.schema(v, in)
}

var errMissing = errors.New("which is not there")

// find returns the value of a target and the resource that contains it.
func (c *Compiler) find(t *referredSchema) (gaby.Value, *schemaResource, error) {
	if t.from.dialect.isKubernetes() {
		v, err := c.load(t.uri)
		if err != nil {
			return gaby.Value{}, nil, err
		}
		return v, c.add(t.uri, v), nil
	}
	u, err := url.Parse(t.uri)
	if err != nil {
		return gaby.Value{}, nil, err
	}
	base := withoutFragment(u)
	in := c.resources[base]
	if in == nil {
		v, err := c.load(base)
		if err != nil {
			return gaby.Value{}, nil, err
		}
		in = c.add(base, v)
	}
	if u.Fragment == "" || strings.HasPrefix(u.Fragment, "/") {
		return c.pointed(in, u.Fragment)
	}
	if v := in.anchors[u.Fragment]; v.Exists() {
		return v, in, nil
	}
	return gaby.Value{}, nil, errMissing
}

func (c *Compiler) load(uri string) (gaby.Value, error) {
	if c.options.Load == nil {
		return gaby.Value{}, errMissing
	}
	v, err := c.options.Load(uri)
	if err == nil && !v.Exists() {
		err = errMissing
	}
	return v, err
}

// pointed follows a JSON pointer.
func (c *Compiler) pointed(in *schemaResource, pointer string) (gaby.Value, *schemaResource,
	error,
) {
	v := in.root
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		token = unescape.Replace(token)
		if v.Kind() == gaby.List {
			v = v.Index(index(token))
		} else {
			v = v.Get(token)
		}
		if !v.Exists() {
			return gaby.Value{}, nil, errMissing
		}
		if own := c.roots[v]; own != nil {
			in = own
		}
	}
	return v, in, nil
}

// index returns the index of an element, or -1 if token is not an index.
func index(token string) int {
	n := 0
	for _, c := range []byte(token) {
		if c < '0' || c > '9' || n > 1<<30 {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	if token == "" || len(token) > 1 && token[0] == '0' {
		return -1
	}
	return n
}

// check checks a value with the referenced schema. That of a dynamic reference depends on the
// schemas on the way to it.
func (r *reference) check(c *checkState, v gaby.Value, ev *evaluated) bool {
	s, err := r.target.resolved()
	if err != nil {
		c.err = err
		return true
	}
	if r.anchor != "" || r.recursive {
		c.spend(len(c.scope) / 8)
	}
	if outer := r.outermost(s.resource, c.scope); outer != nil && outer != r.target {
		if s, err = outer.resolved(); err != nil {
			c.err = err
			return true
		}
	}
	return s.check(c, v, ev)
}

// outermost returns the target of a dynamic reference: that of the outermost schema in scope
// that has one. It is nil for other references, and if the referenced schema has no dynamic
// anchor of the name.
func (r *reference) outermost(found *schemaResource, scope []*schemaResource) *referredSchema {
	switch {
	case r.anchor != "" && found.dynamic[r.anchor] != nil:
		for _, res := range scope {
			if t := res.dynamic[r.anchor]; t != nil {
				return t
			}
		}
	case r.recursive && found.recursive != nil:
		for _, res := range scope {
			if res.recursive != nil {
				return res.recursive
			}
		}
	}
	return nil
}

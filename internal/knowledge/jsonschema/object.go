package jsonschema

import (
	"maps"
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// objectRules holds the keywords for objects.
type objectRules struct {
	properties   map[string]*Schema
	patterns     []patternProperties
	additional   *Schema // of all other properties; nil if they are not checked
	closed       bool    // other properties are errors, reported as unknown fields
	nullIsNone   bool    // a property that is null counts as missing
	required     []string
	defaulted    []string // the properties with defaults
	least, most  int      // most is -1 if there is no maximum
	names        *Schema
	dependencies []dependency
}

type patternProperties struct {
	pattern countedPattern
	schema  *Schema
}

// dependency is a requirement that applies if a property is present.
type dependency struct {
	property string
	required []string
	schema   *Schema
	keyword  string
}

// objectRules compiles the keywords for objects. It returns nil if there are none, except for
// objects of the dialect Structural, whose unknown fields are errors.
func (k keywords) objectRules() *objectRules {
	if !k.has("properties", "patternProperties", "additionalProperties", "required",
		"minProperties", "maxProperties", "propertyNames",
		"dependencies", "dependentRequired", "dependentSchemas") &&
		(k.in.dialect != Structural || k.in.open || !k.get("type").EqualText("object")) {
		return nil
	}
	r := &objectRules{
		properties: k.byName("properties"), least: k.count("minProperties", 0),
		most:       k.count("maxProperties", -1),
		additional: k.one("additionalProperties"),
	}
	if k.get("required").Kind() != gaby.Scalar {
		r.required = k.strings("required")
	} else { // before draft 4 required was a boolean of the property itself
		k.fail(k.get("required"), "required is a list of strings, not %s",
			describe(k.get("required")))
	}
	if k.in.dialect.isKubernetes() {
		r.closed, r.nullIsNone, r.defaulted = k.isClosed(r), k.in.dialect == OpenAPI,
			defaultedBy(r.properties)
		return r
	}
	patterns := k.get("patternProperties")
	schemas := k.byName("patternProperties")
	for e := patterns.First(); e.Exists(); e = e.Next() {
		if re := k.pattern(e.Key(), e, "patternProperties"); re.Regexp != nil {
			r.patterns = append(r.patterns, patternProperties{re, schemas[e.Key()]})
		}
	}
	r.names = k.one("propertyNames")
	k.dependencies(r)
	return r
}

// dependencies compiles dependencies and its successors dependentRequired and dependentSchemas.
func (k keywords) dependencies(r *objectRules) {
	for _, keyword := range []string{"dependencies", "dependentRequired", "dependentSchemas"} {
		v := k.get(keyword)
		if !v.Exists() || keyword != "dependencies" && !k.in.dialect.atLeast(Draft2019) {
			continue
		}
		if v.Kind() != gaby.Map {
			k.fail(v, "%s is a map, not %s", keyword, describe(v))
			continue
		}
		for e := v.First(); e.Exists(); e = e.Next() {
			d := dependency{property: e.Key(), keyword: keyword}
			if keyword == "dependentRequired" ||
				keyword == "dependencies" && e.Kind() == gaby.List {
				d.required = k.stringsOf(e, keyword)
			} else {
				d.schema = k.schema(e)
			}
			r.dependencies = append(r.dependencies, d)
		}
	}
}

// check checks each property, then the keywords for the object as a whole. A quiet check stops at
// the first problem.
func (r *objectRules) check(c *checkState, v gaby.Value, ev *evaluated) bool {
	valid, n := true, 0
	c.objects = append(c.objects, objectAt{r, len(c.path)})
	for e := v.First(); e.Exists(); e = e.Next() {
		n++
		valid = r.property(c, e, ev) && valid
		if !valid && c.quiet {
			break
		}
	}
	c.objects = c.objects[:len(c.objects)-1]
	if !valid && c.quiet {
		return false
	}
	c.spendOnLooking(len(r.required)+len(r.dependencies), n)
	for _, name := range r.required {
		if !r.isPresent(v.Get(name)) {
			valid = c.failAt(name, v.Position(), "required", "%s is required", name)
		}
	}
	if n < r.least && valid {
		valid = c.fail(v, "minProperties", "%s, at least %s", counted(n, "property", "properties"),
			needed(r.least))
	}
	if r.most >= 0 && n > r.most {
		valid = c.fail(v, "maxProperties", "%s, at most %s", counted(n, "property", "properties"),
			allowed(r.most))
	}
	for _, d := range r.dependencies {
		if v.Get(d.property).Exists() {
			c.spendOnLooking(len(d.required), n)
			valid = d.check(c, v, ev) && valid
		}
	}
	return valid
}

// spendOnLooking pays for the lookup of names in an object, which takes a linear search for some.
func (c *checkState) spendOnLooking(names, entries int) {
	c.spend((names + names*entries/4) / 4)
}

// isPresent reports whether a required property is present.
func (r *objectRules) isPresent(v gaby.Value) bool {
	return v.Exists() && (!r.nullIsNone || typeOf(v) != nullType)
}

// property checks one property.
func (r *objectRules) property(c *checkState, e gaby.Value, ev *evaluated) bool {
	key, valid, known := e.Key(), true, false
	where := segment{key: key, isKey: true}
	if s := r.properties[key]; s != nil {
		known = true
		valid = c.at(where, e, s)
	} else {
		c.spend(1)
	}
	for _, p := range r.patterns {
		if c.matches(p.pattern, key) {
			known = true
			valid = c.at(where, e, p.schema) && valid
		}
	}
	if !known {
		switch {
		case r.closed:
			return r.unknown(c, e, "field")
		case r.additional != nil && r.additional.rejectsAll:
			return r.unknown(c, e, "property")
		case r.additional != nil:
			known = true
			valid = c.at(where, e, r.additional)
		}
	}
	if known {
		ev.addProperty(key)
	}
	if r.properties[key] == nil {
		valid = c.keyIsName(e) && valid
	}
	if r.names != nil {
		valid = r.checkName(c, e) && valid
	}
	return valid
}

// unknown records that a property is not allowed.
func (r *objectRules) unknown(c *checkState, e gaby.Value, what string) bool {
	if c.quiet {
		return false
	}
	key := e.Key()
	c.failAt(key, e.KeyPosition(), "additionalProperties", "unknown %s %s", what, key)
	if c.spendOnHint(5*len(r.properties)) &&
		!c.suggest(key, slices.Sorted(maps.Keys(r.properties))) {
		c.suggestObject(key)
	}
	return false
}

// keyIsName checks that JSON can have the key. Numbers and booleans are read as their text.
func (c *checkState) keyIsName(e gaby.Value) bool {
	switch e.KeyTag() {
	case "!!null":
		c.failAt(e.Key(), e.KeyPosition(), "key", "expected a name as key, got null")
		c.hint("put it in quotes: %q", e.Key())
	case "!!map":
		c.failAt(e.Key(), e.KeyPosition(), "key", "expected a name as key, got an object")
	case "!!seq":
		c.failAt(e.Key(), e.KeyPosition(), "key", "expected a name as key, got a list")
	default:
		return true
	}
	return false
}

// checkName checks the name of a property. As it is not a value of the document, it is
// parsed as one first.
func (r *objectRules) checkName(c *checkState, e gaby.Value) bool {
	name, err := gaby.ParseYAML([]byte(strconv.Quote(e.Key())))
	if err != nil {
		return true // the name cannot be represented in YAML, such as half of a surrogate pair
	}
	c.spend(nameCost + len(e.Key())/4)
	inner := checkState{
		scope: c.scope, depth: c.depth, quiet: c.quiet, left: c.left, root: c.root,
		err: c.err,
	}
	valid := r.names.check(&inner, name.Value(), nil)
	c.left, c.root, c.err = inner.left, inner.root, inner.err
	if !valid && len(inner.problems) > 0 {
		c.failAt(e.Key(), e.KeyPosition(), "propertyNames", "the name is not allowed: %s",
			inner.problems[0].Message)
	}
	return valid
}

func (d *dependency) check(c *checkState, v gaby.Value, ev *evaluated) bool {
	valid := true
	for _, name := range d.required {
		if !v.Get(name).Exists() {
			valid = c.failAt(name, v.Position(), d.keyword, "%s is required when %s is present",
				name,
				d.property)
		}
	}
	if d.schema != nil {
		valid = d.schema.check(c, v, ev) && valid
	}
	return valid
}

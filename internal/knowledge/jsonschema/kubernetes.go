package jsonschema

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// extensions holds the keywords that only Kubernetes has.
type extensions struct {
	nullable     bool
	defaultValue any // the default, nil if there is none
	// defaultSize is the number of values in the default.
	defaultSize int
	isSet       bool
	mapKeys     []string // of a list: the fields that identify an element
	rules       []rule
}

// extensions compiles the keywords, and adds what they say about types and fields to s. It returns
// nil if they leave nothing else to check.
func (k keywords) extensions(v gaby.Value, s *Schema) *extensions {
	if !k.in.dialect.isKubernetes() {
		return nil
	}
	if k.flag("x-kubernetes-int-or-string") || k.get("format").EqualText("int-or-string") {
		s.types = integerType | stringType
	}
	if k.in.dialect == OpenAPI {
		return nil // the server ignores the other keywords in this dialect
	}
	if k.flag("x-kubernetes-embedded-resource") {
		k.embed(s, []string{"apiVersion", "kind"})
	}
	e := &extensions{nullable: k.flag("nullable"), rules: k.rules(v)}
	switch kind := k.get("x-kubernetes-list-type"); {
	case kind.EqualText("set"):
		e.isSet = true
	case kind.EqualText("map"):
		e.mapKeys = k.strings("x-kubernetes-list-map-keys")
	}
	if !k.in.open {
		e.defaultValue, e.defaultSize = k.get("default").Data(), size(k.get("default"))
	}
	if !e.nullable && e.defaultValue == nil && !e.isSet && e.mapKeys == nil && e.rules == nil {
		return nil
	}
	return e
}

// embed adds the fields that every resource has to the schema of a resource.
func (c *Compiler) embed(s *Schema, required []string) {
	if s.object == nil {
		s.object = &objectRules{most: -1}
	}
	o := s.object
	o.required = append(o.required, required...)
	if o.properties == nil {
		o.properties = map[string]*Schema{}
	}
	for _, name := range []string{"apiVersion", "kind"} {
		if o.properties[name] == nil {
			o.properties[name] = &Schema{resource: s.resource, types: stringType}
		}
	}
	declared := o.properties["metadata"]
	switch {
	case c.options.Metadata == nil || declared == c.options.Metadata:
	case declared == nil:
		o.properties["metadata"] = c.options.Metadata
	default:
		loose := *declared
		if declared.object != nil {
			// it may restrict names, but does not define which fields metadata has
			object := *declared.object
			object.closed, loose.object = false, &object
		}
		o.properties["metadata"] = &Schema{
			resource: s.resource,
			combined: &combination{all: []*Schema{c.options.Metadata, &loose}},
		}
	}
}

// isNullable reports whether null is allowed, and means that the value is absent.
func (s *Schema) isNullable() bool {
	return s.resource.dialect == OpenAPI || s.kubernetes != nil && s.kubernetes.nullable
}

// isClosed reports whether fields that are not described are errors.
func (k keywords) isClosed(r *objectRules) bool {
	if r.additional != nil || k.in.open {
		return false
	}
	if k.in.dialect == OpenAPI && r.properties == nil {
		return false
	}
	return !k.flag("x-kubernetes-preserve-unknown-fields")
}

// asRead returns the type that a value of type t has for tools that read YAML 1.1, as those of
// Kubernetes do: yes, no, on and off are booleans.
func (s *Schema) asRead(v gaby.Value, t types) types {
	if t == stringType && IsTruthWord(v) {
		return booleanType
	}
	return t
}

// IsTruthWord reports whether a value is a word that YAML 1.1 reads as a boolean and
// YAML 1.2 as a string.
func IsTruthWord(v gaby.Value) bool {
	text := v.Text()
	if len(text) == 0 || len(text) > 3 {
		return false
	}
	switch text {
	case "y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "n", "N", "no", "No", "NO", "off", "Off",
		"OFF":
		return v.YAML() == text // neither quotes nor a tag
	}
	return false
}

// Truth returns the boolean that YAML 1.1 reads a word as.
func Truth(word string) bool {
	switch strings.ToLower(word) {
	case "y", "yes", "on":
		return true
	}
	return false
}

// check checks the keywords. Rules apply to values that are valid otherwise; they are only
// collected here, and checked after everything else.
func (e *extensions) check(c *checkState, v gaby.Value, t types, valid bool) bool {
	if t == arrayType && (e.isSet || e.mapKeys != nil) {
		valid = e.checkList(c, v) && valid
	}
	if valid && e.rules != nil && !c.quiet {
		c.ruled = append(c.ruled, ruled{e.rules, v, slices.Clone(c.path)})
	}
	return valid
}

// checkList checks that no two elements of a list are equal, or have equal map keys.
func (e *extensions) checkList(c *checkState, v gaby.Value) bool {
	valid, n := true, 0
	seen := map[string]int{}
	for _, item := range v.All() {
		var canonical []byte
		if e.isSet {
			canonical = append(canonical, c.canonical(item)...)
		}
		for _, key := range e.mapKeys {
			canonical = append(canonical, ',')
			if value := item.Get(key); value.Exists() {
				canonical = append(canonical, c.canonical(value)...)
			}
		}
		first, again := seen[string(canonical)]
		switch {
		case !again:
			seen[string(canonical)] = n
		case e.isSet:
			valid = c.unique(seen, string(canonical), n, item, "x-kubernetes-list-type")
		default:
			c.path = append(c.path, segment{index: n})
			valid = c.fail(item, "x-kubernetes-list-map-keys", "element %d has the same %s", first,
				list(e.mapKeys, "and"))
			c.path = c.path[:len(c.path)-1]
		}
		n++
	}
	return valid
}

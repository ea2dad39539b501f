package yamlkit

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Match is a place a path resolves to. It is reused: what is kept beyond the call must be copied.
type Match struct {
	// Segments are the keys and indexes of the place.
	Segments []string
	// Value is what is there; it does not exist when the place is missing.
	Value gaby.Value
	// Arguments are the values bound by parameters of the path.
	Arguments []api.FunctionArgument

	passed []gaby.Value // what is at the places of the first segments, as far as there is something
}

// ResolveOptions say what is wanted beyond what exists.
type ResolveOptions struct {
	// Upsert yields places that do not exist but could be created.
	Upsert bool
	// Accessor looks into list elements that are scalars.
	Accessor EmbeddedAccessor
	// Constraint says for each segment, as far as it goes, which child alone is followed: by its key or index, or by a lookup.
	Constraint *Path
	// NoArguments leaves Match.Arguments empty, which is cheaper.
	NoArguments bool
}

// NotAMapError tells that a path leads through a value that has no children.
type NotAMapError struct {
	Segments []string
	Value    gaby.Value
	// Hint is how a key is written that has dots and begins with the last segment, if there is one.
	Hint string
}

func (e *NotAMapError) Error() string {
	return fmt.Sprintf("value %s at path %s cannot be converted to map", describe(e.Value), JoinPathSegments(e.Segments))
}

// KeyWithDotsError tells that a path, of which more is missing, would create maps beside the one key that it seems to mean.
type KeyWithDotsError struct {
	Segments []string // the place of the key
	Value    gaby.Value
}

func (e *KeyWithDotsError) Error() string {
	return fmt.Sprintf("there is a key %q, whose dots belong to it", e.Segments[len(e.Segments)-1])
}

// Resolve yields the places of a document that a path leads to, in document order. It stops at the first error of yield.
// Places that differ only in what they are called (an alias and its anchor) are different places.
func (p *Path) Resolve(root gaby.Value, options ResolveOptions, yield func(*Match) error) error {
	r := resolver{path: p, options: options, yield: yield}
	return r.run(root)
}

// run starts at the root.
func (r *resolver) run(root gaby.Value) error { return r.runBelow(root, nil, nil) }

// runBelow starts below the first segments, which are plain keys and lead through the values passed. What the match has space for is
// used again.
func (r *resolver) runBelow(root gaby.Value, segments []string, passed []gaby.Value) error {
	r.root = root
	if n := len(r.path.segments); cap(r.match.passed) < n {
		r.match.Segments, r.match.passed = make([]string, 0, n), make([]gaby.Value, 0, n)
	}
	n, from := len(passed), root
	if n > 0 {
		from = passed[n-1]
	}
	r.match.Segments, r.match.passed = append(r.match.Segments[:0], segments[:n]...), append(r.match.passed[:0], passed...)
	r.match.Arguments = r.match.Arguments[:0]
	return r.walk(n, from, true)
}

func writtenAs(key string) string {
	return fmt.Sprintf("the key %q is written %s", key, EscapeDotsInPathSegment(key))
}

// keyWithDots is the key of a map that begins with one and goes on with what follows it in the path, if there is one.
func keyWithDots(m gaby.Value, key string, rest []segment) (string, gaby.Value) {
	for _, s := range rest {
		if s.kind != plainSegment {
			break
		}
		key += "." + s.key
		if v := m.Get(key); v.Exists() {
			return key, v
		}
	}
	return "", gaby.Value{}
}

type resolver struct {
	root    gaby.Value
	path    *Path
	options ResolveOptions
	yield   func(*Match) error
	match   Match
}

// walk resolves the segments from i on below v. exact is true as long as no wildcard was passed.
func (r *resolver) walk(i int, v gaby.Value, exact bool) error {
	if i == len(r.path.segments) {
		r.match.Value = v
		return r.yield(&r.match)
	}
	s := &r.path.segments[i]
	kind := v.Kind()
	if c := r.options.Constraint; c != nil && i < len(c.segments) {
		if c := &c.segments[i]; c.kind == plainSegment || c.kind == lookupSegment || c.kind == literalSegment {
			return r.constrained(i, s, c, v, kind, exact)
		}
	}
	switch s.kind {
	case plainSegment, literalSegment:
		return r.child(i, s, v, kind, exact)
	case lookupSegment:
		if kind == gaby.List {
			return r.lookup(i, s, v, exact)
		}
		return nil
	}
	switch kind {
	case gaby.Map:
		for c := v.First(); c.Exists(); c = c.Next() {
			if s.kind == bindSegment && !r.keyMatches(s, c) {
				continue
			}
			bound := r.bind(s, c, c.Key())
			if err := r.descend(i, c.Key(), c, false); err != nil {
				return err
			}
			r.unbind(bound)
		}
	case gaby.List:
		index := 0
		for c := v.First(); c.Exists(); c = c.Next() {
			if s.kind != bindSegment || r.keyMatches(s, c) {
				bound := s.kind == bindSegment && r.bind(s, c, "")
				if err := r.descend(i, strconv.Itoa(index), c, false); err != nil {
					return err
				}
				r.unbind(bound)
			}
			index++
		}
	}
	return nil
}

// constrained follows the one child that a constraint names, if the segment leads there, too.
func (r *resolver) constrained(i int, s, c *segment, v gaby.Value, kind gaby.Kind, exact bool) error {
	if s.kind == plainSegment || s.kind == literalSegment {
		if c.kind == lookupSegment || c.key != s.key {
			return nil
		}
		return r.child(i, s, v, kind, exact)
	}
	var child gaby.Value
	key := c.key
	switch {
	case kind == gaby.Map && c.kind != lookupSegment && s.kind != lookupSegment:
		child = v.Get(key)
	case kind == gaby.List && c.kind == plainSegment && c.index >= 0:
		child = v.Index(c.index)
	case kind == gaby.List && c.kind == lookupSegment:
		var index int
		child, index = r.find(c, v)
		key = strconv.Itoa(index)
	}
	if !child.Exists() || !r.leadsTo(s, v, child) {
		return nil
	}
	bound := (s.kind != anyKeySegment || kind == gaby.Map) && r.bind(s, child, key)
	err := r.descend(i, key, child, exact)
	r.unbind(bound)
	return err
}

// child follows a plain or literal segment.
func (r *resolver) child(i int, s *segment, v gaby.Value, kind gaby.Kind, exact bool) error {
	switch kind {
	case gaby.Map:
		if c := v.Get(s.key); c.Exists() {
			bound := s.kind == literalSegment && r.bind(s, c, s.key)
			err := r.descend(i, s.key, c, exact)
			r.unbind(bound)
			return err
		}
		if r.options.Upsert && exact && s.kind == plainSegment {
			if key, has := keyWithDots(v, s.key, r.path.segments[i+1:]); key != "" {
				return &KeyWithDotsError{Segments: append(slices.Clone(r.match.Segments), key), Value: has}
			}
		}
		return r.missing(i, true)
	case gaby.List:
		if s.kind == plainSegment && s.index >= 0 {
			if c := v.Index(s.index); c.Exists() {
				return r.descend(i, s.key, c, exact)
			}
		}
		return nil
	case gaby.Scalar:
		if v.Tag() == "!!null" {
			return r.missing(i, false)
		}
		if r.options.Upsert && exact {
			e := &NotAMapError{Segments: slices.Clone(r.match.Segments), Value: v}
			last := i - 1
			if key, _ := keyWithDots(r.root.Doc().Search(e.Segments[:last]...).Value(), e.Segments[last], r.path.segments[i:]); key != "" {
				e.Hint = writtenAs(key)
			}
			return e
		}
	case gaby.Missing:
		return r.missing(i, false)
	}
	return nil
}

// missing yields the place of a path whose segments from i on do not exist, if it may be created (or, after a |, may be
// missing) and if what is left of the path says what to create: a number may be the key of a map that is there, in which
// inMap says that segment i is, but elements of lists are not created.
func (r *resolver) missing(i int, inMap bool) error {
	create := r.path.create
	if !r.options.Upsert && create < 0 || i < create {
		return nil
	}
	rest := r.path.segments[i:]
	for j := range rest {
		switch rest[j].kind {
		case literalSegment:
		case plainSegment:
			if rest[j].index >= 0 && !(inMap && j == 0) {
				return nil
			}
		default:
			return nil
		}
	}
	segments, arguments := len(r.match.Segments), len(r.match.Arguments)
	for j := range rest {
		r.match.Segments = append(r.match.Segments, rest[j].key)
		if rest[j].kind == literalSegment && !r.options.NoArguments {
			r.match.Arguments = append(r.match.Arguments, api.FunctionArgument{ParameterName: rest[j].param, Value: rest[j].key})
		}
	}
	r.match.Value = gaby.Value{}
	err := r.yield(&r.match)
	r.match.Segments, r.match.Arguments = r.match.Segments[:segments], r.match.Arguments[:arguments]
	return err
}

// lookup follows a segment that finds one element of a list.
func (r *resolver) lookup(i int, s *segment, v gaby.Value, exact bool) error {
	c, index := r.find(s, v)
	if !c.Exists() {
		return nil
	}
	bound := r.bind(s, c, "")
	err := r.descend(i, strconv.Itoa(index), c, exact)
	r.unbind(bound)
	return err
}

// find is the first element whose key has the value, else the one at the index that goes with it.
func (r *resolver) find(s *segment, v gaby.Value) (gaby.Value, int) {
	if s.hasValue {
		index := 0
		for c := v.First(); c.Exists(); c = c.Next() {
			if r.keyIs(c, s.key, s.value) {
				return c, index
			}
			index++
		}
	}
	return v.Index(s.index), s.index
}

func (r *resolver) descend(i int, key string, c gaby.Value, exact bool) error {
	m := &r.match
	m.Segments, m.passed = append(m.Segments, key), append(m.passed, c)
	err := r.walk(i+1, c, exact)
	m.Segments, m.passed = m.Segments[:len(m.Segments)-1], m.passed[:len(m.passed)-1]
	return err
}

// keyMatches tells whether a child has what a lookup or a filter asks for.
func (r *resolver) keyMatches(s *segment, c gaby.Value) bool {
	return !s.hasValue || r.keyIs(c, s.key, s.value)
}

// leadsTo tells whether a lookup, filter or wildcard follows a child: by its key, or by its position as the fallback.
func (r *resolver) leadsTo(s *segment, list, child gaby.Value) bool {
	if s.kind != lookupSegment || s.index < 0 {
		return r.keyMatches(s, child)
	}
	found, _ := r.find(s, list)
	return found == child
}

// keyIs tells whether the value an element has for a key is a text.
func (r *resolver) keyIs(element gaby.Value, key, text string) bool {
	if element.Kind() == gaby.Map {
		return element.Get(key).TextIs(text)
	}
	got, ok := r.keyText(element, key)
	return ok && got == text
}

// keyText is the value an element has for a key. An element that is a scalar is asked through the path's accessor.
func (r *resolver) keyText(element gaby.Value, key string) (string, bool) {
	switch element.Kind() {
	case gaby.Map:
		c := element.Get(key)
		return c.Text(), c.Kind() == gaby.Scalar
	case gaby.Scalar:
		if r.options.Accessor != nil {
			v, ok := r.options.Accessor.Extract(element.Text(), key)
			text, isString := v.(string)
			return text, ok && isString
		}
	}
	return "", false
}

// bind remembers the argument of a parameter; what is bound is the key, or else the text of child[s.key].
func (r *resolver) bind(s *segment, c gaby.Value, key string) bool {
	if s.param == "" || r.options.NoArguments {
		return false
	}
	value := key
	if s.kind == bindSegment || s.kind == lookupSegment {
		text, ok := r.keyText(c, s.key)
		if !ok {
			return false
		}
		value = text
	}
	r.match.Arguments = append(r.match.Arguments, api.FunctionArgument{ParameterName: s.param, Value: value})
	return true
}

func (r *resolver) unbind(bound bool) {
	if bound {
		r.match.Arguments = r.match.Arguments[:len(r.match.Arguments)-1]
	}
}

// ResolvedPathInfo is a place a path resolves to.
type ResolvedPathInfo struct {
	Path          api.ResolvedPath
	PathArguments []api.FunctionArgument
}

// ResolveAssociativePaths lists the places a path leads to in a document. A resolvedPath (keys, indexes, lookups) constrains
// them: at each segment only the child it names is followed. With upsert, places that could be created are listed too.
func ResolveAssociativePaths(doc *gaby.YamlDoc, unresolvedPath api.UnresolvedPath, resolvedPath api.ResolvedPath, upsert bool) ([]ResolvedPathInfo, error) {
	path, err := ParsePath(string(unresolvedPath))
	if err != nil {
		return nil, err
	}
	options := ResolveOptions{Upsert: upsert}
	if resolvedPath != "" {
		if options.Constraint, err = ParsePath(string(resolvedPath)); err != nil {
			return nil, err
		}
	}
	var places []ResolvedPathInfo
	err = path.Resolve(doc.Value(), options, func(m *Match) error {
		places = append(places, ResolvedPathInfo{Path: JoinPathSegments(m.Segments), PathArguments: slices.Clone(m.Arguments)})
		return nil
	})
	return places, err
}

// describe returns a value as messages show it: texts in quotes, so that blanks at their ends can be seen.
func describe(v gaby.Value) string {
	switch v.Kind() {
	case gaby.Map:
		return "(map)"
	case gaby.List:
		return "(list)"
	case gaby.Scalar:
		if v.Tag() == "!!null" {
			return "null"
		}
		switch text := v.Text(); {
		case v.Tag() != "!!str":
			return text
		case looksTyped(text):
			return fmt.Sprintf("%q (a string)", text)
		default:
			return configkit.Quoted(text)
		}
	}
	return "(missing)"
}

// looksTyped tells whether a text without quotes is easily taken for a number or a boolean.
func looksTyped(text string) bool {
	_, notBool := strconv.ParseBool(text)
	_, notNumber := strconv.ParseFloat(text, 64)
	return notBool == nil || notNumber == nil
}

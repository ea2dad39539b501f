package yamlpath

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

	Passed []gaby.Value // what is at the places of the first segments, as far as there is something
}

// Options say what is wanted beyond what exists.
type Options struct {
	// Upsert yields places that do not exist but could be created.
	Upsert bool
	// Accessor looks into list elements that are scalars.
	Accessor Accessor
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
	return fmt.Sprintf("value %s at path %s cannot be converted to map", Describe(e.Value), Join(e.Segments))
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
func (p *Path) Resolve(root gaby.Value, options Options, yield func(*Match) error) error {
	r := Resolver{Path: p, Options: options, Yield: yield}
	return r.Run(root)
}

// Run starts at the root. The space of the match is used again.
func (r *Resolver) Run(root gaby.Value) error {
	r.root = root
	if n := len(r.Path.segments); cap(r.match.Passed) < n {
		r.match.Segments, r.match.Passed = make([]string, 0, n), make([]gaby.Value, 0, n)
	}
	r.match.Segments, r.match.Passed, r.match.Arguments = r.match.Segments[:0], r.match.Passed[:0], r.match.Arguments[:0]
	return r.walk(0, root, true)
}

func writtenAs(key string) string {
	return fmt.Sprintf("the key %q is written %s", key, Escape(key))
}

// keyWithDots is the key of a map that begins with one and goes on with what follows it in the path, if there is one.
func keyWithDots(m gaby.Value, key string, rest []Segment) (string, gaby.Value) {
	for _, s := range rest {
		if s.Kind != Plain {
			break
		}
		key += "." + s.Key
		if v := m.Get(key); v.Exists() {
			return key, v
		}
	}
	return "", gaby.Value{}
}

// Resolver yields the places that paths lead to, as [Path.Resolve] does. Its space is used again for the next path.
type Resolver struct {
	root    gaby.Value
	Path    *Path
	Options Options
	Yield   func(*Match) error
	match   Match
}

// walk resolves the segments from i on below v. exact is true as long as no wildcard was passed.
func (r *Resolver) walk(i int, v gaby.Value, exact bool) error {
	if i == len(r.Path.segments) {
		r.match.Value = v
		return r.Yield(&r.match)
	}
	s := &r.Path.segments[i]
	kind := v.Kind()
	if c := r.Options.Constraint; c != nil && i < len(c.segments) {
		if c := &c.segments[i]; c.Kind == Plain || c.Kind == lookupSegment || c.Kind == literalSegment {
			return r.constrained(i, s, c, v, kind, exact)
		}
	}
	switch s.Kind {
	case Plain, literalSegment:
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
			if s.Kind == bindSegment && !r.keyMatches(s, c) {
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
			if s.Kind != bindSegment || r.keyMatches(s, c) {
				bound := s.Kind == bindSegment && r.bind(s, c, "")
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
func (r *Resolver) constrained(i int, s, c *Segment, v gaby.Value, kind gaby.Kind, exact bool) error {
	if s.Kind == Plain || s.Kind == literalSegment {
		if c.Kind == lookupSegment || c.Key != s.Key {
			return nil
		}
		return r.child(i, s, v, kind, exact)
	}
	var child gaby.Value
	key := c.Key
	switch {
	case kind == gaby.Map && c.Kind != lookupSegment && s.Kind != lookupSegment:
		child = v.Get(key)
	case kind == gaby.List && c.Kind == Plain && c.Index >= 0:
		child = v.Index(c.Index)
	case kind == gaby.List && c.Kind == lookupSegment:
		var index int
		child, index = r.find(c, v)
		key = strconv.Itoa(index)
	}
	if !child.Exists() || !r.leadsTo(s, v, child) {
		return nil
	}
	bound := (s.Kind != anyKeySegment || kind == gaby.Map) && r.bind(s, child, key)
	err := r.descend(i, key, child, exact)
	r.unbind(bound)
	return err
}

// child follows a plain or literal segment.
func (r *Resolver) child(i int, s *Segment, v gaby.Value, kind gaby.Kind, exact bool) error {
	switch kind {
	case gaby.Map:
		if c := v.Get(s.Key); c.Exists() {
			bound := s.Kind == literalSegment && r.bind(s, c, s.Key)
			err := r.descend(i, s.Key, c, exact)
			r.unbind(bound)
			return err
		}
		if r.Options.Upsert && exact && s.Kind == Plain {
			if key, has := keyWithDots(v, s.Key, r.Path.segments[i+1:]); key != "" {
				return &KeyWithDotsError{Segments: append(slices.Clone(r.match.Segments), key), Value: has}
			}
		}
		return r.missing(i, true)
	case gaby.List:
		if s.Kind == Plain && s.Index >= 0 {
			if c := v.Index(s.Index); c.Exists() {
				return r.descend(i, s.Key, c, exact)
			}
		}
		return nil
	case gaby.Scalar:
		if v.Tag() == "!!null" {
			return r.missing(i, false)
		}
		if r.Options.Upsert && exact {
			e := &NotAMapError{Segments: slices.Clone(r.match.Segments), Value: v}
			last := i - 1
			if key, _ := keyWithDots(r.root.Doc().Search(e.Segments[:last]...).Value(), e.Segments[last], r.Path.segments[i:]); key != "" {
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
func (r *Resolver) missing(i int, inMap bool) error {
	create := r.Path.create
	if !r.Options.Upsert && create < 0 || i < create {
		return nil
	}
	rest := r.Path.segments[i:]
	for j := range rest {
		switch rest[j].Kind {
		case literalSegment:
		case Plain:
			if rest[j].Index >= 0 && !(inMap && j == 0) {
				return nil
			}
		default:
			return nil
		}
	}
	segments, arguments := len(r.match.Segments), len(r.match.Arguments)
	for j := range rest {
		r.match.Segments = append(r.match.Segments, rest[j].Key)
		if rest[j].Kind == literalSegment && !r.Options.NoArguments {
			r.match.Arguments = append(r.match.Arguments, api.FunctionArgument{ParameterName: rest[j].Param, Value: rest[j].Key})
		}
	}
	r.match.Value = gaby.Value{}
	err := r.Yield(&r.match)
	r.match.Segments, r.match.Arguments = r.match.Segments[:segments], r.match.Arguments[:arguments]
	return err
}

// lookup follows a segment that finds one element of a list.
func (r *Resolver) lookup(i int, s *Segment, v gaby.Value, exact bool) error {
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
func (r *Resolver) find(s *Segment, v gaby.Value) (gaby.Value, int) {
	if s.hasValue {
		index := 0
		for c := v.First(); c.Exists(); c = c.Next() {
			if r.keyIs(c, s.Key, s.value) {
				return c, index
			}
			index++
		}
	}
	return v.Index(s.Index), s.Index
}

func (r *Resolver) descend(i int, key string, c gaby.Value, exact bool) error {
	m := &r.match
	m.Segments, m.Passed = append(m.Segments, key), append(m.Passed, c)
	err := r.walk(i+1, c, exact)
	m.Segments, m.Passed = m.Segments[:len(m.Segments)-1], m.Passed[:len(m.Passed)-1]
	return err
}

// keyMatches tells whether a child has what a lookup or a filter asks for.
func (r *Resolver) keyMatches(s *Segment, c gaby.Value) bool {
	return !s.hasValue || r.keyIs(c, s.Key, s.value)
}

// leadsTo tells whether a lookup, filter or wildcard follows a child: by its key, or by its position as the fallback.
func (r *Resolver) leadsTo(s *Segment, list, child gaby.Value) bool {
	if s.Kind != lookupSegment || s.Index < 0 {
		return r.keyMatches(s, child)
	}
	found, _ := r.find(s, list)
	return found == child
}

// keyIs tells whether the value an element has for a key is a text.
func (r *Resolver) keyIs(element gaby.Value, key, text string) bool {
	if element.Kind() == gaby.Map {
		return element.Get(key).TextIs(text)
	}
	got, ok := r.keyText(element, key)
	return ok && got == text
}

// keyText is the value an element has for a key. An element that is a scalar is asked through the path's accessor.
func (r *Resolver) keyText(element gaby.Value, key string) (string, bool) {
	switch element.Kind() {
	case gaby.Map:
		c := element.Get(key)
		return c.Text(), c.Kind() == gaby.Scalar
	case gaby.Scalar:
		if r.Options.Accessor != nil {
			v, ok := r.Options.Accessor.Extract(element.Text(), key)
			text, isString := v.(string)
			return text, ok && isString
		}
	}
	return "", false
}

// bind remembers the argument of a parameter; what is bound is the key, or else the text of child[s.key].
func (r *Resolver) bind(s *Segment, c gaby.Value, key string) bool {
	if s.Param == "" || r.Options.NoArguments {
		return false
	}
	value := key
	if s.Kind == bindSegment || s.Kind == lookupSegment {
		text, ok := r.keyText(c, s.Key)
		if !ok {
			return false
		}
		value = text
	}
	r.match.Arguments = append(r.match.Arguments, api.FunctionArgument{ParameterName: s.Param, Value: value})
	return true
}

func (r *Resolver) unbind(bound bool) {
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
	path, err := Parse(string(unresolvedPath))
	if err != nil {
		return nil, err
	}
	options := Options{Upsert: upsert}
	if resolvedPath != "" {
		if options.Constraint, err = Parse(string(resolvedPath)); err != nil {
			return nil, err
		}
	}
	var places []ResolvedPathInfo
	err = path.Resolve(doc.Value(), options, func(m *Match) error {
		places = append(places, ResolvedPathInfo{Path: Join(m.Segments), PathArguments: slices.Clone(m.Arguments)})
		return nil
	})
	return places, err
}

// Describe returns a value as messages show it: texts in quotes, so that blanks at their ends can be seen.
func Describe(v gaby.Value) string {
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

package yamlpath

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Match is a value, or a missing one, that a path resolves to. It is reused: copy whatever is kept
// after the call.
type Match struct {
	// Segments are the keys and indexes that lead to the value.
	Segments []string
	// Value is the value; it is missing if only its parents exist or nothing does.
	Value gaby.Value
	// Arguments are the values bound to parameters of the path.
	Arguments []api.FunctionArgument

	Passed []gaby.Value // the values at the first segments, as far as they exist
}

// Options control what a path resolves to.
type Options struct {
	// Upsert also yields values that do not exist but could be created.
	Upsert bool
	// Accessor reads the parts of list elements that are scalars.
	Accessor Accessor
	// Constraint names for each segment, as far as it goes, the only child to follow: by its key or
	// index, or by a lookup.
	Constraint *Path
	// NoArguments leaves Match.Arguments empty, which is cheaper.
	NoArguments bool
	// Reads promises that Yield changes nothing, so that keys are not looked up again.
	Reads bool
	// Lists makes a list in the place of a map a *NotAMapError with Upsert, as a scalar is.
	Lists bool
}

// NotAMapError reports that a path leads through a value that has no children.
type NotAMapError struct {
	Segments []string
	Value    gaby.Value
	// Missing are the segments of the missing value, as far as they are keys.
	Missing []string
	// Hint says how to write the key with dots that the path probably means, if there is one.
	Hint string
}

func (e *NotAMapError) Error() string {
	return fmt.Sprintf("value %s at path %s cannot be converted to map", Describe(e.Value),
		Join(e.Segments))
}

// KeyWithDotsError reports that upserting a path would create maps although the map has a key with
// dots that the path probably means.
type KeyWithDotsError struct {
	Segments []string // path of the key
	Value    gaby.Value
}

func (e *KeyWithDotsError) Error() string {
	return fmt.Sprintf("there is a key %q, whose dots belong to it", e.Segments[len(e.Segments)-1])
}

// Resolve calls yield for the matches of the path in a document, in document order, and stops at
// its first error. Matches with different segments are different matches even if they have the same
// value (an alias and its anchor).
func (p *Path) Resolve(root gaby.Value, options Options, yield func(*Match) error) error {
	r := Resolver{Path: p, Options: options, Yield: yield}
	return r.Run(root)
}

// Run resolves the path from root. It reuses the memory of the match.
func (r *Resolver) Run(root gaby.Value) error {
	if r.root != root {
		r.root, r.lead = root, r.lead[:0]
	}
	if n := len(r.Path.segments); cap(r.match.Passed) < n {
		r.match.Segments, r.match.Passed = make([]string, 0, n), make([]gaby.Value, 0, n)
	}
	r.match.Segments, r.match.Passed, r.match.Arguments = r.match.Segments[:0], r.match.Passed[:0],
		r.match.Arguments[:0]
	if r.Options.Upsert || r.Options.Constraint != nil || r.Path.create >= 0 {
		return r.walk(0, root, true)
	}
	return r.fromLead(root)
}

// fromLead resolves a path that only finds values. Paths that are resolved one after the other often
// begin with the same keys, and most lead nowhere: these keys are followed once.
func (r *Resolver) fromLead(v gaby.Value) error {
	i := 0
	for ; i < len(r.Path.segments); i++ {
		s := &r.Path.segments[i]
		if s.Kind != Plain || s.Index >= 0 {
			break
		}
		if i == len(r.lead) || r.lead[i].key != s.Key {
			r.lead = append(r.lead[:i], followed{s.Key, v.Get(s.Key)})
		}
		if v = r.lead[i].value; !v.Exists() {
			return nil
		}
		r.match.Segments, r.match.Passed = append(r.match.Segments, s.Key), append(r.match.Passed, v)
	}
	return r.walk(i, v, true)
}

// followed is a key and the value that it leads to.
type followed struct {
	key   string
	value gaby.Value
}

// writtenAs returns the hint for a key with dots.
func writtenAs(key string) string {
	return fmt.Sprintf("the key %q is written %s", key, Escape(key))
}

// hasOnlyScalars reports whether a value is a map like that of labels, whose keys often have dots.
func hasOnlyScalars(m gaby.Value) bool {
	for _, c := range m.All() {
		if kind := c.Kind(); kind != gaby.Scalar {
			return false
		}
	}
	return m.Kind() == gaby.Map
}

// oneKey returns the hint for a path whose last keys, from segment i-1 on, may be one key with
// dots.
func (r *Resolver) oneKey(above []string, key string, i int) string {
	for _, s := range r.Path.segments[i:] {
		if s.Kind != Plain {
			return ""
		}
		key += "." + s.Key
	}
	return fmt.Sprintf("if the end of the path is one key with dots, write %s",
		Join(append(slices.Clip(above), key)))
}

// keyWithDots returns the first key of m that consists of key and the following segments of the
// path, joined by dots, with its value. The key is "" without one.
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

// Resolver yields the matches of paths like [Path.Resolve]. It can be reused for further paths, and
// reuses its memory.
type Resolver struct {
	root    gaby.Value
	Path    *Path
	Options Options
	Yield   func(*Match) error
	match   Match
	lead    []followed // the first keys of the path before
}

// yield yields the match, whose visitor may edit the values that lead there.
func (r *Resolver) yield() error {
	if !r.Options.Reads {
		r.lead = r.lead[:0]
	}
	return r.Yield(&r.match)
}

// walk resolves the segments from i on below v. exact says that no wildcard was followed so far.
func (r *Resolver) walk(i int, v gaby.Value, exact bool) error {
	if i == len(r.Path.segments) {
		r.match.Value = v
		return r.yield()
	}
	s := &r.Path.segments[i]
	kind := v.Kind()
	if c := r.Options.Constraint; c != nil && i < len(c.segments) {
		if c := &c.segments[i]; c.Kind == Plain || c.Kind == lookupSegment ||
			c.Kind == literalSegment {
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
	for index, c := range v.All() {
		if s.Kind == bindSegment && !r.keyMatches(s, c) {
			continue
		}
		key := c.Key()
		bound := (kind == gaby.Map || s.Kind == bindSegment) && r.bind(s, c, key)
		if kind == gaby.List {
			key = strconv.Itoa(index)
		}
		if err := r.descend(i, key, c, false, bound); err != nil {
			return err
		}
	}
	return nil
}

// constrained follows the one child that the constraint names, if segment s leads to it as well.
func (r *Resolver) constrained(i int, s, c *Segment, v gaby.Value, kind gaby.Kind,
	exact bool,
) error {
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
	return r.descend(i, key, child, exact, bound)
}

// child follows a plain or literal segment.
func (r *Resolver) child(i int, s *Segment, v gaby.Value, kind gaby.Kind, exact bool) error {
	switch kind {
	case gaby.Map:
		if c := v.Get(s.Key); c.Exists() {
			return r.descend(i, s.Key, c, exact, s.Kind == literalSegment && r.bind(s, c, s.Key))
		}
		if r.Options.Upsert && exact && s.Kind == Plain {
			if key, has := keyWithDots(v, s.Key, r.Path.segments[i+1:]); key != "" {
				return &KeyWithDotsError{
					Segments: append(slices.Clone(r.match.Segments), key),
					Value:    has,
				}
			}
		}
		return r.missing(i, true)
	case gaby.List:
		if s.Kind == Plain && s.Index >= 0 {
			if c := v.Index(s.Index); c.Exists() {
				return r.descend(i, s.Key, c, exact, false)
			}
		}
		if r.Options.Upsert && r.Options.Lists && exact && s.Kind == Plain && s.Index < 0 {
			return r.notAMap(i, v)
		}
	case gaby.Scalar:
		if v.Tag() == "!!null" {
			return r.missing(i, false)
		}
		if r.Options.Upsert && exact {
			e := r.notAMap(i, v)
			last := i - 1
			parent := r.root.Doc().Search(e.Segments[:last]...).Value()
			if key, _ := keyWithDots(parent, e.Segments[last], r.Path.segments[i:]); key != "" {
				e.Hint = writtenAs(key)
			} else if hasOnlyScalars(parent) {
				e.Hint = r.oneKey(e.Segments[:last], e.Segments[last], i)
			}
			return e
		}
	case gaby.Missing:
		return r.missing(i, false)
	}
	return nil
}

// notAMap returns the error of v, in which segment i looks for a key.
func (r *Resolver) notAMap(i int, v gaby.Value) *NotAMapError {
	e := &NotAMapError{Segments: slices.Clone(r.match.Segments), Value: v}
	e.Missing = slices.Clone(e.Segments)
	for _, s := range r.Path.segments[i:] {
		if s.Kind != Plain && s.Kind != literalSegment {
			break
		}
		e.Missing = append(e.Missing, s.Key)
	}
	return e
}

// missing yields a match for a path whose segments from i on do not exist. It does so only if the
// value may be created (or may be missing, after a |) and the remaining segments say what to
// create. List elements are not created. A number is a key only as segment i of an existing map,
// which inMap indicates.
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
			r.match.Arguments = append(r.match.Arguments,
				api.FunctionArgument{ParameterName: rest[j].Param, Value: rest[j].Key})
		}
	}
	r.match.Value = gaby.Value{}
	err := r.yield()
	r.match.Segments, r.match.Arguments = r.match.Segments[:segments], r.match.Arguments[:arguments]
	return err
}

// lookup follows a segment that selects one list element by a key.
func (r *Resolver) lookup(i int, s *Segment, v gaby.Value, exact bool) error {
	c, index := r.find(s, v)
	if !c.Exists() {
		return nil
	}
	return r.descend(i, strconv.Itoa(index), c, exact, r.bind(s, c, ""))
}

// find returns the first element whose key has the value of s, else the one at the fallback index
// of s.
func (r *Resolver) find(s *Segment, v gaby.Value) (gaby.Value, int) {
	if s.hasValue {
		for index, c := range v.All() {
			if r.keyIs(c, s.Key, s.value) {
				return c, index
			}
		}
	}
	return v.Index(s.Index), s.Index
}

// descend resolves the segments after i below child c. bound says that an argument was bound to c,
// which is removed.
func (r *Resolver) descend(i int, key string, c gaby.Value, exact, bound bool) error {
	m := &r.match
	m.Segments, m.Passed = append(m.Segments, key), append(m.Passed, c)
	err := r.walk(i+1, c, exact)
	m.Segments, m.Passed = m.Segments[:len(m.Segments)-1], m.Passed[:len(m.Passed)-1]
	if bound {
		m.Arguments = m.Arguments[:len(m.Arguments)-1]
	}
	return err
}

// keyMatches reports whether a child satisfies a lookup or a filter.
func (r *Resolver) keyMatches(s *Segment, c gaby.Value) bool {
	return !s.hasValue || r.keyIs(c, s.Key, s.value)
}

// leadsTo reports whether a lookup, filter or wildcard selects child: by its key, or by its index
// as the fallback.
func (r *Resolver) leadsTo(s *Segment, list, child gaby.Value) bool {
	if s.Kind != lookupSegment || s.Index < 0 {
		return r.keyMatches(s, child)
	}
	found, _ := r.find(s, list)
	return found == child
}

// keyIs reports whether the value of key in an element is text.
func (r *Resolver) keyIs(element gaby.Value, key, text string) bool {
	if element.Kind() == gaby.Map {
		return element.Get(key).EqualText(text)
	}
	got, ok := r.keyText(element, key)
	return ok && got == text
}

// keyText returns the value of key in an element. If the element is a scalar, the accessor extracts
// it.
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

// bind appends the argument for the parameter of s: the key, or for a lookup or filter the text of
// child[s.Key]. It reports whether it did.
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
	r.match.Arguments = append(r.match.Arguments,
		api.FunctionArgument{ParameterName: s.Param, Value: value})
	return true
}

// ResolvedPathInfo is a match of a path with the arguments bound there.
type ResolvedPathInfo struct {
	Path          api.ResolvedPath
	PathArguments []api.FunctionArgument
}

// ResolveAssociativePaths returns the matches of a path in a document. resolvedPath (keys, indexes,
// lookups) constrains them: at each segment only the child it names is followed. With upsert it
// also returns values that could be created.
func ResolveAssociativePaths(doc *gaby.YamlDoc, unresolvedPath api.UnresolvedPath,
	resolvedPath api.ResolvedPath, upsert bool,
) ([]ResolvedPathInfo, error) {
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
	var infos []ResolvedPathInfo
	err = path.Resolve(doc.Value(), options, func(m *Match) error {
		infos = append(infos, ResolvedPathInfo{
			Path:          Join(m.Segments),
			PathArguments: slices.Clone(m.Arguments),
		})
		return nil
	})
	return infos, err
}

// Describe returns a value as messages show it. Strings are quoted, so that blanks at their ends
// are visible.
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
			return configkit.Quote(text)
		}
	}
	return "(missing)"
}

// looksTyped reports whether text without quotes is easily taken for a number or a boolean.
func looksTyped(text string) bool {
	_, notBool := strconv.ParseBool(text)
	_, notNumber := strconv.ParseFloat(text, 64)
	return notBool == nil || notNumber == nil
}

// Package jsonpath evaluates the JSONPath of kubectl on documents: keys, indexes from both ends,
// slices, wildcards, unions, recursive descent and filters with one comparison.
//
// Invariants: results are in document order; a syntax error is found by Parse, with its column;
// evaluation stops at a bounded number of values.
//
// Layer: document.
package jsonpath

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// maxValues bounds how many values a step may yield: ".." repeats values.
const maxValues = 100_000

// maxLength bounds the length of a path in bytes.
const maxLength = 4096

// ErrTooMany is the error of an evaluation with too many values.
var ErrTooMany = errors.New("the path matches too many values")

// ErrSeveral is the error of a path that is for one value.
var ErrSeveral = errors.New("the path matches several values, and one is expected")

// Query is a parsed path.
type Query struct {
	text  string
	steps []step
}

// String returns the path as it was written.
func (p *Query) String() string { return p.text }

// First returns the first key of the path, "" if it begins otherwise.
func (p *Query) First() string {
	if key, ok := p.steps[0].(keys); ok && len(key) == 1 {
		return key[0]
	}
	return ""
}

// Segments returns the keys that the path leads through, with 0 for the items of a list. whole is
// false if they end before a step that leads to anything: a wildcard, several keys, or a descent.
func (p *Query) Segments() (segments []string, whole bool) {
	for _, s := range p.steps {
		switch s := s.(type) {
		case keys:
			if len(s) > 1 {
				return segments, false
			}
			segments = append(segments, s[0])
		case indexes, slice, *filter:
			segments = append(segments, "0")
		default:
			return segments, false
		}
	}
	return segments, true
}

// EndsInWildcard reports whether the last step is [*] or .*, which asks for all values.
func (p *Query) EndsInWildcard() bool {
	_, ok := p.steps[len(p.steps)-1].(wildcard)
	return ok
}

// Find returns the values that the path matches. The error is a *NotFoundError if a key or an index
// is missing everywhere, as in kubectl.
func (p *Query) Find(root gaby.Value) ([]gaby.Value, error) {
	return find(p.steps, root, root)
}

func find(steps []step, root, from gaby.Value) ([]gaby.Value, error) {
	values := []gaby.Value{from}
	for _, s := range steps {
		next, err := s.apply(root, values)
		if err != nil {
			return nil, err
		}
		if len(next) > maxValues {
			return nil, ErrTooMany
		}
		values = next
	}
	return values, nil
}

// NotFoundError reports that a key or an index does not exist.
type NotFoundError struct{ What string }

// Error returns the message.
func (e *NotFoundError) Error() string { return e.What + " is not found" }

// A step leads from values to values below them.
type step interface {
	apply(root gaby.Value, from []gaby.Value) ([]gaby.Value, error)
}

// keys selects entries of maps by name.
type keys []string

func (k keys) apply(_ gaby.Value, from []gaby.Value) ([]gaby.Value, error) {
	var found []gaby.Value
	for _, v := range from {
		for _, key := range k {
			if v.Kind() != gaby.Map {
				continue
			}
			if child := v.Get(key); child.Exists() {
				found = append(found, child)
			}
		}
	}
	if len(found) == 0 && len(from) > 0 {
		return nil, &NotFoundError{What: strings.Join(k, ", ")}
	}
	return found, nil
}

// indexes selects items of lists; a negative one counts from the end.
type indexes []int

func (x indexes) apply(_ gaby.Value, from []gaby.Value) ([]gaby.Value, error) {
	var found []gaby.Value
	for _, v := range from {
		if err := isList(v); err != nil {
			return nil, err
		}
		n := v.Len()
		for _, i := range x {
			at := i
			if at < 0 {
				at += n
			}
			if at < 0 || at >= n {
				return nil, fmt.Errorf("index %d is out of range: the list has %d items", i, n)
			}
			found = append(found, v.Index(at))
		}
	}
	return found, nil
}

func isList(v gaby.Value) error {
	switch v.Kind() {
	case gaby.List:
		return nil
	case gaby.Map:
		return errors.New("an index is for a list, and this is a map")
	}
	return errors.New("an index is for a list, and this is a scalar")
}

// slice selects items from start up to end, every by-th.
type slice struct {
	start, end       int
	hasStart, hasEnd bool
	by               int
}

func (s slice) apply(_ gaby.Value, from []gaby.Value) ([]gaby.Value, error) {
	var found []gaby.Value
	for _, v := range from {
		if err := isList(v); err != nil {
			return nil, err
		}
		n := v.Len()
		bound := func(i int, is bool, otherwise int) int {
			switch {
			case !is:
				return otherwise
			case i < 0:
				return max(0, i+n)
			}
			return min(i, n)
		}
		start, end := bound(s.start, s.hasStart, 0), bound(s.end, s.hasEnd, n)
		for i, item := range v.All() {
			if i >= start && i < end && (i-start)%s.by == 0 {
				found = append(found, item)
			}
		}
	}
	return found, nil
}

// wildcard selects all entries.
type wildcard struct{}

func (wildcard) apply(_ gaby.Value, from []gaby.Value) ([]gaby.Value, error) {
	var found []gaby.Value
	for _, v := range from {
		for _, item := range v.All() {
			found = append(found, item)
		}
	}
	return found, nil
}

// descent selects values and everything below them.
type descent struct{}

func (descent) apply(_ gaby.Value, from []gaby.Value) ([]gaby.Value, error) {
	var found []gaby.Value
	var visit func(v gaby.Value)
	visit = func(v gaby.Value) {
		if len(found) > maxValues {
			return
		}
		found = append(found, v)
		for _, item := range v.All() {
			visit(item)
		}
	}
	for _, v := range from {
		visit(v)
	}
	return found, nil
}

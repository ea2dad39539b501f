package functionconfig

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// decoder reads one object and collects its problems.
type decoder struct {
	file     string
	object   string
	problems []Problem
}

// field is a value of the object, or its absence, and where it is or should be.
type field struct {
	gaby.Value
	path string
	// missingAt is the position that problems with a missing field have: that of the map.
	missingAt gaby.Position
}

// pos returns the position of the value, of the map if it is missing.
func (f field) pos() gaby.Position {
	if f.Exists() {
		return f.Position()
	}
	return f.missingAt
}

// isSet reports whether the field has a value other than null.
func (f field) isSet() bool { return f.Exists() && !f.IsNull() }

// get returns a field of a map.
func (f field) get(key string) field {
	at := f.missingAt
	if f.Exists() {
		at = f.Position()
		if k := f.KeyPosition(); k.Line > 0 && f.Key() != "" {
			at = k
		}
	}
	return field{f.Get(key), strings.TrimPrefix(f.path+"."+key, "."), at}
}

// element returns an element of a list.
func (f field) element(v gaby.Value, i int) field {
	return field{v, fmt.Sprintf("%s[%d]", f.path, i), v.Position()}
}

// fail adds a problem that the definition in the API server does not find.
func (d *decoder) fail(f field, format string, args ...any) *Problem {
	return d.add(f.pos(), f.path, format, args...)
}

// refuse adds a problem that the API server with Porch's definition finds too.
func (d *decoder) refuse(f field, format string, args ...any) *Problem {
	p := d.fail(f, format, args...)
	p.Server = true
	return p
}

func (d *decoder) warn(f field, format string, args ...any) {
	d.fail(f, format, args...).Warning = true
}

func (d *decoder) add(pos gaby.Position, path, format string, args ...any) *Problem {
	pos.File = d.file
	err := fmt.Errorf(format, args...)
	d.problems = append(d.problems, Problem{
		Pos: pos, Object: d.object, Field: path, Message: err.Error(), Err: errors.Unwrap(err),
	})
	return &d.problems[len(d.problems)-1]
}

// keys checks that a value is a map without keys other than those known, and reports whether it is
// a map. A field that is missing or null is not one.
func (d *decoder) keys(f field, known ...string) bool {
	if !f.isSet() {
		return false
	}
	if f.Kind() != gaby.Map {
		_ = d.refuse(f, "a map is expected, not %s", shape(f.Value))
		return false
	}
	if len(known) == 0 {
		return true
	}
	for c := f.First(); c.Exists(); c = c.Next() {
		if slices.Contains(known, c.Key()) {
			continue
		}
		path := strings.TrimPrefix(f.path+"."+c.Key(), ".")
		p := d.add(c.KeyPosition(), path, "unknown field")
		p.Hint = configkit.DidYouMean("", configkit.Suggest(c.Key(), known))
		if p.Hint == "" {
			p.Hint = "known are " + strings.Join(known, ", ")
		}
	}
	return true
}

// repeated reports the keys that occur twice in a map, in the whole object.
func (d *decoder) repeated(v gaby.Value, path string) {
	if !v.Doc().HasDuplicateKeys() {
		return
	}
	d.repeatedBelow(v, path)
}

func (d *decoder) repeatedBelow(v gaby.Value, path string) {
	for _, r := range v.Repeated() {
		d.add(v.Get(r.Key()).KeyPosition(), strings.TrimPrefix(path+"."+r.Key(), "."),
			"the key occurs twice in its map").Server = true
	}
	i := 0
	for c := v.First(); c.Exists(); c = c.Next() {
		below := path + "." + c.Key()
		if v.Kind() == gaby.List {
			below = fmt.Sprintf("%s[%d]", path, i)
		}
		if !c.IsAliased() {
			d.repeatedBelow(c, strings.TrimPrefix(below, "."))
		}
		i++
	}
}

// text returns a string. ok is false if the field is missing or has a problem.
func (d *decoder) text(f field) (s string, ok bool) {
	if !f.isSet() {
		return "", false
	}
	s, ok = f.Data().(string)
	if f.Kind() != gaby.Scalar || !ok {
		p := d.refuse(f, "a string is expected, not %s", shape(f.Value))
		if f.Kind() == gaby.Scalar {
			p.Hint = fmt.Sprintf("quote it: %q", f.Text())
		}
		return "", false
	}
	return s, true
}

// list calls each for the elements of a list, and reports whether the field is one.
func (d *decoder) list(f field, each func(field)) bool {
	if !f.isSet() {
		return false
	}
	if f.Kind() != gaby.List {
		_ = d.refuse(f, "a list is expected, not %s", shape(f.Value))
		return false
	}
	i := 0
	for v := f.First(); v.Exists(); v = v.Next() {
		each(f.element(v, i))
		i++
	}
	return true
}

// count returns a number of at least 0.
func (d *decoder) count(f field) int {
	if !f.isSet() {
		return 0
	}
	var n int64
	switch v := f.Data().(type) {
	case int:
		n = int64(v)
	case int64:
		n = v
	case uint64:
		n = maxCount + 1
	default:
		_ = d.refuse(f, "a whole number is expected, not %s", shape(f.Value))
		return 0
	}
	switch {
	case n < 0:
		_ = d.fail(f, "%d is negative", n)
		return 0
	case n > maxCount:
		_ = d.fail(f, "%s is more than the limit of %d", f.Text(), maxCount)
		return 0
	}
	return int(n)
}

// The limits of the definition in the API server.
const (
	maxImage      = 255
	maxText       = 512 // of a prefix or a tag
	maxPath       = 4096
	maxPrefixes   = 256
	maxTags       = 1024
	maxQuantities = 16
)

// short checks the length of a text.
func (d *decoder) short(f field, text string, longest int) {
	if len(text) > longest {
		_ = d.fail(f, "it has %d characters, more than the limit of %d", len(text), longest)
	}
}

// few checks the length of a list or map.
func (d *decoder) few(f field, most int) {
	if f.isSet() && f.Kind() != gaby.Scalar && f.Len() > most {
		_ = d.fail(f, "it has %d entries, more than the limit of %d", f.Len(), most)
	}
}

// maxCount is more pods, and more requests in a queue, than a cluster has.
const maxCount = 1 << 20

// shape says what a value is, for messages.
func shape(v gaby.Value) string {
	switch v.Kind() {
	case gaby.Map:
		return "a map"
	case gaby.List:
		return "a list"
	case gaby.Scalar:
		if v.IsNull() {
			return "null"
		}
		if _, ok := v.Data().(string); ok {
			return fmt.Sprintf("the string %q", v.Text())
		}
		return v.Text()
	}
	return "nothing"
}

// located returns an error of the parser as a problem.
func located(file, object string, err error) Problem {
	p := Problem{
		Pos: api.Position{File: file}, Object: object, Message: err.Error(), Err: err, Server: true,
	}
	if syntax, ok := errors.AsType[*gaby.SyntaxError](err); ok {
		p.Pos.Line, p.Pos.Column = syntax.Pos.Line, syntax.Pos.Column
		p.Message, p.Hint = syntax.Msg, syntax.Hint
	}
	return p
}

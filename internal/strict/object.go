package strict

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Field is a field of a map.
type Field struct {
	Name string
	Read func(Value) // not called if the field is not set; may be nil
	// Required says that the field must be set and not be an empty text.
	Required bool
	Hint     string // if it is missing
	Also     string // another name of it, if any
	Recorded bool   // a program writes it: an editor does not offer it
}

// Or returns the field with another name.
func (f Field) Or(name string) Field {
	f.Also = name
	return f
}

// Need returns the field as one that is required.
func Need(f Field) Field {
	f.Required = true
	return f
}

// Unread returns fields with any value.
func Unread(names ...string) []Field {
	fields := make([]Field, len(names))
	for i, name := range names {
		fields[i] = Field{Name: name, Read: Value.Any}
	}
	return fields
}

// To returns a field that stores what read returns for it.
func To[T any](name string, to *T, read func(Value) T) Field {
	return Field{Name: name, Read: func(v Value) { *to = read(v) }}
}

// Take returns a field that stores its value, to be read later.
func Take(name string, to *Value) Field {
	return Field{Name: name, Read: func(v Value) { *to = v }}
}

// Text returns a field that stores a text.
func Text[T ~string](name string, to *T) Field {
	return Field{Name: name, Read: func(v Value) { *to = T(v.Text()) }}
}

// Bool returns a field that stores true or false.
func Bool(name string, to *bool) Field { return To(name, to, Value.Bool) }

// Texts returns a field that stores a list of texts.
func Texts(name string, to *[]string) Field { return To(name, to, Value.Texts) }

// OneOf returns a field that stores one of several texts. An empty text is as good as none.
func OneOf[T ~string](name string, to *T, known ...T) Field {
	return Field{Name: name, Read: func(v Value) {
		names := make([]string, len(known))
		for i, name := range known {
			names[i] = string(name)
		}
		*to = T(v.OneOf(names))
	}}
}

// List returns a field that stores what read returns for the items of a list.
func List[T any](name string, to *[]T, read func(Value) T) Field {
	return Field{Name: name, Read: func(v Value) {
		for item := range v.List() {
			*to = append(*to, read(item))
		}
	}}
}

// Map returns a field that stores what read returns for the entries of a map.
func Map[T any](name string, to *map[string]T, read func(Value) T) Field {
	return Field{Name: name, Read: func(v Value) {
		*to = map[string]T{}
		for entry := range v.Map() {
			(*to)[entry.Key()] = read(entry)
		}
	}}
}

// Object reads the fields of a map. noun is what messages call it, such as "a finding". It reports
// false if the value is not a map or a required field is missing.
func (v Value) Object(noun string, fields ...Field) bool { return v.object(noun, fields, false) }

// Part is Object for some fields of a map whose others something else defines.
func (v Value) Part(noun string, fields ...Field) bool { return v.object(noun, fields, true) }

func (v Value) object(noun string, fields []Field, others bool) bool {
	if v.Kind() != gaby.Map {
		name := v.Path
		if name == "" {
			name = noun
		}
		v.report(Type, v.Position(), "", "%s must be a map, not %s", name, Describe(v.Value)).
			Of(fieldNames(fields))
		return false
	}
	v.repeated()
	var given map[int]string // names of fields that may have several
	var meant []string       // by unknown names
	for _, e := range v.All() {
		field := Value{e, Join(v.Path, e.Key()), v.reader}
		i := v.reader.find(fields, e.Key())
		switch {
		case i >= 0:
		case others:
			field.Any()
			continue
		default:
			meant = append(meant, field.unknown(noun, fields)...)
			continue
		}
		if f := fields[i]; f.Also != "" || f.Name != e.Key() {
			if other, twice := given[i]; twice {
				field.FailKey("", "%s and %s are the same field", other, e.Key())
			}
			if given == nil {
				given = map[int]string{}
			}
			given[i] = e.Key()
			if e.Key() != f.Name && e.Key() != f.Also {
				v.reader.Respelled(field, f)
			}
		}
		if fields[i].Read != nil && !e.IsNull() {
			fields[i].Read(field)
		}
	}
	complete := true
	for i, f := range fields {
		if f.Required {
			isMeant := slices.ContainsFunc(meant, func(name string) bool {
				return name == f.Name || name == f.Also
			})
			if v.Get(cmp.Or(given[i], f.Name)).isMissing(v, f.Hint, isMeant) {
				complete = false
			}
		}
	}
	return complete
}

// find returns the index of the field with a name, -1 if there is none.
func (r *Reader) find(fields []Field, name string) int {
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name || f.Also == name })
	if i < 0 && r.Respelled != nil {
		i = slices.IndexFunc(fields, func(f Field) bool {
			return strings.EqualFold(f.Name, name) || strings.EqualFold(f.Also, name)
		})
	}
	return i
}

// isMissing reports a field that is not set or an empty text. It is not a problem of its own if an
// unknown field means it.
func (v Value) isMissing(in Value, hint string, meant bool) bool {
	switch {
	case !v.Exists() && meant:
	case !v.Exists():
		v.report(Missing, in.Position(), hint, "%s is missing", v.Path)
	case v.Kind() == gaby.Scalar && v.Value.Text() == "":
		v.report(Missing, v.Position(), hint, "%s is empty", v.Path)
	default:
		return false
	}
	return true
}

// unknown reports a field that its map does not have, and returns those that are probably meant.
func (v Value) unknown(noun string, fields []Field) []string {
	var names, all []string
	for _, f := range fields {
		names = append(names, f.Name)
		switch key := v.Key(); {
		case !strings.EqualFold(f.Name, f.Also):
			all = append(all, f.Name)
			if f.Also != "" {
				all = append(all, f.Also)
			}
		case key != "" && key[0] == f.Also[0]: // two cases of one name
			all = append(all, f.Also)
		default:
			all = append(all, f.Name)
		}
	}
	meant := configkit.Suggest(v.Key(), all)
	hint := configkit.DidYouMean("", meant)
	if hint == "" && len(names) <= 12 {
		hint = "its fields are " + strings.Join(names, ", ")
	}
	v.report(Unknown, v.KeyPosition(), hint, "%s has no field %q", noun, v.Key()).
		Of(fieldNames(fields))
	return meant
}

// Any accepts any value. Repeated fields are reported at any depth.
func (v Value) Any() {
	if v.Doc().HasDuplicateKeys() {
		v.anyBelow()
	}
}

func (v Value) anyBelow() {
	v.repeated()
	for i, e := range v.All() {
		if !e.IsAliased() {
			v.element(e, i).anyBelow()
		}
	}
}

// repeated reports the fields of a map that are given twice, at their later occurrences.
func (v Value) repeated() {
	repeated := v.Repeated()
	if len(repeated) == 0 {
		return
	}
	first := map[string]gaby.Position{}
	again := func(e gaby.Value) {
		at := e.KeyPosition()
		if was, known := first[e.Key()]; known {
			v.report(Repeated, at, "", "%s is given twice, first in line %d",
				Join(v.Path, e.Key()), was.Line).Failure.Path = Join(v.Path, e.Key())
		} else {
			first[e.Key()] = at
		}
	}
	for _, e := range repeated {
		again(e)
	}
	for name := range first {
		again(v.Value.Get(name))
	}
}

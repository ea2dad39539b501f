package entity

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// maxDefinition is the maximum size of a definition in bytes. Annotations may be large.
const maxDefinition = 8 << 20

// Text is the text of a definition, in YAML or JSON.
type Text struct {
	Bytes []byte
	File  string // its name in messages, see diag.FileName
	// Body says that the text is not a file of the workspace but a whole entity, as -o json prints
	// it. What fctl records is then accepted and ignored, except for Version, which is returned.
	Body bool
}

// reader reads one definition and collects its problems.
type reader struct {
	text Text
	errs Errors
}

// field is a field of an object. read stores its value.
type field struct {
	name string
	read func(v gaby.Value, path string)
	// recorded says that fctl records the field. It does not belong into a definition file.
	recorded bool
}

func (r *reader) fail(at gaby.Position, code Code, path, hint, format string, args ...any) {
	r.errs = append(r.errs, &Error{
		Code: code, Pos: api.Position{File: r.text.File, Line: at.Line, Column: at.Column},
		Path: path, Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// document parses the text. The value is missing if the text is not YAML or is empty.
func (r *reader) document() gaby.Value {
	if len(r.text.Bytes) > maxDefinition {
		r.fail(gaby.Position{}, CodeParse, "", "", "the definition has more than %d bytes",
			maxDefinition)
		return gaby.Value{}
	}
	docs, err := gaby.ParseAll(r.text.Bytes)
	for _, doc := range docs {
		if err == nil {
			err = doc.Check()
		}
	}
	if syntax, ok := errors.AsType[*gaby.SyntaxError](err); ok {
		r.fail(syntax.Pos, CodeParse, "", syntax.Hint, "%s", syntax.Msg)
		return gaby.Value{}
	} else if err != nil {
		r.fail(gaby.Position{}, CodeParse, "", "", "%v", err)
		return gaby.Value{}
	}
	var values []gaby.Value
	for _, doc := range docs {
		if v := doc.Value(); v.Exists() && !v.IsNull() {
			values = append(values, v)
		}
	}
	switch {
	case len(values) == 0:
		r.fail(gaby.Position{}, CodeParse, "", "", "the definition is empty")
	case len(values) > 1:
		r.fail(values[1].Position(), CodeParse, "", "write one file for each",
			"a second definition begins here")
	default:
		return values[0]
	}
	return gaby.Value{}
}

// object reads the fields of an object. what names the object in messages.
func (r *reader) object(v gaby.Value, path, what string, fields []field) {
	if !v.Exists() {
		return
	}
	if v.Kind() != gaby.Map {
		r.wrongType(v, path, what)
		return
	}
	for _, again := range v.Repeated() {
		r.fail(again.KeyPosition(), CodeFieldValue, join(path, again.Key()), "",
			"%s is given twice", again.Key())
	}
	for entry := v.First(); entry.Exists(); entry = entry.Next() {
		name := entry.Key()
		f, ok := find(fields, name)
		switch {
		case !ok:
			r.fail(entry.KeyPosition(), CodeUnknownField, join(path, name),
				hint(name, fields), "%s has no field %q", what, name)
		case f.recorded && !r.text.Body:
			r.fail(entry.KeyPosition(), CodeFieldNotAllowed, join(path, name), "remove the line",
				"%s is recorded by fctl and does not belong into a definition", name)
		case entry.IsNull() || f.read == nil:
		default:
			f.read(entry, join(path, name))
		}
	}
}

func find(fields []field, name string) (field, bool) {
	for _, f := range fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

func hint(name string, fields []field) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	for _, known := range names {
		if strings.EqualFold(known, name) {
			return configkit.DidYouMean("", []string{known})
		}
	}
	return configkit.DidYouMean("", configkit.Suggest(name, names))
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (r *reader) wrongType(v gaby.Value, path, wanted string) {
	what := wanted + " is expected, not " + yamlpath.Describe(v)
	if path != "" {
		what = path + ": " + what
	}
	r.fail(v.Position(), CodeFieldType, path, "", "%s", what)
}

// record returns a field that fctl records. A body may have it; its value is ignored.
func record(name string) field { return field{name: name, recorded: true} }

func texts[T ~string](r *reader, name string, to *T) field {
	return field{name: name, read: func(v gaby.Value, path string) {
		*to = T(r.string(v, path))
	}}
}

func (r *reader) string(v gaby.Value, path string) string {
	s, ok := v.Data().(string)
	if !ok || v.Kind() != gaby.Scalar {
		if v.Kind() == gaby.Scalar {
			r.fail(v.Position(), CodeFieldType, path, "quote it: '"+v.Text()+"'",
				"%s: a text is expected, not %s", path, yamlpath.Describe(v))
		} else {
			r.wrongType(v, path, "a text")
		}
	}
	return s
}

func bools(r *reader, name string, to *bool) field {
	return field{name: name, read: func(v gaby.Value, path string) {
		b, ok := v.Data().(bool)
		if !ok {
			r.wrongType(v, path, "true or false")
		}
		*to = b
	}}
}

func numbers(r *reader, name string, to *int64) field {
	return field{name: name, read: func(v gaby.Value, path string) {
		n, ok := v.Data().(int)
		if !ok || v.Kind() != gaby.Scalar {
			r.wrongType(v, path, "a number")
		}
		*to = int64(n)
	}}
}

func textMaps(r *reader, name string, to *map[string]string) field {
	return field{name: name, read: func(v gaby.Value, path string) {
		*to = map[string]string{}
		r.entries(v, path, func(entry gaby.Value, at string) {
			(*to)[entry.Key()] = r.string(entry, at)
		})
	}}
}

func boolMaps(r *reader, name string, to *map[string]bool) field {
	return field{name: name, read: func(v gaby.Value, path string) {
		*to = map[string]bool{}
		r.entries(v, path, func(entry gaby.Value, at string) {
			b, ok := entry.Data().(bool)
			if !ok {
				r.wrongType(entry, at, "true or false")
			}
			(*to)[entry.Key()] = b
		})
	}}
}

// entries visits the entries of a map with keys of the user.
func (r *reader) entries(v gaby.Value, path string, visit func(entry gaby.Value, at string)) {
	if v.Kind() != gaby.Map {
		r.wrongType(v, path, "a map")
		return
	}
	for _, again := range v.Repeated() {
		r.fail(again.KeyPosition(), CodeFieldValue, join(path, again.Key()), "",
			"%s is given twice", again.Key())
	}
	for entry := v.First(); entry.Exists(); entry = entry.Next() {
		visit(entry, join(path, entry.Key()))
	}
}

func lists[T any](
	r *reader, name string, to *[]T, read func(v gaby.Value, path string) T,
) field {
	return field{name: name, read: func(v gaby.Value, path string) {
		if v.Kind() != gaby.List {
			r.wrongType(v, path, "a list")
			return
		}
		for item := v.First(); item.Exists(); item = item.Next() {
			*to = append(*to, read(item, path+"."+strconv.Itoa(len(*to))))
		}
	}}
}

// scalar returns a string, an int64 or a bool.
func (r *reader) scalar(v gaby.Value, path string) any {
	switch value := v.Data().(type) {
	case string, bool:
		return value
	case int:
		return int64(value)
	case float64:
		if value == math.Trunc(value) && math.Abs(value) < 1<<53 && v.Tag() == "!!int" {
			return int64(value)
		}
	}
	r.wrongType(v, path, "a text, a whole number or true or false")
	return nil
}

package strict

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Value is a value of a definition.
type Value struct {
	gaby.Value
	Path   string // what messages call it
	reader *Reader
}

// Reader returns the reader of the value.
func (v Value) Reader() *Reader { return v.reader }

// InFile returns the position of the value in its file.
func (v Value) InFile() api.Position { return v.reader.position(v.Position()) }

// KeyInFile returns the position of the value's key in its file.
func (v Value) KeyInFile() api.Position { return v.reader.position(v.KeyPosition()) }

// Get returns a field of a map. It does not exist if it is null.
func (v Value) Get(name string) Value {
	return v.reader.Value(v.Value.Get(name), Join(v.Path, name))
}

// Join returns the path of a field.
func Join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Fail reports a wrong value.
func (v Value) Fail(hint, format string, args ...any) *Problem {
	return v.report(Wrong, v.Position(), hint, format, args...)
}

// FailKey is Fail at the key of the value.
func (v Value) FailKey(hint, format string, args ...any) *Problem {
	return v.report(Wrong, v.KeyPosition(), hint, format, args...)
}

func (v Value) report(
	kind Kind, at gaby.Position, hint, format string, args ...any,
) *Problem {
	p := v.reader.report(kind, at, hint, format, args...)
	p.Failure.Path = v.Path
	return p
}

// Must reports that the value must be something else.
func (v Value) Must(be, hint string) *Problem { return v.must(Wrong, hint, be) }

func (v Value) must(kind Kind, hint, be string) *Problem {
	name := v.Path
	if name == "" {
		name = "the value"
	}
	return v.report(kind, v.Position(), hint, "%s must be %s, not %s", name, be, Describe(v.Value))
}

// Describe returns what a value is, as messages say it.
func Describe(v gaby.Value) string {
	switch v.Kind() {
	case gaby.Map:
		return "a map"
	case gaby.List:
		return "a list"
	case gaby.Scalar:
		if _, isText := v.Data().(string); isText {
			return configkit.Quote(v.Text())
		}
		if v.Text() == "" {
			return "null"
		}
		return configkit.Abbreviate(v.Text())
	}
	return "nothing"
}

// Text returns a text, "" if the value does not exist.
func (v Value) Text() string {
	if !v.Exists() {
		return ""
	}
	s, ok := v.Data().(string)
	if v.Kind() != gaby.Scalar || !ok {
		hint := ""
		if v.Kind() == gaby.Scalar && !v.IsNull() {
			hint = "quote it: " + strconv.Quote(v.Value.Text())
		}
		v.must(Type, hint, "a text")
	}
	return s
}

// Scalar returns the text of a value that is not a map or a list: numbers are as good as texts.
func (v Value) Scalar() string {
	if v.Exists() && (v.Kind() != gaby.Scalar || v.IsNull()) {
		v.must(Type, "", "a text")
		return ""
	}
	return v.Value.Text()
}

// Bool returns true or false, false if the value does not exist.
func (v Value) Bool() bool {
	b, ok := v.Data().(bool)
	if !ok && v.Exists() {
		v.must(Type, "", "true or false").Of(Choice{Names: []string{"true", "false"}})
	}
	return b
}

// Int returns a whole number, 0 if the value does not exist.
func (v Value) Int() int {
	n, ok := v.Data().(int)
	if !ok && v.Exists() {
		v.must(Type, "", "a whole number")
	}
	return n
}

// OneOf returns one of several texts, "" if the value is empty, another or does not exist.
func (v Value) OneOf(known []string) string {
	text := v.Text()
	if text == "" || slices.Contains(known, text) {
		return text
	}
	v.must(Wrong, configkit.DidYouMean("", configkit.Suggest(text, known)), Or(known)).
		Of(Choice{Names: known})
	return ""
}

// Or returns names as the sentence "a, b or c".
func Or(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// List returns the items of a list, none if the value does not exist.
func (v Value) List() iter.Seq[Value] { return v.elements(gaby.List, "a list") }

// Map returns the entries of a map whose keys users choose, none if the value does not exist.
func (v Value) Map() iter.Seq[Value] {
	v.repeated()
	return v.elements(gaby.Map, "a map")
}

func (v Value) elements(kind gaby.Kind, be string) iter.Seq[Value] {
	if v.Exists() && v.Kind() != kind {
		v.must(Type, "", be)
		return func(func(Value) bool) {}
	}
	return func(yield func(Value) bool) {
		i := 0
		for e := v.First(); e.Exists() && yield(v.element(e, i)); e = e.Next() {
			i++
		}
	}
}

// element returns an entry of a map or item i of a list.
func (v Value) element(e gaby.Value, i int) Value {
	name := e.Key()
	if v.Kind() == gaby.List {
		name = strconv.Itoa(i)
	}
	return Value{e, Join(v.Path, name), v.reader}
}

// Texts returns the texts of a list.
func (v Value) Texts() []string {
	var texts []string
	for item := range v.List() {
		texts = append(texts, item.Text())
	}
	return texts
}

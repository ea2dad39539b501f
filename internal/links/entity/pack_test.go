package entity_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/pack"
)

// fillIn gives every field of a value another value than zero.
func fillIn(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int64, reflect.Int:
		v.SetInt(7)
	case reflect.Interface:
		v.Set(reflect.ValueOf(int64(9)))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillIn(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillIn(t, v.Index(0))
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		fillIn(t, value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key"), value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1, 2).UTC()))
			return
		}
		for _, field := range v.Fields() {
			fillIn(t, field)
		}
	default:
		t.Fatalf("a field has the type %s", v.Type())
	}
}

// TestPackHasAllFields packs values with every field set.
func TestPackHasAllFields(t *testing.T) {
	var unit entity.Unit
	fillIn(t, reflect.ValueOf(&unit).Elem())
	var link entity.Link
	fillIn(t, reflect.ValueOf(&link).Elem())
	link.Bindings[0].AutoUpdate = false // one of the definition
	for name, c := range map[string]struct{ want, back any }{
		"unit":            {unit.Definition(), &entity.Unit{}},
		"state of a unit": {unit.State(), &entity.UnitStateFile{}},
		"link":            {link.Definition(), &entity.Link{}},
		"state of a link": {link.State(), &entity.LinkStateFile{}},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := pack.Append(nil, c.want)
			if err != nil {
				t.Fatal(err)
			}
			if err := pack.Unmarshal(string(text), c.back); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, c.back); diff != "" {
				t.Error(diff)
			}
		})
	}
}

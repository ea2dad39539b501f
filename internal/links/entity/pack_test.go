package entity_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
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

// roundTrip returns what is read back of what write writes.
func roundTrip(t *testing.T, write, read func(*pack.Codec)) {
	t.Helper()
	w := pack.Writer(0)
	write(w)
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	r := pack.Reader(string(w.Bytes()))
	read(r)
	if err := r.End(); err != nil {
		t.Fatal(err)
	}
}

// TestPackHasAllFields packs values with every field set: a new field of a type must be packed,
// too.
func TestPackHasAllFields(t *testing.T) {
	t.Run("unit", func(t *testing.T) {
		var full, back entity.Unit
		fillIn(t, reflect.ValueOf(&full).Elem())
		want := full.Definition()
		roundTrip(t, want.PackDefinition, back.PackDefinition)
		if diff := cmp.Diff(want, &back); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("state of a unit", func(t *testing.T) {
		var want, back entity.UnitStateFile
		fillIn(t, reflect.ValueOf(&want).Elem())
		roundTrip(t, want.Pack, back.Pack)
		if diff := cmp.Diff(want, back); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("link", func(t *testing.T) {
		var full, back entity.Link
		fillIn(t, reflect.ValueOf(&full).Elem())
		full.Bindings[0].AutoUpdate = false // one of the definition
		want := full.Definition()
		noText := func(f *api.FunctionInvocation) { f.Name, f.Message, f.Severity = "", "", "" }
		noText(&want.UpstreamGetters[0].FunctionInvocation)
		noText(&want.DownstreamSetters[0].FunctionInvocation)
		roundTrip(t, want.PackDefinition, back.PackDefinition)
		if diff := cmp.Diff(want, &back); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("state of a link", func(t *testing.T) {
		var want, back entity.LinkStateFile
		fillIn(t, reflect.ValueOf(&want).Elem())
		roundTrip(t, want.Pack, back.Pack)
		if diff := cmp.Diff(want, back); diff != "" {
			t.Error(diff)
		}
	})
}

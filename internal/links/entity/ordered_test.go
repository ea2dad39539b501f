package entity_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// TestOrdered reads JSON of any texts, numbers and truth values: the values are those of the JSON.
func TestOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.Float64Range(-1e300, 1e300).Filter(func(f float64) bool {
			return f != math.Trunc(f)
		})
		scalar := rapid.OneOf(rapid.String().AsAny(), rapid.Int().AsAny(), rapid.Bool().AsAny(),
			part.AsAny(), rapid.Just[any](nil))
		want := map[string]any{
			"map":  rapid.MapOf(rapid.String(), scalar).Draw(t, "map"),
			"list": rapid.SliceOf(scalar).Draw(t, "list"),
		}
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := entity.Ordered(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, unordered(got)); diff != "" {
			t.Fatalf("%s: %s", text, diff)
		}
	})
}

// unordered returns a value with maps instead of gaby.Entries.
func unordered(v any) any {
	switch t := v.(type) {
	case gaby.Entries:
		m := map[string]any{}
		for _, e := range t {
			m[e.Key] = unordered(e.Value)
		}
		return m
	case []any:
		list := make([]any, len(t))
		for i, item := range t {
			list[i] = unordered(item)
		}
		return list
	}
	return v
}

package gaby_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

func TestCountChanges(t *testing.T) {
	const text = "a: 1\nb: {c: x, d: [1, 2, 3]}\ne:\n  - name: f\n    g: 1\n  - name: h\n" +
		"empty: {}\n"
	set := func(value any, path string) func(*gaby.YamlDoc) error {
		return func(d *gaby.YamlDoc) error { _, err := d.SetP(value, path); return err }
	}
	del := func(path string) func(*gaby.YamlDoc) error {
		return func(d *gaby.YamlDoc) error { return d.DeleteP(path) }
	}
	for _, c := range []struct {
		name    string
		edits   []func(*gaby.YamlDoc) error
		values  int
		changed bool
	}{
		{"nothing", nil, 0, false},
		{"a scalar", []func(*gaby.YamlDoc) error{set(2, "a")}, 1, true},
		{"a scalar of another type", []func(*gaby.YamlDoc) error{set("1", "a")}, 1, true},
		{"two scalars", []func(*gaby.YamlDoc) error{set(2, "a"), set(2, "e.0.g")}, 2, true},
		{"a scalar twice", []func(*gaby.YamlDoc) error{set(2, "a"), set(3, "a")}, 1, true},
		{"a key", []func(*gaby.YamlDoc) error{set("new", "b.z")}, 1, true},
		{
			"keys",
			[]func(*gaby.YamlDoc) error{set(map[string]any{"y": 1, "z": []any{1, 2}}, "n")},
			3,
			true,
		},
		{"an empty map", []func(*gaby.YamlDoc) error{set(map[string]any{}, "n")}, 1, true},
		{"a key in an empty map", []func(*gaby.YamlDoc) error{set(1, "empty.k")}, 1, true},
		{"a scalar that is gone", []func(*gaby.YamlDoc) error{del("a")}, 1, true},
		{"a map that is gone", []func(*gaby.YamlDoc) error{del("b")}, 4, true},
		{"an item that is gone", []func(*gaby.YamlDoc) error{del("e.0")}, 2, true},
		{"an edit in what is gone then", []func(*gaby.YamlDoc) error{
			set(5, "b.d.1"), set(1, "b.n"),
			del("b"),
		}, 4, true},
		{
			"a map instead of a scalar",
			[]func(*gaby.YamlDoc) error{set(map[string]any{"x": 1, "y": 2}, "a")},
			2, true,
		},
		{
			"a scalar instead of a map",
			[]func(*gaby.YamlDoc) error{set(5, "b.d.1"), set("s", "b")},
			4, true,
		},
		{
			"an item more",
			[]func(*gaby.YamlDoc) error{func(d *gaby.YamlDoc) error {
				return d.ArrayAppendP(4, "b.d")
			}},
			1, true,
		},
		{"a new thing that is edited", []func(*gaby.YamlDoc) error{
			set(map[string]any{"x": 1}, "n"),
			set(2, "n.y"), set(3, "n.x"),
		}, 2, true},
		{
			"a comment",
			[]func(*gaby.YamlDoc) error{func(d *gaby.YamlDoc) error {
				return d.SetComment("note", "a")
			}},
			0, true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := gaby.ParseYAML([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, edit := range c.edits {
				if err := edit(d); err != nil {
					t.Fatal(err)
				}
			}
			if values, changed := d.CountChanges(); values != c.values || changed != c.changed {
				t.Errorf("%d values, %v, want %d, %v in\n%s", values, changed, c.values, c.changed,
					d.Bytes())
			}
		})
	}
}

func TestCountChangesOfAPlace(t *testing.T) {
	d, err := gaby.ParseYAML([]byte("items:\n- a: 1\n  b: 2\n- a: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.SetP(5, "items.0.b"); err != nil {
		t.Fatal(err)
	}
	if err := d.ArrayAppendP(map[string]any{"a": 1, "c": 3}, "items"); err != nil {
		t.Fatal(err)
	}
	items := d.Path("items").Children()
	for i, want := range []int{1, 0, 2} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			item := items[i]
			if values, changed := item.CountChanges(); values != want || changed != (want > 0) {
				t.Errorf("item %d: %d values, %v", i, values, changed)
			}
		})
	}
}

// A document with other data has changed values, and one without edits has none.
func TestPropertyCountChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rapidDice(t)
		text, _, was := drawDocument(t, dice, dice.oneIn(3))
		doc, data := mustParse(t, text), was
		moved := false // values that only moved are not counted
		for range dice(5) {
			e := randomEdit(dice, data)
			if e == nil {
				break
			}
			if want, _ := e.model(data); possible(t, e, doc) {
				data, moved = want, moved || e.Op == "rearrange"
			}
		}
		values, changed := doc.CountChanges()
		if values == 0 && !moved && !sameData(was, data) {
			t.Fatalf("no value changed\n--- before\n%s\n--- after\n%s", text, doc.Bytes())
		}
		if !changed && string(doc.Bytes()) != text {
			t.Fatalf("nothing changed\n--- before\n%s\n--- after\n%s", text, doc.Bytes())
		}
	})
}

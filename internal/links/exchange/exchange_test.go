package exchange_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/exchange"
)

func read(t *testing.T, texts ...string) *exchange.Content {
	t.Helper()
	all := make([]entity.Text, len(texts))
	for i, text := range texts {
		all[i] = entity.Text{Bytes: []byte(text), File: "in"}
	}
	set, err := exchange.Read(all)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestReadKinds checks how the kind of an object is found. The element of a revision has its unit
// beside it, and the element of a unit its target.
func TestReadKinds(t *testing.T) {
	const id = "11111111-0000-4000-8000-000000000001"
	for name, c := range map[string]struct{ text, want string }{
		"unit with its target": {`{"Unit": {"Slug": "a"}, "Target": {"TargetID": "x"}}`, "unit a"},
		"revision with its unit": {
			`{"Revision": {"RevisionNum": 1}, "Unit": {"Slug": "a"}}`, "1 Revision",
		},
		"trigger":         {`{"Trigger": {"Slug": "a"}, "Space": {"Slug": "s"}}`, "1 Trigger"},
		"space":           {`{"Space": {"Slug": "s"}, "TotalUnitCount": 3}`, "space s"},
		"space alone":     {`{"SpaceID": "` + id + `", "Slug": "s"}`, "space s"},
		"unit alone":      {`{"Slug": "a", "SpaceSlug": "s", "ToolchainType": "x"}`, "unit s/a"},
		"entity type":     {`{"EntityType": "Filter", "Slug": "a"}`, "filter a"},
		"unknown type":    {`{"EntityType": "Worker", "Slug": "a"}`, "1 Worker"},
		"link alone":      {`{"Slug": "a", "FromUnit": "b", "ToUnit": "c"}`, "link a"},
		"link with units": {`{"Link": {"Slug": "a"}, "FromUnit": {"Slug": "b"}}`, "link a"},
		"function":        {`{"Slug": "a", "FunctionName": "f"}`, "invocation a"},
		"filter alone":    {`{"Slug": "a", "From": "Unit", "Where": ""}`, "filter a"},
		"list":            {`[{"Unit": {"Slug": "a"}}]`, "unit a"},
		"documents":       {"Unit: {Slug: a}\n---\nUnit: {Slug: b}\n", "unit a, unit b"},
		"lists one after another": {
			`[{"Unit": {"Slug": "a"}}]
			 [{"Space": {"Slug": "s"}}]`, "space s, unit a",
		},
		"order": {
			`[{"Link": {"Slug": "l"}}, {"Unit": {"Slug": "a"}}, {"Space": {"Slug": "s"}}]`,
			"space s, unit a, link l",
		},
		"space by ID": {
			`[{"Unit": {"Slug": "a", "SpaceID": "` + id + `"}},
			  {"Space": {"SpaceID": "` + id + `", "Slug": "s"}}]`, "space s, unit s/a",
		},
	} {
		t.Run(name, func(t *testing.T) {
			set := read(t, c.text)
			var got []string
			for _, o := range set.Objects {
				got = append(got, o.Called())
			}
			for kind, n := range set.Unsupported {
				got = append(got, strings.Repeat("I", n-1)+"1 "+kind)
			}
			if text := strings.Join(got, ", "); text != c.want {
				t.Errorf("got %s, want %s", text, c.want)
			}
		})
	}
}

// TestReadLeft checks that every field with a value that a workspace does not keep is named.
func TestReadLeft(t *testing.T) {
	set := read(t, `{"Unit": {
		"Slug": "a", "UnitID": "11111111-0000-4000-8000-000000000001", "DataSize": 3,
		"TargetID": "33333333-0000-4000-8000-000000000001", "ApprovedBy": [],
		"SetID": "00000000-0000-0000-0000-000000000000", "ApplyGates": {"a/b": true},
		"Data": "YQ==", "Labels": {"k": "v"}}}`,
		`{"Invocation": {"Slug": "i", "Arguments": [{"Value": 3, "DataType": "int"}]}}`)
	want := []string{"Unit.ApplyGates", "Unit.TargetID"}
	if got := set.Objects[0].Left; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := set.Objects[1].Left; !slices.Equal(got, []string{"Invocation.Arguments.DataType"}) {
		t.Errorf("got %q", got)
	}
	if u := set.Objects[0]; string(u.Data) != "a" || !u.HasData {
		t.Errorf("data %q", u.Data)
	}
	if v := set.Objects[1].Entity.(*entity.Invocation).Arguments[0].Value; v != 3 {
		t.Errorf("argument %T %v", v, v)
	}
}

func TestReadErrors(t *testing.T) {
	_, err := exchange.Read([]entity.Text{
		{Bytes: []byte("[1,\n {\"Unit\": {}}]"), File: "a"},
		{Bytes: nil, File: "b"},
		{Bytes: []byte("{"), File: "c"},
		{Bytes: []byte("[]\n\n  [2] [3]\n"), File: "d"},
	})
	all, ok := errors.AsType[entity.Errors](err)
	if !ok || len(all) != 6 {
		t.Fatalf("got %v", err)
	}
	for i, want := range []string{
		"a:1:2: E_FIELD_TYPE", "a:2:2: E_SLUG", "b: E_PARSE", "c:1:1: E_PARSE",
		"d:3:4: E_FIELD_TYPE", "d:3:8: E_FIELD_TYPE",
	} {
		if !strings.HasPrefix(all[i].Error(), want) {
			t.Errorf("got %v, want %s", all[i], want)
		}
	}
}

func TestRewrite(t *testing.T) {
	ids := exchange.IDs{"11111111-0000-4000-8000-000000000001": "new"}
	const text = "A = '11111111-0000-4000-8000-000000000001' AND " +
		"B = '11111111-0000-4000-8000-000000000002'"
	const want = "A = 'new' AND B = '11111111-0000-4000-8000-000000000002'"
	if got := ids.Rewrite(text); got != want {
		t.Errorf("got %s", got)
	}
}

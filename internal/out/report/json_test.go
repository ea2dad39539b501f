package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/api"
)

// reference returns the expected output of the encoder: that of encoding/json with unescaped
// control characters escaped.
func reference(t interface{ Fatal(...any) }, value any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		t.Fatal(err)
	}
	return string(safeJSON(Chunks{b.Bytes()})[0])
}

// fill sets everything inside v, lists to n elements. It also sets fields that are added to package
// api later, so that the test fails until the encoder prints them.
func fill(v reflect.Value, n int, draw func() string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(draw())
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(len(draw())))
	case reflect.Bool:
		v.SetBool(len(draw())%3 > 0)
	case reflect.Interface:
		values := []any{
			draw(), 12, int64(-3), 1.5, true,
			map[string]any{"a": []any{draw()}},
			[]any{},
		}
		if i := len(draw()) % 8; i < len(values) {
			v.Set(reflect.ValueOf(values[i]))
		}
	case reflect.Pointer:
		if draw() != "" {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), n, draw)
		}
	case reflect.Slice:
		if n == 0 && draw() == "" {
			return // null or omitted
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(v.Index(i), n-1, draw)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, n, draw)
		v.SetMapIndex(reflect.ValueOf(draw()).Convert(v.Type().Key()), value)
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, n, draw)
		}
	}
}

// TestAsEncodingJSON compares the encoder with encoding/json on random values.
func TestAsEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.String(), rapid.Just(""),
			rapid.SampledFrom([]string{
				"a<b>&c", "\x00\b\f\n\r\t\x1f\x7f", "\xff\xfe caf\xe9",
				"\u2028\u2029\u202a", `"\`, "größe",
			}),
		)
		n := rapid.IntRange(0, 3).Draw(t, "n")
		for _, value := range []any{
			&api.AttributeValueList{}, &api.ValidationResultList{}, &api.ResourceInfoList{},
			&api.ResourceList{}, &api.ResourceMutationList{},
		} {
			v := reflect.ValueOf(value).Elem()
			fill(v, n, func() string { return text.Draw(t, "text") })
			got, err := Marshal(v.Interface())
			if err != nil {
				t.Fatal(err)
			}
			if want := reference(t, v.Interface()); string(got) != want {
				t.Fatalf("(-encoding/json +own)\n%s", cmp.Diff(want, string(got)))
			}
		}
	})
}

func TestOtherValuesAsEncodingJSON(t *testing.T) {
	for _, value := range []any{
		map[string]any{"a": []any{1, "<&>", nil}},
		json.RawMessage(`{"b":1,"a":[]}`), "text", 3, nil,
		api.ResourceMutationList{},
		api.AttributeValueList{},
		api.AttributeValueList(nil),
	} {
		t.Run(fmt.Sprint(value), func(t *testing.T) {
			got, err := Marshal(value)
			if want := reference(t, value); err != nil || string(got) != want {
				t.Errorf("%v: %s, want %s", err, got, want)
			}
		})
	}
	if _, err := Marshal(func() {}); err == nil {
		t.Error("a function has no JSON")
	}
}

// TestLongLists checks that lists written by several cores look like others.
func TestLongLists(t *testing.T) {
	for _, n := range []int{2*chunkRows + 1, 3 * chunkRows, 5*chunkRows - 1} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rows := make(api.AttributeValueList, n)
			for i := range rows {
				rows[i].Path, rows[i].Value = api.ResolvedPath(fmt.Sprint("items.", i)), i
			}
			got, err := Marshal(rows)
			if want := reference(t, rows); err != nil || string(got) != want {
				t.Errorf("%d rows: %v, %d bytes, want %d", n, err, len(got), len(want))
			}
		})
	}
	rows := make(api.AttributeValueList, 3*chunkRows)
	rows[2*chunkRows].Value = func() {}
	if _, err := Marshal(rows); err == nil {
		t.Error("a function has no JSON")
	}
}

func BenchmarkAttributes(b *testing.B) {
	row := api.AttributeValue{
		Value: "docker.io/library/nginx:1.27.3", Index: 0,
		FunctionName: "get-image", Position: &api.Position{
			File: "./all.yaml", Line: 120_000,
			Column: 18,
		},
	}
	row.ResourceInfo = api.ResourceInfo{
		ResourceName: "shop/web", ResourceNameWithoutScope: "web",
		ResourceType: "apps/v1/Deployment", ResourceCategory: "Resource",
	}
	row.Path, row.AttributeName, row.DataType = "spec.template.spec.containers.?name=web.image",
		"container-image", "string"
	rows := make(api.AttributeValueList, 10_000)
	for i := range rows {
		name := fmt.Sprint("web-", i/2)
		rows[i] = row
		rows[i].ResourceName, rows[i].ResourceNameWithoutScope = api.ResourceName("shop/"+name),
			api.ResourceName(name)
	}
	size := int64(len(reference(b, rows)))
	b.Run("own", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			if _, err := Marshal(rows); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			var text strings.Builder
			enc := json.NewEncoder(&text)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			if err := enc.Encode(rows); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestNoControlsInJSON(t *testing.T) {
	for text, want := range map[string]string{
		"\x7f": `"\u007f"`, "\u0080": `"\u0080"`, "\u009b31m": `"\u009b31m"`, "\u202e": `"\u202e"`,
		"é\u00a0—": "\"é\u00a0—\"", "\x1b": `"\u001b"`,
	} {
		t.Run(text, func(t *testing.T) {
			got, err := Marshal(text)
			var back string
			if err != nil || string(got) != want+"\n" || json.Unmarshal(got, &back) != nil ||
				back != text {
				t.Errorf("%q: got %s, %v", text, got, err)
			}
		})
	}
}

package pack_test

import (
	"io/fs"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/internal/links/pack"
)

// everything has a field of each kind that can be packed.
type everything struct {
	Number   int64
	Bool     bool
	Text     string
	List     []everything
	Texts    []string
	Map      map[string]bool
	Optional *everything
	Time     time.Time
	Scalars  []any
	Bytes    []byte
	Mode     fs.FileMode
	Inode    uint64
}

func draw(t *rapid.T, depth int) everything {
	e := everything{
		Number: rapid.Int64().Draw(t, "number"), Bool: rapid.Bool().Draw(t, "bool"),
		Text: rapid.String().Draw(t, "text"),
		Scalars: []any{
			nil, rapid.String().Draw(t, "string"), rapid.Int().Draw(t, "int"),
			rapid.Int64().Draw(t, "int64"), rapid.Bool().Draw(t, "scalar"),
		},
		Bytes: []byte(rapid.String().Draw(t, "bytes")),
		Mode:  fs.FileMode(rapid.Uint32().Draw(t, "mode")),
		Inode: rapid.Uint64().Draw(t, "inode"),
	}
	if rapid.Bool().Draw(t, "texts") {
		e.Texts = rapid.SliceOf(rapid.String()).Draw(t, "list of texts")
	}
	if rapid.Bool().Draw(t, "map") {
		e.Map = rapid.MapOf(rapid.String(), rapid.Bool()).Draw(t, "entries")
	}
	if rapid.Bool().Draw(t, "time") {
		e.Time = time.Unix(rapid.Int64Range(-1<<33, 1<<33).Draw(t, "seconds"),
			rapid.Int64Range(0, 1e9-1).Draw(t, "nanoseconds")).UTC()
	}
	if depth == 0 {
		return e
	}
	if rapid.Bool().Draw(t, "optional") {
		o := draw(t, depth-1)
		e.Optional = &o
	}
	if rapid.Bool().Draw(t, "list") {
		e.List = []everything{}
		for range rapid.IntRange(0, 2).Draw(t, "entries of the list") {
			e.List = append(e.List, draw(t, depth-1))
		}
	}
	return e
}

// TestRoundTrip writes values, reads them back, and reads texts that were cut or changed.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := draw(t, 2)
		packed, err := pack.Append(nil, &e)
		if err != nil {
			t.Fatal(err)
		}
		text := string(packed)
		var back everything
		if err := pack.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, back); diff != "" {
			t.Fatal(diff)
		}
		cut := rapid.IntRange(0, len(text)-1).Draw(t, "cut")
		if pack.Unmarshal(text[:cut], &everything{}) == nil {
			t.Fatal("a part was read")
		}
		if pack.Unmarshal(text+"x", &everything{}) == nil {
			t.Fatal("the end was not noticed")
		}
		changed := []byte(text)
		changed[cut] ^= rapid.ByteRange(1, 255).Draw(t, "change")
		_ = pack.Unmarshal(string(changed), &everything{}) // must not panic
		sealed := append(pack.Seal("header\n", packed), packed...)
		if got, err := pack.Unseal("header\n", sealed); err != nil || got != text {
			t.Fatal(err)
		}
		sealed[rapid.IntRange(0, len(sealed)-1).Draw(t, "byte")] ^= 1
		if _, err := pack.Unseal("header\n", sealed); err == nil {
			t.Fatal("a changed file was read")
		}
	})
}

// TestOtherTypes does not pack a value whose type would be another one afterwards.
func TestOtherTypes(t *testing.T) {
	var v any = 1.5
	if _, err := pack.Append(nil, &v); err == nil {
		t.Error("a float64 was packed")
	}
}

// TestPromises reads a list that promises more entries than the text has: memory is not wasted.
func TestPromises(t *testing.T) {
	n := 1 << 20
	packed, err := pack.Append(nil, &n)
	if err != nil {
		t.Fatal(err)
	}
	var list []struct{ A, B, C, D, E, F, G, H int64 }
	if pack.Unmarshal(string(packed)+string(make([]byte, n)), &list) == nil || cap(list) > 1<<18 {
		t.Error(cap(list))
	}
}

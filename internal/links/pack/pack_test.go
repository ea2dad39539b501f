package pack_test

import (
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
	Scalars  [5]any
}

func (e *everything) pack(c *pack.Codec) {
	pack.Number(c, &e.Number)
	pack.Bool(c, &e.Bool)
	pack.Text(c, &e.Text)
	pack.List(c, &e.List, func(e *everything) { e.pack(c) })
	pack.Texts(c, &e.Texts)
	pack.Map(c, &e.Map, func(b *bool) { pack.Bool(c, b) })
	pack.Optional(c, &e.Optional, func(e *everything) { e.pack(c) })
	pack.Time(c, &e.Time)
	for i := range e.Scalars {
		pack.Scalar(c, &e.Scalars[i])
	}
}

func draw(t *rapid.T, depth int) everything {
	e := everything{
		Number: rapid.Int64().Draw(t, "number"), Bool: rapid.Bool().Draw(t, "bool"),
		Text: rapid.String().Draw(t, "text"),
		Scalars: [5]any{
			nil, rapid.String().Draw(t, "string"), rapid.Int().Draw(t, "int"),
			rapid.Int64().Draw(t, "int64"), rapid.Bool().Draw(t, "scalar"),
		},
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
		w := pack.Writer(0)
		e.pack(w)
		if err := w.Err(); err != nil {
			t.Fatal(err)
		}
		text := string(w.Bytes())
		var back everything
		r := pack.Reader(text)
		back.pack(r)
		if err := r.End(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, back); diff != "" {
			t.Fatal(diff)
		}
		cut := rapid.IntRange(0, len(text)-1).Draw(t, "cut")
		r = pack.Reader(text[:cut])
		back.pack(r)
		if r.End() == nil {
			t.Fatal("a part was read")
		}
		r = pack.Reader(text + "x")
		back.pack(r)
		if r.End() == nil {
			t.Fatal("the end was not noticed")
		}
		changed := []byte(text)
		changed[cut] ^= rapid.ByteRange(1, 255).Draw(t, "change")
		r = pack.Reader(string(changed))
		back.pack(r) // must not panic
		sealed := append(w.Seal("header\n"), w.Bytes()...)
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
	c := pack.Writer(0)
	if pack.Scalar(c, &v); c.Err() == nil {
		t.Error("a float64 was packed")
	}
}

// TestPromises reads a list that promises more entries than the text has: memory is not wasted.
func TestPromises(t *testing.T) {
	w := pack.Writer(0)
	n := 1 << 20
	pack.Number(w, &n)
	text := string(w.Bytes()) + string(make([]byte, n))
	var list [][64]int64
	c := pack.Reader(text)
	pack.List(c, &list, func(entry *[64]int64) {
		for i := range entry {
			pack.Number(c, &entry[i])
		}
	})
	if c.End() == nil || cap(list) > 1<<15 {
		t.Error(cap(list))
	}
}

package handler_test

import (
	"fmt"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
)

// probe registers a function that reports what it was given.
func probe(
	t *testing.T, r handler.FunctionRegistration,
	see func(fc *api.FunctionContext, docs gaby.Container, other []byte),
) *handler.FunctionHandler {
	t.Helper()
	h := newHandler()
	r.FunctionName, r.Description, r.Hermetic = "probe", "Look at what there is", true
	r.Function = func(
		fc *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, other []byte,
	) (gaby.Container, any, error) {
		see(fc, docs, other)
		return docs, nil, nil
	}
	if err := h.RegisterFunction(described(r)); err != nil {
		t.Fatal(err)
	}
	return h
}

const twoThings = "apiVersion: v1\nkind: Thing\nmetadata: {name: a}\n---\napiVersion: v1\n" +
	"kind: Thing\nmetadata: {name: b}\n"

func TestWholeUnitFunctionsSeeAllDocuments(t *testing.T) {
	for _, whole := range []bool{false, true} {
		t.Run(fmt.Sprint(whole), func(t *testing.T) {
			for hash, want := range map[string]string{
				"":   api.DataHash([]byte(twoThings)),
				"0f": "0f",
			} {
				seen, known := 0, ""
				h := probe(t, handler.FunctionRegistration{WholeUnit: whole},
					func(fc *api.FunctionContext, docs gaby.Container, _ []byte) {
						seen, known = len(docs), fc.PreviousDataHash
					})
				r, err := h.Run(t.Context(), &api.FunctionInvocationRequest{
					FunctionContext: api.FunctionContext{PreviousDataHash: hash},
					ConfigData:      []byte(twoThings), WhereResource: "metadata.name = 'a'",
					FunctionInvocations: api.FunctionInvocationList{
						{FunctionName: "probe", WhereResource: "metadata.name = 'a'"},
					},
				}, handler.Options{})
				if err != nil || !r.Success {
					t.Fatal(err, r)
				}
				if !whole && hash == "" {
					want = "" // the function did not ask for it
				}
				if (seen == 2) != whole || known != want {
					t.Errorf("whole unit %t, hash %q: %d documents, hash %q", whole, hash, seen,
						known)
				}
			}
		})
	}
}

func TestOtherData(t *testing.T) {
	var got []byte
	h := probe(t, handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			OtherDataExpected: []string{"Released", "Before:"},
		},
	},
		func(_ *api.FunctionContext, _ gaby.Container, other []byte) { got = other })
	with(t, h, handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "wants-conflicts", OtherDataExpected: []string{"Conflicts"},
		}, Function: nothing,
	})
	for _, c := range []struct {
		sources map[string]api.Text
		want    string
	}{
		{nil, ""},
		{map[string]api.Text{"Conflicts": api.Text("x")}, ""},
		{map[string]api.Text{"Anything": api.Text("x")}, "x"},
		{map[string]api.Text{"Anything": api.Text("x"), "Other": api.Text("y")}, ""},
		{
			map[string]api.Text{
				"Anything": api.Text("x"), "Released": api.Text("y"), "Before:A": api.Text("z"),
			}, "y",
		},
		{
			map[string]api.Text{
				"Anything": api.Text("x"), "Before:B": api.Text("y"), "Before:A": api.Text("z"),
			}, "z",
		},
		{map[string]api.Text{"Anything": api.Text("x"), "Before": api.Text("y")}, ""},
	} {
		t.Run(c.want, func(t *testing.T) {
			got = []byte("not called")
			_, err := h.Run(t.Context(), &api.FunctionInvocationRequest{
				ConfigData: []byte(twoThings), OtherData: c.sources,
				FunctionInvocations: api.FunctionInvocationList{
					{FunctionName: "probe"}, {FunctionName: "wants-conflicts"},
				},
			}, handler.Options{})
			if err != nil || string(got) != c.want {
				t.Errorf("%v: %q, %v, want %q", c.sources, got, err, c.want)
			}
		})
	}
}

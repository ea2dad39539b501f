package handler_test

import (
	"bytes"
	"os"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
)

// TestStepsHoldIntermediateData checks that the response has, for each step that changed
// something, the data of the chain up to it, and the lines of the documents before the chain,
// whether the unit is run in parts or not.
func TestStepsHoldIntermediateData(t *testing.T) {
	h := testFunctions(t)
	list := "apiVersion: v1\nkind: List\nitems:\n" +
		"- apiVersion: v1\n  kind: Thing\n  metadata:\n    name: a\n- apiVersion: v1\n" +
		"  kind: Thing\n  metadata:\n    name: b\n"
	invoke := func(data string, chain api.FunctionInvocationList) *handler.Result {
		r, err := h.Run(t.Context(),
			&api.FunctionInvocationRequest{ConfigData: []byte(data), FunctionInvocations: chain},
			handler.Options{KeepSteps: true})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, calls := range [][]string{
		{"mark x"},
		{"names y"},
		{"mark x", "names y", "mark x", "rename z", "mark y"},
		{"mark x", "keep a", "mark y"},
		{"mark x", "copy-all y", "mark y", "reverse z", "keep c", "mark z"},
		{"reverse z", "mark x", "reverse z", "rename a"},
		{"mark x", "spoil a", "mark y", "mork z", "panic z", "mark z"},
		{"vet-marked x", "mark x", "keep nothing", "copy-all x"},
	} {
		for name, data := range map[string]string{
			"two": resource("a") + "---\n" + resource("b"), "list": list,
			"list and one": list + "---\n" + resource("c"),
			"many":         manyResources(1500),
		} {
			for _, cores := range []int{1, 4} {
				if name == "many" && cores == 1 && os.Getenv("LONG") == "" {
					continue // it is one part then, as the small units are
				}
				was := runtime.GOMAXPROCS(cores)
				all := chain(calls...)
				var steps []int
				texts := map[int][]byte{}
				before := []byte(data)
				for i := range all {
					if now := invoke(data, all[:i+1]).ConfigData; !bytes.Equal(now, before) {
						steps, texts[i], before = append(steps, i), now, now
					}
				}
				r := invoke(data, all)
				runtime.GOMAXPROCS(was)
				documents, err := h.Converter().NativeToDocuments([]byte(data))
				if err != nil {
					t.Fatal(err)
				}
				lines := handler.ResourceLines(documents, h.ResourceProvider())
				if !reflect.DeepEqual(r.Lines, lines) {
					t.Errorf("%v on %s, %d cores: the lines differ", calls, name, cores)
				}
				var have []int
				for _, s := range r.Steps {
					text := bytes.Join(s.Parts, nil)
					if have = append(have, s.Index); !bytes.Equal(text, texts[s.Index]) {
						t.Errorf("%v on %s, %d cores: after step %d: %.200q, not %.200q",
							calls, name, cores, s.Index, text, texts[s.Index])
					}
				}
				if !slices.Equal(have, steps) {
					t.Errorf("%v on %s, %d cores: steps %v, not %v", calls, name, cores, have,
						steps)
				}
			}
		}
	}
}

func TestStepsAreKeptOnlyWhenAskedFor(t *testing.T) {
	r, err := testFunctions(t).Run(t.Context(), &api.FunctionInvocationRequest{
		ConfigData: []byte(resource("a")), FunctionInvocations: chain("mark x"),
	}, handler.Options{})
	if err != nil || r.Steps != nil || !r.Changed {
		t.Errorf("%v, %v", r, err)
	}
}

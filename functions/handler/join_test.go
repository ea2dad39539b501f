package handler_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
)

// TestJoin counts the documents of a unit with a function that sees the unit in parts.
func TestJoin(t *testing.T) {
	const documents = 3000
	data := manyResources(documents)
	for name, joinError := range map[string]error{
		"in parts": nil, "in one piece": handler.ErrWholeUnit, "panic": nil,
	} {
		t.Run(name, func(t *testing.T) {
			h := with(t, newHandler(), handler.FunctionRegistration{
				FunctionSignature: api.FunctionSignature{FunctionName: "count", Hermetic: true},
				PerDocument:       true,
				Function: func(
					fc *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument,
					_ []byte,
				) (gaby.Container, any, error) {
					if !handler.IsPart(fc) {
						fc.NoteOnce(fmt.Sprintf("%d documents in one piece", len(docs)))
					}
					handler.Leave(fc, len(docs))
					return docs, nil, nil
				},
				Join: func(fc *api.FunctionContext, _ []api.FunctionArgument, parts []any) error {
					sum := 0
					for _, n := range parts {
						sum += n.(int)
					}
					fc.NoteOnce(fmt.Sprintf("%d documents, several parts: %t", sum, len(parts) > 1))
					if name == "panic" {
						panic(name)
					}
					return joinError
				},
			})
			want := "3000 documents in one piece"
			if name == "in parts" {
				want = "3000 documents, several parts: true"
			}
			// Every step has facts of its own. The second step counts only what it sees.
			steps := chain("count", "count")
			steps[1].WhereResource = "metadata.name < 'n0010'"
			r := selected(t, h, data, "", steps)
			var notes []string
			for _, n := range r.Notes {
				notes = append(notes, n.Message)
			}
			second := "10" + want[len("3000"):]
			if !r.Success || !slices.Equal(notes, []string{want, second}) {
				t.Errorf("%s: %q, %+v", name, notes, r.Failures)
			}
		})
	}
}

func TestInputFile(t *testing.T) {
	for file, want := range map[string]string{
		"app.yaml": "[app.yaml app.yaml app.yaml ]", "": "[   ]",
	} {
		t.Run(file, func(t *testing.T) {
			var files []string
			h := newHandler()
			for name, mutating := range map[string]bool{
				"look": false, "change": true,
				"label": true,
			} {
				with(t, h, handler.FunctionRegistration{
					FunctionSignature: api.FunctionSignature{
						FunctionName: name, Hermetic: true, Mutating: mutating,
					},
					KeepsNames: name == "label",
					Function: func(
						fc *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument,
						_ []byte,
					) (gaby.Container, any, error) {
						files = append(files, handler.InputFile(fc))
						return docs, nil, nil
					},
				})
			}
			r, err := h.Run(t.Context(), &api.FunctionInvocationRequest{
				ConfigData: []byte(resource("a")), FileName: file,
				FunctionInvocations: chain("look", "label", "change", "change"),
			}, handler.Options{})
			if err != nil || !r.Success || fmt.Sprint(files) != want {
				t.Errorf("%q: %v, %+v", files, err, r)
			}
		})
	}
}

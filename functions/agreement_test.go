package functions_test

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

// TestPartsAgree runs an example of every function on a unit large enough to be split into parts.
// Data, outputs and notes must not depend on whether the unit is split, nor on the number of
// processors. Only a run with LONG=1 takes every function, all examples, more parts and one
// processor too.
func TestPartsAgree(t *testing.T) {
	text, err := os.ReadFile("../examples/explain/deployment.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var unit bytes.Buffer
	long := os.Getenv("LONG") != ""
	size := 144 << 10 // two parts; units up to 128 KiB are not split
	if long {
		size = 512 << 10
	}
	for unit.Len() < size {
		unit.WriteString("---\n")
		unit.Write(text)
	}
	executor := functions.NewStandardExecutor()
	for i, signature := range executor.Signatures(api.ToolchainKubernetesYAML) {
		if signature.AliasOf != "" || !signature.Hermetic || !long && i%3 > 0 {
			continue
		}
		examples := signature.Examples
		if !long {
			first := min(1, len(examples))
			examples = examples[:first:first]
		}
		switch signature.FunctionName {
		case "vet-images":
			examples = append(examples, `vet-images '{"AllowRegexp": "^$"}'`)
		case "vet-immutable":
			examples = append(examples, "vet-immutable container-image")
		case "vet-disruption":
			examples = append(examples, "vet-disruption Low")
		}
		for _, example := range examples {
			invocation, ok := invocationOf(t, example)
			if !ok {
				continue
			}
			t.Run(example, func(t *testing.T) {
				parts := outcome(t, executor, invocation, unit.Bytes(), 4)
				whole := outcome(t, executor, invocation, unit.Bytes(), 4, unsplit)
				if diff := cmp.Diff(whole, parts); diff != "" {
					t.Errorf("whole and in parts (-whole +parts):\n%.2000s", diff)
				}
				if !long {
					return
				}
				alone := outcome(t, executor, invocation, unit.Bytes(), 1)
				if diff := cmp.Diff(alone, parts); diff != "" {
					t.Errorf("on one processor and on four (-one +four):\n%.2000s", diff)
				}
			})
		}
	}
}

// unsplit does nothing. It does not work document by document, so a chain with it is not run on
// parts.
var unsplit = api.FunctionInvocation{
	FunctionName: "replicate",
	Arguments:    []api.FunctionArgument{{Value: "v1/Nothing"}, {Value: "nothing"}, {Value: "1"}},
}

// baseline returns an earlier version of the unit, with other replicas and images.
func baseline(unit []byte) []byte {
	return bytes.ReplaceAll(
		bytes.ReplaceAll(unit, []byte("replicas: "), []byte("replicas: 1")), []byte("image: "),
		[]byte("image: old.example.com/"),
	)
}

// invocationOf parses an example like the command line. It reports false for examples that need a
// file.
func invocationOf(t *testing.T, example string) (api.FunctionInvocation, bool) {
	t.Helper()
	words, err := shellwords.Split(example)
	if err != nil {
		t.Fatal(err)
	}
	invocation := api.FunctionInvocation{FunctionName: words[0]}
	for _, word := range words[1:] {
		arg := api.FunctionArgument{Value: word}
		if name, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(name, "--") {
			arg = api.FunctionArgument{ParameterName: name[2:], Value: value}
		}
		if text, ok := strings.CutPrefix(arg.Value.(string), "template:"); ok {
			arg.Value, arg.Evaluator = text, api.EvaluatorTemplate
		}
		if strings.HasPrefix(word, "file:") {
			return invocation, false
		}
		invocation.Arguments = append(invocation.Arguments, arg)
	}
	return invocation, true
}

// result is the part of a response that must not depend on how the unit is split.
type result struct {
	Data, Outputs string
	Notes         []api.Note
	Errors        []string
	Matches       int
}

// outcome runs an invocation, and more after it, on a number of processors. It drops the notes of
// unsplit.
func outcome(
	t *testing.T,
	executor *functions.Executor,
	invocation api.FunctionInvocation,
	unit []byte,
	processors int,
	more ...api.FunctionInvocation,
) result {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	response, err := executor.Run(t.Context(), &api.FunctionInvocationRequest{
		FunctionContext: api.FunctionContext{UnitSlug: "web", SpaceSlug: "shop", SpaceID: "1"},
		ConfigData:      unit,
		OtherData: map[string]api.Text{
			"Before:": baseline(unit), "Conflicts": api.Text("[]"),
		},
		FunctionInvocations: append(api.FunctionInvocationList{invocation}, more...),
	}, handler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var notes []api.Note
	for _, n := range response.Notes {
		if n.Function != unsplit.FunctionName || len(more) == 0 {
			notes = append(notes, n)
		}
	}
	outputs, err := json.Marshal(response.Outputs)
	if err != nil {
		t.Fatal(err)
	}
	return result{
		Data: string(response.ConfigData), Outputs: string(outputs), Notes: notes,
		Errors:  response.ErrorMessages,
		Matches: response.Functions[0].Matches,
	}
}

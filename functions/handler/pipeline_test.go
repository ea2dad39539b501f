package handler_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/where"
)

// with registers one more function, which takes no arguments.
func with(
	t *testing.T, h *handler.FunctionHandler, r handler.FunctionRegistration,
) *handler.FunctionHandler {
	t.Helper()
	r.Description = "Do " + r.FunctionName
	if err := h.RegisterFunction(described(r)); err != nil {
		t.Fatal(err)
	}
	return h
}

// manyResources returns enough text for many parts.
func manyResources(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "---\n%spadding: %s\n", resource(fmt.Sprintf("n%04d", i)),
			strings.Repeat("x", 300))
	}
	return b.String()
}

func TestOnlyHermeticFunctionsRun(t *testing.T) {
	h := with(t, testFunctions(t), handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{FunctionName: "phone-home"}, Function: nothing,
	})
	request := &api.FunctionInvocationRequest{
		ConfigData: []byte(resource("a")), FunctionInvocations: chain("phone-home", "names x"),
	}
	r, err := h.Run(t.Context(), request, handler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Failures) != 1 || r.Failures[0].Class != api.FailureUsage ||
		!strings.Contains(r.Failures[0].Hint, "--allow-external") || r.Functions[0].Ran ||
		!r.Functions[1].Ran {
		t.Errorf("%s %+v", outcome(r), r.Functions)
	}
	if r, err = h.Run(t.Context(), request, handler.Options{AllowExternal: true}); err != nil ||
		!r.Success || !r.Functions[0].Ran {
		t.Errorf("%v %s", err, outcome(r))
	}
}

func TestDeprecatedNames(t *testing.T) {
	h := with(t, newHandler(), handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{FunctionName: "do-it", Hermetic: true},
		Function:          nothing,
		Aliases:           []string{"do-that"}, DeprecatedAliases: []string{"perform-it"},
	})
	with(t, h, handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "old-thing", Hermetic: true, Deprecated: true,
		}, Function: nothing,
	})
	for name, note := range map[string]string{
		"do-it": "", "do-that": "",
		"perform-it": "note 0 perform-it: this name is deprecated, the function is called do-it\n",
		"old-thing":  "note 0 old-thing: this function is deprecated\n",
	} {
		t.Run(name, func(t *testing.T) {
			s, ok := h.Signature(name)
			if !ok || s.Deprecated != (note != "") ||
				(s.AliasOf == "") != (name == "do-it" || name == "old-thing") {
				t.Errorf("%s: %+v", name, s)
			}
			if got := outcome(selected(t, h, resource("a"), "", chain(name))); got != note {
				t.Errorf("%s: %s, want %s", name, got, note)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	h := with(t, testFunctions(t), handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{FunctionName: "find-faults", Hermetic: true},
		Function: func(
			*api.FunctionContext, gaby.Container, []api.FunctionArgument, []byte,
		) (gaby.Container, any, error) {
			faults := []error{errors.New(strings.Repeat("é", 2000))}
			for i := range 1500 {
				faults = append(faults, fmt.Errorf("fault %d", i))
			}
			return nil, nil, errors.Join(faults...)
		},
	})
	r := selected(t, h, resource("a"), "", chain("find-faults"))
	if len(r.Failures) != 1501 || len(r.ErrorMessages) != api.MaxErrors ||
		r.ErrorMessages[api.MaxErrors-1] != "and 478 more errors" {
		t.Errorf("%d failures, %d messages, the last: %s", len(r.Failures), len(r.ErrorMessages),
			r.ErrorMessages[len(r.ErrorMessages)-1])
	}
	if n := len([]rune(r.ErrorMessages[0])); n != api.MaxErrorLength ||
		!strings.HasSuffix(r.ErrorMessages[0], "é…") {
		t.Errorf("the first message has %d characters", n)
	}

	_, err := h.Run(t.Context(),
		&api.FunctionInvocationRequest{
			FunctionInvocations: make(api.FunctionInvocationList, api.MaxInvocations+1),
		}, handler.Options{})
	if failure, ok := errors.AsType[*api.Failure](err); !ok || failure.Class != api.FailureUsage ||
		!strings.Contains(failure.Message, "1025 functions") {
		t.Errorf("too many functions: %v", err)
	}
	_, err = h.ValidateInvocation(api.FunctionInvocation{
		FunctionName: "mark", Arguments: make([]api.FunctionArgument, api.MaxArguments+1),
	})
	if _, ok := errors.AsType[*handler.ArgumentError](err); !ok ||
		!strings.Contains(err.Error(), "1025 arguments") {
		t.Errorf("too many arguments: %v", err)
	}
	_, err = h.ValidateInvocation(api.FunctionInvocation{
		FunctionName: strings.Repeat("mark", 1000),
	})
	if unknown, ok := errors.AsType[*handler.UnknownFunctionError](err); !ok ||
		len(unknown.Name) > 200 {
		t.Errorf("too long a name: %v", err)
	}
}

func TestAllProblemsOfAnInvocationAreReported(t *testing.T) {
	h := with(t, newHandler(), handler.FunctionRegistration{
		FunctionSignature: sampler().FunctionSignature, Function: nothing,
		Aliases: []string{"sample"},
	})
	invocation := api.FunctionInvocation{
		FunctionName: "sample", WhereResource: "a == 1",
		Arguments: []api.FunctionArgument{
			{Value: "{{.Nope}}", Evaluator: api.EvaluatorTemplate},
			{Value: "x"},
			{Value: "y"},
			{Value: "z"},
			{Value: "more"},
		},
	}
	r := selected(t, h, resource("a"), "", api.FunctionInvocationList{invocation})
	// The failures: not hermetic, too many arguments, not an integer, not a bool, not an enum
	// value, not a where-expression. Expressions are only evaluated if everything else is valid.
	if len(r.Failures) != 6 {
		t.Errorf("%s", outcome(r))
	}
	_, err := h.ValidateInvocation(invocation)
	if joined, ok := err.(interface{ Unwrap() []error }); !ok || len(joined.Unwrap()) != 5 {
		t.Errorf("%v", err)
	} else if _, ok := errors.AsType[*where.Error](joined.Unwrap()[4]); !ok {
		t.Errorf("the last is %v", joined.Unwrap()[4])
	}
	invocation.WhereResource = ""
	invocation.Arguments = []api.FunctionArgument{
		{Value: "{{.Nope}}", Evaluator: api.EvaluatorTemplate},
		{Value: "{{.Nix}}", Evaluator: api.EvaluatorTemplate},
		{Value: "{{.UnitSlug}}", Evaluator: api.EvaluatorTemplate},
	}
	request := &api.FunctionInvocationRequest{
		FunctionInvocations: api.FunctionInvocationList{invocation},
	}
	request.UnitSlug = "neither"
	if r, err = h.Run(t.Context(), request, handler.Options{AllowExternal: true}); err != nil ||
		len(r.Failures) != 3 || r.Failures[2].Argument != "flag" {
		t.Errorf("expressions: %v %s", err, outcome(r))
	}
}

func TestOutputsAreCombined(t *testing.T) {
	h := testFunctions(t)
	output := func(name string, validating bool, value any, info *api.FunctionOutput) {
		with(t, h, handler.FunctionRegistration{
			FunctionSignature: api.FunctionSignature{
				FunctionName: name, Validating: validating, Hermetic: true, OutputInfo: info,
			},
			Function: func(
				_ *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte,
			) (gaby.Container, any, error) {
				return docs, value, nil
			},
		})
	}
	result := api.ValidationResult{Passed: true}
	output("vet-one", true, result, nil)
	output("vet-some", true, api.ValidationResultList{result, {Passed: false}}, nil)
	output("vet-pointer", true, &result, nil)
	output("get-json", false, 1, &api.FunctionOutput{
		ResultName: "n", Description: "a number", OutputType: api.OutputTypeJSON,
	})
	output("get-opaque", false, "x", nil)
	output("get-none", false, api.AttributeValueList(nil), nil)
	for _, c := range []struct {
		chain []string
		types string
		want  string
	}{
		{
			[]string{"vet-one", "vet-some", "vet-pointer"},
			"ValidationResult",
			"passed 0 vet-one true\npassed 1 vet-some true\npassed 1 vet-some false\n" +
				"passed 2 vet-pointer true\nvalidation failed\n",
		},
		{
			[]string{"vet-some", "vet-one"},
			"ValidationResultList",
			"passed 0 vet-some true\npassed 0 vet-some false\npassed 1 vet-one true\n" +
				"validation failed\n",
		},
		{
			[]string{"get-json", "get-json", "names x", "get-none"},
			"JSON AttributeValueList",
			"note 0 get-json: functions with unmergeable output types; output of get-json " +
				"discarded\noutput JSON 1\nrow 2 names /a\n",
		},
		{[]string{"get-opaque"}, "Opaque", "output Opaque x\n"},
		{[]string{"get-none"}, "AttributeValueList", ""},
	} {
		t.Run(c.types, func(t *testing.T) {
			r := selected(t, h, resource("a"), "", chain(c.chain...))
			var types []string
			for _, o := range r.Outputs {
				types = append(types, string(o.OutputType))
			}
			if got := outcome(r); got != c.want || strings.Join(types, " ") != c.types {
				t.Errorf("%v: %v\n%s\nwant:\n%s", c.chain, types, got, c.want)
			}
		})
	}
}

func TestFailingFilter(t *testing.T) {
	h := with(t, testFunctions(t), handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "vet-badly", Validating: true, Hermetic: true,
		},
		Function: func(
			*api.FunctionContext, gaby.Container, []api.FunctionArgument, []byte,
		) (gaby.Container, any, error) {
			return nil, api.ValidationResult{Passed: true}, errors.New("no idea")
		},
	})
	for _, stop := range []bool{true, false} {
		t.Run(fmt.Sprint(stop), func(t *testing.T) {
			r, err := h.Run(t.Context(), &api.FunctionInvocationRequest{
				ConfigData: []byte(resource("a")), NumFilters: 1, StopOnError: stop,
				FunctionInvocations: chain("vet-badly", "mark x"),
			}, handler.Options{})
			if err != nil || r.Success || r.Functions[1].Ran == stop || len(r.Outputs) != 0 {
				t.Errorf("stop %t: %v %s %+v", stop, err, outcome(r), r.Functions)
			}
		})
	}
}

func TestPanicsAroundFunctionsAreErrors(t *testing.T) {
	h := with(t, testFunctions(t), handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{FunctionName: "check-badly", Hermetic: true},
		Function:          nothing,
		CheckArguments:    func([]api.FunctionArgument) error { panic("ouch") },
	})
	_, err := h.ValidateInvocation(api.FunctionInvocation{FunctionName: "check-badly"})
	if panicked, ok := errors.AsType[*handler.PanicError](err); !ok ||
		panicked.Function != "check-badly" || err.Error() != "the function panicked: ouch" {
		t.Errorf("when arguments are checked: %v", err)
	}
	broken := handler.New(api.ToolchainKubernetesYAML, brokenConverter{}, k8skit.New())
	_, err = broken.Run(t.Context(), &api.FunctionInvocationRequest{}, handler.Options{})
	failure, ok := errors.AsType[*api.Failure](err)
	if panicked, ok2 := errors.AsType[*handler.PanicError](err); !ok || !ok2 ||
		failure.Class != api.FailureFunction || len(panicked.Stack) == 0 {
		t.Errorf("in the converter: %v", err)
	}
}

type brokenConverter struct{ k8skit.Converter }

func (brokenConverter) NativeToDocuments([]byte) (gaby.Container, error) { panic("broken") }

// TestContractViolations runs functions that do what their signatures rule out, and checks that
// their changes are undone.
func TestContractViolations(t *testing.T) {
	edit := func(docs gaby.Container) {
		for _, doc := range docs {
			if _, err := doc.Set("x", "key"); err != nil {
				t.Error(err)
			}
		}
	}
	for name, c := range map[string]struct {
		signature api.FunctionSignature
		make      func(docs gaby.Container) (gaby.Container, any)
		want      string
	}{
		"a getter that edits": {
			api.FunctionSignature{},
			func(docs gaby.Container) (gaby.Container, any) { edit(docs); return docs, nil },
			"failure 4 f: the function changed the configuration, but its signature does not say " +
				"Mutating: true\n",
		},
		"a getter that drops": {
			api.FunctionSignature{},
			func(docs gaby.Container) (gaby.Container, any) { return docs[:1], nil },
			"failure 4 f: the function changed the configuration, but its signature does not say " +
				"Mutating: true\n",
		},
		"a getter that returns no documents": {
			api.FunctionSignature{},
			func(gaby.Container) (gaby.Container, any) { return nil, nil },
			"",
		},
		"a validation without a result": {
			api.FunctionSignature{Validating: true},
			func(docs gaby.Container) (gaby.Container, any) { return docs, nil },
			"failure 4 f: the function is a validation, but its output is <nil> and not an " +
				"api.ValidationResult or a list of them\n",
		},
		"a validation with a number": {
			api.FunctionSignature{Validating: true},
			func(docs gaby.Container) (gaby.Container, any) { return docs, 5 },
			"failure 4 f: the function is a validation, but its output is int and not an " +
				"api.ValidationResult or a list of them\n",
		},
		"text instead of rows": {
			api.FunctionSignature{
				OutputInfo: &api.FunctionOutput{
					ResultName: "x", Description: "y", OutputType: api.OutputTypeAttributeValueList,
				},
			},
			func(docs gaby.Container) (gaby.Container, any) { return docs, "text" },
			"failure 4 f: the signature of f says that its output is of type AttributeValueList, " +
				"but it returned string\n",
		},
		"resources instead of rows": {
			api.FunctionSignature{
				OutputInfo: &api.FunctionOutput{
					ResultName: "x", Description: "y", OutputType: api.OutputTypeAttributeValueList,
				},
			},
			func(docs gaby.Container) (gaby.Container, any) { return docs, api.ResourceList{} },
			"failure 4 f: the signature of f says that its output is of type AttributeValueList, " +
				"but it returned api.ResourceList\n",
		},
		"anything as JSON": {
			api.FunctionSignature{
				OutputInfo: &api.FunctionOutput{
					ResultName: "x", Description: "y", OutputType: api.OutputTypeJSON,
				},
			},
			func(docs gaby.Container) (gaby.Container, any) { return docs, api.ResourceList{} },
			"output ResourceList []\n",
		},
		"a document that is nil": {
			api.FunctionSignature{Mutating: true},
			func(docs gaby.Container) (gaby.Container, any) { return append(docs, nil), nil },
			"failure 4 f: the function returned a document that is nil\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.signature.FunctionName, c.signature.Hermetic = "f", true
			h := with(t, testFunctions(t), handler.FunctionRegistration{
				FunctionSignature: c.signature, PerDocument: !c.signature.Validating,
				Function: func(
					_ *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte,
				) (gaby.Container, any, error) {
					docs, output := c.make(docs)
					return docs, output, nil
				},
			})
			for _, data := range []string{manyResources(2), manyResources(3000)} {
				r, err := h.Run(t.Context(), &api.FunctionInvocationRequest{
					ConfigData:          []byte(data),
					FunctionInvocations: api.FunctionInvocationList{{FunctionName: "f"}},
				}, handler.Options{InParts: true})
				if err != nil {
					t.Fatal(err)
				}
				if got := outcome(r); got != c.want {
					t.Errorf("got  %swant %s", got, c.want)
				}
				if got := string(bytes.Join(r.Parts, nil)); got != data {
					t.Errorf("the configuration changed from %d to %d bytes", len(data), len(got))
				}
			}
		})
	}
}

// TestFailuresInParts runs functions that fail and panic somewhere in a large unit, and checks
// that the outcome is that of a run with one core.
func TestFailuresInParts(t *testing.T) {
	data := manyResources(2500)
	h := testFunctions(t)
	with(t, h, handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "panic-late", Mutating: true, Hermetic: true,
		}, PerDocument: true,
		Function: func(
			_ *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			for _, doc := range docs {
				if _, err := doc.Set(true, "panicked"); err != nil {
					return nil, nil, err
				}
				if name, _ := h.ResourceProvider().ResourceNameGetter(doc); name == "/n1711" {
					panic("at " + name)
				}
			}
			return docs, nil, nil
		},
	})
	run := func(cores int, stop bool, list api.FunctionInvocationList) (string, string) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		r, err := h.Run(t.Context(),
			&api.FunctionInvocationRequest{
				ConfigData: []byte(data), StopOnError: stop, FunctionInvocations: list,
			}, handler.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Failures {
			if p, ok := errors.AsType[*handler.PanicError](f); ok &&
				!strings.Contains(string(p.Stack), "pipeline_test.go") {
				t.Errorf("the stack is lost: %s", p.Stack)
			}
		}
		return string(r.ConfigData), outcome(r)
	}
	for _, c := range []struct {
		chain   []string
		failure string
	}{
		{
			[]string{"mark x", "names y", "spoil n17", "mark z"},
			"spoil: v1/Thing /n1700: it is spoilt",
		},
		{
			[]string{"mark x", "mark y", "panic-late", "mark z"},
			"panic-late: the function panicked: at /n1711",
		},
	} {
		t.Run(c.failure, func(t *testing.T) {
			for _, stop := range []bool{true, false} {
				data1, outcome1 := run(1, stop, chain(c.chain...))
				data4, outcome4 := run(4, stop, chain(c.chain...))
				if data1 != data4 || outcome1 != outcome4 {
					t.Errorf("%v, stop %t: the data is the same: %t, the outcomes:\n%.1000s\n"+
						"%.1000s",
						c.chain, stop, data1 == data4, outcome1, outcome4)
				}
				if !strings.Contains(outcome4, c.failure) || strings.Contains(data4, "spoilt") ||
					strings.Contains(data4, "panicked") ||
					strings.Count(data4, "x: \"yes\"") != 2500 ||
					strings.Contains(data4, "z: \"yes\"") == stop {
					t.Errorf("%v, stop %t: not what was to happen:\n%.1000s", c.chain, stop,
						outcome4)
				}
			}
		})
	}
}

// TestLongFunctionsAreCancelled cancels while many parts are in the middle of a function.
func TestLongFunctionsAreCancelled(t *testing.T) {
	for _, data := range []string{resource("a"), manyResources(6000)} {
		t.Run(data, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			h := with(t, testFunctions(t), handler.FunctionRegistration{
				FunctionSignature: api.FunctionSignature{
					FunctionName: "take-long", Mutating: true, Hermetic: true,
				}, PerDocument: true,
				Function: func(
					fc *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument,
					_ []byte,
				) (gaby.Container, any, error) {
					time.AfterFunc(10*time.Millisecond, cancel)
					select {
					case <-fc.Context().Done():
						return nil, nil, fc.Context().Err()
					case <-time.After(time.Minute):
						return docs, nil, nil
					}
				},
			})
			r, err := h.Run(ctx,
				&api.FunctionInvocationRequest{
					ConfigData:          []byte(data),
					FunctionInvocations: chain("mark x", "take-long", "mark y"),
				}, handler.Options{})
			if !errors.Is(err, context.Canceled) || r != nil {
				t.Errorf("%v, %v", r, err)
			}
		})
	}
}

func TestValidationOfPartsHasOneResult(t *testing.T) {
	validate := func(perDocument bool) handler.FunctionRegistration {
		return handler.FunctionRegistration{
			FunctionSignature: api.FunctionSignature{
				FunctionName: "vet-names", Validating: true, Hermetic: true,
			},
			PerDocument: perDocument,
			Function: func(
				fc *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte,
			) (gaby.Container, any, error) {
				result := api.ValidationResult{Passed: true}
				for _, doc := range docs {
					if name := doc.Path("metadata.name").Data().(string); strings.HasSuffix(name,
						"7") {
						pos := doc.Position()
						result.Passed, result.Score = false, "High"
						result.Details = append(result.Details, name)
						result.Locations = append(result.Locations, api.Location{Position: pos})
					}
				}
				fc.Matched(len(docs))
				return docs, result, nil
			},
		}
	}
	text := manyResources(5000)
	var results []api.ValidationResultList
	for _, perDocument := range []bool{false, true} {
		t.Run(fmt.Sprint(perDocument), func(t *testing.T) {
			r := selected(t, with(t, newHandler(), validate(perDocument)), text, "",
				chain("vet-names"))
			if !r.ValidationFailed || len(r.Outputs) != 1 {
				t.Fatalf("per document %t: %s", perDocument, outcome(r))
			}
			results = append(results, r.Outputs[0].Value.(api.ValidationResultList))
		})
	}
	if len(results[0]) != 1 || len(results[0][0].Details) != 500 ||
		len(results[0][0].Locations) != 500 || !reflect.DeepEqual(results[0], results[1]) {
		t.Errorf("%d results with %d details, and %d with %d", len(results[0]),
			len(results[0][0].Details), len(results[1]), len(results[1][0].Details))
	}
	if r := selected(t, with(t, newHandler(), validate(true)), manyResources(7), "",
		chain("vet-names")); r.ValidationFailed {
		t.Errorf("%s", outcome(r))
	}
}

package handler_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// testFunctions returns small functions to build pipelines from.
func testFunctions(t *testing.T) *handler.FunctionHandler {
	t.Helper()
	h := newHandler()
	key := api.FunctionParameter{
		ParameterName: "key", Description: "a key", Required: true, DataType: api.DataTypeString,
	}
	visit := func(docs gaby.Container, f func(*gaby.YamlDoc, *api.ResourceInfo) error) error {
		_, err := yamlkit.VisitResources(docs, nil, h.ResourceProvider(),
			func(doc *gaby.YamlDoc, _ any, _ int, info *api.ResourceInfo) (any, []error) {
				return nil, []error{f(doc, info)}
			})
		return err
	}
	register := func(name string, r handler.FunctionRegistration) {
		t.Helper()
		r.FunctionName, r.Description, r.Hermetic = name, "Do "+name, true
		r.Parameters, r.RequiredParameters = []api.FunctionParameter{key}, 1
		if err := h.RegisterFunction(described(r)); err != nil {
			t.Fatal(err)
		}
	}
	mark := func(
		_ *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
	) (gaby.Container, any, error) {
		return docs, nil, visit(docs, func(doc *gaby.YamlDoc, _ *api.ResourceInfo) error {
			_, err := doc.Set("yes", handler.Arguments(args).String("key"))
			return err
		})
	}
	register("mark", handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{Mutating: true}, Function: mark, PerDocument: true,
	})
	// spoil marks all documents and fails at those whose name begins with the key.
	register("spoil", handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{Mutating: true}, PerDocument: true,
		Function: func(
			fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, other []byte,
		) (gaby.Container, any, error) {
			if _, _, err := mark(fc, docs,
				[]api.FunctionArgument{{ParameterName: "key", Value: "spoilt"}},
				other); err != nil {
				return nil, nil, err
			}
			return docs, nil, visit(docs, func(_ *gaby.YamlDoc, info *api.ResourceInfo) error {
				if strings.HasPrefix(string(info.ResourceNameWithoutScope),
					handler.Arguments(args).String("key")) {
					return errors.New("it is spoilt")
				}
				return nil
			})
		},
	})
	register("names", handler.FunctionRegistration{
		PerDocument: true, RowsSorted: true,
		Function: func(
			fc *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			rows := api.AttributeValueList{}
			err := visit(docs, func(_ *gaby.YamlDoc, info *api.ResourceInfo) error {
				rows = append(rows, api.AttributeValue{
					AttributeInfo: api.AttributeInfo{
						AttributeIdentifier: api.AttributeIdentifier{ResourceInfo: *info},
					},
				})
				return nil
			})
			fc.Matched(len(rows))
			return docs, rows, err
		},
	})
	// keep keeps the documents whose name begins with the key.
	register("keep", handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{Mutating: true}, PerDocument: true,
		Function: func(
			_ *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			kept := gaby.Container{}
			for _, doc := range docs {
				name, err := h.ResourceProvider().ResourceNameGetter(doc)
				if err == nil &&
					strings.HasPrefix(string(name), "/"+handler.Arguments(args).String("key")) {
					kept = append(kept, doc)
				}
			}
			return kept, nil, nil
		},
	})
	register("vet-marked", handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{Validating: true},
		Function: func(
			_ *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			result := api.ValidationResult{Passed: true}
			for _, doc := range docs {
				result.Passed = result.Passed && doc.Exists(handler.Arguments(args).String("key"))
			}
			return docs, result, nil
		},
	})
	register("panic",
		handler.FunctionRegistration{Function: func(
			*api.FunctionContext, gaby.Container, []api.FunctionArgument, []byte,
		) (gaby.Container, any, error) {
			panic("ouch")
		}})
	for name, function := range moreFunctions() {
		// Only rename treats every document by itself.
		register(name, handler.FunctionRegistration{
			FunctionSignature: api.FunctionSignature{Mutating: true}, Function: function,
			PerDocument: name == "rename",
		})
	}
	register("text",
		handler.FunctionRegistration{Function: func(
			_ *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			return docs, api.YAMLPayload{Payload: handler.Arguments(args).String("key") + "\n"}, nil
		}})
	return h
}

func resource(name string) string {
	return "apiVersion: v1\nkind: Thing\nmetadata:\n  name: " + name + "\n"
}

// chain parses invocations written as "function key".
func chain(calls ...string) api.FunctionInvocationList {
	var list api.FunctionInvocationList
	for _, call := range calls {
		name, key, ok := strings.Cut(call, " ")
		invocation := api.FunctionInvocation{FunctionName: name}
		if ok {
			invocation.Arguments = args(key)
		}
		list = append(list, invocation)
	}
	return list
}

// outcome formats a response as lines for comparison.
func outcome(r *handler.Result) string {
	var b strings.Builder
	for _, f := range r.Failures {
		fmt.Fprintf(&b, "failure %d %v\n", f.Class, f)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note %d %s\n", n.Kind, n)
	}
	for _, o := range r.Outputs {
		switch v := o.Value.(type) {
		case api.AttributeValueList:
			for _, row := range v {
				fmt.Fprintf(&b, "row %d %s %s\n", row.Index, row.FunctionName, row.ResourceName)
			}
		case api.ValidationResultList:
			for _, row := range v {
				fmt.Fprintf(&b, "passed %d %s %t\n", row.Index, row.FunctionName, row.Passed)
			}
		case api.YAMLPayload:
			fmt.Fprintf(&b, "text %q\n", v.Payload)
		default:
			fmt.Fprintf(&b, "output %s %v\n", o.OutputType, v)
		}
	}
	if !r.Success && len(r.Failures) == 0 || r.Success && len(r.Failures) > 0 ||
		len(r.ErrorMessages) != len(r.Failures) {
		b.WriteString("success and failures disagree\n")
	}
	if r.ValidationFailed {
		b.WriteString("validation failed\n")
	}
	return b.String()
}

func TestPipeline(t *testing.T) {
	docA, docB := resource("a"), resource("b")
	both := docA + "---\n" + docB
	for _, c := range []struct {
		name    string
		data    string
		chain   api.FunctionInvocationList
		stop    bool
		filters int
		data2   string
		want    string
	}{
		{
			"every function sees what those before it did", both, chain("mark x", "vet-marked x"),
			false, 0,
			docA + "x: \"yes\"\n---\n" + docB + "x: \"yes\"\n", "passed 1 vet-marked true\n",
		},
		{
			"a failed validation", both, chain("vet-marked x"), false, 0, both,
			"passed 0 vet-marked false\nvalidation failed\n",
		},
		{
			"a failed function leaves the data as it was before it", both,
			chain("mark x", "spoil b", "mark z"), false, 0,
			docA + "x: \"yes\"\nz: \"yes\"\n---\n" + docB + "x: \"yes\"\nz: \"yes\"\n",
			"failure 4 spoil: v1/Thing /b: it is spoilt\n",
		},
		{
			"stop", both, chain("mark x", "spoil b", "mark z"), true, 0,
			docA + "x: \"yes\"\n---\n" + docB + "x: \"yes\"\n",
			"failure 4 spoil: v1/Thing /b: it is spoilt\n",
		},
		{
			"all errors of a function", both, chain("spoil a", "spoil b"), false, 0, both,
			"failure 4 spoil: v1/Thing /a: it is spoilt\nfailure 4 spoil: v1/Thing /b: it is " +
				"spoilt\n",
		},
		{
			"unknown function and bad arguments", docA, chain("mork x", "mark", "mark x"), false, 0,
			docA + "x: \"yes\"\n",
			"failure 2 invoke mork: function does not exist\n" +
				"failure 2 mark: argument key is missing: a key\n",
		},
		{
			"unknown function and stop", docA, chain("mork x", "mark x"), true, 0, docA,
			"failure 2 invoke mork: function does not exist\n",
		},
		{
			"a panic is an error", docA, chain("mark x", "panic x"), false, 0,
			docA + "x: \"yes\"\n", "failure 4 panic: the function panicked: ouch\n",
		},
		{
			"a filter that passes", docA, chain("mark x", "vet-marked x", "mark z"), false, 1,
			docA + "x: \"yes\"\nz: \"yes\"\n", "passed 1 vet-marked true\n",
		},
		{
			"a filter that does not", docA, chain("vet-marked x", "mark x"), true, 1, docA,
			"note 5 vet-marked: the filter did not pass; later functions were not run\n",
		},
		{
			"only as many filters as asked for", docA,
			chain("mark x", "vet-marked x", "vet-marked z", "mark z"), false, 1,
			docA + "x: \"yes\"\nz: \"yes\"\n",
			"passed 1 vet-marked true\npassed 2 vet-marked false\nvalidation failed\n",
		},
		{
			"rows are combined and labelled", docB + "---\n" + docA, chain("names x", "names y"),
			false, 0, docB + "---\n" + docA,
			"row 0 names /a\nrow 0 names /b\nrow 1 names /a\nrow 1 names /b\n",
		},
		{
			"texts are combined", docA, chain("text x", "text y"), false, 0, docA,
			"text \"x\\n---\\ny\\n\"\n",
		},
		{
			"outputs in the order of their first appearance", docA,
			chain("text x", "names x", "text y"), false, 0, docA,
			"text \"x\\n---\\ny\\n\"\nrow 1 names /a\n",
		},
		{
			"nothing matched", "", chain("names x"), false, 0, "",
			"note 2 names: nothing matched key x\n",
		},
		{
			"a document that is not a resource", docA + "---\nvalues: 1\n", chain("mark x"), false,
			0,
			docA + "x: \"yes\"\n---\nvalues: 1\n",
			"note 1 6:1: skipped a document without apiVersion, kind and metadata.name\n",
		},
		{
			"invalid text in a visited document", docA + "---\n" + docB + "x: [\n",
			chain("mark x", "mark z"), false, 0, docA + "---\n" + docB + "x: [\n", "failure 3 ",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := testFunctions(t).Run(t.Context(), &api.FunctionInvocationRequest{
				ConfigData: []byte(c.data), FunctionInvocations: c.chain, StopOnError: c.stop,
				NumFilters: c.filters,
			}, handler.Options{})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				return
			}
			if string(r.ConfigData) != c.data2 || r.Changed != (c.data != c.data2) {
				t.Errorf("%s: data (changed %t):\n%s\nwant:\n%s", c.name, r.Changed, r.ConfigData,
					c.data2)
			}
			got := outcome(r)
			if prefix, only := strings.CutSuffix(c.want, "failure 3 "); only && prefix == "" {
				if !strings.HasPrefix(got, c.want) || strings.Count(got, "\n") != 1 {
					t.Errorf("%s: one failure of the input is reported once, got:\n%s", c.name, got)
				}
				return
			}
			if got != c.want {
				t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
			}
		})
	}
}

func TestPanicKeepsTheStack(t *testing.T) {
	r, err := testFunctions(t).Run(t.Context(),
		&api.FunctionInvocationRequest{
			ConfigData: []byte(resource("a")), FunctionInvocations: chain("panic x"),
		}, handler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, ok := errors.AsType[*handler.PanicError](r.Failures[0])
	if !ok || !strings.Contains(string(e.Stack), "invoke_test.go") {
		t.Errorf("%#v", r.Failures[0])
	}
}

func TestCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := testFunctions(t)
	err := h.RegisterFunction(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "wait", Description: "Wait", Mutating: true, Hermetic: true,
		},
		Function: func(
			fc *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			cancel()
			<-fc.Context().Done()
			return docs, nil, fc.Context().Err()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Run(ctx,
		&api.FunctionInvocationRequest{
			ConfigData: []byte(resource("a")), FunctionInvocations: chain("wait", "mark x"),
		}, handler.Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestExpressionArguments(t *testing.T) {
	template, cel := api.EvaluatorTemplate, api.EvaluatorCEL
	for _, c := range []struct{ evaluator, text, want string }{
		{
			template, "{{.UnitSlug | normalizeName}}-{{.SpaceSlug | toLower}}",
			"text \"my-unit-deepspace\\n\"\n",
		},
		{template, "{{.UnitSlug}}<&>", "text \"My Unit<&>\\n\"\n"},
		{template, "{{.Params.zone}}", "text \"eu\\n\"\n"},
		{
			template, "ü{{.UnitSlg}}",
			"failure 2 text: argument key: template: column 4: unknown field UnitSlg\n" +
				"hint did you mean UnitSlug?\n",
		},
		{
			template, "{{.Params.zon}}",
			"failure 2 text: argument key: template: column 10: map has no entry for key " +
				"\"zon\"\nhint did you mean zone?\n",
		},
		{template, "{{", "failure 2 text: argument key: template: column 1: unclosed action\n"},
		{
			cel, "functionContext.UnitSlug.lowerAscii() + '-' + params.zone",
			"text \"my unit-eu\\n\"\n",
		},
		{cel, "size(params) + 1", "text \"2\\n\"\n"},
		{
			cel, "functionContext.UnitSlg",
			"failure 2 text: argument key: CEL: column 17: no such key: UnitSlg: functionContext " +
				"has no UnitSlg\n",
		},
		{
			cel, "[params.zone]",
			"failure 2 text: argument key: CEL: column 1: expression returns a list, not a " +
				"string, number or bool\n",
		},
		{
			cel, "object.kind + r.kind",
			"failure 2 text: argument key: CEL: column 1: object is not known\n" +
				"failure 2 text: argument key: CEL: column 15: r is not known\n",
		},
	} {
		t.Run(c.text, func(t *testing.T) {
			r, err := testFunctions(t).Run(t.Context(), &api.FunctionInvocationRequest{
				FunctionContext: api.FunctionContext{UnitSlug: "My Unit", SpaceSlug: "DeepSpace"},
				ConfigData:      []byte(resource("a")),
				FunctionInvocations: api.FunctionInvocationList{{
					FunctionName: "text",
					Params:       map[string]string{"zone": "eu"},
					Arguments:    []api.FunctionArgument{{Value: c.text, Evaluator: c.evaluator}},
				}},
			}, handler.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := outcome(r)
			for _, f := range r.Failures {
				if f.Hint != "" {
					got += "hint " + f.Hint + "\n"
				}
			}
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("%s: %s, want %s", c.text, got, c.want)
			}
		})
	}
}

// TestParallelAndSequentialRunsAgree runs chains on enough documents for many parts, with one core
// and with several.
func TestParallelAndSequentialRunsAgree(t *testing.T) {
	var data strings.Builder
	for i := range 6000 {
		if i > 0 {
			data.WriteString("---\n")
		}
		switch {
		case i%1000 == 999:
			data.WriteString("none: resource\n")
		default:
			data.WriteString(resource(fmt.Sprintf("n%04d", (i*7919)%6000)))
			data.WriteString("padding: " + strings.Repeat("x", 300) + "\n")
		}
	}
	h := testFunctions(t)
	run := func(cores int, calls ...string) (string, string) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		r, err := h.Run(t.Context(),
			&api.FunctionInvocationRequest{
				ConfigData: []byte(data.String()), FunctionInvocations: chain(calls...),
				StopOnError: true,
			}, handler.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return string(r.ConfigData), outcome(r)
	}
	for _, calls := range [][]string{
		{"mark x", "names y"},
		{"names y", "mark x", "names z"},
		{"keep n1", "mark x", "names y"},
		{"mark x", "spoil n59", "mark z"}, // fails in some parts only
	} {
		t.Run(calls[0], func(t *testing.T) {
			data1, outcome1 := run(1, calls...)
			data4, outcome4 := run(4, calls...)
			if data1 != data4 {
				t.Errorf("%v: the data differs", calls)
			}
			if outcome1 != outcome4 {
				t.Errorf("%v: the outcome differs:\n%.2000s\nand\n%.2000s", calls, outcome1,
					outcome4)
			}
			if calls[1] == "spoil n59" &&
				(strings.Contains(data4, "spoilt") || !strings.Contains(data4, "x: \"yes\"") ||
					strings.Contains(data4, "z: \"yes\"")) {
				t.Errorf("%v: what failed was not undone, or what did not was", calls)
			}
		})
	}
}

package handler_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/where"
)

// selected runs a chain on the resources that an expression selects.
func selected(
	t *testing.T, h *handler.FunctionHandler, data, where string, list api.FunctionInvocationList,
) *handler.Result {
	t.Helper()
	r, err := h.Run(t.Context(),
		&api.FunctionInvocationRequest{
			ConfigData: []byte(data), WhereResource: where, FunctionInvocations: list,
		}, handler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// about gives every invocation an expression of its own.
func about(where string, list api.FunctionInvocationList) api.FunctionInvocationList {
	for i := range list {
		list[i].WhereResource = where
	}
	return list
}

func named3(names ...string) string {
	var texts []string
	for _, name := range names {
		texts = append(texts, resource(name))
	}
	return strings.Join(texts, "---\n")
}

func TestWhereResource(t *testing.T) {
	const onlyB = "ConfigHub.ResourceNameWithoutScope = 'b'"
	const notB = "ConfigHub.ResourceNameWithoutScope != 'b'"
	abc := named3("a", "b", "c")
	for _, c := range []struct {
		name  string
		data  string
		where string
		chain api.FunctionInvocationList
		data2 string
		want  string
	}{
		{
			"of the request", abc, onlyB, chain("mark x", "names y"),
			strings.Replace(abc, "name: b\n", "name: b\nx: \"yes\"\n", 1), "row 1 names /b\n",
		},
		{
			"of an invocation", abc, "", append(about(onlyB, chain("mark x")), chain("names y")...),
			strings.Replace(abc, "name: b\n", "name: b\nx: \"yes\"\n", 1),
			"row 1 names /a\nrow 1 names /b\nrow 1 names /c\n",
		},
		{
			"of both", abc, notB,
			append(about("ConfigHub.ResourceNameWithoutScope != 'a'", chain("names x")),
				chain("names y")...), abc, "row 0 names /c\nrow 1 names /a\nrow 1 names /c\n",
		},
		{
			"nothing is selected", abc, "ConfigHub.ResourceType = 'v1/Other'",
			chain("mark x", "names x", "vet-marked x"), abc,
			"note 3 no resource satisfies ConfigHub.ResourceType = 'v1/Other'\n" +
				"passed 2 vet-marked true\n",
		},
		{
			"nothing is selected by an invocation", abc, "",
			about("ConfigHub.ResourceType = 'v1/Other'", chain("mark x", "mark z")), abc,
			"note 3 mark: no resource satisfies ConfigHub.ResourceType = 'v1/Other'\n",
		},
		{
			"a path", named3("a", "b") + "x: 1\n", "x = 1", chain("mark z"),
			named3("a", "b") + "x: 1\nz: \"yes\"\n", "",
		},
		{
			"a function that changes what was asked for", abc, "metadata.name = 'b'",
			chain("rename d", "mark x"),
			strings.Replace(abc, "name: b\n", "name: d\nx: \"yes\"\n", 1), "",
		},
		{
			"and one before a function with an expression of its own", abc, "",
			append(chain("rename d"), about("metadata.name = 'b'", chain("mark x"))...),
			strings.NewReplacer("name: a", "name: d", "name: b", "name: d", "name: c",
				"name: d").Replace(abc),
			"note 3 mark: no resource satisfies metadata.name = 'b'\n",
		},
		{"documents that are removed", abc, notB, chain("keep a"), named3("a", "b"), ""},
		{
			"documents that are added", abc, notB, chain("copy-all x"),
			named3("a", "copy", "b", "c", "copy"), "",
		},
		{
			"documents in another order", abc, notB, chain("reverse x"),
			"---\n" + named3("c", "b", "a"), "",
		},
		{"all documents are removed", abc, onlyB, chain("keep z"), named3("a", "c"), ""},
		{
			"a failure is undone", abc, notB, chain("mark x", "spoil c"),
			strings.NewReplacer("name: a\n", "name: a\nx: \"yes\"\n", "name: c\n",
				"name: c\nx: \"yes\"\n").Replace(abc),
			"failure 4 spoil: v1/Thing /c: it is spoilt\n",
		},
		{
			"what cannot be read is not looked at", abc + "---\n" + resource("d") + "y: [\n",
			"ConfigHub.ResourceNameWithoutScope < 'd'", chain("keep a"),
			named3("a", "d") + "y: [\n", "",
		},
		{
			"no resource", abc + "---\nvalues: 1\n", onlyB, chain("names x"), abc +
				"---\nvalues: 1\n",
			"note 1 16:1: skipped a document without apiVersion, kind and metadata.name\nrow 0 names /b\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := selected(t, testFunctions(t), c.data, c.where, c.chain)
			if string(r.ConfigData) != c.data2 || r.Changed != (c.data != c.data2) {
				t.Errorf("%s: data (changed %t):\n%s\nwant:\n%s", c.name, r.Changed, r.ConfigData,
					c.data2)
			}
			if got := outcome(r); got != c.want {
				t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
			}
		})
	}
}

func TestWhereResourceOfUnreadableDocuments(t *testing.T) {
	data := resource("a") + "---\n" + resource("b") + "y: [\n"
	r := selected(t, testFunctions(t), data, "x = 1", chain("mark x", "mark z"))
	if len(r.Failures) != 1 || r.Failures[0].Class != api.FailureInput ||
		r.Failures[0].Pos.Line < 9 || r.Changed {
		t.Errorf("%s", outcome(r))
	}
}

func TestWhereResourceErrors(t *testing.T) {
	h := testFunctions(t)
	const bad = "metadata.name == 'b'"
	_, err := h.Run(t.Context(),
		&api.FunctionInvocationRequest{
			ConfigData: []byte(resource("a")), WhereResource: bad,
			FunctionInvocations: chain("mark x"),
		}, handler.Options{})
	failure, ok := errors.AsType[*api.Failure](err)
	expr, ok2 := errors.AsType[*where.Error](err)
	if !ok || !ok2 || failure.Class != api.FailureUsage || expr.Column != 16 {
		t.Errorf("of the request: %#v", err)
	}
	if err := h.CheckWhereResource(bad); err == nil {
		t.Error("the expression is found right")
	}
	r := selected(t, h, resource("a"), "",
		append(about(bad, chain("mark", "mark z")), chain("mark x")...))
	if len(r.Failures) != 3 || r.Failures[0].Class != api.FailureUsage ||
		r.Failures[2].Function != "mark" || string(r.ConfigData) != resource("a")+"x: \"yes\"\n" {
		t.Errorf("of an invocation: %s", outcome(r))
	}
	long := "metadata.name = '" + strings.Repeat("é", api.MaxWhereLength) + "'"
	if where, ok := errors.AsType[*where.Error](h.CheckWhereResource(long)); !ok ||
		!strings.Contains(where.Msg, "at most 1024") || where.Column != 1025 {
		t.Errorf("too long: %v", where)
	}
}

// TestParallelRunWithExpressions checks that chains about some of the documents have the same
// result with one core and with several.
func TestParallelRunWithExpressions(t *testing.T) {
	var data strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&data, "---\n%spadding: %s\n", resource(fmt.Sprintf("n%04d", i)),
			strings.Repeat("x", 300))
	}
	h := testFunctions(t)
	run := func(cores int, list api.FunctionInvocationList) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		r := selected(t, h, data.String(), "ConfigHub.ResourceNameWithoutScope LIKE '%7'", list)
		return string(r.ConfigData) + outcome(r)
	}
	for _, list := range []api.FunctionInvocationList{
		chain("mark x", "names y"),
		append(chain("rename seven"),
			about("metadata.name = 'seven'", chain("mark x", "names y"))...),
		append(chain("mark x"),
			about("ConfigHub.ResourceNameWithoutScope > 'n3'", chain("spoil n4", "mark y"))...),
		chain("keep n1"),
	} {
		t.Run(fmt.Sprint(len(list), " functions"), func(t *testing.T) {
			one, four := run(1, list), run(4, list)
			if one != four {
				t.Errorf("%v: the outcome differs", list)
			}
			if n := strings.Count(four, `x: "yes"`); list[0].FunctionName == "mark" && n != 500 {
				t.Errorf("%v: %d documents are marked", list, n)
			}
		})
	}
}

// moreFunctions returns functions that change names and the list of documents.
func moreFunctions() map[string]handler.FunctionImplementation {
	return map[string]handler.FunctionImplementation{
		"rename": func(
			_ *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			for _, doc := range docs {
				if _, err := doc.SetP(handler.Arguments(args).String("key"),
					"metadata.name"); err != nil {
					return nil, nil, err
				}
			}
			return docs, nil, nil
		},
		"copy-all": func(
			_ *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			var all gaby.Container
			for _, doc := range docs {
				added, err := gaby.ParseYAML([]byte(resource("copy")))
				if err != nil {
					return nil, nil, err
				}
				all = append(all, doc, added)
			}
			return all, nil, nil
		},
		"reverse": func(
			_ *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			reversed := make(gaby.Container, len(docs))
			for i, doc := range docs {
				reversed[len(docs)-1-i] = doc
			}
			return reversed, nil, nil
		},
	}
}

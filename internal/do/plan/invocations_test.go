package plan_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do/plan"
)

// FuzzInvocations reads any text as a list. The result must be a chain with a signature for each
// invocation, or usage problems with positions, never both and never a panic.
func FuzzInvocations(f *testing.F) {
	for _, seed := range []string{
		"[]", "[", "", "- FunctionName: set-size",
		`[{"FunctionName":"set-size","Arguments":[{"Value":"a"}]}]`, "- FunctionName: [a]",
		"- {FunctionName: set-size, Arguments: {a: b}}",
		"- {FunctionName: set-size, Params: {a: 1}, WhereResource: 5}", "&a [*a]",
		"- ? [x]\n  : y",
		"- {FunctionName: set-size, Arguments: [{ParameterName: 1}]}",
		"- {name: a, function: set-size, arguments: {size: 1}, where: a = 1}",
		"- {function: set-many, arguments: {value: [1, {a: b}, null, 'file:x']}}",
		"- {function: set-size, FunctionName: set-size, arguments: {size: x, size: y}}",
		"--- 1\n--- 2\n", "- FunctionName: set-size\n  FunctionName: get-size\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		noFile := func(string) ([]byte, error) { return nil, errors.New("no such file") }
		p, err := (&plan.Resolver{
			Functions: testRegistry(),
			ReadFile:  noFile,
		}).Invocations(plan.ChainText{Bytes: []byte(text), Name: "./list.yaml"})
		if err == nil {
			if len(p.Invocations) == 0 || len(p.Invocations) != len(p.Signatures) {
				t.Errorf("%q: %d invocations, %d signatures", text, len(p.Invocations),
					len(p.Signatures))
			}
			return
		}
		problems, ok := errors.AsType[diag.List](err)
		if !ok || len(problems) == 0 {
			t.Fatalf("%q: %v", text, err)
		}
		for _, problem := range problems {
			if problem.Class == api.FailureFunction || problem.Pos.File != "./list.yaml" ||
				problem.Message == "" {
				t.Errorf("%q: %+v", text, problem)
			}
		}
	})
}

func read(text string) (*plan.Plan, error) {
	w := &plan.Resolver{Functions: testRegistry(), ReadFile: func(path string) ([]byte, error) {
		if strings.HasSuffix(path, "missing") {
			return nil, diag.Input("./"+path, "", errors.New("no such file"))
		}
		return []byte("content of " + path), nil
	}}
	return w.Invocations(plan.ChainText{Bytes: []byte(text), Name: "./c.yaml", Dir: "dir"})
}

func TestChainsThatAreWrittenDown(t *testing.T) {
	for list, want := range map[string]string{
		"- function: get-size":                                                 "get-size()",
		"- {function: set-size, arguments: {size: 5}}":                         "set-size(size=5)",
		"- {function: set-size, arguments: {size: 1.10}}":                      "set-size(size=1.10)",
		"- {function: set-size, arguments: {size: yes}}":                       "set-size(size=yes)",
		"- {function: set-size, arguments: {size: ''}}":                        "set-size(size=)",
		"- {function: set-size, arguments: [5]}":                               "set-size(5)",
		"- function: set-size\n  arguments:\n    size: |\n      a\n      b\n":  "set-size(size=a\nb\n)",
		"- {function: set-pair, arguments: {second: b, first: a}}":             "set-pair(second=b first=a)",
		"- {function: set-pair, arguments: [a, {Value: text:b}]}":              "set-pair(a text:b)",
		"- {function: set-many, arguments: {value: [a, 2, text:then]}}":        "set-many(value=a value=2 value=then)",
		"- {function: set-many, arguments: {value: a}}":                        "set-many(value=a)",
		"- {function: set-size, arguments: {size: 'file:a.txt'}}":              "set-size(size=content of dir/a.txt)",
		"- {function: set-size, arguments: {size: 'file:/a.txt'}}":             "set-size(size=content of /a.txt)",
		"- {function: set-size, arguments: {size: 'file:-'}}":                  "set-size(size=content of -)",
		"- {function: set-size, arguments: {size: 'template:{{.UnitSlug}}'}}":  "set-size(size=template{{{.UnitSlug}}})",
		"- {function: set-size, arguments: {size: 'text:file:x'}}":             "set-size(size=file:x)",
		"- {FunctionName: set-size, Arguments: [{Value: 'file:x'}]}":           "set-size(file:x)",
		"- {FunctionName: set-size, arguments: {size: 1}, WhereResource: a}":   "set-size(size=1) where a",
		"- {function: set-size, Arguments: [1], where: a = 1}":                 "set-size(1) where a = 1",
		"- {name: all, function: get-size}\n- {name: '2', function: get-size}": "get-size() called all get-size() called 2",
		"- {function: get-size, arguments: }":                                  "get-size()",
		"- function: set-tree\n  arguments:\n    tree:\n      # why\n      b: 1.10\n" +
			"      a: [x]\n    list: [{Value: 1}]\n": "set-tree(tree=b: 1.10\n" +
			"a: [x] list=[{\"Value\":1}])",
		"- &a {function: set-size, arguments: {size: 1}}\n- {<<: *a, arguments: {size: 2}}": "set-size(size=1) set-size(size=2)",
		`[{"FunctionName": "set-size", "Arguments": [{"ParameterName": "size", "Value": 5, ` +
			`"DataType": "int"}], "Params": {"a": 1}}]`: "set-size(size=5)",
	} {
		t.Run(list, func(t *testing.T) {
			p, err := read(list)
			if err != nil {
				t.Errorf("%s: %v", list, err)
				return
			}
			if have := text(p); have != want {
				t.Errorf("%s: have %q, want %q", list, have, want)
			}
		})
	}
}

// TestProblemsOfChains checks that every problem is reported, with its position.
func TestProblemsOfChains(t *testing.T) {
	for list, want := range map[string]string{
		"# nothing": "./c.yaml:1:1: the list of invocations is empty\n" +
			"hint: for example [{function: get-replicas}]\n",
		"[]": "./c.yaml:1:1: the list of invocations is empty\n" +
			"hint: for example [{function: get-replicas}]\n",
		"a: b": "./c.yaml:1:1: a chain must be a list of invocations, not a map\n" +
			"hint: for example [{function: get-replicas}]\n",
		"{function: get-size}": "./c.yaml:1:1: a list of invocations is expected, not one " +
			"invocation\nhint: put it in a list: [ ... ]\n",
		"- set-size 3": "./c.yaml:1:3: an invocation must be a map, not \"set-size 3\"\n" +
			"hint: write {function: set-size}\n",
		"- get-size": "./c.yaml:1:3: an invocation must be a map, not \"get-size\"\n" +
			"hint: write {function: get-size}\n",
		"- [get-size]": "./c.yaml:1:3: an invocation must be a map, not a list\n",
		"- name: x":    "./c.yaml:1:3: function is missing\n",
		"-":            "./c.yaml:1:2: an invocation must be a map, not null\n",
		"- functon: get-size": "./c.yaml:1:3: an invocation has no field \"functon\"\n" +
			"hint: did you mean function?\n",
		"- function: get-siz": "./c.yaml:1:13: unknown function \"get-siz\"\n" +
			"hint: did you mean get-size?\n",
		"- function: [get-size]":                                           "./c.yaml:1:13: function must be a text, not a list\n",
		"--- \n- function: get-size\n---\n- function: get-size\n":          "./c.yaml:3:4: a second document where one was expected\n",
		"- function: get-size\n  function: get-size\n":                     "./c.yaml:2:3: function is given twice, first in line 1\n",
		"- function: get-size\n  FunctionName: get-size\n":                 "./c.yaml:2:3: function and FunctionName are the same field\n",
		"- {name: a, function: get-size}\n- {name: a, function: get-size}": "./c.yaml:2:10: get-size: name: the invocation in line 1 has the name a, too\n",
		"- {name: [], function: get-size}\n- {name: ' ', function: get-size}\n" +
			"- {name: \"a\\nb\", function: get-size}": "./c.yaml:1:10: get-size: name must be " +
			"one line of text, not a list\n./c.yaml:2:10: get-size: name must be one line of text, not \" \"\n" +
			"./c.yaml:3:10: get-size: name must be one line of text, not \"a\\nb\"\n",
		"- function: set-size\n  arguments: {siz: 5}":                        "./c.yaml:2:15: set-size: unknown parameter \"siz\"\nhint: did you mean size?\n",
		"- function: set-size\n  arguments: {other: 5}":                      "./c.yaml:2:15: set-size: unknown parameter \"other\"\nhint: the parameters are size\n",
		"- function: set-size\n  arguments: {size: 5, size: 6}":              "./c.yaml:2:24: set-size: arguments.size is given twice, first in line 2\n",
		"- function: set-size\n  arguments: 5":                               "./c.yaml:2:14: set-size: arguments must be a map or a list, not 5\n",
		"- function: set-size\n  arguments: {size: }":                        "./c.yaml:2:21: set-size: argument size: a value is expected\nhint: for an empty text write \"\"\n",
		"- function: set-size\n  arguments: [~]":                             "./c.yaml:2:15: set-size: a value is expected\nhint: for an empty text write \"\"\n",
		"- function: set-size\n  arguments: {size: [1]}":                     "./c.yaml:2:21: set-size: argument size: a single value is expected\n",
		"- function: set-size\n  arguments: [[1]]":                           "./c.yaml:2:15: set-size: a single value is expected\n",
		"- function: set-size\n  arguments: [{size: 1}]":                     "./c.yaml:2:16: set-size: an argument has no field \"size\"\nhint: arguments by name are a map, not a list: {size: ...}\n",
		"- function: set-size\n  arguments: [{ParameterName: size}]":         "./c.yaml:2:15: set-size: an argument needs a Value\n",
		"- function: set-size\n  arguments: {size: file:missing}":            "./c.yaml:2:21: set-size: argument size: ./dir/missing: no such file\nhint: for the literal text, write text:file:missing\n",
		"- function: set-size\n  arguments: {size: bad}":                     "./c.yaml:2:21: set-size: argument size: is bad\nhint: use good\n",
		"- function: set-many\n  arguments: {value: [a, bad]}":               "./c.yaml:2:26: set-many: argument value: is bad\nhint: use good\n",
		"- function: set-pair\n  arguments: [x]":                             "./c.yaml:1:3: set-pair: got 1 arguments\n",
		"- function: set-tree\n  arguments: {tree: {a: 1}, list: {b: .nan}}": "./c.yaml:2:35: set-tree: argument list: json: unsupported value: NaN\n",
		"- function: set-size\n  where: 5\n  arguments: [1]":                 "./c.yaml:2:10: set-size: where must be a text, not 5\nhint: quote it: \"5\"\n",
		"- function: [\n": "./c.yaml:1:13: unclosed [\n",
		"- function: get-siz\n- name: x\n  functio: y\n- function: set-size\n" +
			"  arguments: {size: bad}\n": "./c.yaml:1:13: unknown function \"get-siz\"\n" +
			"hint: did you mean get-size?\n" +
			"./c.yaml:3:3: an invocation has no field \"functio\"\nhint: did you mean function?\n" +
			"./c.yaml:5:21: set-size: argument size: is bad\nhint: use good\n",
	} {
		t.Run(list, func(t *testing.T) {
			p, err := read(list)
			problems, ok := errors.AsType[diag.List](err)
			if !ok {
				t.Errorf("%s: %+v, %v", list, p, err)
				return
			}
			var b strings.Builder
			if err := problems.Write(&b, diag.Style{}); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, b.String()); d != "" {
				t.Errorf("%s: (-want +have)\n%s", list, d)
			}
		})
	}
}

// TestPositionInWhereExpression checks that a problem that the executor finds in a where-expression
// has its position in the file.
func TestPositionInWhereExpression(t *testing.T) {
	w := &plan.Resolver{
		Toolchain: api.ToolchainKubernetesYAML,
		Functions: functions.NewStandardExecutor(),
	}
	for where, want := range map[string]string{
		"a >>= 3":              "3:13",
		"'a >>= 3'":            "3:14",
		"\"a >>= 3\"":          "3:14",
		"'a >>= ''3'''":        "3:10",
		"|\n    a = 1 AND\n  ": "3:10",
	} {
		t.Run(where, func(t *testing.T) {
			_, err := w.Invocations(plan.ChainText{Bytes: []byte("- function: get-replicas\n\n" +
				"  where: " +
				where + "\n"), Name: "c"})
			problems := diag.Failures(err, 0)
			if len(problems) != 1 || problems[0].Pos.String() != "c:"+want ||
				problems[0].Function != "get-replicas" {
				t.Errorf("%s: %v", where, err)
			}
		})
	}
}

func TestAppend(t *testing.T) {
	p, err := read("- function: get-size")
	if err != nil {
		t.Fatal(err)
	}
	other, err := read("- {function: set-size, arguments: [1]}")
	if err != nil {
		t.Fatal(err)
	}
	p.Append(other)
	if text(p) != "get-size() set-size(1)" || len(p.Signatures) != 2 {
		t.Errorf("have %s, %d signatures", text(p), len(p.Signatures))
	}
}

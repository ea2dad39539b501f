package functest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
)

const thing = "apiVersion: v1\nkind: Thing\nmetadata:\n  name: a\n"

// suite returns a suite with functions that keep their promises and functions that break them.
func suite(t *testing.T) Suite {
	t.Helper()
	e := functions.NewEmptyExecutor()
	calls := 0
	set := func(value func(doc *gaby.YamlDoc) any) handler.FunctionImplementation {
		return func(
			fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			for _, doc := range docs {
				if _, err := doc.Set(value(doc), "x"); err != nil {
					return nil, nil, err
				}
			}
			return docs, nil, nil
		}
	}
	register := func(s api.FunctionSignature, f handler.FunctionImplementation) {
		t.Helper()
		s.Description, s.Hermetic = "Do "+s.FunctionName, true
		if err := e.RegisterFunction(api.ToolchainKubernetesYAML,
			handler.FunctionRegistration{FunctionSignature: s, Function: f}); err != nil {
			t.Fatal(err)
		}
	}
	register(api.FunctionSignature{FunctionName: "set-x", Mutating: true, Idempotent: true},
		set(func(*gaby.YamlDoc) any { return 1 }))
	register(api.FunctionSignature{FunctionName: "lengthen-x", Mutating: true, Idempotent: true},
		set(func(doc *gaby.YamlDoc) any {
			text, _ := doc.Search("x").Data().(string)
			return text + "x"
		}))
	register(api.FunctionSignature{FunctionName: "count-calls", Mutating: true},
		set(func(*gaby.YamlDoc) any { calls++; return calls }))
	text := &api.FunctionOutput{
		ResultName: "name", Description: "the name of the unit", OutputType: api.OutputTypeYAML,
	}
	register(api.FunctionSignature{FunctionName: "get-unit", OutputInfo: text},
		func(
			fc *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			fc.Note(api.Position{}, "this is a note")
			return docs, api.YAMLPayload{Payload: fc.UnitSlug}, nil
		})
	register(api.FunctionSignature{FunctionName: "fail-twice", Mutating: true},
		func(*api.FunctionContext, gaby.Container, []api.FunctionArgument, []byte) (gaby.Container,
			any, error,
		) {
			return nil, nil, fmt.Errorf("first (really): %w", &api.Failure{
				Message: "first (really)", Hint: "do not",
			})
		})
	return Suite{Executor: e, Dir: t.TempDir()}
}

// run writes the files of a case, checks the case and returns its problems.
func (s Suite) run(t *testing.T, update bool, files map[string]string) []string {
	t.Helper()
	dir := filepath.Join(s.Dir, "case")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cases, err := s.load()
	if err != nil {
		return []string{err.Error()}
	}
	problems, err := s.check(t.Context(), cases[0], update)
	if err != nil {
		problems = append(problems, err.Error())
	}
	return problems
}

func TestCasesAreChecked(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		says  []string // prefixes of the problems, in order
	}{
		{
			"a change",
			map[string]string{"chain": "set-x", "in.yaml": thing, "out.yaml": thing + "x: 1\n"},
			nil,
		},
		{
			"comments and several lines",
			map[string]string{
				"chain": "# first\nlengthen-x then lengthen-x\nset-x\n", "in.yaml": thing,
				"out.yaml": thing + "x: 1\n",
			},
			nil,
		},
		{
			"input of the directory above",
			map[string]string{"chain": "set-x", "../in.yml": thing, "out.yml": thing + "x: 1\n"},
			nil,
		},
		{
			"another change",
			map[string]string{"chain": "set-x", "in.yaml": thing, "out.yaml": thing + "x: 2\n"},
			[]string{"out.yaml (-want +got)"},
		},
		{
			"a change that is not expected",
			map[string]string{"chain": "set-x", "in.yaml": thing},
			[]string{"out.yaml does not exist, so nothing may change"},
		},
		{"no change", map[string]string{"chain": "set-x", "in.yaml": thing + "x: 1\n"}, nil},
		{
			"no change, said with a file",
			map[string]string{
				"chain": "set-x", "in.yaml": thing + "x: 1\n", "out.yaml": thing + "x: 1\n",
			},
			nil,
		},
		{
			"no change where one is expected",
			map[string]string{"chain": "set-x", "in.yaml": thing + "x: 1\n", "out.yaml": thing},
			[]string{"out.yaml (-want"},
		},
		{"output and note", map[string]string{
			"chain": "get-unit", "in.yaml": thing, "output.json": "{\n  \"Payload\": \"case\"\n}\n",
			"notes": "get-unit: this is a note\n",
		}, nil},
		{
			"output and note that are not expected",
			map[string]string{"chain": "get-unit", "in.yaml": thing},
			[]string{"output.json does not exist", "notes does not exist"},
		},
		{
			"an error",
			map[string]string{
				"chain": "fail-twice", "in.yaml": thing,
				"errors": `^fail-twice: first \(really\) \(hint: do not\)$`,
			},
			nil,
		},
		{
			"an error that is not expected",
			map[string]string{"chain": "fail-twice", "in.yaml": thing},
			[]string{"unexpected error: fail-twice"},
		},
		{
			"another error",
			map[string]string{"chain": "fail-twice", "in.yaml": thing, "errors": "second\n\nthird"},
			[]string{"error 1 does not match second", "no error matches third"},
		},
		{
			"a bad expression",
			map[string]string{"chain": "fail-twice", "in.yaml": thing, "errors": "("},
			[]string{"DIR/case/errors: line 1: error parsing regexp"},
		},
		{
			"a chain that fails has no result",
			map[string]string{
				"chain": "set-x then fail-twice", "in.yaml": thing, "errors": "first",
			},
			nil,
		},
		{
			"not idempotent",
			map[string]string{
				"chain": "lengthen-x", "in.yaml": thing, "out.yaml": thing + "x: x\n",
			},
			[]string{"lengthen-x says that it is idempotent, but"},
		},
		{
			"not deterministic",
			map[string]string{
				"chain": "count-calls", "in.yaml": thing, "out.yaml": thing + "x: 1\n",
			},
			[]string{"a second run"},
		},
		{"no chain", map[string]string{"in.yaml": thing}, []string{"open DIR/case/chain"}},
		{
			"an empty chain",
			map[string]string{"chain": "# none\n", "in.yaml": thing},
			[]string{"DIR/case/chain: the chain has no function"},
		},
		{
			"a broken chain",
			map[string]string{"chain": "set-x then", "in.yaml": thing},
			[]string{"DIR/case/chain:1: a function is missing"},
		},
		{
			"two inputs",
			map[string]string{"chain": "set-x", "in.yaml": thing, "in.json": thing},
			[]string{"DIR/case: there are several inputs"},
		},
		{"no input", map[string]string{"chain": "set-x"}, []string{"DIR/case: no input file"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := suite(t)
			got := s.run(t, false, c.files)
			if len(got) != len(c.says) {
				t.Errorf("%s: %q", c.name, got)
				return
			}
			for i, says := range c.says {
				if text := strings.ReplaceAll(got[i], s.Dir, "DIR"); !strings.HasPrefix(text,
					says) {
					t.Errorf("%s: %s, want %s", c.name, text, says)
				}
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"files that are missing": {"chain": "set-x then get-unit", "in.yaml": thing},
		"files that are wrong": {
			"chain": "fail-twice", "in.yaml": thing, "out.yaml": "x", "output.json": "x",
			"notes": "x", "errors": "x",
		},
		"errors that are gone": {"chain": "set-x", "in.yaml": thing, "errors": "x"},
	} {
		t.Run(name, func(t *testing.T) {
			s := suite(t)
			if problems := s.run(t, true, files); len(problems) > 0 {
				t.Errorf("%s: %q", name, problems)
			}
		})
	}
	s := suite(t)
	s.run(t, true, map[string]string{"chain": "fail-twice", "in.yaml": thing, "errors": "fir.t"})
	if text, err := read(filepath.Join(s.Dir, "case", errorsFile)); err != nil || text != "fir.t" {
		t.Errorf("an expression that matches was written again: %s, %v", text, err)
	}
}

func TestUncovered(t *testing.T) {
	s := suite(t)
	s.Functions = []string{"set-x", "get-unit"}
	s.run(t, true, map[string]string{"chain": "set-x", "in.yaml": thing})
	cases, err := s.load()
	if got := s.uncovered(cases); err != nil || len(got) != 1 || got[0] != "get-unit" {
		t.Errorf("%v %v", got, err)
	}
}

func TestNoCases(t *testing.T) {
	if _, err := suite(t).load(); err == nil {
		t.Error("a directory without cases is not an error")
	}
}

package expression_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/expression"
)

func TestErrorsHavePositions(t *testing.T) {
	for _, c := range []struct {
		text   string
		column int
		want   string
	}{
		{"a + b", 3, "L: column 3: no"},
		{"a + b", 0, "L: no"},
		{"é + b\n", 3, "L: column 3: no"},
		{"a\nüb", 4, "L: line 2, column 2: no"},
		{"a\nb", 1, "L: line 1, column 1: no"},
	} {
		t.Run(c.text, func(t *testing.T) {
			of := expression.Source{Language: "L", Text: c.text}
			if got := of.Fail(c.column, "no").Error(); got != c.want {
				t.Errorf("%q column %d: %s, want %s", c.text, c.column, got, c.want)
			}
		})
	}
}

func TestColumn(t *testing.T) {
	const text = "ab\nüc\n\nd"
	for _, c := range [][3]int{
		{1, 1, 1},
		{1, 3, 3},
		{2, 2, 5},
		{4, 1, 8},
		{4, 2, 9},
		{5, 1, 0},
		{0, 1, 0},
		{1, 0, 0},
		{4, 9, 0},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			if got := (expression.Source{Text: text}).At(c[0], c[1]); got != c[2] {
				t.Errorf("line %d character %d: %d, want %d", c[0], c[1], got, c[2])
			}
		})
	}
}

func TestParams(t *testing.T) {
	for words, want := range map[string]string{
		"a=1 b=x=y c=": "map[a:1 b:x=y c:]",
		"":             "map[]",
		"a":            `"a" is not of the form key=value`,
		"=1":           `"=1" is not of the form key=value`,
		"a=1 a=2":      "a is given twice",
	} {
		t.Run(words, func(t *testing.T) {
			params, err := expression.Params(strings.Fields(words))
			got := fmt.Sprint(params)
			if err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%q: %s, want %s", words, got, want)
			}
		})
	}
}

// TestContext checks that every field of a context has a value of a type that all languages know.
func TestContext(t *testing.T) {
	full := expression.Context(&api.FunctionContext{
		UnitSlug: "shop", ToolchainType: api.ToolchainKubernetesYAML,
		UnitLabels: map[string]string{"a": "b"}, RevisionNum: 7, NotLive: true,
		ApprovedBy: []string{"ann"},
	})
	empty := expression.Context(nil)
	if len(full) != len(empty) || full["UnitSlug"] != "shop" ||
		full["ToolchainType"] != "Kubernetes/YAML" || full["RevisionNum"] != int64(7) ||
		full["NotLive"] != true {
		t.Errorf("%v", full)
	}
	for name, value := range empty {
		switch v := value.(type) {
		case string, int64, bool:
		case map[string]string:
			if v == nil {
				t.Errorf("%s is nil", name)
			}
		case []string:
			if v == nil {
				t.Errorf("%s is nil", name)
			}
		default:
			t.Errorf("%s is a %T", name, value)
		}
	}
}

func TestProgramsAreCompiledOnce(t *testing.T) {
	var compiled atomic.Int32
	programs := expression.NewPrograms("L", func(text string) (string, error) {
		compiled.Add(1)
		if text == "bad" {
			return "", errors.New("bad")
		}
		return "program " + text, nil
	})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				if p, err := programs.Get("a"); err != nil || p != "program a" {
					t.Errorf("%q, %v", p, err)
				}
				if _, err := programs.Get("bad"); err == nil {
					t.Error("no error")
				}
			}
		})
	}
	wg.Wait()
	if compiled.Load() != 2 {
		t.Errorf("compiled %d times", compiled.Load())
	}
	for i := range 1000 { // the cache is bounded
		if _, err := programs.Get(fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := programs.Get(strings.Repeat("x", expression.MaxLength+1)); err == nil ||
		!strings.Contains(err.Error(), "at most 131072") {
		t.Errorf("a long program: %v", err)
	}
}

func TestFailures(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte("# x\na:\n  b: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	edit := &gaby.EditError{Pos: gaby.Position{Line: 3, Column: 3}, Msg: "no"}
	for _, c := range []struct {
		err  error
		want any
	}{
		{
			&expression.Error{
				Source: expression.Source{Language: "L"}, Msg: "no", Hint: "do", Pos: gaby.Position{Line: 3, Column: 6},
			}, api.Position{Line: 3, Column: 6},
		},
		{expression.Source{Language: "L"}.Fail(0, "no"), api.Position{Line: 2, Column: 1}},
		{errors.New("no"), api.Position{Line: 2, Column: 1}},
		{edit, edit},
	} {
		t.Run(c.err.Error(), func(t *testing.T) {
			got := expression.FailureIn(doc, c.err)
			if failure, ok := errors.AsType[*api.Failure](got); ok {
				if failure.Pos != c.want || failure.Message != c.err.Error() ||
					failure.Class != api.FailureFunction {
					t.Errorf("%v: %+v", c.err, failure)
				}
			} else if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%v: %v", c.err, got)
			}
		})
	}
}

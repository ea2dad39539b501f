package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/out/report"
)

// printAll prints units one after the other. early is the number of bytes printed before the end.
func printAll(t *testing.T, p *report.Printer, units ...report.Result) (text string, early int) {
	t.Helper()
	var b bytes.Buffer
	for _, u := range units {
		rendered, err := p.Render(u)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(bytes.Join(p.Print(rendered), nil))
	}
	early = b.Len()
	end, err := p.End()
	if err != nil {
		t.Fatal(err)
	}
	b.Write(bytes.Join(end, nil))
	return b.String(), early
}

func unit(name string, outputs ...api.Output) report.Result {
	return report.Result{
		Unit: name, File: "./" + name + ".yaml",
		Toolchain: api.ToolchainKubernetesYAML,
		Response: &handler.Result{FunctionInvocationResponse: api.FunctionInvocationResponse{
			Success: true,
			Outputs: outputs, ConfigData: api.Data("a: 1\n"),
		}},
	}
}

func rows(names ...string) api.Output {
	list := api.ResourceInfoList{}
	for _, n := range names {
		list = append(list, api.ResourceInfo{
			ResourceName: api.ResourceName(n),
			ResourceType: "v1/Pod",
		})
	}
	return api.Output{OutputType: api.OutputTypeResourceInfoList, Value: list}
}

func TestRowsOfSeveralUnits(t *testing.T) {
	chain := []api.FunctionSignature{{OutputInfo: &api.FunctionOutput{OutputType: api.OutputTypeResourceInfoList}}}
	p := &report.Printer{Format: report.Output, Several: true, Signatures: chain}
	text, early := printAll(t, p, unit("x/a", rows("one", "two")), unit("b", rows()), unit("none"),
		unit(`c"`, rows("three")))
	var got []struct{ Unit, ResourceName string }
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(got) != 3 || got[0].Unit != "x/a" || got[1].ResourceName != "two" ||
		got[2].Unit != `c"` || !strings.HasPrefix(text,
		"[\n  {\n    \"Unit\": \"x/a\",\n    \"ResourceName\": \"one\",") ||
		!strings.HasSuffix(text, "\n  }\n]\n") {
		t.Errorf("got %s", text)
	}
	if early < len(text)-10 {
		t.Errorf("%d of %d bytes had to wait", len(text)-early, len(text))
	}
	if text, _ := printAll(t, &report.Printer{
		Format: report.Output, Several: true,
		Signatures: chain,
	}, unit("a", rows()), unit("b", rows())); text != "[]\n" {
		t.Errorf("no rows are %q", text)
	}
	if text, _ := printAll(t, &report.Printer{
		Format: report.Output, Several: true,
		Signatures: chain,
	}, unit("a"), unit("b")); text != "" {
		t.Errorf("no outputs are %q", text)
	}
}

func TestOutputsOfSeveralTypes(t *testing.T) {
	value := func(v any) api.Output { return api.Output{OutputType: api.OutputTypeJSON, Value: v} }
	chain := []api.FunctionSignature{
		{OutputInfo: &api.FunctionOutput{OutputType: api.OutputTypeJSON}},
		{OutputInfo: &api.FunctionOutput{OutputType: api.OutputTypeYAML}},
		{OutputInfo: &api.FunctionOutput{OutputType: api.OutputTypeResourceInfoList}},
	}
	yaml := func(text string) api.Output {
		return api.Output{OutputType: api.OutputTypeYAML, Value: api.YAMLPayload{Payload: text}}
	}
	text, _ := printAll(t, &report.Printer{Format: report.Output, Several: true, Signatures: chain},
		unit("a", value([]any{map[string]any{"k": "<&>"}, map[string]any{}, 5, []any{1}}),
			yaml("x: 1\n"), rows("one")),
		unit("b", value(map[string]any{"k": 1}), yaml("y: 1\n")))
	want := `JSON:
[
  {
    "Unit": "a",
    "k": "<&>"
  },
  {
    "Unit": "a"
  },
  {
    "Unit": "a",
    "Value": 5
  },
  {
    "Unit": "a",
    "Value": [
      1
    ]
  },
  {
    "Unit": "b",
    "Value": {
      "k": 1
    }
  }
]

YAML:
# Source: ./a.yaml
x: 1
---
# Source: ./b.yaml
y: 1

ResourceInfoList:
[
  {
    "Unit": "a",
    "ResourceName": "one",
    "ResourceNameWithoutScope": "",
    "ResourceType": "v1/Pod",
    "ResourceCategory": ""
  }
]

`
	if text != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
}

// TestValidationsOfSeveralUnits checks that a validation result and a list of them become rows of
// one array.
func TestValidationsOfSeveralUnits(t *testing.T) {
	validation := func(o api.OutputType, passed bool) api.Output {
		return api.Output{
			OutputType: o,
			Value: api.ValidationResultList{{
				Passed: passed, FunctionName: "vet-x",
				FailedAttributes: api.AttributeValueList{{Index: 3}},
			}},
		}
	}
	chain := []api.FunctionSignature{{
		FunctionName: "vet-x",
		OutputInfo:   &api.FunctionOutput{OutputType: api.OutputTypeValidationResult},
	}}
	text, early := printAll(t, &report.Printer{
		Format: report.Auto, Several: true,
		Signatures: chain,
	},
		unit("a", validation(api.OutputTypeValidationResult, true)),
		unit("b", validation(api.OutputTypeValidationResultList, false)))
	if strings.Count(text, `"Unit": `) != 2 || strings.Count(text, "[\n  {") != 1 ||
		early < len(text)-5 {
		t.Errorf("got %s", text)
	}
	text, _ = printAll(t, &report.Printer{
		Format: report.Auto, Several: true, Signatures: chain,
		Terminal: report.Terminal{Interactive: true},
	},
		unit("a", validation(api.OutputTypeValidationResult, true)),
		unit("b", validation(api.OutputTypeValidationResult, false)))
	if !strings.HasPrefix(text, "./a.yaml: vet-x: passed\n./b.yaml:") {
		t.Errorf("got %s", text)
	}
}

func TestTablesOfSeveralUnits(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		t.Run(fmt.Sprint(terminal), func(t *testing.T) {
			text, early := printAll(t, &report.Printer{
				Format: report.Table, Several: true,
				Terminal: report.Terminal{Interactive: terminal},
			}, unit("a", rows("one")),
				unit("long/name", rows("two", "three")))
			if want := "UNIT       TYPE    NAME\na          v1/Pod  one\nlong/name  v1/Pod  two\n" +
				"long/name  v1/Pod  three\n"; text != want ||
				early != 0 {
				t.Errorf("got\n%swant\n%s", text, want)
			}
		})
	}
}

// TestFileNamesAreEscapedOnATerminal checks that the name of a file cannot control a terminal.
func TestFileNamesAreEscapedOnATerminal(t *testing.T) {
	const name = "a\x1b[31m\tb"
	terminal := report.Terminal{Interactive: true}
	for format, u := range map[report.Format]report.Result{
		report.Table: unit(name, rows("one")),
		report.Auto: unit(name, api.Output{
			OutputType: api.OutputTypeValidationResult,
			Value:      api.ValidationResultList{{Passed: true, FunctionName: "vet-x"}},
		}),
	} {
		t.Run(fmt.Sprint(format), func(t *testing.T) {
			text, _ := printAll(t, &report.Printer{
				Format: format, Several: true,
				Terminal: terminal,
			},
				unit("b", rows("one")), u)
			if strings.ContainsAny(text, "\x1b\t") || !strings.Contains(text, `a\x1b[31m\tb`) {
				t.Errorf("%s: got %q", format, text)
			}
		})
	}
}

func TestOtherFormatsOfSeveralUnits(t *testing.T) {
	failed := unit("b")
	failed.Response.Success, failed.Response.ErrorMessages = false, []string{"bad"}
	chain := []api.FunctionSignature{setter}
	for format, want := range map[report.Format]string{
		report.Auto: "# Source: ./a.yaml\na: 1\n---\n# Source: ./c.yaml\na: 1\n",
		report.Data: "# Source: ./a.yaml\na: 1\n---\n# Source: ./c.yaml\na: 1\n",
		report.Full: "UNIT       a    \nSUCCESS    true    \n\nUNIT       b    \n" +
			"SUCCESS          false    \nERRORMESSAGES    bad;     \n\nUNIT       c    \n" +
			"SUCCESS    true    \n",
		report.Diff: "",
		report.Name: "",
	} {
		t.Run(fmt.Sprint(format), func(t *testing.T) {
			units := []report.Result{unit("a"), failed, unit("c")}
			for i := range units {
				units[i].Signatures = chain
			}
			text, _ := printAll(t, &report.Printer{
				Format: format, Several: true,
				Signatures: chain,
			},
				units...)
			if text != want {
				t.Errorf("%s: got\n%swant\n%s", format, text, want)
			}
			if lines, _ := printAll(t, &report.Printer{Format: report.Response, Several: true},
				units...); strings.Count(lines, "\n") != 3 {
				t.Errorf("got %s", lines)
			}
		})
	}
}

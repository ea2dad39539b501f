package report_test

import (
	"fmt"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/out/report"
)

var (
	getter = api.FunctionSignature{
		FunctionName: "get-x",
		OutputInfo:   &api.FunctionOutput{OutputType: api.OutputTypeJSON},
	}
	setter = api.FunctionSignature{FunctionName: "set-x", Mutating: true}
)

func response() *handler.Result {
	return &handler.Result{FunctionInvocationResponse: api.FunctionInvocationResponse{
		Success: true,
		Changed: true, ConfigData: api.Data("a: <1>\n"),
		Outputs: api.OutputList{{
			OutputType: api.OutputTypeJSON,
			Value:      map[string]any{"b": "<&>", "a": 1},
		}},
	}}
}

const printed = "{\n  \"a\": 1,\n  \"b\": \"<&>\"\n}\n"

func TestRender(t *testing.T) {
	failed := response()
	failed.Success, failed.ErrorMessages = false, []string{"one", "two"}
	two := response()
	two.Outputs = append(two.Outputs,
		api.Output{OutputType: api.OutputTypeYAML, Value: api.YAMLPayload{Payload: "x: y\n"}},
		api.Output{OutputType: api.OutputTypeOpaque},
		api.Output{OutputType: api.OutputTypeResourceInfoList, Value: api.ResourceInfoList{}})
	none := &handler.Result{FunctionInvocationResponse: api.FunctionInvocationResponse{
		Success:    true,
		ConfigData: api.Data("a: 1"),
	}}
	noNewline := response()
	noNewline.ConfigData = api.Data("a: 1")
	get, set, both := []api.FunctionSignature{getter}, []api.FunctionSignature{setter},
		[]api.FunctionSignature{getter, setter, getter}
	for _, c := range []struct {
		name       string
		format     report.Format
		signatures []api.FunctionSignature
		response   *handler.Result
		want       string
	}{
		{"auto of a getter", report.Auto, get, response(), printed},
		{"auto of a setter", report.Auto, set, response(), "a: <1>\n"},
		{"auto of both", report.Auto, both, response(), "a: <1>\n"},
		{
			"auto of a getter that was not reached", report.Auto, both,
			&handler.Result{FunctionInvocationResponse: api.FunctionInvocationResponse{
				Success:    true,
				ConfigData: api.Data("a: 1"),
			}}, "a: 1",
		},
		{"auto of a setter that failed", report.Auto, set, failed, ""},
		{"data", report.Data, get, response(), "a: <1>\n"},
		{"data unchanged", report.Data, get, none, "a: 1"},
		{"data of a failure", report.Data, set, failed, ""},
		{"output", report.Output, both, response(), printed},
		{"output of nothing", report.Output, set, none, ""},
		{
			"several outputs", report.Output, get, two,
			"JSON:\n" + printed + "\nYAML:\nx: y\n\nResourceInfoList:\n[]\n\n",
		},
		{
			"full", report.Full, set, response(),
			"SUCCESS    true    \nCONFIGDATA\n---------\na: <1>\nOUTPUT\n------\n" + printed,
		},
		{"full of nothing", report.Full, set, none, "SUCCESS    true    \n"},
		{
			"full without a final newline", report.Full, set, noNewline,
			"SUCCESS    true    \nCONFIGDATA\n---------\na: 1\nOUTPUT\n------\n" + printed,
		},
		{
			"full of a failure", report.Full, set, failed,
			"SUCCESS          false         \nERRORMESSAGES    one; two;     \nCONFIGDATA\n" +
				"---------\na: <1>\nOUTPUT\n------\n" +
				printed,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if have := render(t, c.format, report.Terminal{}, report.Result{
				File: "./a.yaml", Signatures: c.signatures, Response: c.response,
			}); have != c.want {
				t.Errorf("got\n%swant\n%s", have, c.want)
			}
		})
	}
}

func TestOutputThatCannotBePrinted(t *testing.T) {
	r := response()
	r.Outputs[0].Value = func() {}
	for _, f := range []report.Format{report.Output, report.Full, report.Auto} {
		t.Run(fmt.Sprint(f), func(t *testing.T) {
			p := &report.Printer{Format: f}
			if _, err := p.Render(report.Result{Response: r}); err == nil {
				t.Errorf("%s: no error", f)
			}
		})
	}
}

func TestParseFormat(t *testing.T) {
	for text, want := range map[string]report.Format{
		"auto": report.Auto, "data": report.Data,
		"yaml": report.Data, "output": report.Output, "json": report.Output, "full": report.Full,
	} {
		t.Run(text, func(t *testing.T) {
			if got, err := report.ParseFormat(text); err != nil || got != want {
				t.Errorf("%s: got %s, %v", text, got, err)
			}
		})
	}
	if _, err := report.ParseFormat("xml"); err == nil {
		t.Error("xml is accepted")
	}
}

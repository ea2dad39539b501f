package report_test

import (
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/out/report"
)

func TestOmitted(t *testing.T) {
	const (
		hidden    = "get-x: its output is not shown; -o output prints it"
		unshown   = "the configuration changed but is not shown; -o data prints it"
		didNotFit = "./a.yaml: vet-x: too small\n"
	)
	value := func() api.OutputList {
		return api.OutputList{{OutputType: api.OutputTypeJSON, Value: map[string]any{"a": 1}}}
	}
	results := func(all ...api.ValidationResult) api.OutputList {
		return api.OutputList{{
			OutputType: api.OutputTypeValidationResultList,
			Value:      api.ValidationResultList(all),
		}}
	}
	bad := results(api.ValidationResult{FunctionName: "vet-x", Details: []string{"too small"}})
	good := results(api.ValidationResult{FunctionName: "vet-x", Passed: true})
	set, both, vet := []api.FunctionSignature{setter},
		[]api.FunctionSignature{getter, setter, getter}, []api.FunctionSignature{vetter, setter}
	for _, c := range []struct {
		name       string
		printer    report.Printer
		signatures []api.FunctionSignature
		outputs    api.OutputList
		notes      string
		failed     string
	}{
		{
			"a getter beside the configuration",
			report.Printer{Format: report.Auto},
			both, value(),
			hidden, "",
		},
		{"a getter that was not reached", report.Printer{Format: report.Auto}, both, nil, "", ""},
		{"a getter beside a diff", report.Printer{Format: report.Diff}, both, value(), hidden, ""},
		{
			"a getter when only the configuration was wanted",
			report.Printer{Format: report.Data},
			both, value(), "", "",
		},
		{
			"a getter whose output is shown",
			report.Printer{Format: report.Output},
			both, value(), "",
			"",
		},
		{
			"a getter when nothing is printed",
			report.Printer{Format: report.Data, Silent: true, Elsewhere: true},
			both, value(),
			hidden, "",
		},
		{"a setter", report.Printer{Format: report.Auto}, set, nil, "", ""},
		{
			"a setter whose configuration is not shown",
			report.Printer{Format: report.Output},
			set,
			nil, unshown, "",
		},
		{
			"a setter without values",
			report.Printer{Format: report.Value},
			set,
			nil, unshown, "",
		},
		{
			"a setter whose configuration is written",
			report.Printer{Format: report.Output, Elsewhere: true},
			set, nil, "", "",
		},
		{"a setter and everything", report.Printer{Format: report.Full}, set, nil, "", ""},
		{
			"a validation beside the configuration",
			report.Printer{Format: report.Auto},
			vet, bad, "",
			didNotFit,
		},
		{
			"a validation when only the configuration was wanted",
			report.Printer{Format: report.Data},
			vet, bad, "", didNotFit,
		},
		{
			"a validation when nothing is printed",
			report.Printer{Format: report.Output, Silent: true},
			vet, bad, "", didNotFit,
		},
		{"a validation that is shown", report.Printer{Format: report.Table}, vet, bad, "", ""},
		{"a validation that is reported", report.Printer{Report: report.JSON}, vet, bad, "", ""},
		{
			"a validation that passed",
			report.Printer{Format: report.Auto},
			vet, good,
			"vet-x" + hidden[len("get-x"):], "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			left := c.printer.Omitted(report.Terminal{}, report.Result{
				File: "./a.yaml", Signatures: c.signatures,
				Response: &handler.Result{FunctionInvocationResponse: api.FunctionInvocationResponse{
					Success: true,
					Changed: true, Outputs: c.outputs,
				}},
			})
			notes := ""
			for _, n := range left.Notes {
				notes += n.String()
			}
			if notes != c.notes || string(left.Failed) != c.failed {
				t.Errorf("notes %q, failed %q", notes, left.Failed)
			}
		})
	}
}

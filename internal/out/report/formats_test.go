package report_test

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/out/report"
)

var vetter = api.FunctionSignature{
	FunctionName: "vet-x", Validating: true, Description: "Check x",
	OutputInfo: &api.FunctionOutput{OutputType: api.OutputTypeValidationResultList},
}

func attribute(path, value string, line int) api.AttributeValue {
	v := api.AttributeValue{
		Value: value, FunctionName: "get-x",
		Position: &api.Position{File: "./a.yaml", Line: line, Column: 5},
	}
	v.ResourceInfo = api.ResourceInfo{
		ResourceName: "shop/web", ResourceNameWithoutScope: "web",
		ResourceType: "apps/v1/Deployment",
	}
	v.Path, v.DataType = api.ResolvedPath(path), "string"
	return v
}

func validation() *handler.Result {
	late, early := attribute("spec.late", "a\nb", 9), attribute("spec.early", "x", 3)
	early.Issues = []api.Issue{
		{Identifier: "no-x", Message: "x is not allowed, 100%"},
		{Identifier: "no-y", Message: "nor y"},
	}
	return &handler.Result{FunctionInvocationResponse: api.FunctionInvocationResponse{
		Success: true,
		Outputs: api.OutputList{{
			OutputType: api.OutputTypeValidationResultList,
			Value: api.ValidationResultList{
				{
					FunctionName: "vet-x", Details: []string{"not reported twice"},
					FailedAttributes: api.AttributeValueList{late, early},
				},
				{FunctionName: "vet-y", Passed: true},
				{FunctionName: "vet-z", Score: "Medium", Details: []string{"too <old>"}},
				{FunctionName: "vet-none"},
			},
		}},
	}, ValidationFailed: true}
}

func result(r *handler.Result, signatures ...api.FunctionSignature) report.Result {
	return report.Result{File: "./a.yaml", Signatures: signatures, Response: r}
}

func render(t *testing.T, f report.Format, s report.Terminal, r report.Result) string {
	t.Helper()
	p := &report.Printer{Format: f, Terminal: s, Signatures: r.Signatures}
	text, _ := printAll(t, p, r)
	return text
}

func TestValidationOnATerminalIsLines(t *testing.T) {
	want := strings.Join([]string{
		"./a.yaml: vet-z: too <old>",
		"./a.yaml: vet-none: did not pass",
		"./a.yaml:3:5: apps/v1/Deployment shop/web: vet-x: spec.early: no-x: x is not " +
			"allowed, 100%",
		"./a.yaml:3:5: apps/v1/Deployment shop/web: vet-x: spec.early: no-y: nor y",
		"./a.yaml:9:5: apps/v1/Deployment shop/web: vet-x: spec.late: the value is a…",
		"./a.yaml: vet-y: passed",
		"",
	}, "\n")
	r := result(validation(), vetter)
	if d := cmp.Diff(want, render(t, report.Auto, report.Terminal{Interactive: true}, r)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if got := render(t, report.Auto, report.Terminal{}, r); got[0] != '[' {
		t.Errorf("piped it is not JSON: %s", got)
	}
	colored := render(t, report.Auto, report.Terminal{
		Interactive: true,
		Head: func(s string) string {
			return "<" + s + ">"
		},
	}, r)
	if !strings.Contains(colored, "<./a.yaml:9:5:> apps/v1") {
		t.Errorf("no colour: %s", colored)
	}
}

func TestTables(t *testing.T) {
	two := attribute("spec.b", "long\x1b[31m", 2)
	two.Comment = "head\nfoot"
	other := attribute("spec.b", "", 2)
	other.Value, other.FunctionName, other.Position = map[string]any{"a": 1}, "get-y", nil
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"attributes": {api.AttributeValueList{attribute("spec.a", "1", 1), two}, "" +
			"TYPE                NAME      VALUE         PATH    COMMENT     POSITION\n" +
			"apps/v1/Deployment  shop/web  1             spec.a              ./a.yaml:1:5\n" +
			"apps/v1/Deployment  shop/web  long\\x1b[31m  spec.b  head\\nfoot  ./a.yaml:2:5\n"},
		"two functions": {api.AttributeValueList{attribute("spec.a", "1", 1), other}, "" +
			"FUNCTION  TYPE                NAME      VALUE    PATH    POSITION\n" +
			"get-x     apps/v1/Deployment  shop/web  1        spec.a  ./a.yaml:1:5\n" +
			"get-y     apps/v1/Deployment  shop/web  {\"a\":1}  spec.b\n"},
		"no attributes": {api.AttributeValueList{}, "TYPE  NAME  VALUE  PATH\n"},
		"empty value": {api.AttributeValueList{attribute("spec.a", "", 1)}, "" +
			"TYPE                NAME      VALUE  PATH    POSITION\n" +
			"apps/v1/Deployment  shop/web         spec.a  ./a.yaml:1:5\n"},
		"resources": {
			api.ResourceInfoList{{ResourceType: "v1/Namespace", ResourceName: "/shop"}},
			"TYPE          NAME\nv1/Namespace  shop\n",
		},
		"bodies": {
			api.ResourceList{{ResourceInfo: api.ResourceInfo{
				ResourceType: "v1/Namespace",
				ResourceName: "/shop",
			}, ResourceBody: "x"}},
			"TYPE          NAME\nv1/Namespace  shop\n",
		},
		"validation": {api.ValidationResultList{
			{FunctionName: "vet-x", Passed: true},
			{FunctionName: "vet-y", Details: []string{"bad"}},
		}, "" +
			"RULE   RESULT  MESSAGE  POSITION\nvet-x  passed\nvet-y  failed  bad      ./a.yaml\n"},
		"text": {api.YAMLPayload{Payload: "a: 1\n"}, "a: 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r := result(&handler.Result{FunctionInvocationResponse: api.FunctionInvocationResponse{
				Success: true,
				Outputs: api.OutputList{{Value: c.value}},
			}}, getter)
			if d := cmp.Diff(c.want, render(t, report.Table, report.Terminal{}, r)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestNames(t *testing.T) {
	r := result(&handler.Result{FunctionInvocationResponse: api.FunctionInvocationResponse{
		Success: true,
		Changed: true,
	}}, setter)
	r.Changed = []api.ResourceInfo{
		{
			ResourceType: "apps/v1/Deployment", ResourceName: "a/web",
			ResourceNameWithoutScope: "web",
		},
		{ResourceType: "v1/Service", ResourceName: "a/web", ResourceNameWithoutScope: "web"},
		{
			ResourceType: "apps/v1/Deployment", ResourceName: "b/web",
			ResourceNameWithoutScope: "web",
		},
		{ResourceType: "NoSchema", ResourceName: "NoName", ResourceNameWithoutScope: "NoName"},
	}
	if got, want := render(t, report.Name, report.Terminal{}, r),
		"deployment.apps/web\nservice/web\nNoSchema/NoName\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r.Response.Changed = false
	if got := render(t, report.Name, report.Terminal{}, r); got != "" {
		t.Errorf("nothing changed: %q", got)
	}
}

func TestResponseIsOneLine(t *testing.T) {
	r := &handler.Result{FunctionInvocationResponse: api.FunctionInvocationResponse{
		UnitSlug: "<2>",
		Success:  true, Changed: true,
	}, Parts: [][]byte{[]byte("a: 1\n"), []byte("---\nb: <2>\n")}}
	got := render(t, report.Response, report.Terminal{}, result(r, setter))
	var back api.FunctionInvocationResponse
	if err := json.Unmarshal([]byte(got), &back); err != nil || strings.Count(got, "\n") != 1 {
		t.Fatalf("%v: %q", err, got)
	}
	if string(back.ConfigData) != "a: 1\n---\nb: <2>\n" || !strings.Contains(got, "<2>") {
		t.Errorf("data %q", back.ConfigData)
	}
}

func rendered(t *testing.T, k report.Kind, r *handler.Result) string {
	t.Helper()
	text, err := report.RenderReport(k, []report.Result{result(r, vetter)})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestGitHub(t *testing.T) {
	want := strings.Join([]string{
		"::warning file=a.yaml,title=vet-z::vet-z: too <old>",
		"::error file=a.yaml,title=vet-none::vet-none: did not pass",
		"::error file=a.yaml,line=3,col=5,title=vet-x/no-x::apps/v1/Deployment shop/web: vet-x: " +
			"spec.early: no-x: x is not allowed, 100%25",
		"::error file=a.yaml,line=3,col=5,title=vet-x/no-y::apps/v1/Deployment shop/web: vet-x: " +
			"spec.early: no-y: nor y",
		"::error file=a.yaml,line=9,col=5,title=vet-x::apps/v1/Deployment shop/web: vet-x: " +
			"spec.late: the value is a…",
		"",
	}, "\n")
	if d := cmp.Diff(want, rendered(t, report.GitHub, validation())); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	many := &handler.Result{FunctionInvocationResponse: api.FunctionInvocationResponse{Outputs: api.OutputList{{Value: api.ValidationResultList{{FunctionName: "vet-x"}}}}}}
	list := many.Outputs[0].Value.(api.ValidationResultList)
	for i := range 12 {
		list[0].FailedAttributes = append(list[0].FailedAttributes, attribute("spec.a", "x", i+1))
	}
	got := rendered(t, report.GitHub, many)
	if strings.Count(got, "::error ") != 10 || strings.Count(got, "\n./a.yaml:1") != 2 {
		t.Errorf("of twelve findings ten are annotations and two plain lines:\n%s", got)
	}
}

func TestSARIF(t *testing.T) {
	r := validation()
	r.Success = false
	r.Failures = []*api.Failure{{Pos: api.Position{Line: 2, Column: 1}, Message: "unreadable"}}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID, Level string
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           *struct{ StartLine, StartColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(rendered(t, report.SARIF, r)), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || len(run.Results) != 6 || len(run.Tool.Driver.Rules) != 6 {
		t.Fatalf("%+v", log)
	}
	first, last := run.Results[0], run.Results[5]
	if first.RuleID != "input" || first.Level != "error" ||
		first.Locations[0].PhysicalLocation.Region.StartLine != 2 {
		t.Errorf("%+v", first)
	}
	if last.RuleID != "vet-x" ||
		last.Locations[0].PhysicalLocation.ArtifactLocation.URI != "a.yaml" {
		t.Errorf("%+v", last)
	}
	if run.Results[1].Level != "warning" ||
		run.Results[1].Locations[0].PhysicalLocation.Region != nil {
		t.Errorf("%+v", run.Results[1])
	}
	empty := rendered(t, report.SARIF,
		&handler.Result{FunctionInvocationResponse: api.FunctionInvocationResponse{Success: true}})
	if !strings.Contains(empty, `"results": []`) || !strings.Contains(empty, `"rules": []`) {
		t.Errorf("lists must be there: %s", empty)
	}
}

func TestJUnit(t *testing.T) {
	r := validation()
	r.Failures = []*api.Failure{{Message: "broken & <bad>"}}
	var suites struct {
		Suites []struct {
			Name                    string `xml:"name,attr"`
			Tests, Failures, Errors int    `xml:",attr"`
			Cases                   []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
					Text    string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	text := rendered(t, report.JUnit, r)
	if err := xml.Unmarshal([]byte(strings.NewReplacer("tests=", "Tests=", "failures=", "Failures=",
		"errors=", "Errors=").Replace(text)), &suites); err != nil {
		t.Fatal(err)
	}
	s := suites.Suites[0]
	if s.Name != "a.yaml" || s.Tests != 5 || s.Failures != 3 || s.Errors != 1 || len(s.Cases) != 5 {
		t.Errorf("%+v\n%s", s, text)
	}
	if got := s.Cases[0].Failure.Message; !strings.HasSuffix(got,
		"x is not allowed, 100% (and 2 more)") {
		t.Errorf("message %q", got)
	}
	if s.Cases[1].Failure != nil || !strings.Contains(s.Cases[0].Failure.Text, "./a.yaml:9:5: ") {
		t.Errorf("%+v", s.Cases)
	}
}

func TestJSONReport(t *testing.T) {
	var r struct {
		Version  int
		Passed   bool
		Findings []struct {
			File     string
			Line     int
			Level    string
			Function string
			Rule     string
		}
	}
	if err := json.Unmarshal([]byte(rendered(t, report.JSON, validation())), &r); err != nil {
		t.Fatal(err)
	}
	if r.Version != 1 || r.Passed || len(r.Findings) != 5 || r.Findings[2].Rule != "no-x" ||
		r.Findings[2].Line != 3 || r.Findings[0].Level != "warning" {
		t.Errorf("%+v", r)
	}
	passed := rendered(t, report.JSON,
		&handler.Result{FunctionInvocationResponse: api.FunctionInvocationResponse{Success: true}})
	if passed != "{\n  \"Version\": 1,\n  \"Passed\": true,\n  \"Findings\": []\n}\n" {
		t.Error(passed)
	}
	if _, err := report.ParseKind("xml"); err == nil {
		t.Error("xml is accepted")
	}
}

package report

import (
	"bytes"
	"testing"

	"github.com/fctl-dev/fctl/api"
)

// TestReportsCommandNoAgent shows that no report has a logging command of Azure Pipelines, which an
// agent obeys where a log shows the report, and that JSON has the text all the same.
func TestReportsCommandNoAgent(t *testing.T) {
	row := api.AttributeValue{Issues: []api.Issue{{Message: "a ###vso[task.setvariable]b"}}}
	row.ResourceName = "##vso[task.x]y"
	results := []Result{Checked("rule", "About", "a.yaml", api.AttributeValueList{row})}
	for _, kind := range []Kind{SARIF, JUnit, GitLab, JSON, Combined} {
		text, err := RenderReport(kind, results)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("##")) || !bytes.Contains(text, []byte("vso[")) {
			t.Errorf("%s: %s", kind, text)
		}
	}
}

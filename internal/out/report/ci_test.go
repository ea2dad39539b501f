package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/out/report"
)

// TestGitHubLimit checks that annotations are counted by level, as GitHub does, and that the
// summary is written if GitHub drops some of them.
func TestGitHubLimit(t *testing.T) {
	for name, c := range map[string]struct {
		errors, warnings, notices    int
		annotations, lines, findings int // findings in the summary
	}{
		"one level":               {errors: 10, annotations: 10},
		"ten of each level":       {errors: 10, warnings: 10, notices: 10, annotations: 30},
		"more errors than GitHub": {errors: 12, annotations: 10, lines: 2, findings: 12},
		"more notices, few errors": {
			errors: 1, notices: 11, annotations: 11, lines: 1,
			findings: 12,
		},
		"more warnings, then errors": {
			errors: 2, warnings: 11, annotations: 12, lines: 1,
			findings: 13,
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := api.ValidationResult{FunctionName: "vet-x"}
			for score, n := range map[string]int{
				"High": c.errors, "Medium": c.warnings, "Low": c.notices,
			} {
				for range n {
					result.FailedAttributes = append(result.FailedAttributes,
						api.AttributeValue{Score: score})
				}
			}
			p := &report.Printer{Report: report.GitHub}
			response := &handler.Result{}
			response.Outputs = api.OutputList{{Value: api.ValidationResultList{result}}}
			rendered, err := p.Render(report.Result{File: "./a.yaml", Response: response})
			if err != nil {
				t.Fatal(err)
			}
			p.Print(rendered)
			end, err := p.End()
			if err != nil {
				t.Fatal(err)
			}
			text := string(bytes.Join(end, nil))
			annotations := strings.Count(text, "::error ") + strings.Count(text, "::warning ") +
				strings.Count(text, "::notice ")
			if lines := strings.Count(text, "\n") - annotations; annotations != c.annotations ||
				lines != c.lines {
				t.Errorf("%d annotations and %d lines, want %d and %d:\n%s",
					annotations, lines, c.annotations, c.lines, text)
			}
			rows := max(0, bytes.Count(p.Summary(), []byte("\n|"))-2)
			if rows != c.findings {
				t.Errorf("the summary has %d findings, want %d:\n%s", rows, c.findings, p.Summary())
			}
		})
	}
}

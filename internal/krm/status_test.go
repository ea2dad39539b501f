package krm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/krm/fnresult"
)

// A Kptfile has the worst results of a function, and says where the others are.
func TestStatusIsCapped(t *testing.T) {
	r := &StepResult{Step: &Step{}, Stderr: strings.Repeat("line\n", 1000)}
	for i := range 1000 {
		r.Results = append(r.Results, fnresult.Result{Severity: fnresult.SeverityInfo, Message: fmt.Sprint(i)})
	}
	r.Results[999].Severity = fnresult.SeverityError
	short := r.capped("results/results.yaml")
	if n := len(short.Results); n != statusResults+1 || short.Results[0].Message != "999" ||
		short.Results[n-1].Message != "990 more results: results/results.yaml has all" {
		t.Errorf("have %v", short.Results)
	}
	if lines := strings.Count(short.Stderr, "\n"); lines != statusLines || len(r.Results) != 1000 {
		t.Errorf("%d lines of standard error, %d results", lines, len(r.Results))
	}
}

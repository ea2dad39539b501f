package exceptions_test

import (
	"testing"

	"github.com/fctl-dev/fctl/internal/do/exceptions"
)

// A finding is the same after lines have moved, whatever words a message has for the lines of other
// values, and another one if anything else differs.
func TestBaselineSurvivesMovedLines(t *testing.T) {
	tests := []struct {
		name, was, is string
		want          bool
	}{
		{"position", "as at 10:11", "as at 12:11", true},
		{"line", "as in line 10", "as in line 7", true},
		{
			"line in parentheses", "has the label a: b (line 9)", "has the label a: b (line 19)",
			true,
		},
		{"lines", "lines 3 to 7 are a conflict", "lines 13 to 17 are a conflict", true},
		{"another number", "port 9 is not open", "port 19 is not open", false},
		{"a count of lines", "it has 9 lines", "it has 19 lines", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			finding := exceptions.Finding{File: "a.yaml", Rule: "vet-semantics", Message: test.was}
			b := exceptions.New("baseline.yaml")
			b.Add(finding)
			text, _, err := b.Text()
			if err != nil {
				t.Fatal(err)
			}
			read, err := exceptions.Read("baseline.yaml", text)
			if err != nil {
				t.Fatal(err)
			}
			finding.Message = test.is
			if got := read.Accepts(finding); got != test.want {
				t.Errorf("accepted: %t", got)
			}
		})
	}
}

//go:build !race

package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

// TestExamplesWork runs the examples that explain shows, in the directory it names. Each must match
// something and succeed.
func TestExamplesWork(t *testing.T) {
	t.Chdir(filepath.Join("..", "..", "examples", "explain"))
	executor := functions.NewStandardExecutor()
	for _, toolchain := range executor.Toolchains() {
		for _, s := range executor.Signatures(toolchain) {
			t.Run(string(toolchain)+"/"+s.FunctionName, func(t *testing.T) {
				_, examples, ok := strings.Cut(ran(t, executor, diag.ExitDone, "explain",
					"--toolchain", string(toolchain), s.FunctionName), "\nExamples\n")
				if ok != (len(s.Examples) > 0) {
					t.Errorf("examples are shown: %t", ok)
				}
				for line := range strings.Lines(examples) {
					example, ok := strings.CutPrefix(line, "  fctl do ")
					if !ok {
						break
					}
					words, err := shellwords.Split(strings.TrimSuffix(example, "\n"))
					if err != nil {
						t.Fatalf("%s: %v", example, err)
					}
					status := diag.ExitDone
					if s.Validating {
						status = diag.ExitNo
					}
					flags := []string{"do", "--require-match"}
					// it renames one resource, and the file has several
					if s.FunctionName == "set-name" {
						flags = append(flags, "--kind", "Deployment")
					}
					ran(t, executor, status, append(flags, words...)...)
				}
			})
		}
	}
}

package functions_test

import (
	"slices"
	"testing"

	"github.com/fctl-dev/fctl/functions"
)

// TestToolchainsOfFiles checks that the example and the extensions of each toolchain lead to it.
func TestToolchainsOfFiles(t *testing.T) {
	for _, known := range functions.Toolchains() {
		t.Run(string(known.Name), func(t *testing.T) {
			names := []string{known.Example}
			for _, extension := range known.Files {
				if extension[0] == '.' && extension != ".env.*" && extension != ".git/config" {
					names = append(names, "dir.x/a"+extension)
				}
			}
			for _, name := range names {
				if got := functions.ToolchainsOf(name); !slices.Contains(got, known.Name) {
					t.Errorf("%s has the toolchains %q", name, got)
				}
			}
			if got := functions.ExampleFile(known.Name); got != known.Example {
				t.Errorf("the example is %s", got)
			}
		})
	}
}

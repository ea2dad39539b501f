package functions_test

import (
	"slices"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/appkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/formats/inikit"
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

// TestFilesOfARegisteredToolchain checks that files have the toolchain of an author in the executor
// that knows it and in no other, and that built-in toolchains are the usual ones.
func TestFilesOfARegisteredToolchain(t *testing.T) {
	executor, other := functions.NewStandardExecutor(), functions.NewStandardExecutor()
	if err := executor.RegisterToolchain(functions.Toolchain{
		Name: "Own/Conf", Files: []string{".conf", ".toml"}, Example: "own.conf",
		Converter: inikit.Converter{},
		Provider:  func() configkit.ResourceProvider { return appkit.New("Own/Conf") },
	}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]api.ToolchainType{
		"a.conf": {"Own/Conf"}, "a.toml": {"AppConfig/TOML", "Own/Conf"}, "a.ini": {"AppConfig/INI"},
	} {
		if got := executor.ToolchainsOf(name); !slices.Equal(got, want) {
			t.Errorf("%s has the toolchains %q, want %q", name, got, want)
		}
	}
	if got := executor.ExampleFile("Own/Conf"); got != "own.conf" {
		t.Errorf("the example is %s", got)
	}
	if got := other.ToolchainsOf("a.conf"); got != nil {
		t.Errorf("another executor has %q", got)
	}
}

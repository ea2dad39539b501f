package cli

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
)

func newVersion(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  fctl version -o json",
		Args:    command.NoArguments,
	}
	form := command.AddOutput(cmd.Flags(), "text, json", "text", "json")
	cmd.RunE = func(*cobra.Command, []string) error { return printVersion(a, form.Value) }
	return cmd
}

// buildVersion is read from the binary, where the go command records it: builds need no flags.
type buildVersion struct {
	Version  string
	Commit   string `json:",omitempty"`
	Time     string `json:",omitempty"`
	Modified bool   // the working tree had uncommitted changes
	Go       string
	Platform string
}

func readVersion() buildVersion {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	return buildVersion{
		Version: cmp.Or(info.Main.Version, "(devel)"), Commit: setting["vcs.revision"],
		Time: setting["vcs.time"], Modified: setting["vcs.modified"] == "true",
		Go: info.GoVersion, Platform: setting["GOOS"] + "/" + setting["GOARCH"],
	}
}

func printVersion(a *command.App, form string) error {
	v := readVersion()
	if form == "json" {
		return a.WriteJSON(v)
	}
	text := "fctl " + v.Version // includes commit and +dirty
	if v.Time != "" {
		text += " " + v.Time
	}
	return a.Write([]byte(text + fmt.Sprintf(" %s %s\n", v.Go, v.Platform)))
}

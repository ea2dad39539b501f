package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/sink"
)

func (a *App) newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE:  func(*cobra.Command, []string) error { return a.printVersion() },
	}
}

// printVersion prints what the go command recorded in the binary, so that no
// build needs flags for it.
func (a *App) printVersion() error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	version := info.Main.Version
	if version == "" {
		version = "(devel)"
	}
	text := "fctl " + version // a commit and +dirty are in it
	if t := setting["vcs.time"]; t != "" {
		text += " " + t
	}
	text += fmt.Sprintf(" %s %s/%s\n", info.GoVersion, setting["GOOS"], setting["GOARCH"])
	return sink.Stdout{W: a.Streams.Out}.Write([]byte(text))
}

// noArguments is cobra.NoArgs with a problem of our own.
func noArguments(cmd *cobra.Command, words []string) error {
	if len(words) > 0 {
		return diag.Usage("%s takes no arguments, got %q", cmd.CommandPath(), words[0])
	}
	return nil
}

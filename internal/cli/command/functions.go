package command

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/settings"
)

// Functions loads the settings and makes the executor of a command.
func Functions(
	a *App, cmd *cobra.Command,
) (set *settings.Settings, executor *functions.Executor, err error) {
	if set, err = a.Settings(cmd.Flags()); err != nil {
		return nil, nil, err
	}
	if executor, err = a.ExecutorAt(cmd.Context(), set, cmd.Flags()); err != nil {
		return nil, nil, err
	}
	a.Console().Notes("", do.SettingsNotes(set, executor)...)
	return set, executor, nil
}

// AddToolchainFlags adds the flags that decide which functions there are, and returns where
// --resource-types is stored.
func AddToolchainFlags(flags *pflag.FlagSet) (resourceTypes *[]string) {
	flags.String("toolchain", "",
		"`TOOLCHAIN` of the configuration (default: by the extension of the file, else "+
			"Kubernetes/YAML)")
	return flags.StringArray("resource-types", nil, "read resource type definitions from `FILE`")
}

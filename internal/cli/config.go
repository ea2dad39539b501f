package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/out"
	"github.com/fctl-dev/fctl/internal/settings"
)

func newConfig(a *command.App) *cobra.Command {
	config := &cobra.Command{
		Use:   "config",
		Short: "Show the settings",
		Long:  "Show the settings. 'fctl help environment' explains where they come from.",
		Args:  a.NoSuchCommand,
		RunE:  command.ShowHelp,
	}
	view := &cobra.Command{
		Use:     "view",
		Short:   "Print the settings",
		Example: "  fctl config view --origin",
		Args:    command.NoArguments,
	}
	origin := view.Flags().Bool("origin", false, "print where each value comes from")
	view.Flags().StringSliceVar(&a.Context, "context", nil,
		"set a value of the unit's context, `NAME=VALUE`")
	command.AddToolchainFlags(view.Flags())
	view.RunE = func(cmd *cobra.Command, _ []string) error {
		s, err := a.Settings(cmd.Flags())
		if err != nil {
			return err
		}
		a.SettingsNotes(s)
		return a.WriteText(settingsText(s.Rows, *origin))
	}
	config.AddCommand(view)
	return config
}

// settingsText prints settings as the YAML of a settings file.
func settingsText(rows []settings.Row, origin bool) string {
	var t out.Table
	for _, row := range rows {
		cells := []string{row.Name + ": " + settingText(row.Value)}
		if origin {
			cells = append(cells, "# "+row.Origin)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t.String()
}

func settingText(value any) string {
	switch v := value.(type) {
	case string:
		if v == "" || strings.Trim(v,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/-_.") != "" {
			return strconv.Quote(v)
		}
		return v
	case []string:
		quoted := make([]string, len(v))
		for i, item := range v {
			quoted[i] = settingText(item)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	return fmt.Sprint(value)
}

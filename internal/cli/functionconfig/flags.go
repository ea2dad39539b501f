package functionconfig

import (
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/cli/command"
)

// AddAllowExec adds the flag that lets programs run: true, false or any.
func AddAllowExec(flags *pflag.FlagSet) *command.Choice {
	c := &command.Choice{
		What: "value of --allow-exec", Value: "false", Values: []string{"true", "false", "any"},
	}
	flags.Var(c, "allow-exec",
		"allow functions that are local programs: `WHICH` is true, false or any, which also "+
			"lets a FunctionConfig name programs outside --functions")
	flags.Lookup("allow-exec").NoOptDefVal = "true"
	return c
}

// AddFunctions adds the flag with the directories of programs.
func AddFunctions(flags *pflag.FlagSet, dirs *[]string) {
	flags.StringArrayVar(dirs, "functions", nil,
		"search `DIR` for the programs that FunctionConfigs name")
}

// AddConfigs adds the flag that names FunctionConfigs. The settings have its value.
func AddConfigs(flags *pflag.FlagSet) {
	flags.StringArray("function-configs", nil,
		"FunctionConfigs decide how images run: those in a file or directory, or "+
			"kube:NAMESPACE; `PATH` can be repeated")
}

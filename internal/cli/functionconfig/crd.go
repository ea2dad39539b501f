package functionconfig

import (
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
)

func newCRD(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "crd",
		Short: "Print the CustomResourceDefinition",
		Long: `Print the CustomResourceDefinition of FunctionConfig for an API server. It has the
names of fields of the proposal and those of Porch, and refuses objects that have
both. What a schema cannot say, such as that an image is named once, is left to
fctl functionconfig check.`,
		Example: `  fctl functionconfig crd | kubectl apply -f -`,
		Args:    command.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			return a.Write([]byte(functionconfig.CRD()))
		},
	}
}

package functionconfig

import (
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
)

func newCRD(a *command.App) *cobra.Command {
	var policy bool
	cmd := &cobra.Command{
		Use:   "crd [flags]",
		Short: "Print the CustomResourceDefinition",
		Long: `Print the CustomResourceDefinition of FunctionConfig for an API server. It has the
names of fields of the proposal and those of Porch, and refuses objects that have
both. What a schema cannot say is left to fctl functionconfig check. --policy adds
a ValidatingAdmissionPolicy, with which the name of an object must be its image,
so that a namespace has one object for an image.`,
		Example: `  fctl functionconfig crd | kubectl apply -f -
  fctl functionconfig crd --policy | kubectl apply -f -`,
		Args: command.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			text := functionconfig.CRD()
			if policy {
				text += "---\n" + functionconfig.Policy()
			}
			return a.Write([]byte(text))
		},
	}
	cmd.Flags().BoolVar(&policy, "policy", false,
		"add a policy that keeps an image unique in a namespace")
	return cmd
}

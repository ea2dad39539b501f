package kubernetes

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/mutation/exported"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

func cleanExportedFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "clean-exported",
			Description: "Delete the fields that the server and its controllers have set, so that " +
				"exported objects are manifests again; values that users can choose stay, " +
				"defaults and node ports among them",
			FunctionType:  api.FunctionTypePathVisitor,
			AttributeName: exported.AttributeServerSet,
			Examples:      []string{"clean-exported"},
		},
		PerDocument: true,
	}, func(c *handler.Call) (int, error) {
		return yamlkit.PrunePaths(c.Docs, provider.AttributePaths(exported.AttributeServerSet), nil, provider)
	})
}

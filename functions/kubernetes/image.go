package kubernetes

import (
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

// imageReference is a full image reference: [host[:port]/]path followed by :tag, @algorithm:digest or both.
const imageReference = `^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]+)?/)?[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*` +
	`(?:/[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*)*` +
	`(?::\w[\w.-]*(?:@[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,})?|@[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,})$`

func containerNameParameter() api.FunctionParameter {
	return api.FunctionParameter{
		ParameterName: "container-name", Required: true, DataType: api.DataTypeString, Example: "web",
		Description: "name of the containers, or * for all",
	}
}

func registerImageFunctions(fh handler.FunctionRegistry, provider configkit.ResourceProvider) error {
	parameters := []api.FunctionParameter{
		containerNameParameter(),
		{
			ParameterName: "container-image", Required: true, DataType: api.DataTypeString, Example: "nginx:1.27",
			Description:      "image with its tag or digest",
			ValueConstraints: api.ValueConstraints{Regexp: imageReference},
		},
	}
	return generic.RegisterPathSetterAndGetter(fh, "container-image", parameters, "the image of containers",
		"container-image", provider, true,
		generic.WithPathFunctionAlias("image"),
		generic.WithPathFunctionExamples("get-container-image web", "set-container-image web nginx:1.27"))
}

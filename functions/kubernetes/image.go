package kubernetes

import (
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

// What an image is made of: [host[:port]/]path, followed by :tag, @algorithm:digest or both.
const (
	repositoryURI = `(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]+)?/)?[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*` +
		`(?:/[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*)*`
	imageReference = `(?::\w[\w.-]*(?:@[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,})?|@[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,})`
)

func registerImageFunctions(fh handler.FunctionRegistry, provider configkit.ResourceProvider) error {
	for _, family := range []struct {
		suffix, alias, description              string
		parameter, parameterDescription, regexp string
		example                                 string
	}{
		{
			"container-image", "image", "the image of containers",
			"container-image", "image with its tag or digest", `^` + repositoryURI + imageReference + `$`, "nginx:1.27",
		},
		{
			"container-repository-uri", "image-uri", "the repository of the image of containers, without tag and digest",
			"repository-uri", "repository of the image; tag and digest stay as they are", `^` + repositoryURI + `$`,
			"registry.example.com/mirror/nginx",
		},
		{
			"container-image-reference", "image-reference", "the tag and the digest of the image of containers",
			"image-reference", "tag with its colon, digest with its @, or both", `^` + imageReference + `$`, ":1.27",
		},
	} {
		parameters := []api.FunctionParameter{containerNameParameter(), {
			ParameterName: family.parameter, Required: true, DataType: api.DataTypeString, Example: family.example,
			Description: family.parameterDescription, ValueConstraints: api.ValueConstraints{Regexp: family.regexp},
		}}
		err := generic.RegisterPathSetterAndGetter(fh, family.suffix, parameters, family.description, api.AttributeName(family.suffix), provider, true,
			generic.WithDeprecatedPathFunctionAlias(family.alias),
			generic.WithPathFunctionExamples("get-"+family.suffix+" web", "set-"+family.suffix+" web "+family.example))
		if err != nil {
			return err
		}
	}
	return nil
}

package kubernetes

import (
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

// attribute describes a getter and, unless readOnly, a setter of the registered paths of an
// attribute.
type attribute struct {
	suffix      string // the functions are get-SUFFIX and set-SUFFIX
	name        api.AttributeName
	description string
	parameters  []api.FunctionParameter // the parameters of the paths, then the value
	get, set    string                  // the arguments in the examples of the functions
	readOnly    bool
	insertsNone bool // the setter does not add missing values
	former      string
	check       func(value string) error
}

// attributes returns the attributes whose functions need nothing but paths, parameters and texts.
func attributes() []attribute {
	oneContainer := containerNameParameter()
	oneContainer.Description = "name of a container"
	replicas := api.FunctionParameter{
		ParameterName: "replicas", Required: true, DataType: api.DataTypeInt, Example: "3",
		Description: "number of replicas",
	}
	replicas.Min = new(int)
	return []attribute{
		{
			suffix: "annotation", name: "annotation-value",
			description: "an annotation of resources",
			parameters:  keyAndValue("annotation", "example.com/owner", "web@example.com", ""),
			get:         " example.com/owner", set: " example.com/owner web@example.com",
		},
		{
			suffix: "label", name: "label-value", description: "a label of resources",
			parameters: keyAndValue("label", "app.kubernetes.io/part-of", "shop",
				"^(?:"+labelName+")?$"),
			get: " app.kubernetes.io/part-of", set: " app.kubernetes.io/part-of shop",
		},
		{
			suffix: "replicas", name: "replicas",
			description: "the number of replicas of workloads",
			parameters:  []api.FunctionParameter{replicas}, set: " 5",
		},
		{
			suffix: "container-name", name: attributeContainerName,
			description: "the names of containers, init and ephemeral ones included",
			parameters:  []api.FunctionParameter{oneContainer}, readOnly: true,
		},
		{
			suffix: "container-image", name: attributeContainerImage,
			description: "the image of containers",
			parameters: []api.FunctionParameter{
				containerNameParameter(),
				text("container-image", "nginx:1.27", "image, usually with its tag or digest",
					wholeImage(repositoryURI+imageReference+`?`)),
			},
			get: " web", set: " web nginx:1.27", former: "image",
		},
		{
			suffix: "container-repository-uri", name: "container-repository-uri",
			description: "the repository of the image of containers, without tag and digest",
			parameters: []api.FunctionParameter{
				containerNameParameter(),
				repositoryURIParameter("repository of the image; tag and digest stay as they are"),
			},
			get: " web", set: " web registry.example.com/mirror/nginx", former: "image-uri",
		},
		{
			suffix: "container-image-reference", name: "container-image-reference",
			description: "the tag and the digest of the image of containers",
			parameters: []api.FunctionParameter{
				containerNameParameter(), imageReferenceParameter(),
			},
			get: " web", set: " web :1.27", former: "image-reference",
		},
		{
			suffix: "container-flag", name: "container-flag",
			description: "the value of flags in the args of containers that are written --flag=value",
			parameters: []api.FunctionParameter{
				containerNameParameter(),
				text("container-flag", "log-level",
					"name of the flag without its dashes, or * for all",
					`^(?:\*|[a-zA-Z0-9][-\w.]*)$`),
				text("flag-value", "debug", "value of the flag", ""),
			},
			get: " web log-level", set: " web log-level debug",
		},
		// A rule without a host name matches every host, or gets its host elsewhere, so none is
		// added.
		{
			suffix: "hostname", name: "hostname",
			description: "host names, wherever resources have them", insertsNone: true,
			check: checkHostname,
			parameters: []api.FunctionParameter{
				text("hostname", "shop.example.com",
					"host name in punycode; its first label may be *", ""),
			},
			set: " shop.example.com",
		},
		{
			suffix: "hostname-subdomain", name: "subdomain",
			description: "the first label of host names", insertsNone: true, check: checkSubdomain,
			parameters: []api.FunctionParameter{
				text("subdomain", "shop", "first label of the host name, or *", ""),
			},
			set: " shop",
		},
		{
			suffix: "hostname-domain", name: "domain",
			description: "what follows the first label of host names", insertsNone: true,
			check: checkDomain,
			parameters: []api.FunctionParameter{
				text("domain", "example.com", "domain: all but the first label of the host name",
					""),
			},
			set: " example.com",
		},
	}
}

// text returns a required string parameter. regexp may be "".
func text(name, example, description, regexp string) api.FunctionParameter {
	return api.FunctionParameter{
		ParameterName: name, Required: true, DataType: api.DataTypeString, Example: example,
		Description:      description,
		ValueConstraints: api.ValueConstraints{Regexp: regexp},
	}
}

// keyAndValue returns the parameters for an entry of metadata.labels or metadata.annotations.
func keyAndValue(what, key, value, valueRegexp string) []api.FunctionParameter {
	return []api.FunctionParameter{
		text(what+"-key", key, "key of the "+what+", dots as they are",
			`^(?:\*|`+labelPrefix+labelName+`)$`),
		text(what+"-value", value, "value of the "+what, valueRegexp),
	}
}

func registerAttributes(fh handler.FunctionRegistry, provider configkit.ResourceProvider) error {
	for _, a := range attributes() {
		set := "set-" + a.suffix + a.set
		if a.readOnly {
			set = ""
		}
		options := []generic.PathFunctionOption{
			generic.WithPathFunctionExamples("get-"+a.suffix+a.get, set),
		}
		if a.former != "" {
			options = append(options, generic.WithDeprecatedPathFunctionAlias(a.former))
		}
		if a.check != nil {
			options = append(options,
				generic.WithValueCheck(func(value any) error { return a.check(fmt.Sprint(value)) }))
		}
		err := generic.RegisterPathSetterAndGetter(fh, a.suffix, a.parameters, a.description,
			a.name, provider, !a.readOnly, !a.insertsNone, options...)
		if err != nil {
			return err
		}
	}
	return nil
}

package kubernetes

import (
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

// registerAttributes registers the functions of the attributes that resource_types.yaml describes.
func registerAttributes(fh handler.FunctionRegistry, provider configkit.ResourceProvider) error {
	checks := map[api.AttributeName]func(value string) error{
		"hostname": checkHostname, "subdomain": checkSubdomain, "domain": checkDomain,
	}
	for _, attribute := range provider.Attributes() {
		var options []generic.PathFunctionOption
		if check := checks[attribute.Name]; check != nil {
			options = append(options,
				generic.WithValueCheck(func(value any) error { return check(fmt.Sprint(value)) }))
		}
		if err := generic.RegisterAttribute(fh, attribute, provider, options...); err != nil {
			return err
		}
	}
	return nil
}

// parameterOf returns a parameter of the functions of an attribute, for functions that have the
// same one.
func parameterOf(
	provider configkit.ResourceProvider, attribute api.AttributeName, name string,
) api.FunctionParameter {
	info, _ := provider.AttributeInfo(attribute)
	for _, p := range info.Parameters {
		if p.ParameterName == name {
			return p
		}
	}
	return text(name, "", name, "")
}

// text returns a required string parameter. regexp may be "".
func text(name, example, description, regexp string) api.FunctionParameter {
	return api.FunctionParameter{
		ParameterName: name, Required: true, DataType: api.DataTypeString, Example: example,
		Description:      description,
		ValueConstraints: api.ValueConstraints{Regexp: regexp},
	}
}

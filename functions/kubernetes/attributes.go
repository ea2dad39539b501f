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
		if attribute.Name == attributeReplicas {
			options = append(options, notesAutoscalers(provider))
		}
		if err := generic.RegisterAttribute(fh, attribute, provider, options...); err != nil {
			return err
		}
	}
	return nil
}

package kubernetes

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

func registerMetadataFunctions(fh handler.FunctionRegistry, provider configkit.ResourceProvider) error {
	for _, family := range []struct {
		suffix, description  string
		attribute            api.AttributeName
		parameters           []api.FunctionParameter
		getExample, setExamp string
	}{
		{
			"annotation", "an annotation of resources", "annotation-value",
			keyAndValue("annotation", "example.com/owner", "web@example.com", ""),
			"get-annotation example.com/owner", "set-annotation example.com/owner web@example.com",
		},
		{
			"label", "a label of resources", "label-value",
			keyAndValue("label", "app.kubernetes.io/part-of", "shop", "^(?:"+labelName+")?$"),
			"get-label app.kubernetes.io/part-of", "set-label app.kubernetes.io/part-of shop",
		},
	} {
		err := generic.RegisterPathSetterAndGetter(fh, family.suffix, family.parameters, family.description, family.attribute, provider, true, true,
			generic.WithPathFunctionExamples(family.getExample, family.setExamp))
		if err != nil {
			return err
		}
	}
	return nil
}

// keyAndValue are the parameters for an entry of metadata.labels or metadata.annotations.
func keyAndValue(what, key, value, valueRegexp string) []api.FunctionParameter {
	return []api.FunctionParameter{
		{
			ParameterName: what + "-key", Required: true, DataType: api.DataTypeString, Example: key,
			Description: "key of the " + what + ", dots as they are", ValueConstraints: api.ValueConstraints{Regexp: `^(?:\*|` + labelPrefix + labelName + `)$`},
		},
		{
			ParameterName: what + "-value", Required: true, DataType: api.DataTypeString, Example: value,
			Description: "value of the " + what, ValueConstraints: api.ValueConstraints{Regexp: valueRegexp},
		},
	}
}

package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/k8skit/schemas"
	"github.com/fctl-dev/fctl/functions/expression/cel"
	"github.com/fctl-dev/fctl/internal/krm"
)

const docKubeconform = `functionConfig: none, or a ConfigMap with these keys in data:

  ignore_missing_schemas: "true"      resources without a schema pass
  skip_kinds: DaemonSet,MyKind        resources of these kinds pass
  strict: "true"                      unknown fields are errors

The schemas are those of Kubernetes and of the CustomResourceDefinitions in the package.
schema_location and additional_schema_locations are not supported: functions read no other files.`

// conform is what kubeconform checks.
type conform struct {
	set           *schemas.Set
	ignoreMissing bool
	strict        bool
	skip          []string
}

func kubeconform(_ context.Context, list *krm.ResourceList) error {
	k := &conform{}
	if list.FunctionConfig != nil {
		c, err := configOf(list, "")
		if err != nil {
			return err
		}
		if err := k.read(c); err != nil {
			return err
		}
	}
	// The library keeps what it compiled for the next call.
	set, err := k8skit.K8sResourceProvider.Schemas().Set("", cel.NewRuleCompiler())
	if err != nil {
		return err
	}
	k.set = set
	for _, item := range list.Items {
		h, err := item.Doc.Header()
		if err == nil && h.Kind == "CustomResourceDefinition" && item.Doc.Check() == nil {
			// What is wrong with it is found when it is checked itself.
			_ = set.AddDefinition(item.Doc.Value())
		}
	}
	for _, item := range list.Items {
		if err := k.item(list, item); err != nil {
			return err
		}
	}
	if krm.Worst(list.Results) == krm.SeverityError {
		return errFailed
	}
	return nil
}

func (k *conform) read(c *config) error {
	for _, p := range pairs(c.data) {
		var err error
		switch p.key {
		case "ignore_missing_schemas":
			k.ignoreMissing, err = boolOf(p)
		case "strict":
			k.strict, err = boolOf(p)
		case "skip_kinds":
			for kind := range strings.SplitSeq(p.value, ",") {
				k.skip = append(k.skip, strings.TrimSpace(kind))
			}
		case "schema_location", "additional_schema_locations":
			err = fmt.Errorf("functionConfig: data.%s is not supported; "+
				"CustomResourceDefinitions in the package are used", p.key)
		default:
			err = fmt.Errorf("functionConfig: unknown key data.%s", p.key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func boolOf(p pair) (bool, error) {
	switch p.value {
	case "true":
		return true, nil
	case "false", "":
		return false, nil
	}
	return false, fmt.Errorf("functionConfig: data.%s must be true or false, not %q", p.key, p.value)
}

// item checks one resource.
func (k *conform) item(list *krm.ResourceList, item *krm.Item) error {
	h, err := item.Doc.Header()
	if err != nil {
		return fmt.Errorf("%s: %w", item, err)
	}
	if slices.Contains(k.skip, h.Kind) || krm.IsLocalConfig(item.Doc) || h.Kind == "Kptfile" {
		return nil
	}
	fail := func(path []string, message string) {
		list.Results = append(list.Results, about(item, krm.SeverityError, path, message))
	}
	if err := item.Doc.Check(); err != nil {
		fail(nil, err.Error())
		return nil
	}
	schema, err := k.set.Schema(api.ResourceType(h.APIVersion + "/" + h.Kind))
	_, missing := errors.AsType[*schemas.MissingError](err)
	if missing || err == nil && schema == nil {
		if !k.ignoreMissing {
			fail(nil, fmt.Sprintf("could not find schema for %s %s", h.APIVersion, h.Kind))
		}
		return nil
	}
	if err != nil {
		fail(nil, err.Error())
		return nil
	}
	problems, err := schema.Check(item.Doc.Value())
	if err != nil {
		return fmt.Errorf("%s: %w", item, err)
	}
	for i := range problems {
		p := &problems[i]
		if p.Keyword == "additionalProperties" && !k.strict {
			continue
		}
		r := about(item, krm.SeverityError, p.Path, p.String())
		if r.Field != nil {
			if v := item.Doc.Search(p.Path...).Value(); v.Kind() == gaby.Scalar && h.Kind != "Secret" {
				r.Field.CurrentValue = v.Data()
			}
		}
		list.Results = append(list.Results, r)
	}
	return nil
}

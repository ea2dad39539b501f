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
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
	"github.com/fctl-dev/fctl/internal/lang/cel"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/strict"
)

const docKubeconform = `functionConfig: none, or a ConfigMap with these keys in data:

  ignore_missing_schemas: "true"      resources without a schema pass
  skip_kinds: DaemonSet,MyKind        resources of these kinds pass
  strict: "true"                      unknown fields are errors

  schema_location: schemas            where schemas are, in place of "default"
  additional_schema_locations: a,b    where others are, after those

The location "default" is the schemas of Kubernetes and of the CustomResourceDefinitions in the
package. Any other is a directory below that of the resources, with the files
master-standalone/deployment-apps-v1.json and so on, or the path of a file in JSON with the
variables {{.ResourceKind}}, {{.ResourceAPIVersion}}, {{.Group}}, {{.KindSuffix}},
{{.StrictSuffix}} and {{.NormalizedKubernetesVersion}}. The first location with a schema counts.
URLs are not read.`

// conform is what kubeconform checks.
type conform struct {
	set           *schemas.Set
	ignoreMissing bool
	strict        bool
	skip          []string
	locations     locations
}

func kubeconform(ctx context.Context, list *krm.ResourceList) error {
	k := &conform{locations: locations{root: list.Root}}
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
		if err := k.item(ctx, list, item); err != nil {
			return err
		}
	}
	if fnresult.Worst(list.Results) == fnresult.SeverityError {
		return errFailed
	}
	return nil
}

func (k *conform) read(c *config) error {
	first, more, kinds := string(schemas.DefaultLocation), "", ""
	err := c.read(
		strict.To("ignore_missing_schemas", &k.ignoreMissing, boolOf),
		strict.To("strict", &k.strict, boolOf),
		strict.To("skip_kinds", &kinds, strict.Value.Scalar),
		strict.To("schema_location", &first, strict.Value.Scalar),
		strict.To("additional_schema_locations", &more, strict.Value.Scalar))
	if err != nil {
		return err
	}
	for kind := range strings.SplitSeq(kinds, ",") {
		k.skip = append(k.skip, strings.TrimSpace(kind))
	}
	k.locations.strict = k.strict
	if err := k.locations.add("schema_location", first); err != nil || more == "" {
		return err
	}
	return k.locations.add("additional_schema_locations", more)
}

// boolOf reads true or false, which a ConfigMap has as texts.
func boolOf(v strict.Value) bool {
	text := v.Scalar()
	if !slices.Contains([]string{"true", "false", ""}, text) {
		v.Must("true or false", "")
	}
	return text == "true"
}

// schema returns the schema of the first location that has one for a type, nil if none has. own
// reports whether it is one of fctl, which are strict.
func (k *conform) schema(h gaby.Header) (schema *jsonschema.Schema, own bool, err error) {
	list := k.locations.list
	if len(list) == 0 {
		list = []schemas.Location{schemas.DefaultLocation}
	}
	for _, location := range list {
		t := api.ResourceType(h.APIVersion + "/" + h.Kind)
		if own = location == schemas.DefaultLocation; own {
			schema, err = k.set.Schema(t)
			if _, missing := errors.AsType[*schemas.MissingError](err); missing {
				continue
			}
		} else {
			schema, err = k.locations.schema(location, t)
		}
		if schema != nil || err != nil {
			return schema, own, err
		}
	}
	return nil, false, nil
}

// item checks one resource.
func (k *conform) item(
	ctx context.Context, list *krm.ResourceList, item *krm.Item,
) error {
	h, err := item.Doc.Header()
	if err != nil {
		return fmt.Errorf("%s: %w", item, err)
	}
	if slices.Contains(k.skip, h.Kind) || krm.IsLocalConfig(item.Doc) || h.Kind == "Kptfile" {
		return nil
	}
	fail := func(path []string, message string) {
		list.Results = append(list.Results, about(item, fnresult.SeverityError, path, message))
	}
	if err := item.Doc.Check(); err != nil {
		fail(nil, err.Error())
		return nil
	}
	schema, own, err := k.schema(h)
	if err == nil && schema == nil {
		if !k.ignoreMissing {
			fail(nil, fmt.Sprintf("could not find schema for %s %s", h.APIVersion, h.Kind))
		}
		return nil
	}
	if err != nil {
		fail(nil, err.Error())
		return nil
	}
	problems, err := schema.Check(expression.In(ctx, item.Doc, nil), item.Doc.Value())
	if err != nil {
		return fmt.Errorf("%s: %w", item, err)
	}
	for i := range problems {
		p := &problems[i]
		if p.Keyword == "additionalProperties" && !k.strict && own {
			continue
		}
		r := about(item, fnresult.SeverityError, p.Path, p.String())
		if r.Field != nil {
			if v := item.Doc.Search(p.Path...).Value(); v.Kind() == gaby.Scalar &&
				h.Kind != "Secret" {
				r.Field.CurrentValue = v.Data()
			}
		}
		list.Results = append(list.Results, r)
	}
	return nil
}

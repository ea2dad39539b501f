package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/lang/starlark"
	"github.com/fctl-dev/fctl/internal/strict"
)

const docStarlark = `functionConfig: a ConfigMap with the program in data.source and parameters in
data, or

  apiVersion: fn.kpt.dev/v1alpha1
  kind: StarlarkRun
  params: {replicas: 5}
  source: |
    for r in ctx.resource_list["items"]:
      r["metadata"].setdefault("labels", {})["zone"] = "eu"

The program changes ctx.resource_list["items"]; fail("...") ends it with an error. The annotations
config.kubernetes.io/path and index, and the same with internal. before, say where a resource is;
a program that changes one of both moves the resource. None in place of the items deletes all. The
program has no access to the environment, the network and the clock. ctx.open_api["definitions"] has
the schemas of the newest Kubernetes that fctl has, without descriptions.`

func runStarlark(ctx context.Context, list *krm.ResourceList) error {
	c, err := configOfVersion(list, "StarlarkRun", "")
	if err != nil {
		return err
	}
	source := c.get("source")
	if !c.isConfigMap() {
		err := c.read(append(strict.Unread("params"), strict.Text("source", &source))...)
		if err != nil {
			return err
		}
	}
	if source == "" {
		return errors.New("`source` must not be empty")
	}
	items := make([]gaby.Value, len(list.Items))
	for i, item := range list.Items {
		sent, err := item.Sent()
		if err != nil {
			return fmt.Errorf("%s: %w", item, err)
		}
		items[i] = sent.Value()
	}
	var printed strings.Builder
	left, err := starlark.RunList(ctx, source, c.value, items, schemas.OpenAPI, func(line string) {
		printed.WriteString(line + "\n")
	})
	list.Stderr += printed.String()
	if err != nil {
		return err
	}
	after := make([]*krm.Item, len(left))
	for i, r := range left {
		if after[i], err = takeResult(list.Items, &r); err != nil {
			return err
		}
	}
	list.Items = after
	return nil
}

// takeResult returns the item that a program left: a changed one of items, or a new one.
func takeResult(items []*krm.Item, r *starlark.ListResult) (*krm.Item, error) {
	doc, err := gaby.ParseYAML([]byte("apiVersion: v1\n")) // so that the text has block style
	if err == nil {
		err = doc.SetData(r.Data)
	}
	if err == nil {
		doc, err = gaby.ParseYAML(doc.BytesWithNewline())
	}
	if err != nil {
		return nil, err
	}
	if r.From < 0 {
		return krm.Generated(doc)
	}
	item := items[r.From]
	if err := item.Take(doc, k8skit.K8sResourceProvider); err != nil {
		return nil, fmt.Errorf("%s: %w", item, err)
	}
	return item, nil
}

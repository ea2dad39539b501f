package catalog

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/expression/starlark"
	"github.com/fctl-dev/fctl/internal/krm"
)

const docStarlark = `functionConfig: a ConfigMap with the program in data.source and parameters in
data, or

  apiVersion: fn.kpt.dev/v1alpha1
  kind: StarlarkRun
  params: {replicas: 5}
  source: |
    for r in ctx.resource_list["items"]:
      r["metadata"].setdefault("labels", {})["zone"] = "eu"

The program changes ctx.resource_list["items"]; fail("...") ends it with an error. It has no
access to the environment, the network and the clock.`

func runStarlark(_ context.Context, list *krm.ResourceList) error {
	c, err := configOf(list, "StarlarkRun")
	if err != nil {
		return err
	}
	source := c.get("source")
	if !c.isConfigMap() {
		source = text(c.value.Get("source"))
	}
	if source == "" {
		return errors.New("`source` must not be empty")
	}
	items := make([]gaby.Value, len(list.Items))
	for i, item := range list.Items {
		if err := item.Doc.Check(); err != nil {
			return fmt.Errorf("%s: %w", item, err)
		}
		items[i] = item.Doc.Value()
	}
	left, err := starlark.RunList(source, c.value, items, func(line string) {
		list.Results = append(list.Results, krm.Result{
			Message: line, Severity: krm.SeverityInfo, Tags: map[string]string{"source": "print"},
		})
	})
	if err != nil {
		return err
	}
	after := make([]*krm.Item, 0, len(left))
	for _, r := range left {
		if r.From < 0 {
			item, err := newItem(r.Data)
			if err != nil {
				return err
			}
			after = append(after, item)
			continue
		}
		item := list.Items[r.From]
		if err := item.Doc.SetData(r.Data); err != nil {
			return fmt.Errorf("%s: %w", item, err)
		}
		after = append(after, item)
	}
	list.Items = after
	return nil
}

// newItem makes an item of data. Annotations that say where it belongs are taken out of it.
func newItem(data any) (*krm.Item, error) {
	doc, err := gaby.ParseYAML([]byte("apiVersion: v1\n")) // so that the text has block style
	if err == nil {
		err = doc.SetData(data)
	}
	if err == nil {
		doc, err = gaby.ParseYAML(doc.BytesWithNewline())
	}
	if err != nil {
		return nil, err
	}
	path, index := "", 0
	for _, key := range []string{
		krm.LegacyPathAnnotation, krm.PathAnnotation, krm.LegacyIndexAnnotation,
		krm.IndexAnnotation,
	} {
		value := krm.Annotation(doc, key)
		if !doc.Exists("metadata", "annotations", key) {
			continue
		}
		if key == krm.PathAnnotation || key == krm.LegacyPathAnnotation {
			path = value
		} else if index, err = strconv.Atoi(value); err != nil {
			return nil, fmt.Errorf("the annotation %s: %q is not a number", key, value)
		}
		if err := doc.Delete("metadata", "annotations", key); err != nil {
			return nil, err
		}
	}
	if a := doc.Search("metadata", "annotations"); path != "" && a.Len() == 0 {
		if err := doc.Delete("metadata", "annotations"); err != nil {
			return nil, err
		}
	}
	return krm.NewItem(doc.BytesWithNewline(), path, index)
}

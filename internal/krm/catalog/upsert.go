package catalog

import (
	"context"
	"errors"
	"fmt"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/krm"
)

const docUpsert = `functionConfig: the resource to add, or a List of resources.

Replaces the resources with the group, kind, namespace and name of the given one, which keep their
files. Without one the resource is added. With the annotation config.kubernetes.io/target-path only
a resource in that file is replaced.`

// targetPath is the annotation that names the file of the resource to replace.
const targetPath = "config.kubernetes.io/target-path"

func upsertResource(_ context.Context, list *krm.ResourceList) error {
	if list.FunctionConfig == nil {
		return errors.New("FunctionConfig is missing. Expect a resource or a List of resources")
	}
	given := []gaby.Value{list.FunctionConfig.Value()}
	if h, err := list.FunctionConfig.Header(); err != nil {
		return fmt.Errorf("functionConfig: %w", err)
	} else if h.APIVersion == "v1" && h.Kind == "List" {
		given = nil
		for _, v := range list.FunctionConfig.Value().Get("items").All() {
			given = append(given, v)
		}
	}
	known := map[referenceKey][]*krm.Item{}
	for _, item := range list.Items {
		if h, err := item.Doc.Header(); err == nil {
			known[exactIdentity(&h)] = append(known[exactIdentity(&h)], item)
		}
	}
	for _, v := range given {
		doc, err := gaby.ParseYAML([]byte(v.YAML()))
		if err != nil {
			return fmt.Errorf("functionConfig: %w", err)
		}
		h, err := doc.Header()
		switch {
		case err != nil:
			return fmt.Errorf("functionConfig: %w", err)
		case h.APIVersion == "" || h.Kind == "" || h.Name == "":
			return errors.New("functionConfig: a resource has apiVersion, kind and metadata.name")
		}
		added, err := upsert(known[exactIdentity(&h)], doc)
		if err != nil {
			return err
		}
		if added != nil {
			list.Items = append(list.Items, added)
			known[exactIdentity(&h)] = append(known[exactIdentity(&h)], added)
		}
	}
	return nil
}

// exactIdentity is the identity of a resource in which no namespace is not the namespace default.
func exactIdentity(h *gaby.Header) referenceKey {
	k := identityOf(h)
	k.namespace = h.Namespace
	return k
}

// upsert makes items equal to a resource. If there is none in its target path, it returns a new one.
func upsert(items []*krm.Item, doc *gaby.YamlDoc) (added *krm.Item, err error) {
	target := krm.Annotation(doc, targetPath)
	if target != "" {
		path := []string{"metadata", "annotations", targetPath}
		if doc.Value().Get("metadata").Get("annotations").Len() == 1 {
			path = path[:2]
		}
		if err := doc.Delete(path...); err != nil {
			return nil, err
		}
	}
	found := false
	for _, item := range items {
		if target != "" && item.Path != target {
			continue
		}
		found = true
		if err := item.Take(doc, k8skit.K8sResourceProvider); err != nil {
			return nil, fmt.Errorf("%s: %w", item, err)
		}
	}
	if found {
		return nil, nil
	}
	if target != "" && krm.Annotation(doc, krm.PathAnnotation) == "" &&
		krm.Annotation(doc, krm.LegacyPathAnnotation) == "" {
		_, err := doc.Set(target, "metadata", "annotations", krm.PathAnnotation)
		if err != nil {
			return nil, err
		}
	}
	return krm.Generated(doc)
}

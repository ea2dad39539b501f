package catalog

import (
	"context"
	"errors"
	"fmt"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/strict"
)

const docLabels = `functionConfig: a ConfigMap with the labels in data, or

  apiVersion: fn.kpt.dev/v1alpha1
  kind: SetLabels
  labels: {color: orange}

Sets the labels of all resources and of the pod templates that there are, and the selectors that
select by them. Resources for local use stay as they are.`

const docAnnotations = `functionConfig: a ConfigMap with the annotations in data, or

  apiVersion: fn.kpt.dev/v1alpha1
  kind: SetAnnotations
  annotations: {color: orange}
  additionalAnnotationFields: [{kind: MyKind, path: spec/annotations, create: true}]

Sets the annotations of all resources and pod templates.`

func setLabels(_ context.Context, list *krm.ResourceList) error {
	c, err := configOfVersion(list, "SetLabels", "")
	if err != nil {
		return err
	}
	var items []*krm.Item
	for _, item := range list.Items {
		if !krm.IsLocalConfig(item.Doc) {
			items = append(items, item)
		}
	}
	changed, err := c.setPairs(items, "labels", "additionalLabelFields", labelFields(),
		strict.Value.Text)
	if err == nil {
		info(list, fmt.Sprintf("set %d labels in total", changed))
	}
	return err
}

func setAnnotations(_ context.Context, list *krm.ResourceList) error {
	c, err := configOf(list, "SetAnnotations")
	if err != nil {
		return err
	}
	_, err = c.setPairs(list.Items, "annotations", "additionalAnnotationFields",
		annotationFields(), strict.Value.Scalar)
	return err
}

// setPairs sets the keys and values below key of the functionConfig in the maps at the fields of
// items. In fields that are not to be created only keys that exist are set. It returns the number
// of values that changed. read reads a value.
func (c *config) setPairs(items []*krm.Item, key, additional string, fields []fieldSpec,
	read func(strict.Value) string,
) (changed int, err error) {
	want := pairs(c.data)
	if !c.isConfigMap() {
		err := c.read(fieldSpecs(additional, &fields), strict.To(key, &want,
			func(v strict.Value) []pair { return pairsOf(v, read) }))
		if err != nil {
			return 0, err
		}
	}
	if len(want) == 0 {
		return 0, fmt.Errorf("functionConfig: no %s are given", key)
	}
	var problems []error
	for _, item := range items {
		h, err := item.Doc.Header()
		if err != nil || !isResource(&h) {
			problems = append(problems, err)
			continue
		}
		for i := range fields {
			if !fields[i].matches(&h) {
				continue
			}
			err := fields[i].visit(item.Doc, func(path []string, v gaby.Value) error {
				n, err := mergePairs(item.Doc, path, v, want, fields[i].create)
				changed += n
				return err
			})
			if err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", item, err))
			}
		}
	}
	return changed, errors.Join(problems...)
}

// mergePairs sets keys of the map at a path and returns the number of values that changed.
func mergePairs(doc *gaby.YamlDoc, path []string, v gaby.Value, want []pair, create bool,
) (changed int, err error) {
	if v.Exists() && !v.IsNull() && v.Kind() != gaby.Map {
		return 0, fmt.Errorf("%s is not a map", fieldPath(path))
	}
	if v.Len() == 0 {
		if !create {
			return 0, nil
		}
		entries := make(gaby.Entries, len(want))
		for i, p := range want {
			entries[i] = gaby.Entry{Key: p.key, Value: p.value}
		}
		_, err := doc.Set(entries, path...)
		return len(want), err
	}
	for _, p := range want {
		had := v.Get(p.key)
		if !had.Exists() && !create || had.Exists() && had.Tag() == "!!str" &&
			had.EqualText(p.value) {
			continue
		}
		if _, err := doc.Set(p.value, append(path[:len(path):len(path)], p.key)...); err != nil {
			return changed, err
		}
		changed++
	}
	return changed, nil
}

// template is where workloads have their pod template.
const template = "spec/template"

// workloads are the types with a pod template.
func workloads() []fieldSpec {
	return []fieldSpec{
		{version: "v1", kind: "ReplicationController"},
		{kind: "Deployment"},
		{kind: "ReplicaSet"},
		{kind: "DaemonSet"},
		{group: "apps", kind: "StatefulSet"},
		{group: "batch", kind: "Job"},
	}
}

// labelFields are the fields with labels, and the selectors of these labels.
func labelFields() []fieldSpec {
	fields := []fieldSpec{
		{path: "metadata/labels", create: true},
		{version: "v1", kind: "Service", path: "spec/selector", create: true},
		{version: "v1", kind: "ReplicationController", path: "spec/selector", create: true},
		{kind: "Deployment", path: "spec/selector/matchLabels", create: true},
		{kind: "ReplicaSet", path: "spec/selector/matchLabels", create: true},
		{kind: "DaemonSet", path: "spec/selector/matchLabels", create: true},
		{group: "apps", kind: "StatefulSet", path: "spec/selector/matchLabels", create: true},
		{
			group: "apps", kind: "StatefulSet", path: "spec/volumeClaimTemplates[]/metadata/labels",
			create: true,
		},
		{group: "batch", kind: "Job", path: "spec/selector/matchLabels"},
		{group: "batch", kind: "CronJob", path: "spec/jobTemplate/spec/selector/matchLabels"},
		{
			group: "batch", kind: "CronJob", path: "spec/jobTemplate/metadata/labels",
			create: true, given: 2,
		},
		{
			group: "batch", kind: "CronJob", path: "spec/jobTemplate/spec/template/metadata/labels",
			create: true, given: 4,
		},
		{group: "policy", kind: "PodDisruptionBudget", path: "spec/selector/matchLabels"},
		{group: "networking.k8s.io", kind: "NetworkPolicy", path: "spec/podSelector/matchLabels"},
		{
			group: "networking.k8s.io", kind: "NetworkPolicy",
			path: "spec/ingress/from/podSelector/matchLabels",
		},
		{
			group: "networking.k8s.io", kind: "NetworkPolicy",
			path: "spec/egress/to/podSelector/matchLabels",
		},
	}
	for _, w := range workloads() {
		w.path = template + "/spec/topologySpreadConstraints/labelSelector/matchLabels"
		fields = append(fields, w)
		w.path, w.create, w.given = template+"/metadata/labels", true, 2
		fields = append(fields, w)
	}
	return fields
}

// annotationFields are the fields with annotations.
func annotationFields() []fieldSpec {
	fields := []fieldSpec{
		{path: "metadata/annotations", create: true},
		{
			group: "batch", kind: "CronJob", path: "spec/jobTemplate/metadata/annotations",
			create: true,
		},
		{
			group: "batch", kind: "CronJob",
			path: "spec/jobTemplate/spec/template/metadata/annotations", create: true,
		},
	}
	for _, w := range workloads() {
		w.path, w.create = template+"/metadata/annotations", true
		fields = append(fields, w)
	}
	return fields
}

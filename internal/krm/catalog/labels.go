package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
	changed, err := c.setPairs(items, "labels", "additionalLabelFields", fieldTable(labelFields+
		ofWorkloads("spec/topologySpreadConstraints/labelSelector/matchLabels")+
		ofWorkloads("metadata/labels create 2")), strict.Value.Text)
	if err == nil {
		info(list, "set %d labels in total", changed)
	}
	return err
}

func setAnnotations(_ context.Context, list *krm.ResourceList) error {
	c, err := configOf(list, "SetAnnotations")
	if err != nil {
		return err
	}
	_, err = c.setPairs(list.Items, "annotations", "additionalAnnotationFields",
		fieldTable(annotationFields+ofWorkloads("metadata/annotations create")),
		strict.Value.Scalar)
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
	err = each(items, func(item *krm.Item) error {
		h, err := item.Doc.Header()
		if err != nil || !isResource(&h) {
			return err
		}
		var problems []error
		for i := range fields {
			if fields[i].matches(&h) {
				problems = append(problems, fields[i].visit(item.Doc,
					func(path []string, v gaby.Value) error {
						n, err := mergePairs(item.Doc, path, v, want, fields[i].create)
						changed += n
						return err
					}))
			}
		}
		return errors.Join(problems...)
	})
	return changed, err
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

// labelFields are the fields with labels, and the selectors of these labels, except for those in the
// pod templates of workloads.
const labelFields = `
*                 *  *                     metadata/labels                               create
*                 v1 Service               spec/selector                                 create
*                 v1 ReplicationController spec/selector                                 create
*                 *  Deployment            spec/selector/matchLabels                     create
*                 *  ReplicaSet            spec/selector/matchLabels                     create
*                 *  DaemonSet             spec/selector/matchLabels                     create
apps              *  StatefulSet           spec/selector/matchLabels                     create
apps              *  StatefulSet           spec/volumeClaimTemplates[]/metadata/labels   create
batch             *  Job                   spec/selector/matchLabels
batch             *  CronJob               spec/jobTemplate/spec/selector/matchLabels
batch             *  CronJob               spec/jobTemplate/metadata/labels               create 2
batch             *  CronJob               spec/jobTemplate/spec/template/metadata/labels create 4
policy            *  PodDisruptionBudget   spec/selector/matchLabels
networking.k8s.io *  NetworkPolicy         spec/podSelector/matchLabels
networking.k8s.io *  NetworkPolicy         spec/ingress/from/podSelector/matchLabels
networking.k8s.io *  NetworkPolicy         spec/egress/to/podSelector/matchLabels
`

// annotationFields are the fields with annotations, except for those of workloads.
const annotationFields = `
*     *  *                     metadata/annotations                               create
batch *  CronJob               spec/jobTemplate/metadata/annotations              create
batch *  CronJob               spec/jobTemplate/spec/template/metadata/annotations create
`

// workloads are the types with a pod template.
const workloads = `
*     v1 ReplicationController
*     *  Deployment
*     *  ReplicaSet
*     *  DaemonSet
apps  *  StatefulSet
batch *  Job
`

// ofWorkloads returns the rows for a field of pod templates.
func ofWorkloads(field string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(workloads)) {
		b.WriteString(strings.TrimSpace(line) + " spec/template/" + field + "\n")
	}
	return b.String()
}

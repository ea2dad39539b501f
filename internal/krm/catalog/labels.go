package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
	"github.com/fctl-dev/fctl/internal/strict"
)

const docLabels = `functionConfig: a ConfigMap with the labels in data, or

  apiVersion: fn.kpt.dev/v1alpha1
  kind: SetLabels
  labels: {color: orange}

Sets the labels of all resources and of the pod templates that there are, and the selectors that
select by them. Resources for local use stay as they are. A label that is a number is an error.`

const docAnnotations = `functionConfig: a ConfigMap with the annotations in data, or

  apiVersion: fn.kpt.dev/v1alpha1
  kind: SetAnnotations
  annotations: {color: orange}
  additionalAnnotationFields: [{kind: MyKind, path: spec/annotations, create: true}]

Sets the annotations of all resources, Kptfiles included, and of pod templates. fieldSpecs is an
older name of additionalAnnotationFields.`

func setLabels(_ context.Context, list *krm.ResourceList) error {
	c, err := configOfVersion(list, "SetLabels", "")
	if err != nil {
		return err
	}
	labels, fields, err := c.pairsAndFields("labels", fieldTable(labelFields+
		ofWorkloads("spec/topologySpreadConstraints/labelSelector/matchLabels")+
		ofWorkloads("metadata/labels create 2")), strict.Value.Text, "additionalLabelFields")
	if err != nil {
		return err
	}
	if len(labels) == 0 {
		if c.value.Get("metadata").Get("name").EqualText("function-input") {
			return errors.New("FunctionConfig is missing") // a placeholder for none
		}
		list.Results = append(list.Results, fnresult.Result{
			Message:  "no `labels` arguments are given in FunctionConfig",
			Severity: fnresult.SeverityWarning,
		})
		return nil
	}
	changed := 0
	err = each(list.Items, func(item *krm.Item) error {
		if krm.IsLocalConfig(item.Doc) {
			return nil
		}
		return eachField(item, fields, isObject,
			func(s *fieldSpec, path []string, v gaby.Value) error {
				n, err := mergeLabels(item.Doc, path, v, labels, s.create)
				changed += n
				return err
			})
	})
	if err == nil {
		info(list, "set %d labels in total", changed)
	}
	return err
}

// mergeLabels sets labels in the map at a path and returns the number of values that changed.
// Without create it sets only labels that exist. A label that is not a text is an error.
func mergeLabels(doc *gaby.YamlDoc, path []string, v gaby.Value, labels []pair, create bool,
) (changed int, err error) {
	for _, p := range labels {
		if had := v.Get(p.key); had.Exists() && had.Tag() != "!!str" {
			return 0, fmt.Errorf("%s is not a text",
				fieldPath(append(path[:len(path):len(path)], p.key)))
		}
	}
	if !v.Exists() && doc.Exists(path...) { // null
		return 0, fmt.Errorf("%s is not a map", fieldPath(path))
	}
	if !create {
		labels = slices.DeleteFunc(slices.Clone(labels), func(p pair) bool {
			return !v.Get(p.key).Exists()
		})
	}
	return mergePairs(doc, path, v, labels)
}

func setAnnotations(_ context.Context, list *krm.ResourceList) error {
	kind := "SetAnnotations"
	if k := list.FunctionConfig; k != nil && k.Value().Get("kind").EqualText("SetAnnotationConfig") {
		kind = "SetAnnotationConfig" // the name of the kind in early versions
	}
	c, err := configOf(list, kind)
	if err != nil {
		return err
	}
	annotations, fields, err := c.pairsAndFields("annotations",
		fieldTable(annotationFields+ofWorkloads("metadata/annotations create")),
		strict.Value.Scalar, "additionalAnnotationFields", "fieldSpecs")
	if err != nil {
		return err
	}
	if len(annotations) == 0 {
		return errors.New("functionConfig: no annotations are given")
	}
	if err := checkIdentities(list.Items); err != nil {
		return err
	}
	texts := map[string]string{}
	for _, p := range annotations {
		texts[p.key] = p.value
	}
	text, err := json.Marshal(texts)
	if err != nil {
		return err
	}
	type place struct {
		file  string
		index int
		field string
	}
	reported := map[place]bool{}
	err = each(list.Items, func(item *krm.Item) error {
		return eachField(item, fields, func(h *gaby.Header) bool {
			return h.APIVersion != "" && h.Kind != ""
		}, func(_ *fieldSpec, path []string, v gaby.Value) error {
			at := place{item.Path, item.Index, fieldPath(path)}
			if item.Path == "" {
				at.index = 0 // all items without a file have one result for a field
			}
			if !reported[at] {
				report(list, item, fnresult.SeverityInfo, path, "set annotations: %s", text)
				reported[at] = true
			}
			_, err := mergePairs(item.Doc, path, v, annotations)
			return err
		})
	})
	if len(list.Results) == 0 && err == nil {
		info(list, "no annotations applied")
	}
	return err
}

// pairsAndFields returns the keys and values below key of the functionConfig, and fields with those
// of the lists that additional names, of which only one can be given. read reads a value.
func (c *config) pairsAndFields(key string, fields []fieldSpec, read func(strict.Value) string,
	additional ...string,
) ([]pair, []fieldSpec, error) {
	want := pairs(c.data)
	if c.isConfigMap() {
		return want, fields, nil
	}
	of := []strict.Field{
		strict.To(key, &want, func(v strict.Value) []pair { return pairsOf(v, read) }),
	}
	for i, name := range additional {
		of = append(of, fieldSpecs(name, &fields))
		if i > 0 && c.value.Get(name).Exists() && c.value.Get(additional[0]).Exists() {
			return nil, nil, fmt.Errorf("functionConfig: `%s` is an older name of `%s`: "+
				"both are given", name, additional[0])
		}
	}
	return want, fields, c.read(of...)
}

// eachField calls set for the fields that specifications name in an item, if its header is of a
// resource that has them.
func eachField(item *krm.Item, fields []fieldSpec, has func(*gaby.Header) bool,
	set func(s *fieldSpec, path []string, v gaby.Value) error,
) error {
	h, err := item.Doc.Header()
	if err != nil || !has(&h) {
		return err
	}
	var problems []error
	for i := range fields {
		if fields[i].matches(&h) {
			problems = append(problems, fields[i].visit(item.Doc,
				func(path []string, v gaby.Value) error { return set(&fields[i], path, v) }))
		}
	}
	return errors.Join(problems...)
}

// mergePairs sets keys of the map at a path and returns the number of values that changed.
func mergePairs(doc *gaby.YamlDoc, path []string, v gaby.Value, want []pair,
) (changed int, err error) {
	if v.Exists() && !v.IsNull() && v.Kind() != gaby.Map {
		return 0, fmt.Errorf("%s is not a map", fieldPath(path))
	}
	if v.Len() == 0 && len(want) > 0 {
		entries := make(gaby.Entries, len(want))
		for i, p := range want {
			entries[i] = gaby.Entry{Key: p.key, Value: p.value}
		}
		_, err := doc.Set(entries, path...)
		return len(want), err
	}
	for _, p := range want {
		had := v.Get(p.key)
		if had.Exists() && had.Tag() == "!!str" && had.EqualText(p.value) {
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

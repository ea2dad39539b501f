package kubernetes

import (
	"math"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/references"
)

func vetDisruptionBudgetsFunction(
	provider configkit.ResourceProvider,
) handler.FunctionRegistration {
	return handler.Checking(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "vet-disruption-budgets",
			Description: "Check that the input has a PodDisruptionBudget for the pods of each " +
				"Deployment and StatefulSet with more than one replica",
			Examples: []string{"vet-disruption-budgets"},
		},
	}, "whether all such workloads have one, and those that have none",
		func(c *handler.Call) (api.ValidationResult, error) {
			result := api.ValidationResult{Passed: true}
			all := []budgets{budgetsIn(provider, c.Unit())}
			if others, ok := provider.(schemas.InputProvider); ok {
				type key struct{}
				elsewhere, _ := others.FromInputs(key{}, func() any {
					return budgetsIn(provider, others.InputDocuments())
				}).(budgets)
				all = append(all, elsewhere)
			}
			matches := 0
			err := yamlkit.EachDocument(c.Docs, provider,
				func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
					replicas := doc.Value().Get("spec").Get("replicas")
					n, ok := replicas.Data().(int)
					if !ok || n < 2 || !isReplicated(info.ResourceType) {
						return nil
					}
					matches++
					if slices.ContainsFunc(all, func(b budgets) bool { return b.protect(doc) }) {
						return nil
					}
					pos := replicas.Position()
					result.Passed = false
					result.FailedAttributes = append(result.FailedAttributes, api.AttributeValue{
						AttributeInfo: api.AttributeInfo{
							AttributeIdentifier: api.AttributeIdentifier{
								ResourceInfo: *info, Path: "spec.replicas",
							},
							AttributeMetadata: api.AttributeMetadata{
								AttributeName: api.AttributeNameNone,
							},
						},
						Reason:   "no PodDisruptionBudget in the input selects the pods",
						Position: &pos,
					})
					return nil
				})
			c.Matched(matches)
			return result, err
		})
}

func isReplicated(t api.ResourceType) bool {
	switch t {
	case "apps/v1/Deployment", "apps/v1/StatefulSet", "argoproj.io/v1alpha1/Rollout":
		return true
	}
	return false
}

// budgets are PodDisruptionBudgets, by namespace and by the labels of which their selectors require
// one, if there is such a label: only the budgets that require a label of the pods are compared with
// them. Of several required labels it is the one that the fewest budgets require.
type budgets map[budgetKey][]budget

type budgetKey struct{ namespace, label, value string }

// budget is the selector of a PodDisruptionBudget.
type budget struct {
	namespace string
	selector  gaby.Value
}

func budgetsIn(provider configkit.ResourceProvider, docs gaby.Container) budgets {
	var found []budget
	count := map[budgetKey]int{}
	for _, doc := range docs {
		t, err := provider.ResourceTypeGetter(doc)
		if err == nil && t == "policy/v1/PodDisruptionBudget" && doc.Check() == nil {
			b := budget{namespaceOf(doc), doc.Value().Get("spec").Get("selector")}
			found = append(found, b)
			for _, keys := range b.required() {
				for _, key := range keys {
					count[key]++
				}
			}
		}
	}
	all := budgets{}
	for _, b := range found {
		best, least := []budgetKey{{namespace: b.namespace}}, math.MaxInt
		for _, keys := range b.required() {
			n := 0
			for _, key := range keys {
				n += count[key]
			}
			if n < least {
				best, least = keys, n
			}
		}
		for _, key := range best {
			all[key] = append(all[key], b)
		}
	}
	return all
}

// required returns the labels that the selector requires: of each list pods must have one.
func (b budget) required() (all [][]budgetKey) {
	for _, want := range b.selector.Get("matchLabels").All() {
		all = append(all, []budgetKey{{b.namespace, want.Key(), want.Text()}})
	}
	for _, e := range b.selector.Get("matchExpressions").All() {
		if e.Get("operator").Text() != "In" {
			continue
		}
		var keys []budgetKey
		for _, v := range e.Get("values").All() {
			keys = append(keys, budgetKey{b.namespace, e.Get("key").Text(), v.Text()})
		}
		all = append(all, keys)
	}
	return all
}

// protect reports whether one of the budgets selects the pods of a workload.
func (b budgets) protect(workload *gaby.YamlDoc) bool {
	labels := workload.Value().Get("spec").Get("template").Get("metadata").Get("labels")
	key := budgetKey{namespace: namespaceOf(workload)}
	// An empty selector selects all pods, and one that is missing none.
	protects := func(b budget) bool {
		return b.selector.Kind() == gaby.Map && references.Selects(b.selector, labels)
	}
	if slices.ContainsFunc(b[key], protects) {
		return true
	}
	for _, l := range labels.All() {
		key.label, key.value = l.Key(), l.Text()
		if slices.ContainsFunc(b[key], protects) {
			return true
		}
	}
	return false
}

func namespaceOf(doc *gaby.YamlDoc) string {
	return doc.Value().Get("metadata").Get("namespace").Text()
}

package kubernetes

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/functions/unit"
)

func vetDisruptionBudgetsFunction(
	provider configkit.ResourceProvider,
) handler.FunctionRegistration {
	return validating(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "vet-disruption-budgets",
			Description: "Check that the input has a PodDisruptionBudget for the pods of each " +
				"Deployment and StatefulSet with more than one replica",
			Examples: []string{"vet-disruption-budgets"},
		},
	}, "whether all such workloads have one, and those that have none",
		func(
			fc *api.FunctionContext, docs gaby.Container, _ handler.Arguments, _ []byte,
		) (api.ValidationResult, error) {
			result := api.ValidationResult{Passed: true}
			budgets := budgetsIn(provider, unit.WholeUnit(fc, docs))
			if others, ok := provider.(interface{ InputDocuments() gaby.Container }); ok {
				budgets = append(budgets, budgetsIn(provider, others.InputDocuments())...)
			}
			matches := 0
			_, err := yamlkit.VisitResources(docs, nil, provider,
				func(doc *gaby.YamlDoc, output any, _ int, info *api.ResourceInfo) (any, []error) {
					replicas := doc.Value().Get("spec").Get("replicas")
					n, ok := replicas.Data().(int)
					if !ok || n < 2 || !isReplicated(info.ResourceType) {
						return output, nil
					}
					matches++
					if slices.ContainsFunc(budgets, func(b budget) bool {
						return b.protects(doc)
					}) {
						return output, nil
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
					return output, nil
				})
			fc.Matched(matches)
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

// budget is a PodDisruptionBudget.
type budget struct {
	namespace string
	selector  gaby.Value
}

func budgetsIn(provider configkit.ResourceProvider, docs gaby.Container) []budget {
	var all []budget
	for _, doc := range docs {
		t, err := provider.ResourceTypeGetter(doc)
		if err == nil && t == "policy/v1/PodDisruptionBudget" && doc.Check() == nil {
			all = append(all, budget{namespaceOf(doc), doc.Value().Get("spec").Get("selector")})
		}
	}
	return all
}

func namespaceOf(doc *gaby.YamlDoc) string {
	return doc.Value().Get("metadata").Get("namespace").Text()
}

// protects reports whether a budget selects the pods of a workload. An empty selector selects every
// pod of the namespace, and one that is missing none.
func (b budget) protects(workload *gaby.YamlDoc) bool {
	if namespaceOf(workload) != b.namespace || b.selector.Kind() != gaby.Map {
		return false
	}
	labels := workload.Value().Get("spec").Get("template").Get("metadata").Get("labels")
	for want := b.selector.Get("matchLabels").First(); want.Exists(); want = want.Next() {
		if !labels.Get(want.Key()).EqualText(want.Text()) {
			return false
		}
	}
	for e := b.selector.Get("matchExpressions").First(); e.Exists(); e = e.Next() {
		if !satisfies(labels.Get(e.Get("key").Text()), e) {
			return false
		}
	}
	return true
}

// satisfies reports whether the value of a label, which may be missing, satisfies an expression of
// a label selector.
func satisfies(label, expression gaby.Value) bool {
	listed := false
	for v := expression.Get("values").First(); v.Exists(); v = v.Next() {
		listed = listed || label.Exists() && label.EqualText(v.Text())
	}
	switch expression.Get("operator").Text() {
	case "In":
		return listed
	case "NotIn":
		return !listed
	case "Exists":
		return label.Exists()
	case "DoesNotExist":
		return !label.Exists()
	}
	return false
}

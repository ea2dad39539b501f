package kubernetes

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
)

const (
	attributeReplicas       api.AttributeName = "replicas"
	attributeScaledWorkload api.AttributeName = "scaled-workload"
)

// workload is the namespace, the kind and the name of what an autoscaler scales.
type workload struct{ namespace, kind, name string }

// scaledUnit is what a unit or a part of one has: the autoscalers by what they scale, and the
// workloads whose replicas a function sets.
type scaledUnit struct {
	by  map[workload]string
	set []scaledWorkload
}

type scaledWorkload struct {
	workload
	resource string
	pos      gaby.Position
}

// notesAutoscalers makes a setter of replicas say which of the workloads an autoscaler scales: it
// overwrites the number in the cluster.
func notesAutoscalers(provider configkit.ResourceProvider) generic.PathFunctionOption {
	note := func(
		fc *api.FunctionContext, by map[workload]string, set func() []scaledWorkload,
	) {
		elsewhere := map[workload]string{}
		if others, ok := provider.(schemas.InputProvider); ok {
			type key struct{}
			elsewhere, _ = others.FromInputs(key{}, func() any {
				return autoscalersIn(provider, others.InputDocuments())
			}).(map[workload]string)
		}
		if len(by)+len(elsewhere) == 0 { // the usual case: the workloads need not be looked up
			return
		}
		for _, w := range set() {
			if scaler := cmp.Or(by[w.workload], elsewhere[w.workload]); scaler != "" {
				fc.Note(w.pos, fmt.Sprintf("%s: %s scales it and overwrites the replicas",
					w.resource, scaler))
			}
		}
	}
	return func(_, setter *handler.FunctionRegistration) {
		run := setter.Function
		setter.Function = func(
			fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, other []byte,
		) (gaby.Container, any, error) {
			docs, output, err := run(fc, docs, args, other)
			unit := (&handler.Call{FunctionContext: fc, Docs: docs}).Unit()
			by := autoscalersIn(provider, unit)
			set := func() []scaledWorkload { return workloadsIn(provider, docs) }
			if handler.IsPart(fc) {
				handler.Leave(fc, &scaledUnit{by, set()})
			} else {
				note(fc, by, set)
			}
			return docs, output, err
		}
		setter.Join = func(
			fc *api.FunctionContext, _ []api.FunctionArgument, parts []any,
		) error {
			all := &scaledUnit{by: map[workload]string{}}
			for _, part := range parts {
				of := part.(*scaledUnit)
				maps.Copy(all.by, of.by)
				all.set = append(all.set, of.set...)
			}
			note(fc, all.by, func() []scaledWorkload { return all.set })
			return nil
		}
	}
}

// autoscalersIn returns the autoscalers in documents, by what they scale.
func autoscalersIn(
	provider configkit.ResourceProvider, docs gaby.Container,
) map[workload]string {
	by := map[workload]string{}
	_ = yamlkit.VisitMatches(docs, provider.AttributePaths(attributeScaledWorkload), nil, provider,
		func(p *yamlkit.Match) {
			target := p.Doc.Search(p.Segments[:len(p.Segments)-1]...).Value()
			by[workload{
				namespaceOf(p.Doc), cmp.Or(target.Get("kind").Text(), "Deployment"), p.Value.Text(),
			}] = p.Resource.String()
		})
	return by
}

// workloadsIn returns the resources in documents that have replicas.
func workloadsIn(provider configkit.ResourceProvider, docs gaby.Container) (all []scaledWorkload) {
	_ = yamlkit.VisitMatches(docs, provider.AttributePaths(attributeReplicas), nil, provider,
		func(p *yamlkit.Match) {
			all = append(all, scaledWorkload{
				workload{
					namespaceOf(p.Doc), configkit.KindOf(p.Resource.ResourceType),
					string(p.Resource.ResourceNameWithoutScope),
				}, p.Resource.String(), p.Value.Position(),
			})
		})
	return all
}

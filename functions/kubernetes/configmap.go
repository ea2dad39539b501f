package kubernetes

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/references"
)

const (
	typeConfigMap api.ResourceType = "v1/ConfigMap"

	parameterHistoryLimit = "revision-history-limit"
	defaultHistoryLimit   = 10

	// Fields of the context in ConfigMaps that are rendered again whenever their contents change.
	// the part of the name that all revisions share
	contextStableCore = "ResourceNameStableCore"
	contextRevision   = "RevisionNum"
)

func pruneConfigMapsFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "prune-configmaps",
			Parameters: []api.FunctionParameter{
				optional(intParameter(parameterHistoryLimit, "3",
					"how many revisions to keep of each, the newest included; if not given, "+
						strconv.Itoa(defaultHistoryLimit), 1)),
			},
			Description: "Delete old revisions of immutable ConfigMaps, which share the " +
				"annotation confighub.com/" + contextStableCore +
				", and have references find the newest",
			AffectedResourceTypes: []api.ResourceType{typeConfigMap},
			Examples:              []string{"prune-configmaps", "prune-configmaps 1"},
		},
		ValueParameter: parameterHistoryLimit,
	}, func(c *handler.Call) (int, error) {
		limit := cmp.Or(c.Args.Int(parameterHistoryLimit), defaultHistoryLimit)
		revisions, err := configMapRevisions(c.Docs, provider)
		if err != nil {
			return 0, err
		}
		ages := agesOf(revisions)
		var kept gaby.Container
		for _, r := range revisions {
			if ages[r.doc] < limit {
				kept = append(kept, r.doc)
			}
		}
		err = yamlkit.EachDocument(kept, provider,
			func(doc *gaby.YamlDoc, _ *api.ResourceInfo) error {
				return references.MarkRevision(doc, ages[doc] == 0, provider)
			})
		c.Docs = c.Docs.Delete(func(doc *gaby.YamlDoc) bool { return ages[doc] >= limit })
		return len(revisions), err
	})
}

// configMapRevision is one of several immutable ConfigMaps with the contents of the same ConfigMap
// at different times.
type configMapRevision struct {
	doc             *gaby.YamlDoc
	namespace, core string
	number          int
}

// configMapRevisions returns the immutable ConfigMaps that are revisions.
func configMapRevisions(
	docs gaby.Container, provider configkit.ResourceProvider,
) ([]configMapRevision, error) {
	var configMaps gaby.Container // other documents are not parsed
	for _, doc := range docs {
		if t, err := provider.ResourceTypeGetter(doc); err == nil && t == typeConfigMap {
			configMaps = append(configMaps, doc)
		}
	}
	var revisions []configMapRevision
	path := string(provider.ContextPath(contextRevision))
	err := yamlkit.EachDocument(configMaps, provider,
		func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
			core := doc.Path(string(provider.ContextPath(contextStableCore))).Value().Text()
			if core == "" || doc.Search("immutable").Data() != true {
				return nil
			}
			number := doc.Path(path).Value()
			n, err := strconv.Atoi(number.Text())
			switch {
			// render-configmap does not number revisions: it marks the latest, and the others are
			// in order
			case !number.Exists():
				if n = 0; doc.Path(string(provider.ContextPath(references.ContextRenderRevision))).
					Value().Text() == references.LatestRevision {
					n = math.MaxInt
				}
			case err != nil:
				return editError(number, gaby.DotPathToSlice(path), "",
					"%q is not the number of a revision", number.Text())
			}
			namespace, _, _ := strings.Cut(string(info.ResourceName), "/")
			revisions = append(revisions, configMapRevision{doc, namespace, core, n})
			return nil
		})
	return revisions, err
}

// agesOf returns for each revision the number of newer ones of the same ConfigMap. Of two with the
// same number, the later one in the unit is newer.
func agesOf(revisions []configMapRevision) map[*gaby.YamlDoc]int {
	newestFirst := slices.Clone(revisions)
	slices.Reverse(newestFirst)
	slices.SortStableFunc(newestFirst, func(a, b configMapRevision) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.core, b.core),
			cmp.Compare(b.number, a.number))
	})
	ages := make(map[*gaby.YamlDoc]int, len(revisions))
	for i, r := range newestFirst {
		if i > 0 && r.namespace == newestFirst[i-1].namespace && r.core == newestFirst[i-1].core {
			ages[r.doc] = ages[newestFirst[i-1].doc] + 1
		} else {
			ages[r.doc] = 0
		}
	}
	return ages
}

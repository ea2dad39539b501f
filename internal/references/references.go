// Package references finds and changes the values with which resources refer to others, and finds
// those that lead to no resource of the input.
//
// A reference that may be right is not reported: to what every cluster has, to what operators or
// kustomize make, and to cluster-scoped and custom types of which the input has no resource.
//
// Layer: functions.
package references

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/namespaces"
)

// Survey finds the resources to which a unit refers.
type Survey struct {
	provider configkit.ResourceProvider
	dir      string // of the unit
	unit     gaby.Container
	own      *schemas.ResourceIndex // of the unit
	inputs   *schemas.ResourceIndex
	others   schemas.InputProvider
	made     madeResources   // of the unit, nil if unknown
	lacks    map[string]lack // by namespace, name and types
	kept     map[*gaby.YamlDoc]map[string]*Reference
	byName   map[[2]string]gaby.Container // the unit, by kind and name; nil until asked for
}

// NewSurvey returns a survey of the documents of a unit, which were read from a file, "" if it is
// not known, and of all input files.
func NewSurvey(
	provider configkit.ResourceProvider, docs gaby.Container, file string,
) *Survey {
	s := &Survey{
		provider: provider, dir: path.Dir(file), unit: docs, inputs: schemas.IndexResources(nil),
		lacks: map[string]lack{},
	}
	var own []schemas.InputResource
	for _, doc := range docs {
		if info, err := provider.ResourceInfo(doc); err == nil {
			own = append(own, schemas.InputResource{ResourceInfo: info})
		}
	}
	s.own = schemas.IndexResources(own)
	if others, ok := provider.(schemas.InputProvider); ok {
		s.others, s.inputs = others, others.Inputs()
	}
	return s
}

// Checks reports whether a reference must lead to a resource of the input.
func (s *Survey) Checks(ref *Reference) bool {
	doc, segments := ref.Match.Doc, ref.Match.Segments
	last := len(segments) - 1
	switch {
	case s.isForeign(ref):
		return false
	case ref.Name == "", isOpen(ref.Match.Value), configkit.HasStandIn(ref.Name), last < 0, segments[0] == "rules",
		slices.Contains(segments, "parameters"), // Secrets of a storage driver, which its operator makes
		slices.Equal(segments, []string{"metadata", "name"}):
		return false
	case last > 0 && doc.Search(segments[:last]...).Value().Get("optional").Text() == "true":
		return false
	case segments[0] == "spec" && last > 0 && segments[1] == "tls" && issuesCertificates(doc):
		return false
	case usesAnnotation(doc.Search(segments[:last]...).Value()):
		return false
	case ref.MayBeDomain() && !s.own.HasNamespace(ref.Namespace) &&
		!s.inputs.HasNamespace(ref.Namespace):
		return false
	case namespaces.IsCustom(ref.Match.Resource.ResourceType) &&
		slices.Contains(ref.Types, "v1/Secret"):
		return false // the operator may create it
	}
	return len(ref.Types) > 0 && !slices.ContainsFunc(ref.Types, s.isElsewhere)
}

// isForeign reports whether a reference, such as a source of requests, need not lead to a resource of
// the input.
func (s *Survey) isForeign(ref *Reference) bool {
	return slices.ContainsFunc(
		s.provider.AttributePaths("foreign-reference").PathsOf(ref.Match.Resource.ResourceType),
		func(info *api.PathVisitorInfo) bool { return info.Path == ref.Match.Info().Path })
}

// isElsewhere reports whether the cluster is likely to have resources of a type that nobody keeps
// with the input: the type is cluster-scoped or custom, and the input has no resource of it.
func (s *Survey) isElsewhere(t api.ResourceType) bool {
	kind := configkit.GroupKind(t)
	return !s.own.HasKind(kind) && !s.inputs.HasKind(kind) &&
		(namespaces.IsCustom(t) || s.others != nil && s.others.Scope(t) == configkit.ScopeCluster)
}

// usesAnnotation reports whether an annotation, and not a Service, is the backend of an Ingress for
// a load balancer of AWS.
func usesAnnotation(backend gaby.Value) bool {
	const mark = "use-annotation"
	return backend.Get("port").Get("name").EqualText(mark) ||
		backend.Get("servicePort").EqualText(mark)
}

// issuesCertificates reports whether cert-manager creates the Secrets of an Ingress.
func issuesCertificates(doc *gaby.YamlDoc) bool {
	annotations := doc.Value().Get("metadata").Get("annotations")
	return slices.ContainsFunc([]string{
		"cert-manager.io/cluster-issuer", "cert-manager.io/issuer", "kubernetes.io/tls-acme",
	}, func(key string) bool { return annotations.Get(key).Exists() })
}

// lack is a resource that the input does not have, see [api.AttributeValue], and the message about
// it.
type lack struct{ missing, message string }

// Missing returns the resource to which a reference leads and a message if the input does not have
// it, otherwise "".
func (s *Survey) Missing(ref *Reference) (missing, message string) {
	namespace, name := ref.Namespace, ref.Name
	if before, after, ok := strings.Cut(name, "/"); ok { // as in annotations of an Ingress
		namespace, name = before, after
	}
	if slices.ContainsFunc(ref.Types, func(t api.ResourceType) bool {
		return isProvided(t, namespace, name) || s.has(t, namespace, name)
	}) || s.isMade(ref, name) {
		return "", ""
	}
	key := fmt.Sprint(namespace, "/", name, ref.Types)
	found, known := s.lacks[key]
	if !known {
		if !slices.ContainsFunc(ref.Types, ofCluster) || s.isSlip(ref.Types[0], name) {
			found = s.lack(ref.Types, namespace, name)
		}
		s.lacks[key] = found
	}
	return found.missing, found.message
}

// lack returns a resource that is missing, and the message about it.
func (s *Survey) lack(of []api.ResourceType, namespace, name string) lack {
	var types, kinds, near []string
	for _, t := range of {
		kind := configkit.GroupKind(t)
		if slices.Contains(kinds, kind) {
			continue
		}
		kinds = append(kinds, kind)
		types = append(types, string(t))
		for _, index := range []*schemas.ResourceIndex{s.own, s.inputs} {
			near = append(near, index.NamesNear(kind, namespace, name)...)
		}
	}
	full := name
	if namespace != "" && (s.others == nil || s.others.Scope(of[0]) != configkit.ScopeCluster) {
		full = namespace + "/" + name
	}
	return lack{
		strings.Join(kinds, ",") + " " + full,
		strings.Join(types, " or ") + " " + full + " is not in the input" + didYouMean(name, near),
	}
}

// ofCluster reports whether resources of a type are mostly made elsewhere, with the cluster:
// Namespaces and classes of storage, of load balancers and the like.
func ofCluster(t api.ResourceType) bool {
	return t == "v1/Namespace" || strings.HasSuffix(string(t), "Class")
}

// isSlip reports whether a name looks like that of a resource of the input but for a slip.
func (s *Survey) isSlip(t api.ResourceType, name string) bool {
	kind, stem := configkit.GroupKind(t), strings.TrimRight(name, "0123456789")
	near := slices.DeleteFunc(slices.Concat(
		s.own.NamesNear(kind, "", name), s.inputs.NamesNear(kind, "", name),
	), func(other string) bool { return strings.TrimRight(other, "0123456789") == stem })
	return len(configkit.LikelyTypos(name, near)) > 0
}

// has reports whether the input has a resource. An unknown namespace is like any other.
func (s *Survey) has(t api.ResourceType, namespace, name string) bool {
	kind := configkit.GroupKind(t)
	return s.own.Has(kind, namespace, name) || s.inputs.Has(kind, namespace, name)
}

// maker is a resource that makes others, whose names contain its own.
type maker struct {
	kind, namespace, name string // kind is empty if a field of the resource has the name
	before                string // text before the name of the maker in names that it makes
}

// madeResources are resources that others make, by type and name, with their makers. Names of claims
// end with the name of the StatefulSet that makes one for each of its pods.
type madeResources map[[2]string][]maker

// byOperator takes the place of a type in madeResources, with a namespace, a slash and the name of a
// custom resource: an operator may make resources whose names begin with it and a hyphen.
const byOperator = "*"

// makers returns the custom resources, kustomizations and StatefulSets that make the target of a
// reference.
func (s *Survey) makers(ref *Reference, name string) []maker {
	names := []string{name, ref.Match.Value.Text()}
	if claim, ordinal := cutOrdinal(name); ordinal {
		names = append(names, claim)
	}
	if slices.Contains(ref.Types, typeClaim) { // of the pod of a StatefulSet itself
		names = append(names, name+"-"+string(ref.Match.Resource.ResourceNameWithoutScope))
	}
	mayMake := false
	for _, t := range ref.Types {
		for _, name := range names {
			if makers := s.makersOf(string(t), name); len(makers) > 0 {
				return makers
			}
		}
		mayMake = mayMake || slices.Contains([]api.ResourceType{
			"v1/Service", "v1/ConfigMap", typeSecret, typeClaim,
		}, t)
	}
	if !mayMake {
		return nil
	}
	return s.operators(ref.Namespace, name)
}

// operators returns the custom resources with whose name and a hyphen a name begins.
func (s *Survey) operators(namespace, name string) []maker {
	for at := strings.LastIndexByte(name, '-'); at >= 0; at = strings.LastIndexByte(name[:at], '-') {
		for _, n := range lookedUp(namespace) {
			if makers := s.makersOf(byOperator, n+"/"+name[:at]); len(makers) > 0 {
				return makers
			}
		}
	}
	return nil
}

// makersOf returns the makers of a type and a name in the unit and in all input files.
func (s *Survey) makersOf(t, name string) []maker {
	if s.made == nil {
		s.made = madeIn(s.provider, s.unit)
	}
	own := s.made[[2]string{t, name}]
	if s.others == nil {
		return own
	}
	type key struct{}
	others, _ := s.others.FromInputs(key{}, func() any {
		return madeIn(s.provider, s.others.InputDocuments())
	}).(madeResources)
	return slices.Concat(own, others[[2]string{t, name}])
}

// isMade reports whether custom resources, kustomize or a StatefulSet make the target of a
// reference.
func (s *Survey) isMade(ref *Reference, name string) bool { return len(s.makers(ref, name)) > 0 }

// Renamed returns the new name of a resource, and reports whether it gets one.
type Renamed func(kind, namespace, name string) (to string, ok bool)

// MadeName returns the new name of the target of a reference if renamed resources make it, and the
// input does not have it.
func (s *Survey) MadeName(ref *Reference, renamed Renamed) (string, bool) {
	if slices.ContainsFunc(ref.Types, func(t api.ResourceType) bool {
		return s.has(t, ref.Namespace, ref.Name)
	}) {
		return "", false
	}
	return madeName(s.makers(ref, ref.Name), ref.Name, renamed)
}

// MakesHost reports whether renamed resources make a Service of a name.
func (s *Survey) MakesHost(namespace, name string, renamed Renamed) bool {
	to, ok := madeName(s.operators(namespace, name), name, renamed)
	return ok && to != name
}

// madeName returns a name with the new name of its makers in place of the former one. It reports
// false if one of the makers keeps its name.
func madeName(makers []maker, name string, renamed Renamed) (to string, ok bool) {
	for _, m := range makers {
		rest, made := strings.CutPrefix(name, m.before+m.name)
		if !made || m.kind == "" {
			return "", false
		}
		if to, ok = renamed(m.kind, m.namespace, m.name); !ok {
			return "", false
		}
		to = m.before + to + rest
	}
	return to, ok
}

// cutOrdinal removes the number of a pod from the end of a name.
func cutOrdinal(name string) (string, bool) {
	text := strings.TrimRight(name, "0123456789")
	return strings.CutSuffix(text, "-")
}

const (
	typeSecret api.ResourceType = "v1/Secret"
	typeClaim  api.ResourceType = "v1/PersistentVolumeClaim"
)

// madeAttribute is an attribute of names of resources that others make, and their type.
type madeAttribute struct {
	attribute api.AttributeName
	made      api.ResourceType
}

func madeAttributes() []madeAttribute {
	return []madeAttribute{
		{"made-configmap", "v1/ConfigMap"},
		{"made-secret", typeSecret},
		{"made-service", "v1/Service"},
		{"made-claim", typeClaim},
	}
}

// madeIn returns the resources that documents describe without being them. Attributes say where
// their names are. A custom resource often makes a Secret with its own name, or with a name that it
// refers to.
func madeIn(provider configkit.ResourceProvider, docs gaby.Container) madeResources {
	made := madeResources{}
	var custom gaby.Container
	for _, doc := range docs {
		h, err := doc.Header()
		t := api.ResourceType(h.APIVersion + "/" + h.Kind)
		if err == nil && namespaces.IsCustom(t) && !hasPaths(provider, t, "pods-only") {
			custom = append(custom, doc)
			by := maker{configkit.GroupKind(t), h.Namespace, h.Name, ""}
			made.add(string(typeSecret), h.Name, by)
			if h.Name != "" && runsPods(provider, t) && !isWorkload(provider, t) {
				made.add(byOperator, h.Namespace+"/"+h.Name, by)
				made.add(byOperator, schemas.Anywhere+"/"+h.Name, by)
			}
		}
	}
	for _, of := range madeAttributes() {
		_ = yamlkit.VisitMatches(docs, provider.AttributePaths(of.attribute), EveryKey(), provider,
			func(p *yamlkit.Match) {
				name, by := p.Value.Text(), maker{}
				if of.made == typeClaim {
					own := namespaces.NewResource(p.Doc, *p.Resource)
					by = maker{
						configkit.GroupKind(own.Info.ResourceType), own.Namespace, own.Name(), name + "-",
					}
					name += "-" + own.Name()
				}
				made.add(string(of.made), name, by)
			})
	}
	_ = Visit(custom, provider, func(ref *Reference) {
		if slices.Contains(ref.Types, typeSecret) {
			made.add(string(typeSecret), ref.Name, maker{})
		}
	})
	return made
}

// add adds a maker of resources of a type with a name.
func (m madeResources) add(t, name string, by maker) {
	m[[2]string{t, name}] = append(m[[2]string{t, name}], by)
}

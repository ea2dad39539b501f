package kubernetes

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit/schemas"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/functions/kubernetes/namespaces"
	"github.com/fctl-dev/fctl/functions/unit"
)

func vetReferencesFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return validating(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "vet-references",
			Description: "Check that the resources to which others refer by name are in the " +
				"input. Optional references pass, and so do references to what every cluster " +
				"has, to what operators create, and to cluster-scoped and custom types of which " +
				"the input has no resource",
			Examples: []string{"vet-references"},
		},
		RowsSorted: true,
	}, "whether all references lead to a resource in the input, and those that do not",
		func(
			fc *api.FunctionContext, docs gaby.Container, _ handler.Arguments, _ []byte,
		) (api.ValidationResult, error) {
			s := newReferenceSurvey(provider, unit.WholeUnit(fc, docs))
			matches := 0
			rows, err := unit.ReferenceRows(docs, provider,
				func(ref *unit.Reference, row *api.AttributeValue) bool {
					if !s.checks(ref) {
						return false
					}
					matches++
					row.Reason = s.missing(ref)
					return row.Reason != ""
				})
			fc.Matched(matches)
			return api.ValidationResult{Passed: len(rows) == 0, FailedAttributes: rows}, err
		})
}

// referenceSurvey finds the resources to which a unit refers.
type referenceSurvey struct {
	provider configkit.ResourceProvider
	unit     gaby.Container
	own      map[string][]api.ResourceInfo // the resources of the unit, by name
	kinds    map[string]bool               // by group and kind: the input has resources of the type
	others   interface {
		Scope(t api.ResourceType) configkit.Scope
		InputResources() []api.ResourceInfo
		InputsCalled(name string) []schemas.Input
		InputDocuments() gaby.Container
	}
	// by kind and name: what custom resources and kustomize make; nil if unknown
	made map[string]bool
}

func newReferenceSurvey(
	provider configkit.ResourceProvider, docs gaby.Container,
) *referenceSurvey {
	s := &referenceSurvey{
		provider: provider, unit: docs, own: map[string][]api.ResourceInfo{},
		kinds: map[string]bool{},
	}
	for _, doc := range docs {
		if info, err := provider.ResourceInfo(doc); err == nil {
			name := string(info.ResourceNameWithoutScope)
			s.own[name] = append(s.own[name], info)
			s.kinds[unit.GroupKind(info.ResourceType)] = true
		}
	}
	if others, ok := provider.(interface {
		Scope(t api.ResourceType) configkit.Scope
		InputResources() []api.ResourceInfo
		InputsCalled(name string) []schemas.Input
		InputDocuments() gaby.Container
	}); ok {
		s.others = others
		for _, info := range others.InputResources() {
			s.kinds[unit.GroupKind(info.ResourceType)] = true
		}
	}
	return s
}

// checks reports whether a reference must lead to a resource of the input.
func (s *referenceSurvey) checks(ref *unit.Reference) bool {
	doc, segments := ref.Match.Doc, ref.Match.Segments
	last := len(segments) - 1
	switch {
	case ref.Name == "", configkit.IsPlaceholder(ref.Name), last < 0, segments[0] == "rules",
		slices.Equal(segments, []string{"metadata", "name"}):
		return false
	case last > 0 && doc.Search(segments[:last]...).Value().Get("optional").Text() == "true":
		return false
	case segments[0] == "spec" && last > 0 && segments[1] == "tls" && issuesCertificates(doc):
		return false
	case namespaces.IsCustom(ref.Match.Resource.ResourceType) &&
		slices.Contains(ref.Types, "v1/Secret"):
		return false // the operator may create it
	}
	return len(ref.Types) > 0 && !slices.ContainsFunc(ref.Types, s.isElsewhere)
}

// isElsewhere reports whether the cluster is likely to have resources of a type that nobody keeps
// with the input: the type is cluster-scoped or custom, and the input has no resource of it.
func (s *referenceSurvey) isElsewhere(t api.ResourceType) bool {
	return !s.kinds[unit.GroupKind(t)] &&
		(namespaces.IsCustom(t) || s.others != nil && s.others.Scope(t) == configkit.ScopeCluster)
}

// issuesCertificates reports whether cert-manager creates the Secrets of an Ingress.
func issuesCertificates(doc *gaby.YamlDoc) bool {
	annotations := doc.Value().Get("metadata").Get("annotations")
	return slices.ContainsFunc([]string{
		"cert-manager.io/cluster-issuer", "cert-manager.io/issuer", "kubernetes.io/tls-acme",
	}, func(key string) bool { return annotations.Get(key).Exists() })
}

// missing returns a message if the input does not have the resource, otherwise "".
func (s *referenceSurvey) missing(ref *unit.Reference) string {
	namespace, name := ref.Namespace, ref.Name
	if before, after, ok := strings.Cut(name, "/"); ok { // as in annotations of an Ingress
		namespace, name = before, after
	}
	var types []string
	for i, t := range ref.Types {
		if inEveryCluster(t, namespace, name) || s.has(t, namespace, name) {
			return ""
		}
		if !slices.ContainsFunc(ref.Types[:i], func(other api.ResourceType) bool {
			return unit.SameKind(other, t)
		}) {
			types = append(types, string(t))
		}
	}
	if s.isMade(ref.Types, name) {
		return ""
	}
	if namespace != "" && (s.others == nil ||
		s.others.Scope(ref.Types[0]) != configkit.ScopeCluster) {
		name = namespace + "/" + name
	}
	message := strings.Join(types, " or ") + " " + name + " is not in the input"
	if meant := configkit.DidYouMean("", configkit.Suggest(ref.Name, s.names(ref))); meant != "" {
		message += "; " + meant
	}
	return message
}

// has reports whether the input has a resource. An unknown namespace is like any other.
func (s *referenceSurvey) has(t api.ResourceType, namespace, name string) bool {
	is := func(info *api.ResourceInfo) bool {
		in, _, _ := strings.Cut(string(info.ResourceName), "/")
		return unit.SameKind(info.ResourceType, t) &&
			(in == "" || namespace == "" || in == namespace)
	}
	for i := range s.own[name] {
		if is(&s.own[name][i]) {
			return true
		}
	}
	return s.others != nil && slices.ContainsFunc(s.others.InputsCalled(name),
		func(in schemas.Input) bool { return is(&in.ResourceInfo) })
}

// names returns the names of the resources to which a reference could lead.
func (s *referenceSurvey) names(ref *unit.Reference) []string {
	var names []string
	add := func(info *api.ResourceInfo) {
		for _, t := range ref.Types {
			name := string(info.ResourceNameWithoutScope)
			if unit.SameKind(info.ResourceType, t) && s.has(t, ref.Namespace, name) &&
				!slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, infos := range s.own {
		for i := range infos {
			add(&infos[i])
		}
	}
	if s.others != nil {
		for _, info := range s.others.InputResources() {
			add(&info)
		}
	}
	slices.Sort(names)
	return names
}

// isMade reports whether custom resources or kustomize make a resource of the name.
func (s *referenceSurvey) isMade(types []api.ResourceType, name string) bool {
	if !slices.Contains(types, "v1/Secret") && !slices.Contains(types, "v1/ConfigMap") {
		return false
	}
	if s.made == nil {
		s.made = map[string]bool{}
		s.addMade(s.unit)
		if s.others != nil {
			s.addMade(s.others.InputDocuments())
		}
	}
	return slices.ContainsFunc(types, func(t api.ResourceType) bool {
		return s.made[string(t)+" "+name]
	})
}

// addMade adds the Secrets and ConfigMaps that documents describe without being them: a custom
// resource often makes a Secret with its own name, or with a name that it refers to.
func (s *referenceSurvey) addMade(docs gaby.Container) {
	var custom gaby.Container
	for _, doc := range docs {
		h, err := doc.Header()
		if err != nil {
			continue
		}
		if strings.HasPrefix(h.APIVersion, "kustomize.config.k8s.io/") {
			for field, t := range map[string]string{
				"configMapGenerator": "v1/ConfigMap", "secretGenerator": "v1/Secret",
			} {
				for e := doc.Value().Get(field).First(); e.Exists(); e = e.Next() {
					s.made[t+" "+e.Get("name").Text()] = true
				}
			}
			continue
		}
		if namespaces.IsCustom(api.ResourceType(h.APIVersion + "/" + h.Kind)) {
			custom = append(custom, doc)
			s.made["v1/Secret "+h.Name] = true
			if made := doc.Value().Get("spec").Get("target").Get("name").Text(); made != "" {
				s.made["v1/Secret "+made] = true // of an ExternalSecret
			}
		}
	}
	_, _ = unit.ReferenceRows(custom, s.provider,
		func(ref *unit.Reference, _ *api.AttributeValue) bool {
			if slices.Contains(ref.Types, "v1/Secret") {
				s.made["v1/Secret "+ref.Name] = true
			}
			return false
		})
}

// inEveryCluster reports whether every cluster has a resource.
func inEveryCluster(t api.ResourceType, namespace, name string) bool {
	switch unit.GroupKind(t) {
	case "ServiceAccount":
		return name == "default" || namespace == "kube-system"
	case "ConfigMap":
		return name == "kube-root-ca.crt"
	case "Service":
		return name == "kubernetes" && (namespace == "" || namespace == "default")
	case "Namespace":
		return slices.Contains(
			[]string{"default", "kube-system", "kube-public", "kube-node-lease"}, name)
	case "scheduling.k8s.io/PriorityClass":
		return strings.HasPrefix(name, "system-")
	case "rbac.authorization.k8s.io/ClusterRole":
		return strings.HasPrefix(name, "system:") ||
			slices.Contains([]string{"cluster-admin", "admin", "edit", "view"}, name)
	case "rbac.authorization.k8s.io/Role":
		return strings.HasPrefix(name, "system:") ||
			name == "extension-apiserver-authentication-reader"
	}
	return false
}

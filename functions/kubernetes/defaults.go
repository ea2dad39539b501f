package kubernetes

import (
	"errors"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/quantity"
)

const (
	attributePodSecurity     api.AttributeName = "pod-security-defaults"
	attributeAutomount       api.AttributeName = "automount-service-account-token"
	attributeSecurityContext api.AttributeName = "pod-container-security-context-defaults"
	attributeResources       api.AttributeName = "container-resources-defaults"
)

// defaultsEditor edits the documents of a call and returns the number of its matches.
type defaultsEditor func(c *handler.Call) (matches int, err error)

// defaultsFunctions returns the functions that set registered defaults, and set-pod-defaults.
func defaultsFunctions(provider configkit.ResourceProvider) []handler.FunctionRegistration {
	plain := func(*handler.Call) func(*yamlkit.Match) error { return setDefault }
	podSecurity := defaultsSetter(provider, provider.AttributePaths(attributePodSecurity), plain)
	securityContext := provider.AttributePaths(attributeSecurityContext)
	resources := defaultsSetter(provider, provider.AttributePaths(attributeResources),
		func(*handler.Call) func(*yamlkit.Match) error { return setDefaultRequest })
	automount := func(c *handler.Call) (
		int, error,
	) {
		return yamlkit.UpdatePaths(c.Docs, provider.AttributePaths(attributeAutomount), nil,
			provider, func(bool) bool { return false }, yamlkit.UpdateOptions{Upsert: true})
	}
	var functions []handler.FunctionRegistration
	for _, f := range []struct {
		name, description string
		attribute         api.AttributeName
		set               defaultsEditor
	}{
		{
			"set-pod-security-defaults",
			"Set missing pod security labels of namespaces: enforce baseline, warn about what is " +
				"not restricted",
			attributePodSecurity, podSecurity,
		},
		{
			"set-automount-service-account-token-false",
			"Set automountServiceAccountToken of pods to false, whatever it is",
			attributeAutomount, automount,
		},
		{
			"set-pod-container-security-context-defaults",
			"Set missing fields of the security contexts of pods and containers to restrictive " +
				"values. A pod with hostNetwork or a privileged container is left alone, and so " +
				"are the user and the groups of a pod that sets one of them",
			attributeSecurityContext, defaultsSetter(provider, securityContext, setDefaultSecurity),
		},
		{
			"set-container-resources-defaults",
			"Set missing requests for CPU and memory of containers, unless the limit is lower",
			attributeResources, resources,
		},
	} {
		functions = append(functions, handler.Editing(handler.FunctionRegistration{
			FunctionSignature: api.FunctionSignature{
				FunctionName:  f.name,
				Description:   f.description,
				FunctionType:  api.FunctionTypePathVisitor,
				AttributeName: f.attribute,
				Examples:      []string{f.name},
			},
			PerDocument: true,
		}, f.set))
	}
	paths := attributesPaths(provider, attributePodSecurity, attributeAutomount,
		attributeSecurityContext, attributeResources)
	return append(functions, setContainerProbeDefaultsFunction(provider),
		setPodDefaultsFunction(paths, []podDefault{
			{"pod-security", "what set-pod-security-defaults sets", podSecurity},
			{
				"automount-service-account-token",
				"what set-automount-service-account-token-false sets", automount,
			},
			{
				"security-context", "what set-pod-container-security-context-defaults sets",
				defaultsSetter(provider, severestFirst(securityContext), setDefaultSecurity),
			},
			{"resources", "what set-container-resources-defaults sets", resources},
			{
				"probes",
				"what set-container-probe-defaults sets, but for a container without probes, " +
					"whose probes ask /healthz over HTTP whether it answers HTTP or not; " +
					"set-container-probe-defaults, which is recommended, checks its port",
				func(c *handler.Call) (
					int, error,
				) {
					return setProbes(c.Docs, provider, nil, askHealthz(c))
				},
			},
		}))
}

// defaultsSetter returns an editor that sets the registered defaults of paths.
func defaultsSetter(
	provider configkit.ResourceProvider, paths configkit.PathSource,
	set func(*handler.Call) func(*yamlkit.Match) error,
) defaultsEditor {
	return func(c *handler.Call) (int, error) {
		return yamlkit.EditPaths(c.Docs, paths, nil, provider,
			yamlkit.EditOptions{Upsert: true, InOrder: true}, set(c))
	}
}

// isMissing reports whether a match has no value, or null.
func isMissing(p *yamlkit.Match) bool { return !p.Value.Exists() || p.Value.Doc().IsNull() }

// setDefault sets the registered default if there is no value.
func setDefault(p *yamlkit.Match) error {
	if !isMissing(p) {
		return nil
	}
	_, err := p.Doc.Set(p.Info().Details.DefaultValue, p.Segments...)
	return err
}

// setDefaultRequest is setDefault for a resource request, unless the default exceeds the limit.
// Kubernetes then uses the limit as the request.
func setDefaultRequest(p *yamlkit.Match) error {
	segments := slices.Clone(p.Segments) // of the form ... resources.requests.cpu
	segments[len(segments)-2] = "limits"
	limit, hasLimit := quantity.Parse(p.Doc.Search(segments...).Value().Text())
	request, ok := p.Info().Details.DefaultValue.(string)
	if amount, isAmount := quantity.Parse(request); hasLimit && ok && isAmount &&
		amount.Compare(limit) > 0 {
		return nil
	}
	return setDefault(p)
}

// severestFirst returns the paths of security contexts in the order in which set-pod-defaults has
// always written them.
func severestFirst(paths configkit.PathSource) configkit.PathSource {
	order := []string{
		"readOnlyRootFilesystem", "allowPrivilegeEscalation", "privileged", "capabilities",
		"seccompProfile", "runAsNonRoot", "runAsUser", "runAsGroup", "fsGroup",
	}
	rank := func(info *api.PathVisitorInfo) int {
		_, field, _ := strings.Cut(string(info.Path), "securityContext.")
		field, _, _ = strings.Cut(field, ".")
		return slices.Index(order, field)
	}
	return configkit.PathSourceFunc(func(t api.ResourceType) []*api.PathVisitorInfo {
		return slices.SortedStableFunc(slices.Values(paths.PathsOf(t)),
			func(a, b *api.PathVisitorInfo) int { return rank(a) - rank(b) })
	})
}

// attributesPaths returns the paths of several attributes.
func attributesPaths(
	provider configkit.ResourceProvider, names ...api.AttributeName,
) configkit.PathSource {
	return configkit.PathSourceFunc(func(t api.ResourceType) (infos []*api.PathVisitorInfo) {
		for _, name := range names {
			infos = append(infos, provider.AttributePaths(name).PathsOf(t)...)
		}
		return infos
	})
}

// podDefault is one of the settings of set-pod-defaults. A parameter selects it.
type podDefault struct {
	parameter, description string
	set                    defaultsEditor
}

func setPodDefaultsFunction(
	paths configkit.PathSource, parts []podDefault,
) handler.FunctionRegistration {
	parameters := make([]api.FunctionParameter, len(parts))
	for i, part := range parts {
		parameters[i] = api.FunctionParameter{
			ParameterName: part.parameter, DataType: api.DataTypeBool, Example: "true",
			Description: "true sets " + part.description + "; if not given, false",
		}
	}
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-pod-defaults",
			Parameters:   parameters,
			Description: "Set several defaults of pods at once, as the functions for each of " +
				"them do",
			Examples: []string{
				"set-pod-defaults true true true true true",
				"set-pod-defaults --security-context=true --resources=true",
			},
		},
		ValueParameter: parts[0].parameter,
		PerDocument:    true,
		Paths:          paths,
	}, func(c *handler.Call) (int, error) {
		defer c.Docs.AppendKeys()() // what belongs together is written together
		var problems []error
		matches := 0
		for _, part := range parts {
			if c.Args.Bool(part.parameter) {
				n, err := part.set(c)
				matches, problems = matches+n, append(problems, err)
			}
		}
		return matches, errors.Join(problems...)
	})
}

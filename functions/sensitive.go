package functions

import (
	"slices"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
)

// Sensitive finds the secret values in the texts of a unit and in other texts, such as arguments,
// see sensitive.Find. It returns nil if it finds none.
func (e *Executor) Sensitive(
	t api.ToolchainType, units [][]byte, others ...[]byte,
) *sensitive.Values {
	converter, provider := e.secretsOf(t)
	if converter == nil {
		return nil
	}
	return sensitive.Find(converter, provider, units, others...)
}

// SensitiveChange is Sensitive for a change that functions or links made, see sensitive.FindChange.
func (e *Executor) SensitiveChange(
	t api.ToolchainType, before, after []byte, others ...[]byte,
) *sensitive.Values {
	converter, provider := e.secretsOf(t)
	if converter == nil {
		return nil
	}
	return sensitive.FindChange(converter, provider, before, after, others...)
}

// secretsOf returns the finder of secret values in a format, nil if the format is unknown.
func (e *Executor) secretsOf(
	t api.ToolchainType,
) (configkit.ConfigConverter, configkit.ResourceProvider) {
	h, err := e.handler(t)
	if err != nil {
		return nil, nil
	}
	provider := h.ResourceProvider()
	if kubernetes, err := e.handler(api.ToolchainKubernetesYAML); err == nil &&
		t != api.ToolchainKubernetesYAML {
		provider = &manifests{ResourceProvider: provider, kubernetes: kubernetes.ResourceProvider()}
	}
	return h.Converter(), provider
}

// hideSecrets lets a result answer for the secret values, and masks them in its messages. Looking
// for the secret values of a large file takes longer than running a function on it, so that happens
// only if somebody asks, or if a message may quote a value. namesOnly is that of handler.Options.
func (e *Executor) hideSecrets(
	t api.ToolchainType, request *api.FunctionInvocationRequest, r *handler.Result, namesOnly bool,
) {
	r.Secrets = sync.OnceValue(func() *sensitive.Values {
		others := Texts(request.FunctionInvocations)
		for _, data := range request.OtherData {
			others = append(others, data)
		}
		if r.Changed {
			return e.SensitiveChange(t, request.ConfigData, r.Data(), others...)
		}
		return e.Sensitive(t, [][]byte{request.ConfigData}, others...)
	})
	if quotes(r, namesOnly && request.WhereCEL == "") {
		r.Mask(r.Secrets())
	}
}

// quotes reports whether a result has messages that may quote a value. The note that nothing is
// selected quotes the expression that says so.
func quotes(r *handler.Result, namesOnly bool) bool {
	return len(r.Failures) > 0 || slices.ContainsFunc(r.Notes, func(n api.Note) bool {
		return n.Kind != api.NoteNothingSelected || n.Function != "" || !namesOnly
	}) || slices.ContainsFunc(r.Outputs, func(o api.Output) bool {
		switch value := o.Value.(type) {
		case api.ValidationResultList:
			return slices.ContainsFunc(value, func(result api.ValidationResult) bool {
				return !result.Passed || len(result.Details) > 0
			})
		case api.ValidationResult:
			return !value.Passed
		}
		return false
	})
}

// Texts returns the arguments of a chain that are texts, among which may be documents.
func Texts(chain api.FunctionInvocationList) (texts [][]byte) {
	for _, invocation := range chain {
		for _, argument := range invocation.Arguments {
			if text, ok := argument.Value.(string); ok {
				texts = append(texts, []byte(text))
			}
		}
	}
	return texts
}

// manifests provides Kubernetes resources that are read as application configuration, so that their
// secret values are recognized in spite of the toolchain.
type manifests struct {
	configkit.ResourceProvider
	kubernetes configkit.ResourceProvider
	// secret are the types with secret values seen so far. Functions report them as NoSchema.
	secret []api.ResourceType
}

// ResourceTypeGetter returns the Kubernetes type if the document has one.
func (m *manifests) ResourceTypeGetter(doc *gaby.YamlDoc) (api.ResourceType, error) {
	t, err := m.kubernetes.ResourceTypeGetter(doc)
	if err != nil {
		return m.ResourceProvider.ResourceTypeGetter(doc)
	}
	if m.kubernetes.Sensitive(t, "") != configkit.NotSensitive {
		m.secret = append(m.secret, t)
	}
	return t, nil
}

// ResourceNameGetter returns the Kubernetes name if the document has one.
func (m *manifests) ResourceNameGetter(doc *gaby.YamlDoc) (api.ResourceName, error) {
	if name, err := m.kubernetes.ResourceNameGetter(doc); err == nil {
		return name, nil
	}
	return m.ResourceProvider.ResourceNameGetter(doc)
}

// Sensitive relates a path to the secret paths of the type and of all types with secret values seen
// so far.
func (m *manifests) Sensitive(t api.ResourceType, path api.ResolvedPath) configkit.Sensitivity {
	relation := m.kubernetes.Sensitive(t, path)
	for _, met := range m.secret {
		relation = max(relation, m.kubernetes.Sensitive(met, path))
	}
	return relation
}

// SensitiveValues visits the values that are secret in Kubernetes.
func (m *manifests) SensitiveValues(t api.ResourceType, doc *gaby.YamlDoc, visit func(gaby.Value)) {
	m.kubernetes.SensitiveValues(t, doc, visit)
}

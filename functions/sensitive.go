package functions

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
)

// Sensitive finds the secret values in the texts of a unit and in other texts, such as arguments,
// see sensitive.Find. It returns nil if it finds none.
func (e *Executor) Sensitive(
	t api.ToolchainType, units [][]byte, others ...[]byte,
) *sensitive.Values {
	h, err := e.handler(t)
	if err != nil {
		return nil
	}
	provider := h.ResourceProvider()
	if kubernetes, err := e.handler(api.ToolchainKubernetesYAML); err == nil &&
		t != api.ToolchainKubernetesYAML {
		provider = &manifests{ResourceProvider: provider, kubernetes: kubernetes.ResourceProvider()}
	}
	return sensitive.Find(h.Converter(), provider, units, others...)
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

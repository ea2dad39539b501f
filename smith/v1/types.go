// Package v1 has the types of Smith Bundles, smith.atlassian.com/v1.
//
// A Bundle is a set of resources that refer to each other. The types are what authors of plugins
// see of the Bundle, and what a status is written as. fctl itself reads Bundles as documents, so
// that comments and positions are not lost.
//
// Layer: base.
package v1

// Group, Version and Kind identify a Bundle. APIVersion joins the first two.
const (
	Group      = "smith.atlassian.com"
	Version    = "v1"
	APIVersion = Group + "/" + Version
	Kind       = "Bundle"
)

// Annotations that Smith reads or writes.
const (
	// ReadyFieldPath is the annotation of a CustomResourceDefinition with the JSONPath, in braces,
	// of the field that says whether an object is ready.
	ReadyFieldPath = Group + "/CrReadyWhenFieldPath"
	// ReadyFieldValue is the annotation with the value that this field has when it is ready.
	ReadyFieldValue = Group + "/CrReadyWhenFieldValue"
	// DeletionTimestamp is the annotation that Smith sets on objects that it will delete. Users
	// must not set it.
	DeletionTimestamp = Group + "/deletionTimestamp"
	// LastAppliedReplicas is the annotation of a Deployment with the replicas that Smith wrote
	// last, so that it knows that somebody else changed them since.
	LastAppliedReplicas = Group + "/LastAppliedReplicas"
	// EnvRefHash is the annotation of the template of a Deployment with a checksum of the Secrets
	// and ConfigMaps in its environment.
	EnvRefHash = Group + "/envRefHash"
	// SecretParametersChecksum is the annotation of a ServiceInstance with a checksum of the
	// Secrets of its parameters.
	SecretParametersChecksum = Group + "/secretParametersChecksum"
)

// Disabled is the value of an annotation that turns off what Smith uses it for.
const Disabled = "disabled"

// ResourceName is the name of a resource in its Bundle: a DNS subdomain.
type ResourceName string

// ReferenceName is the name that !{name} uses: letters, digits, "-" and ".".
type ReferenceName string

// PluginName is the name of a plugin: a DNS subdomain.
type PluginName string

// ReferenceModifier says on which object the path of a reference is evaluated.
type ReferenceModifier string

// BindSecret evaluates the path on the Secret that a ServiceBinding produces.
const BindSecret ReferenceModifier = "bindsecret"

// Bundle is a set of resources that refer to each other.
type Bundle struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   map[string]any `json:"metadata,omitempty"`
	Spec       BundleSpec     `json:"spec"`
	Status     *BundleStatus  `json:"status,omitempty"`
}

// BundleSpec lists the resources of a Bundle.
type BundleSpec struct {
	Resources []Resource `json:"resources"`
}

// Resource is one resource of a Bundle.
type Resource struct {
	Name       ResourceName `json:"name"`
	References []Reference  `json:"references,omitempty"`
	Spec       ResourceSpec `json:"spec"`
}

// Reference is a dependency on another resource of the same Bundle. Without a name it only orders
// the two.
type Reference struct {
	Name     ReferenceName `json:"name,omitempty"`
	Resource ResourceName  `json:"resource"`
	// Path is a JSONPath without its leading "$.".
	Path string `json:"path,omitempty"`
	// Example is a value that early validation uses.
	Example  any               `json:"example,omitempty"`
	Modifier ReferenceModifier `json:"modifier,omitempty"`
}

// ResourceSpec is an object or a plugin that makes one. Exactly one is set.
type ResourceSpec struct {
	Object map[string]any `json:"object,omitempty"`
	Plugin *PluginSpec    `json:"plugin,omitempty"`
}

// PluginSpec says which plugin makes an object of which name, from which spec.
type PluginSpec struct {
	Name       PluginName     `json:"name"`
	ObjectName string         `json:"objectName"`
	Spec       map[string]any `json:"spec,omitempty"`
}

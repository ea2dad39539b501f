package v1

// ConditionType is the type of a condition of a Bundle or of a resource.
type ConditionType string

// The conditions.
const (
	// Blocked is the condition of a resource that waits for others.
	Blocked    ConditionType = "Blocked"
	InProgress ConditionType = "InProgress"
	Ready      ConditionType = "Ready"
	Error      ConditionType = "Error"
)

// ConditionTypes returns the types in the order in which a status lists them.
func ConditionTypes() []ConditionType { return []ConditionType{Blocked, InProgress, Ready, Error} }

// The reasons of conditions.
const (
	ReasonDependenciesNotReady = "DependenciesNotReady"
	ReasonTerminalError        = "TerminalError"
	ReasonRetriableError       = "RetriableError"
)

// Condition is one condition. A status that fctl writes has no times, so that it only depends on
// the input.
type Condition struct {
	Type    ConditionType `json:"type"`
	Status  string        `json:"status"` // True or False
	Reason  string        `json:"reason,omitempty"`
	Message string        `json:"message,omitempty"`
}

// BundleStatus is the status of a Bundle.
type BundleStatus struct {
	Conditions       []Condition      `json:"conditions,omitempty"`
	ResourceStatuses []ResourceStatus `json:"resourceStatuses,omitempty"`
	ObjectsToDelete  []ObjectToDelete `json:"objectsToDelete,omitempty"`
	PluginStatuses   []PluginStatus   `json:"pluginStatuses,omitempty"`
}

// ResourceStatus is the status of one resource.
type ResourceStatus struct {
	Name       ResourceName `json:"name"`
	Conditions []Condition  `json:"conditions,omitempty"`
}

// ObjectToDelete is an object that the Bundle controls but does not declare any more.
type ObjectToDelete struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
}

// The statuses of plugins.
const (
	PluginOk           = "Ok"
	PluginNoSuchPlugin = "NoSuchPlugin"
)

// PluginStatus says whether a plugin that the Bundle uses exists, and what it makes.
type PluginStatus struct {
	Name    PluginName `json:"name"`
	Group   string     `json:"group"`
	Version string     `json:"version"`
	Kind    string     `json:"kind"`
	Status  string     `json:"status"`
}

// Package functionconfig reads FunctionConfig objects, which say how the functions of an image are
// run: in this process, as a program of this machine, or in a pod. It finds the object for the name
// of an image, and runs the function with the first executor that can start it.
//
// Invariants:
//
//   - Parse reports every problem of a text, each with its position. It returns only objects
//     without errors.
//   - A Set never changes. A Cache replaces it as a whole, so a request that asks for it once sees
//     either the old objects or the new ones.
//   - A function that was started is never run again: only an error that says that the function
//     was not started leads to the next executor.
//   - Nothing here reads the environment or runs a program by itself.
//
// Layer: systems.
package functionconfig

import (
	"encoding/json"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/strict"
)

// The apiVersion and kind of the objects.
const (
	Group      = "config.porch.kpt.dev"
	APIVersion = Group + "/v1alpha1"
	Kind       = "FunctionConfig"
)

// Config is one FunctionConfig without errors.
type Config struct {
	Name, Namespace string
	// Generation is that of an object of a cluster, 0 in a file.
	Generation int64
	// UID distinguishes an object of a cluster from an earlier one of its name; "" in a file.
	UID      string
	Pos      api.Position // of the object
	ImagePos api.Position // of spec.image

	Image string // the base name
	// Prefixes are the repositories of the image, without duplicates and without a slash at the
	// end. "" is the default prefix. The list has at least one element.
	Prefixes []string
	Go       *Go
	Binary   *Binary
	Pod      *Pod

	cluster string // the name of its part, if it is an object of a cluster
	broken  bool   // it has errors: only what identifies it and its image count
}

// Go runs a function in this process.
type Go struct {
	Tags []Tag
	ID   string // Config.Image if the object has none
}

// Binary runs a program of this machine. Exactly one of the paths is set.
type Binary struct {
	Tags []Tag
	// RelPath is below the directory of functions, cleaned, with slashes.
	RelPath string
	AbsPath string // cleaned
}

// Pod runs a function in a pod of a cluster. A zero value means the default of the runner.
type Pod struct {
	Tags                    []Tag // none is every tag
	TimeToLive              time.Duration
	MaxParallelExecutions   int // pods for one image
	PreferredMaxQueueLength int // requests in the queue of a pod that lead to one more pod
	// Entrypoint is the command of the function. If it is empty, the image says it.
	Entrypoint []string
	Overrides  Overrides
}

// Overrides change the template of a pod.
type Overrides struct {
	ServiceAccount string `json:"serviceAccountName,omitempty"`
	// SecurityContext is of the type PodSecurityContext, nil for none.
	SecurityContext json.RawMessage    `json:"securityContext,omitempty"`
	InitContainer   ContainerOverrides `json:"initContainer,omitzero"`
	Container       ContainerOverrides `json:"container,omitzero"`
}

// ContainerOverrides change a container of a pod. Each is nil if the object does not have it.
type ContainerOverrides struct {
	Resources json.RawMessage `json:"resources,omitempty"` // of the type ResourceRequirements
	Env       json.RawMessage `json:"env,omitempty"`       // a list of EnvVar
	EnvFrom   json.RawMessage `json:"envFrom,omitempty"`   // a list of EnvFromSource
}

// ConfigProblem is one problem of an object.
type ConfigProblem struct {
	*api.Failure
	Warning bool // the object can be used
	// Server says that the API server with Porch's definition refuses the object as well.
	Server bool
	Reason ProblemReason
}

// ProblemReason is a word for a kind of problem, as conditions of objects have it.
type ProblemReason string

// The reasons. All other problems are those of one object alone.
const (
	Invalid     ProblemReason = "Invalid"
	Conflict    ProblemReason = "Conflict"    // another object has the image
	PodTemplate ProblemReason = "PodTemplate" // its pods cannot be made
)

// problem returns a problem that a whole set of objects has, at a position of one of them.
func (c *Config) problem(at api.Position, path string, reason ProblemReason, err error) ConfigProblem {
	message := err.Error()
	if path != "" {
		message = path + ": " + message
	}
	return ConfigProblem{Failure: &api.Failure{
		Class: api.FailureUsage, Pos: at, Resource: Kind + "/" + c.Name, Path: path,
		Message: message, Err: err,
	}, Reason: reason}
}

// problemsOf returns the problems of a reader.
func problemsOf(r *strict.Reader) []ConfigProblem {
	var problems []ConfigProblem
	for _, p := range r.Problems() {
		problems = append(problems, ConfigProblem{
			Failure: &p.Failure, Warning: p.Code == onlyWarning, Reason: Invalid,
			Server: p.Code == alsoServer || p.Kind != strict.Wrong && p.Kind != strict.Unknown,
		})
	}
	return problems
}

// Errors returns the problems that are not warnings.
func Errors(problems []ConfigProblem) []ConfigProblem {
	var errs []ConfigProblem
	for _, p := range problems {
		if !p.Warning {
			errs = append(errs, p)
		}
	}
	return errs
}

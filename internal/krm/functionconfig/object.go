package functionconfig

import (
	"encoding/json"
	"errors"
)

// PodObject returns, as JSON, a FunctionConfig with the pods of this one, for every tag of its
// image in a repository. A program that has found the object of an image gives another program
// this.
func (c *Config) PodObject(repository string) ([]byte, error) {
	if c.Pod == nil {
		return nil, errors.New("FunctionConfig " + c.Name + " has no podExecutor")
	}
	pod := struct {
		Parallel   int       `json:"maxParallelExecutions,omitempty"`
		Queue      int       `json:"preferredMaxQueueLength,omitempty"`
		Entrypoint []string  `json:"entrypoint,omitempty"`
		TimeToLive string    `json:"timeToLive,omitempty"`
		Overrides  Overrides `json:"templateOverrides,omitzero"`
	}{
		Parallel: c.Pod.MaxParallelExecutions, Queue: c.Pod.PreferredMaxQueueLength,
		Entrypoint: c.Pod.Entrypoint, Overrides: c.Pod.Overrides,
	}
	if c.Pod.TimeToLive > 0 {
		pod.TimeToLive = c.Pod.TimeToLive.String()
	}
	return json.Marshal(map[string]any{
		"apiVersion": APIVersion, "kind": Kind, "metadata": map[string]any{"name": c.Name},
		"spec": map[string]any{
			"image": c.Image, "prefixes": []string{repository}, "podExecutor": pod,
		},
	})
}

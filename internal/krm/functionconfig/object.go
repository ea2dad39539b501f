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
	p, o := c.Pod, &c.Pod.Overrides
	container := func(c ContainerOverrides) map[string]any {
		return without(map[string]any{
			"resources": c.Resources, "env": c.Env, "envFrom": c.EnvFrom,
		})
	}
	pod := without(map[string]any{
		"maxParallelExecutions":   p.MaxParallelExecutions,
		"preferredMaxQueueLength": p.PreferredMaxQueueLength,
		"entrypoint":              p.Entrypoint,
		"templateOverrides": without(map[string]any{
			"serviceAccountName": o.ServiceAccount, "securityContext": o.SecurityContext,
			"initContainer": container(o.InitContainer), "container": container(o.Container),
		}),
	})
	if p.TimeToLive > 0 {
		pod["timeToLive"] = p.TimeToLive.String()
	}
	return json.Marshal(map[string]any{
		"apiVersion": APIVersion, "kind": Kind, "metadata": map[string]any{"name": c.Name},
		"spec": map[string]any{
			"image": c.Image, "prefixes": []string{repository}, "podExecutor": pod,
		},
	})
}

// without returns a map without its empty values.
func without(m map[string]any) map[string]any {
	for key, value := range m {
		empty := false
		switch v := value.(type) {
		case json.RawMessage:
			empty = v == nil
		case []string:
			empty = len(v) == 0
		case map[string]any:
			empty = len(v) == 0
		case string:
			empty = v == ""
		case int:
			empty = v == 0
		}
		if empty {
			delete(m, key)
		}
	}
	return m
}

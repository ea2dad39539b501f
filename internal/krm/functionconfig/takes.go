package functionconfig

import "encoding/json"

// TakesFromCluster returns what the pods of a config get from the cluster that the function alone
// would not have: a service account, or variables from Secrets and ConfigMaps. It is empty if they
// get nothing.
func (c *Config) TakesFromCluster() string {
	if c.Pod == nil {
		return ""
	}
	o := &c.Pod.Overrides
	if o.ServiceAccount != "" {
		return "the service account " + o.ServiceAccount
	}
	for _, container := range []ContainerOverrides{o.InitContainer, o.Container} {
		if container.EnvFrom != nil {
			return "the variables of envFrom"
		}
		var env []struct {
			Name      string
			ValueFrom struct{ ConfigMapKeyRef, SecretKeyRef, FileKeyRef json.RawMessage }
		}
		if json.Unmarshal(container.Env, &env) != nil {
			continue // without variables
		}
		for _, e := range env {
			from := e.ValueFrom
			if from.ConfigMapKeyRef != nil || from.SecretKeyRef != nil || from.FileKeyRef != nil {
				return "the variable " + e.Name
			}
		}
	}
	return ""
}

package kubernetes

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/functions/handler"
)

// defaultProbePath is where containers are asked how they are.
const defaultProbePath = "/healthz"

// defaultProbe is a probe with its delay, period and timeout in seconds, and how many answers in a row count.
type defaultProbe struct {
	field, parameter                         string
	delay, period, timeout, failure, success int
}

// defaultProbes are the probes in the order in which they are written.
func defaultProbes() []defaultProbe {
	return []defaultProbe{
		{"startupProbe", "startup-path", 10, 10, 1, 30, 1},
		{"livenessProbe", "liveness-path", 30, 20, 5, 3, 1},
		{"readinessProbe", "readiness-path", 5, 10, 2, 3, 1},
	}
}

func setContainerProbeDefaultsFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	path := func(name, probe string) api.FunctionParameter {
		return api.FunctionParameter{
			ParameterName: name, DataType: api.DataTypeString, Example: "/" + probe,
			Description:      "path to ask for the " + probe + " of containers; if not given, " + defaultProbePath,
			ValueConstraints: api.ValueConstraints{Regexp: `^/\S*$`},
		}
	}
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-container-probe-defaults",
			Parameters:   []api.FunctionParameter{path("liveness-path", "liveness"), path("readiness-path", "readiness"), path("startup-path", "startup")},
			Mutating:     true, Hermetic: true, Idempotent: true,
			Description:  "Set missing startup, liveness and readiness probes of containers with a TCP port, which the first of them answers over HTTP",
			FunctionType: api.FunctionTypeCustom,
			Examples:     []string{"set-container-probe-defaults", "set-container-probe-defaults /live --startup-path=/started"},
		},
		ValueParameter: "liveness-path",
		PerDocument:    true,
		Places:         probedContainers{inContainers(provider, "")},
		Function: func(fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte) (gaby.Container, any, error) {
			matches, err := setProbes(docs, provider, args)
			fc.Matched(matches)
			return docs, nil, err
		},
	}
}

// setProbes sets the probes that containers lack, with the paths of the arguments, and returns how many containers can have
// them.
func setProbes(docs gaby.Container, provider configkit.ResourceProvider, args handler.Arguments) (int, error) {
	probes, matches := defaultProbes(), 0
	values := make([]*gaby.YamlDoc, len(probes))
	for i, p := range probes {
		path := args.String(p.parameter)
		if path == "" {
			path = defaultProbePath
		}
		get, err := orderedMap("path", path, "port", 0) // which is that of each container
		if err != nil {
			return 0, err
		}
		values[i], err = orderedMap("httpGet", get, "initialDelaySeconds", p.delay, "periodSeconds", p.period,
			"timeoutSeconds", p.timeout, "failureThreshold", p.failure, "successThreshold", p.success)
		if err != nil {
			return 0, err
		}
	}
	_, err := editContainers(docs, provider, "*", func(c *container) error {
		port, ok := c.probedPort()
		if !ok {
			return nil
		}
		matches++
		for i, p := range probes {
			if current := c.value.Get(p.field); current.Exists() && !current.Doc().IsNull() {
				continue
			}
			_, err := c.doc.Set(values[i], c.at(p.field)...)
			if err == nil {
				_, err = c.doc.Set(port, c.at(p.field, "httpGet", "port")...)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return matches, err
}

// probedContainers are the paths of the containers that can have probes.
type probedContainers struct{ configkit.PathSource }

// PathsOf are the paths for a type.
func (c probedContainers) PathsOf(t api.ResourceType) []*api.PathVisitorInfo {
	return slices.DeleteFunc(c.PathSource.PathsOf(t), func(info *api.PathVisitorInfo) bool {
		return strings.HasSuffix(string(info.Path), ".ephemeralContainers.*")
	})
}

// probedPort is the first TCP port of a container that can have probes: init containers have none unless they go on running.
func (c *container) probedPort() (int, bool) {
	switch c.segments[len(c.segments)-2] {
	case "ephemeralContainers":
		return 0, false
	case "initContainers":
		if !c.value.Get("restartPolicy").TextIs("Always") {
			return 0, false
		}
	}
	for e := c.value.Get("ports").First(); e.Exists(); e = e.Next() {
		if protocolOf(e) != defaultProtocol {
			continue
		}
		if port, err := strconv.Atoi(e.Get("containerPort").Text()); err == nil {
			return port, true
		}
	}
	return 0, false
}

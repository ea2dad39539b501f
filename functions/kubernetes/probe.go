package kubernetes

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
)

// defaultProbe is a probe with its delay, period and timeout in seconds, and the number of
// consecutive failures and successes that count.
type defaultProbe struct {
	field, parameter                         string
	delay, period, timeout, failure, success int
}

// defaultProbes returns the probes in the order in which they are written.
func defaultProbes() []defaultProbe {
	return []defaultProbe{
		{"startupProbe", "startup-path", 10, 10, 1, 30, 1},
		{"livenessProbe", "liveness-path", 30, 20, 5, 3, 1},
		{"readinessProbe", "readiness-path", 5, 10, 2, 3, 1},
	}
}

func setContainerProbeDefaultsFunction(
	provider configkit.ResourceProvider,
) handler.FunctionRegistration {
	path := func(name, probe string) api.FunctionParameter {
		return optional(textParameter(name, "/"+probe, "HTTP path to ask for the "+probe+
			" of containers that answer HTTP or have no probe; if not given, what another "+
			"probe asks",
			`^/\S*$`))
	}
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-container-probe-defaults",
			Parameters: []api.FunctionParameter{
				path("liveness-path", "liveness"), path("readiness-path", "readiness"),
				path("startup-path", "startup"),
			},
			Description: "Set missing startup, liveness and readiness probes of containers to " +
				"what their other probes do, else to a check of their first TCP port",
			Examples: []string{
				"set-container-probe-defaults",
				"set-container-probe-defaults /live --startup-path=/started",
			},
		},
		ValueParameter: "liveness-path",
		PerDocument:    true,
		Paths: configkit.FilterPaths(inContainers(provider, ""),
			func(_ api.ResourceType, info *api.PathVisitorInfo) bool {
				return !strings.HasSuffix(string(info.Path), ".ephemeralContainers.*")
			}),
	}, func(c *handler.Call) (int, error) {
		return setProbes(c.Docs, provider, c.Args, nil)
	})
}

// setProbes adds the probes that containers lack, with the paths of the arguments, and returns the
// number of containers that can have probes. For a container without any probe, unknown returns one
// for its first TCP port. If unknown is nil, the probes only check the port.
func setProbes(
	docs gaby.Container, provider configkit.ResourceProvider, args handler.Arguments,
	unknown func(c *container, port int) (gaby.Value, error),
) (int, error) {
	matches := 0
	_, err := editContainers(docs, provider, "*", func(c *container) error {
		if !c.canHaveProbes() {
			return nil
		}
		existing := c.existingProbe()
		port, hasPort := c.firstTCPPort()
		if !existing.Exists() && !hasPort {
			return nil
		}
		matches++
		if !existing.Exists() && unknown != nil {
			var err error
			if existing, err = unknown(c, port); err != nil {
				return err
			}
		}
		for _, p := range defaultProbes() {
			if current := c.value.Get(p.field); current.Exists() && !current.Doc().IsNull() {
				continue
			}
			probe, err := p.probe(existing, port, args.String(p.parameter))
			if err == nil {
				_, err = c.doc.Set(probe, c.at(p.field)...)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return matches, err
}

// probe returns a probe with the action of an existing one. Without an existing probe, it requests
// path, or checks the port if path is "". A path also replaces that of an existing HTTP probe.
func (p defaultProbe) probe(existing gaby.Value, port int, path string) (*gaby.YamlDoc, error) {
	kind, action, timeout := "tcpSocket", any(map[string]any{"port": port}), p.timeout
	switch {
	case existing.Exists():
		var found gaby.Value
		kind, found = handlerOf(existing)
		action = found.Doc()
		if n, err := strconv.Atoi(existing.Get("timeoutSeconds").Text()); err == nil {
			timeout = max(timeout, n) // the existing probe is known to need this long
		}
	case path != "":
		kind = "httpGet"
		var err error
		if action, err = orderedMap("path", path, "port", port); err != nil {
			return nil, err
		}
	}
	probe, err := orderedMap(kind, action, "initialDelaySeconds", p.delay, "periodSeconds",
		p.period,
		"timeoutSeconds", timeout, "failureThreshold", p.failure, "successThreshold", p.success)
	if err == nil && path != "" && kind == "httpGet" {
		_, err = probe.Set(path, kind, "path")
	}
	return probe, err
}

// askHealthz returns a function that creates the probe of the reference implementation's
// set-pod-defaults, which does not depend on the container: it requests /healthz.
func askHealthz(call *handler.Call) func(*container, int) (gaby.Value, error) {
	return func(c *container, port int) (gaby.Value, error) {
		probe, err := gaby.ParseYAML(
			fmt.Appendf(nil, "httpGet:\n  path: /healthz\n  port: %d\n", port))
		if err != nil {
			return gaby.Value{}, err
		}
		call.NoteSum("gave ", 1, "container", " without a probe to copy one that asks /healthz, "+
			"which not every container answers; set-container-probe-defaults, which checks the "+
			"port, is recommended", c.value.Get("name").Text())
		return probe.Value(), nil
	}
}

// existingProbe returns the first probe of a container that has an action.
func (c *container) existingProbe() gaby.Value {
	for _, p := range defaultProbes() {
		probe := c.value.Get(p.field)
		if kind, _ := handlerOf(probe); kind != "" {
			return probe
		}
	}
	return gaby.Value{}
}

// handlerOf returns the action of a probe: the name of its field and its value.
func handlerOf(probe gaby.Value) (string, gaby.Value) {
	for _, kind := range []string{"httpGet", "tcpSocket", "grpc", "exec"} {
		if v := probe.Get(kind); v.Kind() == gaby.Map {
			return kind, v
		}
	}
	return "", gaby.Value{}
}

// canHaveProbes reports whether Kubernetes accepts probes for the container. Ephemeral containers
// cannot have probes, and init containers only if they keep running.
func (c *container) canHaveProbes() bool {
	switch c.segments[len(c.segments)-2] {
	case "ephemeralContainers":
		return false
	case "initContainers":
		return c.value.Get("restartPolicy").EqualText("Always")
	}
	return true
}

// firstTCPPort returns the number of the first TCP port of a container.
func (c *container) firstTCPPort() (int, bool) {
	for _, e := range c.value.Get("ports").All() {
		if protocolOf(e) != defaultProtocol {
			continue
		}
		if port, err := strconv.Atoi(e.Get("containerPort").Text()); err == nil {
			return port, true
		}
	}
	return 0, false
}

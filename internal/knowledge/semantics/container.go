package semantics

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// container checks a container. Its mounts are checked with the volumes of the pod.
func (c *resourceChecker) container(v gaby.Value) {
	c.table(v, "part container")
	c.unique(texts(v, "ports.*.name"), "port name")
	c.resources(v.Get("resources"))
	c.environment(v)
	for _, probe := range []string{"livenessProbe", "readinessProbe", "startupProbe"} {
		if p := v.Get(probe); isSet(p) {
			c.probe(p, probe)
		}
	}
	for _, hook := range []string{"postStart", "preStop"} {
		if h := v.Get("lifecycle").Get(hook); isSet(h) {
			c.only(h, hook, "exec", "httpGet", "tcpSocket", "sleep")
			c.handler(h)
		}
	}
	c.privileges(v.Get("securityContext"))
	c.profiles(v.Get("securityContext"))
}

// initContainer checks a container that ends before the others start.
func (c *resourceChecker) initContainer(v gaby.Value) {
	for _, key := range []string{"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"} {
		if e := v.Get(key); isSet(e) {
			c.add(e, "exclusive", "an init container has no %s unless its restartPolicy is Always",
				key)
		}
	}
}

// resources checks that no request exceeds its limit. Resources that cannot be overcommitted need
// requests that equal their limits.
func (c *resourceChecker) resources(v gaby.Value) {
	for request := range each(v, "requests.*") {
		limit := v.Get("limits").Get(request.Key())
		asked, okAsked := amount(request)
		most, okMost := amount(limit)
		extended := strings.Contains(request.Key(), "/") || strings.HasPrefix(request.Key(),
			"hugepages-")
		switch {
		case !okAsked:
		case okMost && asked.Compare(most) > 0:
			c.add(request, "range", "the request %s is more than the limit %s", request.Text(),
				limit.Text())
		case okMost && extended && asked.Compare(most) != 0:
			c.add(request, "range", "%s cannot be overcommitted: the request must equal the "+
				"limit %s",
				request.Key(), limit.Text())
		case !limit.Exists() && extended:
			c.add(request, "required", "%s cannot be overcommitted: it needs an equal limit",
				request.Key())
		}
	}
}

// environment checks where the variables of a container come from.
func (c *resourceChecker) environment(v gaby.Value) {
	for e := range each(v, "env.*") {
		from := e.Get("valueFrom")
		if !isSet(from) {
			continue
		}
		if e.Get("value").Text() != "" {
			c.add(from, "exclusive", "valueFrom cannot be used with value")
		}
		c.only(from, "valueFrom", "fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef",
			"fileKeyRef")
		for _, ref := range []string{"configMapKeyRef", "secretKeyRef"} {
			c.named(from.Get(ref))
		}
		path := from.Get("fieldRef").Get("fieldPath")
		if field, ok := text(path); ok && !isEnvironmentField(field) {
			c.add(path, "enum", "%q is not a field of the pod that a variable can have: use %s, "+
				"metadata.labels['KEY'] or metadata.annotations['KEY']", field,
				strings.Join(environmentFields(), ", "))
		}
	}
	for e := range each(v, "envFrom.*") {
		c.only(e, "envFrom", "configMapRef", "secretRef")
		c.named(e.Get("configMapRef"))
		c.named(e.Get("secretRef"))
	}
}

// named checks that a reference has a name, which the schema does not ask for.
func (c *resourceChecker) named(ref gaby.Value) {
	if ref.Kind() == gaby.Map && !isSet(ref.Get("name")) {
		c.missing(ref, "name", "it says which object has the value")
	}
}

// profile checks a profile of seccomp or AppArmor: exactly one of the type Localhost has a file.
func (c *resourceChecker) profile(v gaby.Value) {
	file := v.Get("localhostProfile")
	switch kind, ok := text(v.Get("type")); {
	case !ok:
	case kind == "Localhost" && file.Text() == "":
		c.missing(v, "localhostProfile", "type Localhost needs it")
	case kind != "Localhost" && isSet(file):
		c.add(file, "exclusive", "localhostProfile is for the type Localhost only")
	}
}

// profiles checks the profiles of a security context.
func (c *resourceChecker) profiles(v gaby.Value) {
	c.profile(v.Get("seccompProfile"))
	c.profile(v.Get("appArmorProfile"))
}

// environmentFields returns the fields of a pod that a variable can have.
func environmentFields() []string {
	return []string{
		"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName",
		"spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP",
		"status.podIPs",
	}
}

// isEnvironmentField reports whether a variable can have a field of the pod. spec.host is the old
// name of spec.nodeName. Labels and annotations are fields one by one; volumes take all of them.
func isEnvironmentField(path string) bool {
	for _, prefix := range []string{"metadata.labels['", "metadata.annotations['"} {
		if key, ok := strings.CutPrefix(path, prefix); ok {
			return strings.HasSuffix(key, "']")
		}
	}
	return path == "spec.host" || slices.Contains(environmentFields(), path)
}

// probe checks a probe of a kind.
func (c *resourceChecker) probe(v gaby.Value, kind string) {
	c.table(v, "part probe")
	c.only(v, kind, "exec", "httpGet", "tcpSocket", "grpc")
	c.handler(v)
	if kind == "readinessProbe" {
		if e := v.Get("terminationGracePeriodSeconds"); e.Exists() {
			c.add(e, "exclusive", "a readinessProbe ends no container, so it has no grace period")
		}
	} else if n, ok := number(v.Get("successThreshold")); ok && n > 1 {
		c.add(v.Get("successThreshold"), "range", "a %s must have the successThreshold 1", kind)
	}
}

// handler checks what a probe or a lifecycle hook does.
func (c *resourceChecker) handler(v gaby.Value) {
	c.table(v, "part action")
	if exec := v.Get("exec"); isSet(exec) && exec.Get("command").Len() == 0 {
		c.missing(exec, "command", "exec runs it")
	}
}

// privileges checks that a container does not both have and refuse privileges.
func (c *resourceChecker) privileges(v gaby.Value) {
	escalation := v.Get("allowPrivilegeEscalation")
	if escalation.Data() != false {
		return
	}
	if isTrue(v.Get("privileged")) {
		c.add(escalation, "exclusive",
			"allowPrivilegeEscalation cannot be false for a privileged container")
	}
	for at, capability := range texts(v, "capabilities.add.*") {
		if capability == "CAP_SYS_ADMIN" {
			c.add(at, "exclusive", "CAP_SYS_ADMIN cannot be added while allowPrivilegeEscalation "+
				"is false")
		}
	}
}

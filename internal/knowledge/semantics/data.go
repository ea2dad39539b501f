package semantics

import (
	"encoding/json"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

func (c *resourceChecker) configMap(resource gaby.Value) {
	data := resource.Get("data")
	for e := range each(resource, "binaryData.*") {
		if data.Get(e.Key()).Exists() {
			c.add(e, "duplicate", "data has the key %s too", e.Key())
		}
	}
}

// secret checks that a Secret has the keys of its type. Values under stringData count.
func (c *resourceChecker) secret(resource gaby.Value) {
	has := func(key string) bool {
		return resource.Get("data").Get(key).Exists() ||
			resource.Get("stringData").Get(key).Exists()
	}
	kind := resource.Get("type")
	var needs []string
	switch kind.Text() {
	case "kubernetes.io/tls":
		needs = []string{"tls.crt", "tls.key"}
	case "kubernetes.io/ssh-auth":
		needs = []string{"ssh-privatekey"}
	case "kubernetes.io/dockerconfigjson":
		needs = []string{".dockerconfigjson"}
		if e := resource.Get("stringData").Get(".dockerconfigjson"); e.Exists() &&
			!json.Valid([]byte(e.Text())) {
			c.add(e, "format", "the value is not JSON")
		}
	case "kubernetes.io/dockercfg":
		needs = []string{".dockercfg"}
	case "kubernetes.io/basic-auth":
		if !has("username") && !has("password") {
			c.add(kind, "required", "the type needs the key username or password")
		}
	case "kubernetes.io/service-account-token":
		annotations := resource.Get("metadata").Get("annotations")
		if annotations.Get("kubernetes.io/service-account.name").Text() == "" {
			c.add(kind, "required", "the type needs the annotation "+
				"kubernetes.io/service-account.name")
		}
	}
	for _, key := range needs {
		if !has(key) {
			c.add(kind, "required", "the type needs the key %s", key)
		}
	}
}

func (c *resourceChecker) claim(resource gaby.Value) {
	spec := resource.Get("spec")
	if !spec.Exists() {
		return
	}
	modes := spec.Get("accessModes")
	if modes.Len() == 0 {
		c.missing(spec, "accessModes", "a claim needs at least one")
	}
	for mode := range each(modes, "*") {
		if mode.Text() == "ReadWriteOncePod" && modes.Len() > 1 {
			c.add(mode, "exclusive", "ReadWriteOncePod cannot be used with other access modes")
		}
	}
	if !spec.Get("resources").Get("requests").Get("storage").Exists() {
		c.missing(spec, "resources", "a claim needs requests.storage")
	}
	c.selector(spec.Get("selector"))
}

// limitRange checks that the limits of a LimitRange are in order: min, default request, default,
// max.
func (c *resourceChecker) limitRange(resource gaby.Value) {
	order := []string{"min", "defaultRequest", "default", "max"}
	for limit := range each(resource, "spec.limits.*") {
		for i, high := range order {
			for v := range each(limit, high+".*") {
				c.inOrder(limit, v, high, order[:i])
			}
		}
	}
}

// inOrder reports a limit of a resource that is less than one that must not exceed it.
func (c *resourceChecker) inOrder(limit, v gaby.Value, high string, lower []string) {
	most, ok := amount(v)
	for _, low := range lower {
		if least, okLeast := amount(limit.Get(low).Get(v.Key())); ok && okLeast &&
			least.Compare(most) > 0 {
			c.add(v, "range", "%s %s is less than %s %s", high, v.Text(), low,
				limit.Get(low).Get(v.Key()).Text())
			return
		}
	}
}

// role checks the rules of a Role or ClusterRole.
func (c *resourceChecker) role(resource gaby.Value) {
	namespaced := resource.Get("kind").Text() == "Role"
	for rule := range each(resource, "rules.*") {
		urls, resources := rule.Get("nonResourceURLs"), rule.Get("resources")
		if rule.Get("verbs").Len() == 0 {
			c.missing(rule, "verbs", "a rule allows at least one")
		}
		switch {
		case urls.Len() > 0 && namespaced:
			c.add(urls, "exclusive", "only a ClusterRole may have nonResourceURLs")
		case urls.Len() > 0 && resources.Len() > 0:
			c.add(urls, "exclusive", "nonResourceURLs cannot be used with resources")
		case urls.Len() > 0:
		case rule.Get("apiGroups").Len() == 0:
			c.missing(rule, "apiGroups", `a rule for resources needs one; "" is the core group`)
		case resources.Len() == 0:
			c.missing(rule, "resources", "a rule needs resources or nonResourceURLs")
		}
	}
}

// binding checks whom a RoleBinding or ClusterRoleBinding gives a role.
func (c *resourceChecker) binding(resource gaby.Value) {
	cluster := resource.Get("kind").Text() == "ClusterRoleBinding"
	if kind := resource.Get("roleRef").Get("kind"); cluster && kind.Text() == "Role" {
		c.add(kind, "enum", "a ClusterRoleBinding refers to a ClusterRole")
	}
	for subject := range each(resource, "subjects.*") {
		group := subject.Get("apiGroup")
		switch subject.Get("kind").Text() {
		case "ServiceAccount":
			if cluster && subject.Get("namespace").Text() == "" {
				c.missing(subject, "namespace", "a ClusterRoleBinding has none of its own")
			}
			if group.Text() != "" {
				c.add(group, "enum", "the apiGroup of a ServiceAccount is empty")
			}
		case "User", "Group":
			if group.Exists() && group.Text() != "rbac.authorization.k8s.io" {
				c.add(group, "enum", "%q is not rbac.authorization.k8s.io", group.Text())
			}
		}
	}
}

// definition checks the names and versions of a CustomResourceDefinition.
func (c *resourceChecker) definition(resource gaby.Value) {
	spec, name := resource.Get("spec"), resource.Get("metadata").Get("name")
	plural := spec.Get("names").Get("plural")
	want := plural.Text() + "." + spec.Get("group").Text()
	if plural.Exists() && name.Exists() && !strings.EqualFold(name.Text(), want) {
		c.add(name, "name", "%q is not %q, the plural and the group", name.Text(), want)
	}
	stored := 0
	for version := range each(spec, "versions.*") {
		if isTrue(version.Get("storage")) {
			stored++
		}
	}
	if versions := spec.Get("versions"); versions.Exists() && stored != 1 {
		c.add(versions, "exclusive", "%d versions have storage: true; exactly one must", stored)
	}
	c.unique(texts(spec, "versions.*.name"), "version")
}

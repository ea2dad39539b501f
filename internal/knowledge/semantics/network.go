package semantics

import (
	"net/netip"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

func (c *resourceChecker) service(resource gaby.Value) {
	spec := resource.Get("spec")
	if !spec.Exists() {
		return
	}
	kind, ip, ports := spec.Get("type").Text(), spec.Get("clusterIP"), spec.Get("ports")
	reachable := kind == "NodePort" || kind == "LoadBalancer"
	switch {
	case kind == "ExternalName":
		if spec.Get("externalName").Text() == "" {
			c.missing(spec, "externalName", "the type ExternalName needs it")
		}
		if ip.Text() != "" && ip.Text() != "None" {
			c.add(ip, "exclusive", "the type ExternalName has no clusterIP")
		}
	case ports.Len() == 0 && ip.Text() != "None":
		c.missing(spec, "ports", "only a Service with clusterIP: None needs none")
	}
	if ip.Text() == "None" && reachable {
		c.add(ip, "exclusive", "the type %s needs a clusterIP", kind)
	}
	if ip.Text() != "" && ip.Text() != "None" {
		if message := address(ip.Text()); message != "" {
			c.add(ip, "format", "%s", message)
		}
	}
	several := ports.Len() > 1
	for p := range each(spec, "ports.*") {
		if several && p.Get("name").Text() == "" {
			c.missing(p, "name", "with several ports each needs one")
		}
		if node := p.Get("nodePort"); node.Exists() && node.Text() != "0" && !reachable {
			c.add(node, "exclusive", "nodePort needs the type NodePort or LoadBalancer")
		}
	}
	c.unique(texts(spec, "ports.*.name"), "port name")
	c.unique(usedPorts(spec, "ports.*", "port"), "port")
	c.unique(usedPorts(spec, "ports.*", "nodePort"), "node port")
	if e := spec.Get("externalTrafficPolicy"); e.Exists() && !reachable &&
		spec.Get("externalIPs").Len() == 0 {
		c.add(e, "exclusive",
			"externalTrafficPolicy needs the type NodePort or LoadBalancer, or externalIPs")
	}
	if e := spec.Get("loadBalancerSourceRanges"); e.Len() > 0 && kind != "LoadBalancer" {
		c.add(e, "exclusive", "loadBalancerSourceRanges needs the type LoadBalancer")
	}
}

func (c *resourceChecker) ingress(resource gaby.Value) {
	spec := resource.Get("spec")
	if spec.Get("rules").Len() == 0 && !spec.Get("defaultBackend").Exists() {
		c.missing(spec, "rules", "an Ingress needs rules or a defaultBackend")
	}
	if backend := spec.Get("defaultBackend"); backend.Exists() {
		c.backend(backend)
	}
	for p := range each(spec, "rules.*.http.paths.*") {
		c.backend(p.Get("backend"))
		path, kind := p.Get("path"), p.Get("pathType").Text()
		if kind != "Exact" && kind != "Prefix" {
			continue
		}
		if !strings.HasPrefix(path.Text(), "/") {
			if path.Exists() {
				c.add(path, "format", "%q does not begin with '/'", path.Text())
			} else {
				c.missing(p, "path", "the pathType "+kind+" needs one")
			}
		}
		for _, bad := range []string{"//", "/./", "/../", "%2f", "%2F"} {
			if strings.Contains(path.Text(), bad) {
				c.add(path, "format", "%q contains %q", path.Text(), bad)
			}
		}
	}
}

// backend checks the backend of a path of an Ingress.
func (c *resourceChecker) backend(v gaby.Value) {
	if !v.Exists() {
		return
	}
	c.only(v, "the backend", "service", "resource")
	if service := v.Get("service"); service.Exists() {
		p := service.Get("port")
		if !p.Exists() {
			c.missing(service, "port", "it needs a name or a number")
			return
		}
		c.only(p, "the port", "name", "number")
	}
}

func (c *resourceChecker) networkPolicy(resource gaby.Value) {
	c.selector(resource.Get("spec").Get("podSelector"))
	for _, direction := range []string{"spec.ingress.*", "spec.egress.*"} {
		for p := range each(resource, direction+".ports.*") {
			end := p.Get("endPort")
			last, ok := number(end)
			if !ok {
				continue
			}
			switch first, ok := number(p.Get("port")); {
			case !ok:
				c.add(end, "exclusive", "endPort needs a port that is a number")
			case last < first:
				c.add(end, "range", "%d is less than port, %d", last, first)
			case last > 65535:
				c.add(end, "range", "%d is not in the range 1 to 65535", last)
			}
		}
		for _, side := range []string{".from.*", ".to.*"} {
			for peer := range each(resource, direction+side) {
				c.peer(peer)
			}
		}
	}
}

// peer checks whom a NetworkPolicy is about.
func (c *resourceChecker) peer(v gaby.Value) {
	block, pods, namespaces := v.Get("ipBlock"), v.Get("podSelector"), v.Get("namespaceSelector")
	c.selector(pods)
	c.selector(namespaces)
	if block.Exists() && (pods.Exists() || namespaces.Exists()) {
		c.add(block, "exclusive", "ipBlock cannot be used with selectors")
	}
	network, err := netip.ParsePrefix(block.Get("cidr").Text())
	if err != nil {
		return
	}
	for e := range each(block, "except.*") {
		if except, err := netip.ParsePrefix(e.Text()); err == nil &&
			(!network.Contains(except.Addr()) || except.Bits() <= network.Bits()) {
			c.add(e, "range", "%s is not a part of %s", e.Text(), network)
		}
	}
}

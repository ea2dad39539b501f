package kubernetes

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// setDefaultSecurity returns setDefault for security contexts. It leaves a pod alone if the pod's
// own settings suggest that the defaults would break it.
func setDefaultSecurity(c *handler.Call) func(*yamlkit.Match) error {
	type key struct {
		doc  *gaby.YamlDoc
		path api.ResolvedPath
	}
	pods := map[key]*podSecurity{}
	return func(p *yamlkit.Match) error {
		if !isMissing(p) {
			return nil
		}
		at := podSegments(p.Segments)
		k := key{p.Doc, yamlpath.Join(at)}
		pod := pods[k]
		if pod == nil {
			pod = newPodSecurity(p.Doc.Search(at...).Value())
			pods[k] = pod
		}
		field := p.Segments[len(p.Segments)-1]
		switch {
		case pod.reason != "":
			pod.note(c, "the pod "+pod.reason+", so its security contexts are left alone")
			return nil
		case pod.identity != "" && slices.Contains(identityFields(), field):
			pod.note(c, "the pod sets "+pod.identity+", so its user and groups are left alone")
			return nil
		case pod.root && field == "runAsNonRoot":
			pod.note(c, "the pod sets runAsUser: 0, so runAsNonRoot is left alone")
			return nil
		case field == "allowPrivilegeEscalation" &&
			mayEscalate(p.Doc.Search(p.Segments[:len(p.Segments)-1]...).Value()):
			return nil
		}
		return setDefault(p)
	}
}

// identityFields returns the fields that say as whom containers run. An image that needs one of
// them may not work with the defaults of the others.
func identityFields() []string { return []string{"runAsUser", "runAsGroup", "fsGroup"} }

// podSecurity is what a pod says about security before anything is set.
type podSecurity struct {
	pos      gaby.Position
	reason   string // why it is left alone, or ""
	identity string // the first of the identityFields that it has
	root     bool   // whether a runAsUser is 0, which Kubernetes refuses with runAsNonRoot: true
	noted    []string
}

func newPodSecurity(pod gaby.Value) *podSecurity {
	s := &podSecurity{pos: pod.Position()}
	if isTrue(pod.Get("hostNetwork")) {
		s.reason = "uses hostNetwork"
	}
	s.read(pod.Get("securityContext"))
	for _, list := range containerLists() {
		for _, c := range pod.Get(list).All() {
			context := c.Get("securityContext")
			s.read(context)
			if s.reason == "" && isTrue(context.Get("privileged")) {
				s.reason = "has a privileged container"
			}
		}
	}
	return s
}

// isTrue reports whether Kubernetes, which reads YAML 1.1, reads a value as true.
func isTrue(v gaby.Value) bool {
	return strings.EqualFold(v.Text(), "true") || jsonschema.Truth(v.Text())
}

// read records the user and the groups of a security context.
func (s *podSecurity) read(context gaby.Value) {
	s.root = s.root || context.Get("runAsUser").EqualText("0")
	for _, field := range identityFields() {
		if v := context.Get(field); s.identity == "" && v.Exists() && !v.Doc().IsNull() {
			s.identity = field
		}
	}
}

// note reports once for each pod that something is left alone.
func (s *podSecurity) note(c *handler.Call, text string) {
	if !slices.Contains(s.noted, text) {
		c.Note(s.pos, text)
		s.noted = append(s.noted, text)
	}
}

// containerLists returns the fields of a pod spec that list containers.
func containerLists() []string {
	return []string{"containers", "initContainers", "ephemeralContainers"}
}

// podSegments returns the path of the pod spec that a field of a security context belongs to.
func podSegments(segments []string) []string {
	i := slices.Index(segments, "securityContext")
	if i >= 2 && slices.Contains(containerLists(), segments[i-2]) {
		return segments[:i-2]
	}
	return segments[:i]
}

// mayEscalate reports whether Kubernetes refuses allowPrivilegeEscalation: false in a security
// context because of capabilities the context adds.
func mayEscalate(context gaby.Value) bool {
	for _, added := range context.Get("capabilities").Get("add").All() {
		if added.EqualText("SYS_ADMIN") || added.EqualText("CAP_SYS_ADMIN") {
			return true
		}
	}
	return false
}

package kubernetes

import (
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/kubernetes/namespaces"
	"github.com/fctl-dev/fctl/functions/unit"
)

// formerHosts maps the former names of renamed Services to the namespaces of these Services. An
// empty namespace means an unknown one.
type formerHosts map[string]map[string]bool

// isService reports whether resources of a type can be reached under their names as hosts.
func isService(t api.ResourceType) bool {
	kind := unit.GroupKind(t)
	return kind == "Service" || kind == "serving.knative.dev/Service"
}

// noteHosts reports how many values still contain the former name of a Service as a host.
func (r *renamer) noteHosts() {
	hosts := formerHosts{}
	for i := range r.all {
		n := &r.all[i]
		if n.name == n.Name() || !isService(n.Info.ResourceType) {
			continue
		}
		if hosts[n.Name()] == nil {
			hosts[n.Name()] = map[string]bool{}
		}
		hosts[n.Name()][n.Namespace] = true
	}
	if len(hosts) == 0 {
		return
	}
	count, names := 0, map[string]bool{}
	for _, doc := range r.unit {
		info, err := r.provider.ResourceInfo(doc)
		if err != nil {
			continue
		}
		namespace, _, _ := strings.Cut(string(info.ResourceName), "/")
		yamlkit.Walk(doc.Value(), nil, func(w *yamlkit.Cursor) bool {
			if w.Value.Kind() != gaby.Scalar {
				return true
			}
			if name, found := hosts.in(w.Value.Text(), namespace, hostContextOf(w.Segments)); found {
				count++
				names[name] = true
			}
			return true
		})
	}
	if count > 0 {
		r.fc.NoteSum("values still contain the old name of a Service where it may be a host", count,
			slices.Sorted(maps.Keys(names))...)
	}
}

// hostContext classifies values by how names in them are to be read.
type hostContext int

const (
	anyContext hostContext = iota
	// a command or argument of a container, or the value of a variable: a bare name may be a host
	commandContext
	imageContext // a colon is not followed by a port
)

// hostContextOf classifies the value at a path.
func hostContextOf(segments []string) hostContext {
	n := len(segments)
	switch {
	case n > 0 && segments[n-1] == "image":
		return imageContext
	case n > 2 && segments[n-1] == "value" && segments[n-3] == "env":
		return commandContext
	case n > 1 && (segments[n-2] == "args" || segments[n-2] == "command"):
		return commandContext
	}
	return anyContext
}

// in returns the first former host name in a text of a resource that is in namespace.
func (h formerHosts) in(text, namespace string, context hostContext) (name string, found bool) {
	for at := 0; at < len(text); at++ {
		end := at + labelLen(text[at:])
		if end == at {
			continue
		}
		name = text[at:end]
		if of := h[name]; of != nil && isHost(text[:at], text[end:], namespace, of, context) {
			return name, true
		}
		at = end
	}
	return "", false
}

// labelLen returns the number of bytes at the start of text that can be part of a DNS label.
func labelLen(text string) int {
	n := 0
	for n < len(text) && namespaces.IsLabelByte(text[n]) {
		n++
	}
	return n
}

// isHost reports whether a name between two texts may be the host name of a Service. of holds the
// namespaces of the Services with this name. A name counts as a host if it is followed by
// .NAMESPACE or .NAMESPACE.svc, if it follows // or @, if a port follows it, or if it is alone in a
// command, argument or variable.
func isHost(before, after, namespace string, of map[string]bool, context hostContext) bool {
	if domain, ok := strings.CutPrefix(after, "."); ok && labelLen(domain) > 0 {
		n := labelLen(domain)
		label, rest := domain[:n], domain[n:]
		more, ok := strings.CutPrefix(rest, ".svc")
		if ok && labelLen(more) == 0 {
			return of[label] || of[""]
		}
		longer := strings.HasPrefix(rest, ".") && labelLen(rest[1:]) > 0
		return !longer && !strings.HasSuffix(before, ".") &&
			(of[label] || of[""] && label == namespace)
	}
	switch {
	case !of[namespace] && !of[""] && namespace != "", strings.HasSuffix(before, "."):
		return false
	case strings.HasSuffix(before, "//"), strings.HasSuffix(before, "@"):
		return true
	case len(after) > 1 && after[0] == ':' && '0' <= after[1] && after[1] <= '9':
		return context != imageContext && !strings.HasSuffix(before, "/")
	}
	return context == commandContext && !strings.HasSuffix(before, "/") &&
		!strings.HasPrefix(after, "/") && !strings.HasPrefix(after, "=")
}

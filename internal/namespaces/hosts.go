package namespaces

import (
	"strings"

	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
)

// FormerHosts reports whether a Service that was renamed had this name in a namespace. An empty
// namespace means an unknown one, and [schemas.Anywhere] any.
type FormerHosts func(namespace, name string) bool

// HostContext classifies values by how names in them are to be read.
type HostContext int

// The contexts of values.
const (
	AnyContext HostContext = iota
	// of a container, or the value of a variable: a bare name may be a host
	CommandContext
	ImageContext // a colon is not followed by a port
)

// HostContextOf classifies the value at a path.
func HostContextOf(segments []string) HostContext {
	n := len(segments)
	switch {
	case n > 0 && segments[n-1] == "image":
		return ImageContext
	case n > 2 && segments[n-1] == "value" && segments[n-3] == "env":
		return CommandContext
	case n > 1 && (segments[n-2] == "args" || segments[n-2] == "command"):
		return CommandContext
	}
	return AnyContext
}

// In returns the first former host name in a text of a resource that is in namespace.
func (h FormerHosts) In(text, namespace string, context HostContext) (name string, found bool) {
	for at := 0; at < len(text); at++ {
		end := at + labelLen(text[at:])
		if end == at {
			continue
		}
		name = text[at:end]
		if h.isHost(name, text[:at], text[end:], namespace, context) {
			return name, true
		}
		at = end
	}
	return "", false
}

// labelLen returns the number of bytes at the start of text that can be part of a DNS label.
func labelLen(text string) int {
	n := 0
	for n < len(text) && IsLabelByte(text[n]) {
		n++
	}
	return n
}

// isHost reports whether a name between two texts may be the former host name of a Service. A name
// counts as a host if it is followed by .NAMESPACE or .NAMESPACE.svc, if it follows // or @, if a
// port follows it, or if it is alone in a command, argument or variable.
func (h FormerHosts) isHost(name, before, after, namespace string, context HostContext) bool {
	if domain, ok := strings.CutPrefix(after, "."); ok && labelLen(domain) > 0 {
		n := labelLen(domain)
		label, rest := domain[:n], domain[n:]
		more, ok := strings.CutPrefix(rest, ".svc")
		if ok && labelLen(more) == 0 {
			return h(label, name) || h("", name)
		}
		longer := strings.HasPrefix(rest, ".") && labelLen(rest[1:]) > 0
		return !longer && !strings.HasSuffix(before, ".") &&
			(h(label, name) || label == namespace && h("", name))
	}
	return mayBeHost(before, after, context) &&
		(h(namespace, name) || h("", name) || namespace == "" && h(schemas.Anywhere, name))
}

// mayBeHost reports whether a name between two texts, which no domain follows, may be a host.
func mayBeHost(before, after string, context HostContext) bool {
	switch {
	case strings.HasSuffix(before, "."):
		return false
	case strings.HasSuffix(before, "//"), strings.HasSuffix(before, "@"):
		return true
	case len(after) > 1 && after[0] == ':' && '0' <= after[1] && after[1] <= '9':
		return context != ImageContext && !strings.HasSuffix(before, "/")
	}
	return context == CommandContext && !strings.HasSuffix(before, "/") &&
		!strings.HasPrefix(after, "/") && !strings.HasPrefix(after, "=")
}

package namespaces

import (
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// inServiceNames replaces a namespace in the DNS names of Services, and returns in how many
// strings it did. If from is "", it replaces the namespace of the resource.
func inServiceNames(
	docs gaby.Container, names configkit.PathSource, provider configkit.ResourceProvider,
	from, to string,
) (int, error) {
	renamed := func(resource *api.ResourceInfo, text string) string {
		former := from
		if former == "" {
			former, _, _ = strings.Cut(string(resource.ResourceName), "/")
		}
		if former == "" {
			return text
		}
		return inText(text, former, to)
	}
	named := yamlkit.EditOptions{Wanted: func(p *yamlkit.Match) bool {
		text := p.Value.Text()
		return renamed(p.Resource, text) != text
	}}
	return yamlkit.EditPaths(docs, names, nil, provider, named, func(p *yamlkit.Match) error {
		_, err := p.Doc.Set(renamed(p.Resource, p.Value.Text()), p.Segments...)
		return err
	})
}

// inText replaces the namespace in SERVICE.NAMESPACE.svc, which may be followed by
// .cluster.local, a port or a path. The prefix may be anything: a host of a headless Service, a
// variable, or empty, as in a list of domains.
func inText(text, from, to string) string {
	suffix := "." + from + ".svc"
	if !strings.Contains(text, suffix) {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, suffix)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if after != "" && IsLabelByte(after[0]) { // another word, such as .svcx
			b.WriteString(suffix)
		} else {
			b.WriteString("." + to + ".svc")
		}
		text = after
	}
}

// RenameHosts replaces the names of Services in their DNS names, NAME.NAMESPACE.svc, and returns in how
// many strings it did. renamed returns the new name of a Service, if it has one.
func RenameHosts(
	docs gaby.Container, names configkit.PathSource, provider configkit.ResourceProvider,
	renamed func(namespace, name string) (to string, ok bool),
) (int, error) {
	edit := yamlkit.EditOptions{Wanted: func(p *yamlkit.Match) bool {
		text := p.Value.Text()
		return inHosts(text, renamed) != text
	}}
	return yamlkit.EditPaths(docs, names, nil, provider, edit, func(p *yamlkit.Match) error {
		_, err := p.Doc.Set(inHosts(p.Value.Text(), renamed), p.Segments...)
		return err
	})
}

// inHosts replaces NAME in each NAME.NAMESPACE.svc of a text.
func inHosts(text string, renamed func(namespace, name string) (to string, ok bool)) string {
	if !strings.Contains(text, ".svc") {
		return text
	}
	var b strings.Builder
	for text != "" {
		n := labelLen(text)
		name, rest := text[:n], text[n:]
		namespace := strings.TrimPrefix(rest, ".")
		namespace = namespace[:labelLen(namespace)]
		after, isHost := strings.CutPrefix(rest, "."+namespace+".svc")
		if to, ok := renamed(namespace, name); ok && isHost && labelLen(after) == 0 {
			name = to
		}
		b.WriteString(name)
		if n == 0 {
			b.WriteByte(text[0])
			rest = text[1:]
		}
		text = rest
	}
	return b.String()
}

// IsLabelByte reports whether c continues a DNS label or a word that only looks like one.
func IsLabelByte(c byte) bool {
	return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' ||
		'A' <= c && c <= 'Z'
}

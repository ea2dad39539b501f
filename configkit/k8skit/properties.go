package k8skit

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
)

var _ configkit.PropertyProvider = (*ResourceProvider)(nil)

// pass is a provider for one walk of documents: it keeps what it last read from a pod.
type pass struct {
	*ResourceProvider
	doc    *gaby.YamlDoc
	pod    string              // its path
	mounts map[string][]string // see mountsOf
}

// ForPass returns the provider for one pass, see [configkit.PropertiesOf].
func (p *ResourceProvider) ForPass() configkit.PropertyProvider {
	return &pass{ResourceProvider: p}
}

// Properties of needed and provided resources, besides the resource type.
const (
	propertyName            = "Name"            // the stable part of the name
	propertyNamespace       = "Namespace"       // only if it is known
	propertyConfigMapFormat = "ConfigMapFormat" // KeyValue or File
	// Followed by a key of the ConfigMap; the value is "true".
	propertySubPath = "SubPath-"
)

const typeConfigMap = "v1/ConfigMap"

// NeededProperties is that of a pass with one value.
func (p *ResourceProvider) NeededProperties(
	doc *gaby.YamlDoc, segments []string, registered map[string]string,
) map[string]string {
	return (&pass{ResourceProvider: p}).NeededProperties(doc, segments, registered)
}

// NeededProperties adds, for references to ConfigMaps, the namespace of the resource and the keys
// that containers mount individually from a volume of the ConfigMap.
func (p *pass) NeededProperties(
	doc *gaby.YamlDoc, segments []string, registered map[string]string,
) map[string]string {
	if registered[resourcetypes.PropertyResourceType] != typeConfigMap {
		return registered
	}
	properties := maps.Clone(registered)
	addNamespace(properties, doc)
	n := len(segments)
	if n < 4 || segments[n-4] != "volumes" || segments[n-2] != "configMap" {
		return properties
	}
	if pod := strings.Join(segments[:n-4], "\x00"); p.mounts == nil || p.doc != doc || p.pod != pod {
		p.doc, p.pod, p.mounts = doc, pod, mountsOf(doc.Search(segments[:n-4]...).Value())
	}
	volume := doc.Search(segments[:n-2]...).Value()
	files := p.mounts[volume.Get("name").Text()]
	keys := map[string]string{} // of a file, if items give it another name
	for item := volume.Get("configMap").Get("items").First(); item.Exists(); item = item.Next() {
		if path := item.Get("path").Text(); keys[path] == "" {
			keys[path] = item.Get("key").Text()
		}
	}
	for _, file := range files {
		key := file
		if len(keys) > 0 {
			key = keys[file]
		}
		if key != "" {
			properties[propertySubPath+key] = "true"
		}
	}
	return properties
}

// mountsOf returns the files that the containers of a pod mount individually (with subPath), by the
// name of their volume.
func mountsOf(pod gaby.Value) map[string][]string {
	files := map[string][]string{}
	for _, list := range []string{"containers", "initContainers", "ephemeralContainers"} {
		for c := pod.Get(list).First(); c.Exists(); c = c.Next() {
			for mount := c.Get("volumeMounts").First(); mount.Exists(); mount = mount.Next() {
				if file := mount.Get("subPath").Text(); file != "" {
					name := mount.Get("name").Text()
					files[name] = append(files[name], file)
				}
			}
		}
	}
	return files
}

// PreferredProperties suggests the name of the enclosing list element, its merge key: a ConfigMap
// should be named like the volume it is for. It suggests nothing if the list has no merge key or if
// the path is the merge key itself.
func (p *ResourceProvider) PreferredProperties(
	doc *gaby.YamlDoc, t api.ResourceType, segments []string,
) map[string]string {
	v, keys := doc.Value(), p.MergeKeys(t)
	var element gaby.Value
	name, at := "", 0
	for i, s := range segments {
		if v.Kind() != gaby.List {
			v, keys = v.Get(s), keys.Child(s)
			continue
		}
		index, _ := strconv.Atoi(s)
		v = v.Index(index)
		if element, name, at = v, "", i; keys != nil && len(keys.Keys) == 1 {
			name = keys.Keys[0]
		}
		keys = keys.Child("*")
	}
	if text := element.Get(name).Text(); name != "" && text != "" &&
		!(at == len(segments)-2 && segments[at+1] == name) {
		return map[string]string{propertyName: text}
	}
	return nil
}

// ProvidedProperties adds, for ConfigMaps, the stable part of the name, the namespace, the format
// stated in an annotation, and the keys.
func (p *ResourceProvider) ProvidedProperties(
	doc *gaby.YamlDoc, _ []string, registered map[string]string,
) map[string]string {
	if registered[resourcetypes.PropertyResourceType] != typeConfigMap {
		return registered
	}
	properties := maps.Clone(registered)
	addNamespace(properties, doc)
	if name := string(p.ResourceNameStableCore(doc)); !configkit.IsPlaceholder(name) {
		properties[propertyName] = name
	}
	if format := doc.Path(
		string(p.ContextPath(propertyConfigMapFormat)),
	).Value().Text(); format != "" {
		properties[propertyConfigMapFormat] = format
	}
	for _, field := range []string{"data", "binaryData"} {
		for v := doc.Value().Get(field).First(); v.Exists(); v = v.Next() {
			properties[propertySubPath+v.Key()] = "true"
		}
	}
	return properties
}

// addNamespace adds the namespace of a resource if it is known.
func addNamespace(properties map[string]string, doc *gaby.YamlDoc) {
	if h, err := header(doc); err == nil && h.Namespace != "" &&
		!configkit.IsPlaceholder(h.Namespace) {
		properties[propertyNamespace] = h.Namespace
	}
}

// TargetTypes narrows registered by the kind and API group next to the reference or, for resource
// names in a rule of a role, by the resources of the rule.
func (p *ResourceProvider) TargetTypes(
	doc *gaby.YamlDoc, segments []string, registered []api.ResourceType,
) []api.ResourceType {
	n := len(segments)
	if len(registered) == 0 || n < 2 {
		return registered
	}
	beside := doc.Search(segments[:n-1]...).Value()
	if beside.Kind() == gaby.List {
		if len(registered) == 1 {
			return registered
		}
		if resources := doc.Search(append(
			slices.Clone(segments[:n-2]), "resources",
		)...).Value(); resources.Kind() == gaby.List {
			return slices.DeleteFunc(slices.Clone(registered), func(t api.ResourceType) bool {
				return !listsResource(resources, t)
			})
		}
		return registered
	}
	kind := beside.Get("kind").Text()
	if kind == "" || len(registered) == 1 && segments[n-1] != "name" {
		return registered // kind beside secretName, for example, is not that of the Secret
	}
	group, grouped := "", true
	switch version := beside.Get("apiVersion"); {
	case version.Exists():
		group, _ = cutLast(version.Text())
	case beside.Get("apiGroup").Exists():
		group = beside.Get("apiGroup").Text()
	case beside.Get("group").Exists():
		group = beside.Get("group").Text()
	default:
		grouped = false
	}
	return slices.DeleteFunc(slices.Clone(registered), func(t api.ResourceType) bool {
		apiVersion, k := cutLast(string(t))
		g, _ := cutLast(apiVersion)
		return k != kind || grouped && g != group
	})
}

// cutLast cuts s at its last slash. Without a slash, all of s is after.
func cutLast(s string) (before, after string) {
	if i := strings.LastIndexByte(s, '/'); i >= 0 {
		return s[:i], s[i+1:]
	}
	return "", s
}

// listsResource reports whether the resources of a role's rule, which are plural names, include a
// type.
func listsResource(resources gaby.Value, t api.ResourceType) bool {
	_, kind := cutLast(string(t))
	plural := strings.ToLower(kind) + "s"
	for r := resources.First(); r.Exists(); r = r.Next() {
		if name, _, _ := strings.Cut(r.Text(), "/"); name == "*" || name == plural {
			return true
		}
	}
	return false
}

// VisitorOptions returns the words of the annotations confighub.com/VisitorOptions (IgnoreNeeded,
// IgnoreProvided) and fctl.dev/options (ignore-needed, ignore-provided), in the spelling of the
// former.
func (p *ResourceProvider) VisitorOptions(doc *gaby.YamlDoc) []string {
	annotations := doc.Value().Get("metadata").Get("annotations")
	var options []string
	for _, key := range []string{"confighub.com/VisitorOptions", "fctl.dev/options"} {
		for word := range strings.SplitSeq(annotations.Get(key).Text(), ",") {
			switch word = strings.TrimSpace(word); word {
			case "":
			case "ignore-needed":
				options = append(options, "IgnoreNeeded")
			case "ignore-provided":
				options = append(options, "IgnoreProvided")
			default:
				options = append(options, word)
			}
		}
	}
	return options
}

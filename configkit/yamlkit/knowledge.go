package yamlkit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/api"
)

// maxEmbeds bounds how deep shapes may embed shapes; a shape that embeds itself is an error, not a loop.
const maxEmbeds = 8

// typeCompiler gathers what the files and additions say about one type.
type typeCompiler struct {
	registry *Registry
	file     *KnowledgeFile
	document gaby.Value
	level    int // 0: the type itself, 1: *
	entries  map[entryKey]*entry
	keys     *configkit.MergeKeyTree
	mapKeys  map[string]bool
}

type entryKey struct {
	attribute api.AttributeName
	path      api.UnresolvedPath // normalised
}

type entry struct {
	info  *api.PathVisitorInfo
	level int
}

func newTypeCompiler(r *Registry) *typeCompiler {
	return &typeCompiler{registry: r, entries: map[entryKey]*entry{}, mapKeys: map[string]bool{}}
}

func (c *typeCompiler) fail(at gaby.Value, key, format string, args ...any) error {
	return &KnowledgeError{File: c.file.Name, Pos: at.Position(), Key: key, Msg: fmt.Sprintf(format, args...)}
}

// fragment reads a resource type or a shape whose paths are below prefix.
func (c *typeCompiler) fragment(f gaby.Value, prefix string, depth int) error {
	if depth > maxEmbeds {
		return c.fail(f, "embeds", "shapes are embedded more than %d deep", maxEmbeds)
	}
	for section := f.First(); section.Exists(); section = section.Next() {
		var err error
		switch key := section.Key(); key {
		case "embeds":
			err = c.embeds(section, prefix, depth)
		case "mergeKeys":
			err = c.mergeKeys(section, prefix)
		case "mapKeyPaths":
			err = c.mapKeyPaths(section, prefix)
		case "attributes":
			err = c.attributes(section, prefix)
		default:
			err = c.fail(section, key, "unknown key")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *typeCompiler) embeds(list gaby.Value, prefix string, depth int) error {
	for e := list.First(); e.Exists(); e = e.Next() {
		name := e.Get("shape").Text()
		shape := c.document.Get("shapes").Get(name)
		if !shape.Exists() {
			return c.fail(e, "shape", "there is no shape %q", name)
		}
		if err := c.fragment(shape, joinPrefix(prefix, e.Get("path").Text()), depth+1); err != nil {
			return err
		}
	}
	return nil
}

func joinPrefix(prefix, path string) string {
	switch {
	case prefix == "":
		return path
	case path == "":
		return prefix
	}
	return prefix + "." + path
}

func (c *typeCompiler) mergeKeys(list gaby.Value, prefix string) error {
	for e := list.First(); e.Exists(); e = e.Next() {
		path := joinPrefix(prefix, e.Get("path").Text())
		parsed, err := ParsePath(path)
		if err != nil {
			return c.fail(e, "path", "%v", err)
		}
		if !e.Get("key").Exists() {
			return c.fail(e, "key", "it is missing")
		}
		if c.keys == nil {
			c.keys = &configkit.MergeKeyTree{}
		}
		node := c.keys
		for i := range parsed.segments {
			segment := "*"
			if s := &parsed.segments[i]; s.kind == plainSegment {
				segment = s.key
			}
			if node.Children == nil {
				node.Children = map[string]*configkit.MergeKeyTree{}
			}
			next := node.Children[segment]
			if next == nil {
				next = &configkit.MergeKeyTree{}
				node.Children[segment] = next
			}
			node = next
		}
		if c.level > 0 && len(node.Keys) > 0 {
			continue // the type itself knows better
		}
		node.Keys = append([]string{e.Get("key").Text()}, texts(e.Get("extraKeys"))...)
	}
	return nil
}

func (c *typeCompiler) mapKeyPaths(list gaby.Value, prefix string) error {
	for e := list.First(); e.Exists(); e = e.Next() {
		path := joinPrefix(prefix, e.Text())
		parent, ok := strings.CutSuffix(path, ".*")
		if !ok {
			return c.fail(e, "mapKeyPaths", "path %s does not end in *", path)
		}
		parsed, err := ParsePath(parent)
		if err != nil {
			return c.fail(e, "mapKeyPaths", "%v", err)
		}
		c.mapKeys[string(parsed.NormalizedPath())] = true
	}
	return nil
}

func (c *typeCompiler) attributes(section gaby.Value, prefix string) error {
	for attribute := section.First(); attribute.Exists(); attribute = attribute.Next() {
		name := api.AttributeName(attribute.Key())
		for e := attribute.First(); e.Exists(); e = e.Next() {
			info, err := c.visitorInfo(name, e, prefix)
			if err != nil {
				return err
			}
			if err := c.path(info, c.level); err != nil {
				return c.fail(e, "path", "%v", err)
			}
		}
	}
	return nil
}

func (c *typeCompiler) visitorInfo(name api.AttributeName, e gaby.Value, prefix string) (*api.PathVisitorInfo, error) {
	info := &api.PathVisitorInfo{AttributeName: name, DataType: api.DataTypeString}
	var details api.AttributeDetails
	hasDetails := false
	for field := e.First(); field.Exists(); field = field.Next() {
		switch key := field.Key(); key {
		case "path":
			info.Path = api.UnresolvedPath(joinPrefix(prefix, field.Text()))
		case "dataType":
			info.DataType = api.DataType(field.Text())
		case "accessor":
			accessor := c.document.Get("accessors").Get(field.Text())
			if !accessor.Exists() {
				return nil, c.fail(field, key, "there is no accessor %q", field.Text())
			}
			info.EmbeddedAccessorType = api.EmbeddedAccessorType(accessor.Get("type").Text())
			info.EmbeddedAccessorConfig = accessor.Get("config").Text()
		case "target":
			details.NeededRequired, hasDetails = map[string]string{"ResourceType": field.Text()}, true
		case "default":
			details.DefaultValue, hasDetails = field.Data(), true
		case "needed":
			details.IsNeeded = field.Text() == "true"
			hasDetails = true
		case "provided":
			details.IsProvided = field.Text() == "true"
			hasDetails = true
		case "except":
			for _, t := range texts(field) {
				info.TypeExceptions = append(info.TypeExceptions, api.ResourceType(t))
			}
		default:
			return nil, c.fail(field, key, "unknown key")
		}
	}
	if info.Path == "" {
		return nil, c.fail(e, "path", "it is missing")
	}
	if hasDetails {
		info.Details = &details
	}
	return info, nil
}

func texts(list gaby.Value) []string {
	var all []string
	for e := list.First(); e.Exists(); e = e.Next() {
		all = append(all, e.Text())
	}
	return all
}

// path adds a path of an attribute. One of the type itself overrides one of *, a later one an earlier one.
func (c *typeCompiler) path(info *api.PathVisitorInfo, level int) error {
	parsed, err := ParsePath(string(info.Path))
	if err != nil {
		return err
	}
	key := entryKey{info.AttributeName, parsed.NormalizedPath()}
	if known, ok := c.entries[key]; ok && known.level < level {
		return nil
	}
	c.entries[key] = &entry{info, level}
	return nil
}

// finish sorts what was gathered.
func (c *typeCompiler) finish(t api.ResourceType) *typeKnowledge {
	k := &typeKnowledge{
		attributes: map[api.AttributeName][]*api.PathVisitorInfo{},
		lookup:     make(map[api.UnresolvedPath]*api.PathVisitorInfo, len(c.entries)),
		mapKeys:    c.mapKeys,
		mergeKeys:  c.keys,
	}
	keys := slices.SortedFunc(maps.Keys(c.entries), func(a, b entryKey) int {
		return cmp.Or(
			cmp.Compare(a.path, b.path),
			cmp.Compare(c.entries[a].level, c.entries[b].level),
			cmp.Compare(attributeRank(a.attribute), attributeRank(b.attribute)),
			cmp.Compare(a.attribute, b.attribute))
	})
	for _, key := range keys {
		info := c.entries[key].info
		if c.entries[key].level > 0 && slices.Contains(info.TypeExceptions, t) {
			continue
		}
		k.attributes[key.attribute] = append(k.attributes[key.attribute], info)
		if _, taken := k.lookup[key.path]; !taken {
			k.lookup[key.path] = info
		}
	}
	return k
}

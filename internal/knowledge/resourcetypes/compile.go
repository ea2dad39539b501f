package resourcetypes

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// maxEmbeds bounds the depth of embeds and sameAs, so that a shape that embeds itself is an error
// rather than a loop.
const maxEmbeds = 8

// maxFragments bounds how many shapes and types make up one type: eight levels of shapes that each
// embed the next many times fit into a few lines. The largest built-in type has a few dozen.
const maxFragments = 2000

// typeCompiler collects what the files and registrations say about one type.
type typeCompiler struct {
	registry  *Registry
	documents []document // without domain files
	of        api.ResourceType
	level     int // 0: the type itself, 1: *
	// Read only these attributes, or justMergeKeys or justSensitive; nil: everything.
	only      []api.AttributeName
	entries   map[entryKey]*entry
	keys      *configkit.MergeKeyTree
	mapKeys   map[string]bool
	exclusive map[string]configkit.ExclusiveFields  // by path and members
	sensitive map[api.UnresolvedPath]*yamlpath.Path // by normalized path
	arguments []string                              // of the current shape, from its embedding
	fragments int
}

type entryKey struct {
	attribute api.AttributeName
	path      api.UnresolvedPath // normalized
}

type entry struct {
	info  *api.PathVisitorInfo
	level int
}

func (r *Registry) newTypeCompiler(of api.ResourceType) *typeCompiler {
	return &typeCompiler{
		registry: r, documents: r.documents, of: of,
		entries: map[entryKey]*entry{}, mapKeys: map[string]bool{},
		exclusive: map[string]configkit.ExclusiveFields{},
		sensitive: map[api.UnresolvedPath]*yamlpath.Path{},
	}
}

// resourceType reads the entries of a type in all files.
func (c *typeCompiler) resourceType(t api.ResourceType, depth int) error {
	var problems problems
	documents, err := c.registry.documentsAbout(string(t))
	problems.add(err)
	for _, d := range documents {
		if c.skips(d) {
			continue
		}
		if fragment := d.entry("resourceTypes", string(t)); fragment.Exists() && !problems.stop {
			problems.add(c.fragment(d, fragment, "", depth))
		}
	}
	return problems.err()
}

// onlySensitive reports whether only the paths of secret values are read.
func (c *typeCompiler) onlySensitive() bool { return slices.Contains(c.only, justSensitive) }

// skips reports whether a document has nothing that is asked for.
func (c *typeCompiler) skips(d document) bool {
	return c.onlySensitive() && !d.mayHaveSensitive()
}

// lookUp finds a shape or an accessor: first in d itself, then in the other documents.
func (c *typeCompiler) lookUp(
	d document, section, name string,
) (document, gaby.Value) {
	if v := d.entry(section, name); v.Exists() {
		return d, v
	}
	for _, other := range c.documents {
		if section == "shapes" && c.skips(other) {
			continue
		}
		if v := other.entry(section, name); v.Exists() {
			return other, v
		}
	}
	return d, gaby.Value{}
}

// names returns the names that lookUp can find.
func (c *typeCompiler) names(section string) []string {
	var names []string
	for _, d := range c.documents {
		for v := d.entry(section).First(); v.Exists(); v = v.Next() {
			names = append(names, v.Key())
		}
	}
	return names
}

// fragment reads a resource type or a shape whose paths are below prefix.
func (c *typeCompiler) fragment(d document, f gaby.Value, prefix string, depth int) error {
	if depth > maxEmbeds {
		return d.stop(f, "", "shapes are embedded more than %d deep", maxEmbeds)
	}
	if c.fragments++; c.fragments > maxFragments {
		return d.stop(f, "", "it consists of more than %d shapes", maxFragments)
	}
	known := []string{"embeds", "mergeKeys", "mapKeyPaths", "exclusiveFields", "attributes"}
	if depth == 0 || prefix == "" {
		known = append(known, "sameAs", "scope")
	}
	return d.fields(f, "a resource type", known, func(key string, section gaby.Value) error {
		switch key {
		case "sameAs":
			return c.sameAs(d, section, depth)
		case "scope":
			return d.checkScope(section)
		case "embeds":
			return c.embeds(d, section, prefix, depth)
		case "attributes":
			return c.attributes(d, section, prefix)
		}
		if c.only != nil && (key != "mergeKeys" || !slices.Contains(c.only, justMergeKeys)) {
			return nil
		}
		switch key {
		case "mergeKeys":
			return c.mergeKeys(d, section, prefix)
		case "mapKeyPaths":
			return c.mapKeyPaths(d, section, prefix)
		}
		return c.exclusiveFields(d, section, prefix)
	})
}

// sameAs reads everything about another type as if it were said about this one.
func (c *typeCompiler) sameAs(d document, v gaby.Value, depth int) error {
	name, err := d.text(v, "sameAs")
	if err != nil {
		return err
	}
	documents, err := c.registry.documentsAbout(name)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(documents, func(d document) bool {
		return d.entry("resourceTypes", name).Exists()
	}) {
		known, err := c.registry.typeNames()
		return errors.Join(
			err, d.unknown(v.Position(), "sameAs", "nothing is said about type "+name, name, known),
		)
	}
	if depth >= maxEmbeds {
		return d.stop(v, "sameAs", "types are the same as others more than %d deep", maxEmbeds)
	}
	return c.resourceType(api.ResourceType(name), depth+1)
}

// embeds reads shapes below their paths. Arguments given by an outer embedding override those of
// inner ones.
func (c *typeCompiler) embeds(
	d document, list gaby.Value, prefix string, depth int,
) error {
	return d.items(list, "embeds", func(e gaby.Value) error {
		var shape gaby.Value
		var from document
		var path string
		var arguments []string
		err := d.read(e, "embeds",
			reader{"shape", func(v gaby.Value) error {
				text, err := d.text(v, "shape")
				if err != nil {
					return err
				}
				from, shape = c.lookUp(d, "shapes", text)
				if !shape.Exists() && !c.onlySensitive() {
					return d.unknown(
						v.Position(), "shape", "there is no shape "+text, text, c.names("shapes"),
					)
				}
				return nil
			}}, readTo("path", &path, d.text), readTo("arguments", &arguments, d.texts))
		if err != nil {
			return err
		}
		if !shape.Exists() && c.onlySensitive() {
			return nil
		}
		if !shape.Exists() {
			return d.fail(e, "shape", "it is missing")
		}
		outer := c.arguments
		if outer == nil {
			c.arguments = arguments
		}
		err = c.fragment(from, shape, joinPrefix(prefix, path), depth+1)
		c.arguments = outer
		return err
	})
}

// withVersions returns types and their other versions.
func (c *typeCompiler) withVersions(types []string) ([]string, error) {
	all := slices.Clone(types)
	for _, t := range types {
		versions, err := c.registry.versionsOf(t)
		if err != nil {
			return nil, err
		}
		for _, version := range versions {
			if !slices.Contains(all, version) {
				all = append(all, version)
			}
		}
	}
	return all, nil
}

// joinPrefix joins the path at which a shape is embedded and a path in the shape. The latter may be
// empty or only name an embedded part (#part).
func joinPrefix(prefix, path string) string {
	switch {
	case prefix == "" || path == "", strings.HasPrefix(path, "#"):
		return prefix + path
	}
	return prefix + "." + path
}

// path reads a path relative to prefix.
func (c *typeCompiler) path(
	d document, v gaby.Value, key, prefix string,
) (*yamlpath.Path, error) {
	text, err := d.text(v, key)
	if err != nil {
		return nil, err
	}
	path, err := yamlpath.Parse(joinPrefix(prefix, text))
	if err != nil {
		failure := d.fail(v, key, "%v", err).(*Error)
		if e, ok := err.(*yamlpath.Error); ok {
			failure.Hint = e.Hint
		}
		return nil, failure
	}
	return path, nil
}

// readPath returns the reader of a path relative to prefix.
func (c *typeCompiler) readPath(d document, key string, to **yamlpath.Path, prefix string) reader {
	return readTo(key, to, func(v gaby.Value, name string) (*yamlpath.Path, error) {
		return c.path(d, v, name, prefix)
	})
}

func (c *typeCompiler) mergeKeys(d document, list gaby.Value, prefix string) error {
	return d.items(list, "mergeKeys", func(e gaby.Value) error {
		var path *yamlpath.Path
		var key string
		var extra []string
		var defaults map[string]string
		unique := true
		err := d.read(e, "mergeKeys", c.readPath(d, "path", &path, prefix),
			readTo("key", &key, d.text), readTo("extraKeys", &extra, d.texts),
			readTo("defaults", &defaults, d.textMap), readTo("unique", &unique, d.boolean))
		switch {
		case err != nil:
			return err
		case path == nil:
			return d.fail(e, "path", "it is missing")
		case key == "":
			return d.fail(e, "key", "it is missing")
		}
		for of := range defaults {
			if !slices.Contains(extra, of) {
				return d.unknown(
					e.Get("defaults").Position(), "defaults", of+" is not one of the extraKeys", of,
					extra,
				)
			}
		}
		node := c.mergeKeyNode(path)
		if c.level == 0 || len(node.Keys) == 0 { // the type itself takes precedence over *
			node.Keys, node.Defaults = append([]string{key}, extra...), defaults
			node.Shared = !unique
		}
		return nil
	})
}

// mergeKeyNode returns the node of a path, creating it if necessary.
func (c *typeCompiler) mergeKeyNode(path *yamlpath.Path) *configkit.MergeKeyTree {
	if c.keys == nil {
		c.keys = &configkit.MergeKeyTree{}
	}
	node := c.keys
	for i := range path.Segments() {
		segment := "*"
		if s := &path.Segments()[i]; s.Kind == yamlpath.Plain {
			segment = s.Key
		}
		next := node.Children[segment]
		if next == nil {
			if node.Children == nil {
				node.Children = map[string]*configkit.MergeKeyTree{}
			}
			next = &configkit.MergeKeyTree{}
			node.Children[segment] = next
		}
		node = next
	}
	return node
}

// mapKeyPaths reads the paths of maps whose keys users choose.
func (c *typeCompiler) mapKeyPaths(d document, list gaby.Value, prefix string) error {
	return d.items(list, "mapKeyPaths", func(e gaby.Value) error {
		path, err := c.path(d, e, "mapKeyPaths", prefix)
		if err != nil {
			return err
		}
		last := len(path.Segments()) - 1
		if last == 0 || path.Segments()[last].Kind != yamlpath.Any {
			return d.fail(e, "mapKeyPaths", "path %s does not end in .*", path)
		}
		c.mapKeys[path.Normalized(last)] = true
		return nil
	})
}

// exclusiveFields reads groups of fields that exclude each other. The type itself takes precedence
// over *.
func (c *typeCompiler) exclusiveFields(d document, list gaby.Value, prefix string) error {
	return d.items(list, "exclusiveFields", func(e gaby.Value) error {
		x := configkit.ExclusiveFields{Path: api.UnresolvedPath(prefix)}
		var path *yamlpath.Path
		err := d.read(e, "exclusiveFields", c.readPath(d, "path", &path, prefix),
			readTo("members", &x.Members, d.texts),
			readTo("discriminator", &x.Discriminator, d.text),
			readTo("allowedMember", &x.AllowedMember, d.textMap))
		if err != nil {
			return err
		}
		if path != nil {
			x.Path = path.NormalizedPath()
		}
		if len(x.Members) == 0 {
			return d.fail(e, "members", "it is missing")
		}
		for _, member := range x.AllowedMember {
			if !slices.Contains(x.Members, member) {
				return d.unknown(
					e.Get("allowedMember").Position(), "allowedMember",
					member+" is not one of the members", member, x.Members,
				)
			}
		}
		if (x.Discriminator == "") != (len(x.AllowedMember) == 0) {
			return d.fail(e, "discriminator", "discriminator and allowedMember belong together")
		}
		key := string(x.Path) + " " + strings.Join(x.Members, " ")
		if _, ok := c.exclusive[key]; !ok || c.level == 0 {
			c.exclusive[key] = x
		}
		return nil
	})
}

func (c *typeCompiler) attributes(d document, section gaby.Value, prefix string) error {
	return d.fields(section, "attributes", nil, func(name string, list gaby.Value) error {
		onlySensitive := c.onlySensitive()
		if c.only != nil && !onlySensitive && !slices.Contains(c.only, api.AttributeName(name)) {
			return nil
		}
		return d.items(list, name, func(e gaby.Value) error {
			if onlySensitive && !e.Get("sensitive").Exists() {
				return nil
			}
			info, parsed, err := c.visitorInfo(d, api.AttributeName(name), e, prefix)
			if err == nil && !d.BuiltIn && parsed.Arguments() > 0 {
				err = c.checkArguments(d, info, parsed, e)
			}
			if err != nil {
				return err
			}
			c.add(info, parsed, c.level)
			return nil
		})
	})
}

// checkArguments rejects a path with more %s than the functions of a built-in attribute fill in.
func (c *typeCompiler) checkArguments(
	d document, info *api.PathVisitorInfo, path *yamlpath.Path, e gaby.Value,
) error {
	from, entry := c.registry.builtInAttribute(string(info.AttributeName))
	if !entry.Exists() {
		return nil
	}
	filled := 0
	if description, err := c.registry.describe(from, entry); err == nil {
		filled = len(description.Parameters) - 1
	}
	if path.Arguments() <= filled {
		return nil
	}
	err := d.fail(
		e, "path", "it has %d %%s, but functions of attribute %s fill in %d", path.Arguments(),
		info.AttributeName, filled,
	)
	err.(*Error).Hint = "* in the place of a lookup or a key is every element"
	return err
}

// visitorInfo reads an entry of an attribute: a path, or a map with a path and what is known about
// its values.
func (c *typeCompiler) visitorInfo(
	d document, name api.AttributeName, e gaby.Value, prefix string,
) (*api.PathVisitorInfo, *yamlpath.Path, error) {
	info := &api.PathVisitorInfo{AttributeName: name, DataType: c.registry.dataTypeOf(name)}
	var details api.AttributeDetails
	var path *yamlpath.Path
	var accessor gaby.Value
	if e.Kind() == gaby.Scalar { // only a path
		path, err := c.path(d, e, string(name), prefix)
		switch {
		case err != nil:
			return nil, nil, err
		case path.EmbeddedPath() != "":
			return nil, nil, d.fail(
				e, string(name), "the path asks for an embedded part: {path, accessor} is expected",
			)
		}
		info.Path = api.UnresolvedPath(path.String())
		return info, path, nil
	}
	var dataType string
	var except, targets []string
	var required map[string]string
	needed, upsert := false, true
	err := d.read(e, string(name), c.readPath(d, "path", &path, prefix),
		readTo("dataType", &dataType, func(v gaby.Value, key string) (string, error) {
			return d.oneOf(v, key, []string{"string", "int", "bool", "YAML", "[]string"})
		}),
		reader{"accessor", func(v gaby.Value) (err error) {
			text, err := d.text(v, "accessor")
			if err != nil {
				return err
			}
			var from document
			if from, accessor = c.lookUp(d, "accessors", text); !accessor.Exists() {
				return d.unknown(v.Position(), "accessor", "there is no accessor "+text, text,
					c.names("accessors"))
			}
			info.EmbeddedAccessorType, info.EmbeddedAccessorConfig, err = accessorOf(from, accessor)
			return err
		}},
		readTo("target", &targets, func(v gaby.Value, key string) ([]string, error) {
			all, err := d.oneOrMore(v, key)
			if err != nil {
				return nil, err
			}
			return c.withVersions(all)
		}),
		readTo("required", &required, d.textMap),
		reader{"default", func(v gaby.Value) error {
			details.DefaultValue = v.Data()
			return nil
		}},
		readTo("needed", &needed, d.boolean),
		readTo("provided", &details.IsProvided, d.boolean),
		readTo("sensitive", &info.Sensitive, d.boolean),
		readTo("except", &except, d.texts),
		readTo("description", &details.Description, d.text),
		readTo("arguments", &info.Arguments, d.texts),
		readTo("upsert", &upsert, d.boolean))
	info.DataType = cmp.Or(api.DataType(dataType), info.DataType)
	info.ExistingOnly = !upsert
	for _, t := range except {
		info.TypeExceptions = append(info.TypeExceptions, api.ResourceType(t))
	}
	if details.IsProvided {
		details.ProvidedProperties = map[string]string{PropertyResourceType: string(c.of)}
	}
	details.IsNeeded = needed || targets != nil || required != nil
	if targets != nil {
		slices.Sort(targets)
		if required == nil {
			required = map[string]string{}
		}
		required[PropertyResourceType] = strings.Join(targets, ",")
	}
	switch {
	case err != nil:
		return nil, nil, err
	case path == nil:
		return nil, nil, d.fail(e, "path", "it is missing")
	case path.EmbeddedPath() != "" && !accessor.Exists():
		return nil, nil,
			d.fail(e, "accessor", "it is missing: path %s asks for an embedded part", path)
	case (info.EmbeddedAccessorType == api.EmbeddedAccessorRegexp ||
		info.EmbeddedAccessorType == api.EmbeddedAccessorLine) &&
		info.DataType != api.DataTypeString:
		return nil, nil, d.fail(
			e, "dataType", "a part that %s reaches is a string, not %s", info.EmbeddedAccessorType,
			info.DataType,
		)
	}
	if info.Arguments != nil && path.Arguments() > 0 {
		return nil, nil,
			d.fail(e.Get("arguments"), "arguments", "path %s has places for arguments (%%s)", path)
	}
	if info.Arguments != nil && c.arguments != nil {
		info.Arguments = c.arguments
	}
	if len(required) > 0 {
		details.NeededRequired = required
	}
	if details.NeededRequired != nil || details.DefaultValue != nil || details.IsNeeded ||
		details.IsProvided || details.Description != "" {
		info.Details = &details
	}
	info.Path = api.UnresolvedPath(path.String())
	return info, path, nil
}

// accessorOf reads the declaration of an accessor.
func accessorOf(d document, v gaby.Value) (api.EmbeddedAccessorType, string, error) {
	var kind, config string
	err := d.read(v, "accessors",
		readTo("type", &kind, func(v gaby.Value, key string) (string, error) {
			return d.oneOf(v, key, []string{"Regexp", "Line", "JSON", "YAML"})
		}),
		readTo("config", &config, d.text))
	if err != nil {
		return "", "", err
	}
	if !d.BuiltIn { // a test compiles the built-in ones
		if _, err := yamlpath.NewAccessor(api.EmbeddedAccessorType(kind), config); err != nil {
			return "", "", d.fail(v, "accessors", "%v", err)
		}
	}
	return api.EmbeddedAccessorType(kind), config, nil
}

// add adds a path of an attribute. Paths of the type itself override those of *, later ones
// override earlier ones.
func (c *typeCompiler) add(info *api.PathVisitorInfo, parsed *yamlpath.Path, level int) {
	if level > 0 && (slices.Contains(info.TypeExceptions, c.of) ||
		info.Path == namespacePath && c.registry.scope(c.of) == configkit.ScopeCluster) {
		return
	}
	key := entryKey{info.AttributeName, parsed.NormalizedPath()}
	if info.Sensitive {
		c.sensitive[key.path] = parsed
	}
	if known, ok := c.entries[key]; ok && known.level < level {
		return
	}
	c.entries[key] = &entry{info, level}
}

// namespacePath is registered for *, but does not exist in cluster-scoped types.
const namespacePath = "metadata.namespace"

// finish sorts what was collected and returns it.
func (c *typeCompiler) finish(groups map[api.AttributeName][]api.AttributeName) *typeInfo {
	k := &typeInfo{
		attributes: map[api.AttributeName][]*api.PathVisitorInfo{},
		own:        map[api.AttributeName]api.PathToVisitorInfoType{},
		lookup:     make(map[api.UnresolvedPath]*api.PathVisitorInfo, len(c.entries)),
		mapKeys:    c.mapKeys,
		mergeKeys:  c.keys,
		asked:      map[api.UnresolvedPath]*api.PathVisitorInfo{},
	}
	for _, key := range slices.Sorted(maps.Keys(c.exclusive)) {
		k.exclusive = append(k.exclusive, c.exclusive[key])
	}
	keys := slices.SortedFunc(maps.Keys(c.entries), func(a, b entryKey) int {
		return cmp.Or(
			cmp.Compare(a.path, b.path),
			cmp.Compare(c.entries[a].level, c.entries[b].level),
			cmp.Compare(attributeRank(a.attribute), attributeRank(b.attribute)),
			cmp.Compare(a.attribute, b.attribute))
	})
	var needed, provided api.UnresolvedPath // path of the last one
	for _, key := range keys {
		e := c.entries[key]
		k.attributes[key.attribute] = append(k.attributes[key.attribute], e.info)
		if _, taken := k.lookup[key.path]; !taken && attributeRank(key.attribute) != neverReported {
			k.lookup[key.path] = e.info
		}
		if d := e.info.Details; d != nil && d.IsNeeded && key.path != needed {
			k.needed, needed = append(k.needed, e.info), key.path
		}
		if d := e.info.Details; d != nil && d.IsProvided && key.path != provided {
			k.provided, provided = append(k.provided, e.info), key.path
		}
		if e.level == 0 {
			k.addOwn(key.attribute, key.path, e.info)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(c.sensitive)) {
		k.sensitive = append(k.sensitive, c.sensitive[path])
	}
	for group, members := range groups {
		for _, member := range members {
			k.attributes[group] = append(k.attributes[group], k.attributes[member]...)
			for path, info := range k.own[member] {
				k.addOwn(group, path, info)
			}
		}
	}
	return k
}

func (k *typeInfo) addOwn(
	name api.AttributeName, path api.UnresolvedPath, info *api.PathVisitorInfo,
) {
	if k.own[name] == nil {
		k.own[name] = api.PathToVisitorInfoType{}
	}
	k.own[name][path] = info
}

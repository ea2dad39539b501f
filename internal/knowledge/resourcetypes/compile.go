package resourcetypes

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/strict"
	"github.com/fctl-dev/fctl/internal/where"
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
	entries   map[entryKey]*registeredPath
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

type registeredPath struct {
	info  *api.PathVisitorInfo
	level int
}

func (r *Registry) newTypeCompiler(of api.ResourceType) *typeCompiler {
	return &typeCompiler{
		registry: r, documents: r.documents, of: of,
		entries: map[entryKey]*registeredPath{}, mapKeys: map[string]bool{},
		exclusive: map[string]configkit.ExclusiveFields{},
		sensitive: map[api.UnresolvedPath]*yamlpath.Path{},
	}
}

// resourceType reads the entries of a type in all files.
func (c *typeCompiler) resourceType(t api.ResourceType, depth int) {
	for _, d := range c.registry.documentsAbout(string(t)) {
		if c.skips(d) {
			continue
		}
		if fragment := d.entry("resourceTypes", string(t)); fragment.Exists() {
			c.fragment(d, fragment, "", depth)
		}
	}
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
		for _, v := range d.entry(section).All() {
			names = append(names, v.Key())
		}
	}
	return names
}

// fragment reads a resource type or a shape whose paths are below prefix.
func (c *typeCompiler) fragment(d document, f gaby.Value, prefix string, depth int) {
	v := d.at(f)
	switch c.fragments++; {
	case c.registry.stopped || !v.Exists() || v.IsNull():
		return
	case depth > maxEmbeds:
		c.stop(v, "shapes are embedded more than %d deep", maxEmbeds)
		return
	case c.fragments > maxFragments:
		c.stop(v, "it consists of more than %d shapes", maxFragments)
		return
	}
	// asked returns a field that is read only if it is asked for.
	asked := func(name string, alsoFor api.AttributeName, read func(strict.Value)) strict.Field {
		if c.only != nil && !slices.Contains(c.only, alsoFor) {
			return strict.Field{Name: name}
		}
		return strict.Field{Name: name, Read: read}
	}
	fields := []strict.Field{
		{Name: "embeds", Read: func(v strict.Value) { c.embeds(d, v, prefix, depth) }},
		asked("mergeKeys", justMergeKeys, func(v strict.Value) { c.mergeKeys(v, prefix) }),
		asked("mapKeyPaths", "-", func(v strict.Value) { c.mapKeyPaths(v, prefix) }),
		asked("exclusiveFields", "-", func(v strict.Value) { c.exclusiveFields(v, prefix) }),
		{Name: "attributes", Read: func(v strict.Value) { c.attributes(d, v, prefix) }},
	}
	if depth == 0 || prefix == "" {
		fields = append(fields,
			strict.Field{Name: "sameAs", Read: func(v strict.Value) { c.sameAs(v, depth) }},
			strict.Field{Name: "scope", Read: func(v strict.Value) {
				v.OneOf([]string{
					string(configkit.ScopeCluster), string(configkit.ScopeNamespaced),
				})
			}})
	}
	v.Object("a resource type", fields...)
}

// stop reports what would otherwise be repeated over and over. Nothing more is read.
func (c *typeCompiler) stop(at strict.Value, format string, args ...any) {
	at.Fail("", format, args...)
	c.registry.stopped = true
}

// sameAs reads everything about another type as if it were said about this one.
func (c *typeCompiler) sameAs(v strict.Value, depth int) {
	name := v.Scalar()
	if !slices.ContainsFunc(c.registry.documentsAbout(name), func(d document) bool {
		return d.entry("resourceTypes", name).Exists()
	}) {
		v.Fail(hintFor(name, c.registry.typeNames()), "sameAs: nothing is said about type %s", name)
		return
	}
	if depth >= maxEmbeds {
		c.stop(v, "sameAs: types are the same as others more than %d deep", maxEmbeds)
		return
	}
	c.resourceType(api.ResourceType(name), depth+1)
}

// embeds reads shapes below their paths. Arguments given by an outer embedding override those of
// inner ones.
func (c *typeCompiler) embeds(d document, list strict.Value, prefix string, depth int) {
	for e := range list.List() {
		var shape gaby.Value
		var from document
		var name, path string
		var arguments []string
		if !reads(e, "an entry of embeds",
			strict.Field{Name: "shape", Read: func(v strict.Value) {
				name = v.Scalar()
				if from, shape = c.lookUp(d, "shapes", name); !shape.Exists() &&
					!c.onlySensitive() {
					v.Fail(hintFor(name, c.names("shapes")), "shape: there is no shape %s", name)
				}
			}}, text("path", &path), texts("arguments", &arguments)) ||
			lacks(e, "shape", name == "") || !shape.Exists() {
			continue
		}
		outer := c.arguments
		if outer == nil {
			c.arguments = arguments
		}
		c.fragment(from, shape, joinPrefix(prefix, path), depth+1)
		c.arguments = outer
	}
}

// withVersions returns types and their other versions.
func (c *typeCompiler) withVersions(types []string) []string {
	all := slices.Clone(types)
	for _, t := range types {
		for _, version := range c.registry.versionsOf(t) {
			if !slices.Contains(all, version) {
				all = append(all, version)
			}
		}
	}
	return all
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

// readPath reads a path relative to prefix. name is what messages call it. It returns nil if the
// path is wrong.
func readPath(v strict.Value, name, prefix string) *yamlpath.Path {
	path, err := yamlpath.Parse(joinPrefix(prefix, v.Scalar()))
	if err != nil {
		hint := ""
		if e, ok := err.(*yamlpath.Error); ok {
			hint = e.Hint
		}
		v.Fail(hint, "%s: %v", name, err)
		return nil
	}
	return path
}

// pathBelow returns a field with a path relative to prefix.
func pathBelow(prefix string, to **yamlpath.Path) strict.Field {
	return strict.To("path", to, func(v strict.Value) *yamlpath.Path {
		return readPath(v, "path", prefix)
	})
}

func (c *typeCompiler) mergeKeys(list strict.Value, prefix string) {
	for e := range list.List() {
		var path *yamlpath.Path
		var key string
		var extra []string
		var defaults map[string]string
		unique := true
		if !reads(e, "an entry of mergeKeys", pathBelow(prefix, &path), text("key", &key),
			texts("extraKeys", &extra), textMap("defaults", &defaults),
			strict.Bool("unique", &unique)) ||
			lacks(e, "path", path == nil) || lacks(e, "key", key == "") {
			continue
		}
		for of := range defaults {
			if !slices.Contains(extra, of) {
				e.Get("defaults").Fail(hintFor(of, extra),
					"defaults: %s is not one of the extraKeys", of)
			}
		}
		node := c.mergeKeyNode(path)
		if c.level == 0 || len(node.Keys) == 0 { // the type itself takes precedence over *
			node.Keys, node.Defaults = append([]string{key}, extra...), defaults
			node.Shared = !unique
		}
	}
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
func (c *typeCompiler) mapKeyPaths(list strict.Value, prefix string) {
	for e := range list.List() {
		path := readPath(e, "mapKeyPaths", prefix)
		if path == nil {
			continue
		}
		last := len(path.Segments()) - 1
		if last == 0 || path.Segments()[last].Kind != yamlpath.Any {
			e.Fail("", "mapKeyPaths: path %s does not end in .*", path)
			continue
		}
		c.mapKeys[path.Normalized(last)] = true
	}
}

// exclusiveFields reads groups of fields that exclude each other. The type itself takes precedence
// over *.
func (c *typeCompiler) exclusiveFields(list strict.Value, prefix string) {
	for e := range list.List() {
		x := configkit.ExclusiveFields{Path: api.UnresolvedPath(prefix)}
		var path *yamlpath.Path
		if !reads(e, "an entry of exclusiveFields", pathBelow(prefix, &path),
			texts("members", &x.Members), text("discriminator", &x.Discriminator),
			textMap("allowedMember", &x.AllowedMember)) ||
			lacks(e, "members", len(x.Members) == 0) {
			continue
		}
		if path != nil {
			x.Path = path.NormalizedPath()
		}
		for _, member := range x.AllowedMember {
			if !slices.Contains(x.Members, member) {
				e.Get("allowedMember").Fail(hintFor(member, x.Members),
					"allowedMember: %s is not one of the members", member)
			}
		}
		if (x.Discriminator == "") != (len(x.AllowedMember) == 0) {
			e.Fail("", "discriminator: discriminator and allowedMember belong together")
		}
		key := string(x.Path) + " " + strings.Join(x.Members, " ")
		if _, ok := c.exclusive[key]; !ok || c.level == 0 {
			c.exclusive[key] = x
		}
	}
}

func (c *typeCompiler) attributes(d document, section strict.Value, prefix string) {
	onlySensitive := c.onlySensitive()
	namespaces := c.only == nil || slices.Contains(c.only, namespaceNames)
	for list := range section.Map() {
		name := api.AttributeName(list.Key())
		asked := c.only == nil || onlySensitive || slices.Contains(c.only, name)
		besides := namespaces && name == referenceNames && c.namesNamespaces(d)
		if !asked && !besides {
			continue
		}
		list.Path = list.Key()
		for e := range list.List() {
			if onlySensitive && !e.Value.Get("sensitive").Exists() {
				continue
			}
			info, path := c.visitorInfo(d, name, e, prefix)
			if info == nil || !d.BuiltIn && !c.areFilled(name, path, e) {
				continue
			}
			if asked {
				c.add(info, path, c.level)
			}
			if besides {
				c.addNamespace(info, path)
			}
		}
	}
}

// The attributes of references and of the names of namespaces.
const (
	referenceNames api.AttributeName = "resource-name"
	namespaceNames api.AttributeName = "namespace-name-reference"
)

// namesNamespaces reports whether the references of a document may have a namespace beside the name.
// In the types of Kubernetes, the first file, few have, and those are listed.
func (c *typeCompiler) namesNamespaces(d document) bool {
	return d.TypesFile != &c.registry.files[0]
}

// addNamespace adds the path of the namespace that belongs to a reference: the reference itself if
// it refers to a Namespace, otherwise the field namespace beside name, secretNamespace beside
// secretName and so on, or the part namespace of a text with a part name.
func (c *typeCompiler) addNamespace(reference *api.PathVisitorInfo, path *yamlpath.Path) {
	if reference.Details == nil || reference.Details.NeededRequired[PropertyResourceType] == "" {
		return
	}
	text, isName := strings.CutSuffix(path.String(), "ame")
	switch part := path.EmbeddedPath(); {
	case reference.Details.NeededRequired[PropertyResourceType] == "v1/Namespace":
		text = path.String()
	case !isName || part != "" && (part != "name" || !hasPart(reference, "namespace")):
		return
	default:
		text += "amespace"
	}
	beside, err := yamlpath.Parse(text)
	if err != nil {
		return // cannot happen: only a key or a part is another one
	}
	info := &api.PathVisitorInfo{
		AttributeName: namespaceNames, DataType: api.DataTypeString, ExistingOnly: true,
		Path:                   api.UnresolvedPath(beside.String()),
		EmbeddedAccessorType:   reference.EmbeddedAccessorType,
		EmbeddedAccessorConfig: reference.EmbeddedAccessorConfig,
	}
	if _, known := c.entries[entryKey{namespaceNames, beside.NormalizedPath()}]; !known {
		c.add(info, beside, c.level)
	}
}

// areFilled reports a path with more %s than the functions of a built-in attribute fill in.
func (c *typeCompiler) areFilled(
	name api.AttributeName, path *yamlpath.Path, e strict.Value,
) bool {
	if path.Arguments() == 0 {
		return true
	}
	from, entry := c.registry.builtInAttribute(string(name))
	if !entry.Exists() {
		return true
	}
	filled := 0
	if description, ok := c.registry.describe(from, entry); ok {
		filled = len(description.Parameters) - 1
	}
	if path.Arguments() > filled {
		e.Fail("* in the place of a lookup or a key is every element",
			"path: it has %d %%s, but functions of attribute %s fill in %d", path.Arguments(),
			name, filled)
	}
	return path.Arguments() <= filled
}

// visitorInfo reads an entry of an attribute: a path, or a map with a path and what is known about
// its values. It returns nil if something is wrong with the entry.
func (c *typeCompiler) visitorInfo(
	d document, name api.AttributeName, e strict.Value, prefix string,
) (*api.PathVisitorInfo, *yamlpath.Path) {
	info := &api.PathVisitorInfo{AttributeName: name, DataType: c.registry.dataTypeOf(name)}
	if e.Kind() == gaby.Scalar { // only a path
		path := readPath(e, string(name), prefix)
		if path == nil {
			return nil, nil
		}
		if path.EmbeddedPath() != "" {
			e.Fail("", "%s: the path asks for an embedded part: {path, accessor} is expected", name)
			return nil, nil
		}
		info.Path = api.UnresolvedPath(path.String())
		return info, path
	}
	var details api.AttributeDetails
	path, accessor, ok := c.pathEntry(d, info, &details, e, prefix)
	switch {
	case !ok || lacks(e, "path", path == nil):
		return nil, nil
	case path.EmbeddedPath() != "" && !accessor:
		e.Fail("", "accessor: it is missing: path %s asks for an embedded part", path)
		return nil, nil
	case (info.EmbeddedAccessorType == api.EmbeddedAccessorRegexp ||
		info.EmbeddedAccessorType == api.EmbeddedAccessorLine) &&
		info.DataType != api.DataTypeString:
		e.Fail("", "dataType: a part that %s reaches is a string, not %s",
			info.EmbeddedAccessorType, info.DataType)
		return nil, nil
	case info.Arguments != nil && path.Arguments() > 0:
		e.Get("arguments").Fail("", "arguments: path %s has places for arguments (%%s)", path)
		return nil, nil
	}
	if info.Arguments != nil && c.arguments != nil {
		info.Arguments = c.arguments
	}
	if details.NeededRequired != nil || details.DefaultValue != nil || details.IsNeeded ||
		details.IsProvided || details.Description != "" {
		info.Details = &details
	}
	info.Path = api.UnresolvedPath(path.String())
	return info, path
}

// pathEntry reads the fields of an entry with a path. accessor says that it has an accessor, ok
// that nothing is wrong with the fields.
func (c *typeCompiler) pathEntry(
	d document, info *api.PathVisitorInfo, details *api.AttributeDetails, e strict.Value,
	prefix string,
) (path *yamlpath.Path, accessor, ok bool) {
	var dataType string
	var except, targets []string
	needed, upsert := false, true
	ok = reads(e, "an entry of "+string(info.AttributeName), pathBelow(prefix, &path),
		strict.OneOf("dataType", &dataType, "string", "int", "bool", "YAML", "[]string"),
		strict.Field{Name: "accessor", Read: func(v strict.Value) {
			name := v.Scalar()
			from, declared := c.lookUp(d, "accessors", name)
			if accessor = declared.Exists(); !accessor {
				v.Fail(hintFor(name, c.names("accessors")),
					"accessor: there is no accessor %s", name)
				return
			}
			info.EmbeddedAccessorType, info.EmbeddedAccessorConfig = accessorOf(from, declared)
		}},
		strict.Field{Name: "target", Read: func(v strict.Value) {
			types := []string{}
			if v.Kind() == gaby.List {
				texts("", &types).Read(v)
			} else {
				types = append(types, v.Scalar())
			}
			targets = c.withVersions(types)
		}},
		textMap("required", &details.NeededRequired),
		strict.Field{Name: "default", Read: func(v strict.Value) {
			details.DefaultValue = v.Data()
		}},
		strict.Bool("needed", &needed),
		strict.Bool("provided", &details.IsProvided),
		strict.Bool("sensitive", &info.Sensitive),
		texts("except", &except),
		text("description", &details.Description),
		texts("arguments", &info.Arguments),
		strict.Bool("upsert", &upsert),
		strict.Field{Name: "where", Read: func(v strict.Value) {
			info.Where = v.Scalar()
			if d.BuiltIn {
				return // a test parses those
			}
			if _, err := where.Parse(info.Where); err != nil {
				v.Fail("", "where: %v", err)
			}
		}})
	info.DataType = cmp.Or(api.DataType(dataType), info.DataType)
	info.ExistingOnly = !upsert
	for _, t := range except {
		info.TypeExceptions = append(info.TypeExceptions, api.ResourceType(t))
	}
	if details.IsProvided {
		details.ProvidedProperties = map[string]string{PropertyResourceType: string(c.of)}
	}
	details.IsNeeded = needed || targets != nil || details.NeededRequired != nil
	if targets != nil {
		slices.Sort(targets)
		if details.NeededRequired == nil {
			details.NeededRequired = map[string]string{}
		}
		details.NeededRequired[PropertyResourceType] = strings.Join(targets, ",")
	}
	if len(details.NeededRequired) == 0 {
		details.NeededRequired = nil
	}
	return path, accessor, ok
}

// accessorOf reads the declaration of an accessor.
func accessorOf(d document, declared gaby.Value) (api.EmbeddedAccessorType, string) {
	var kind, config string
	v := d.at(declared)
	ok := reads(v, "an entry of accessors",
		strict.OneOf("type", &kind, "Regexp", "Line", "JSON", "YAML", "Text"), text("config", &config))
	if ok && !d.BuiltIn { // a test compiles the built-in ones
		if _, err := yamlpath.NewAccessor(api.EmbeddedAccessorType(kind), config); err != nil {
			v.Fail("", "accessors: %v", err)
		}
	}
	return api.EmbeddedAccessorType(kind), config
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
	c.entries[key] = &registeredPath{info, level}
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
			cmp.Compare(c.registry.rank(a.attribute), c.registry.rank(b.attribute)),
			cmp.Compare(a.attribute, b.attribute))
	})
	var needed, provided api.UnresolvedPath // path of the last one
	for _, key := range keys {
		e := c.entries[key]
		k.attributes[key.attribute] = append(k.attributes[key.attribute], e.info)
		if _, taken := k.lookup[key.path]; !taken &&
			c.registry.rank(key.attribute) != neverReported {
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

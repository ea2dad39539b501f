package mutation

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
)

// This file converts between changes and mutations. Mutations are serialized, so their values are
// text and two things are expressed differently: a map that was or became empty has one Update with
// the whole value instead of an entry per key, and list elements may be named by index (read only,
// never written).

// mutationsOf converts changes to mutations.
func mutationsOf(
	changes []*resourceChange, provider configkit.ResourceProvider,
) api.ResourceMutationList {
	list := make(api.ResourceMutationList, len(changes))
	for i, r := range changes {
		list[i] = r.mutation(provider)
	}
	return list
}

// mutation converts a change to a mutation.
func (r *resourceChange) mutation(provider configkit.ResourceProvider) api.ResourceMutation {
	m := api.ResourceMutation{
		Resource: r.resource,
		ResourceMutationInfo: api.MutationInfo{
			MutationType: r.op, Index: r.index, Protected: r.protected,
		},
		PathMutationMap: make(api.MutationMap, len(r.paths)+len(r.whole)),
	}
	switch r.op {
	case api.MutationTypeAdd, api.MutationTypeReplace:
		m.ResourceMutationInfo.Value = documentText(r.after, r.value)
	case api.MutationTypeDelete:
		m.ResourceMutationInfo.Value = documentText(r.before, r.value)
	}
	for _, p := range r.paths {
		if !p.folded {
			m.PathMutationMap[api.ResolvedPath(p.path.String())] = p.info(true)
		}
	}
	for i := range r.whole {
		m.PathMutationMap[api.ResolvedPath(r.whole[i].path.String())] = r.whole[i].info(true)
	}
	for _, o := range r.orders {
		path := api.ResolvedPath(o.path.String())
		setIn(&m.ArrayOrders, path, o.keys)
		if o.appended {
			setIn(&m.Appended, path, true)
		}
	}
	for _, e := range r.renames {
		path := api.ResolvedPath(e.path.String())
		names := m.ArrayElementAliases[path]
		setIn(&names, e.old, e.now)
		setIn(&m.ArrayElementAliases, path, names)
	}
	if len(r.names) < 2 {
		return m // a single name is the resource's own and needs no alias
	}
	short := map[api.ResourceName]struct{}{}
	for _, name := range r.names {
		setIn(&m.Aliases, name, struct{}{})
		short[provider.RemoveScopeFromResourceName(name)] = struct{}{}
	}
	if len(short) > 1 {
		m.AliasesWithoutScopes = short
	}
	return m
}

// setIn sets a value in a map, which is created if it is nil.
func setIn[M ~map[K]V, K comparable, V any](m *M, key K, value V) {
	if *m == nil {
		*m = M{}
	}
	(*m)[key] = value
}

// info converts a change to its API form. previous says whether to include the old value.
func (c *change) info(previous bool) api.MutationInfo {
	return c.infoOf(valueText(c.value), previous)
}

// infoOf is info for a change whose value has the given text.
func (c *change) infoOf(text string, previous bool) api.MutationInfo {
	info := api.MutationInfo{
		MutationType: c.op, Index: c.index, Value: text, Patch: c.patch,
		Protected: c.protected,
	}
	if c.op == api.MutationTypeUpdate && c.old.Exists() {
		if previous {
			info.Previous = valueText(c.old)
		}
		if info.Patch == "" {
			info.Patch = textPatch(c.old, c.value)
		}
	}
	return info
}

// documentText returns the text of a resource including the comments before and after it, which its
// value does not have.
func documentText(doc *gaby.YamlDoc, v gaby.Value) string {
	if doc == nil {
		return valueText(v)
	}
	text := doc.Content()
	if strings.HasSuffix(text, "\n") {
		return text
	}
	ended, err := gaby.ParseYAML(doc.BytesWithNewline())
	if err != nil {
		return writtenText(gaby.WithComments(v), v)
	}
	return ended.Content()
}

// valueText returns the YAML of v as a document of its own, with a final newline.
func valueText(v gaby.Value) string {
	if !v.Exists() {
		return ""
	}
	text := v.YAML()
	if v.Kind() == gaby.Scalar && (text == "" || strings.IndexByte("|>-.%", text[0]) >= 0) {
		// Text that begins like this may mean something else at the beginning of a document.
		if again, err := gaby.ParseYAML([]byte(text + "\n")); err != nil ||
			!again.Value().Equal(v) {
			return string(mutationpath.AppendCanonicalJSON(nil, v)) + "\n"
		}
	}
	return text + "\n"
}

// changesOf converts mutations to changes. Errors are *api.Failure, joined, each with its resource
// and path.
func changesOf(
	list api.ResourceMutationList, provider configkit.ResourceProvider,
) ([]*resourceChange, error) {
	changes := make([]*resourceChange, 0, len(list))
	var problems []error
	for i := range list {
		r, err := changeOf(&list[i], provider)
		if m := &list[i].Resource; m.ResourceType == "" ||
			m.ResourceName == "" && m.ResourceMergeID == "" {
			problems = append(problems, &api.Failure{Class: api.FailureUsage, Message: fmt.Sprintf(
				"mutation %d: Resource has no ResourceType or no ResourceName", i+1,
			)})
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		changes = append(changes, r)
	}
	return changes, errors.Join(problems...)
}

// changeOf converts a mutation to a change. It reports all invalid entries, not just the first.
func changeOf(
	m *api.ResourceMutation, provider configkit.ResourceProvider,
) (*resourceChange, error) {
	r := &resourceChange{resource: completed(m.Resource, provider)}
	var problems []error
	read := func(info api.MutationInfo, path api.ResolvedPath) change {
		c := change{
			op: info.MutationType, index: info.Index, protected: info.Protected, patch: info.Patch,
			merging: true,
		}
		problem := func(format string, args ...any) {
			f := &api.Failure{
				Class: api.FailureUsage, Resource: m.Resource.String(), Path: string(path),
				Message: fmt.Sprintf(format, args...),
			}
			if path != "" {
				f.Message = fmt.Sprintf("path %s: %s", path, f.Message)
			}
			problems = append(problems, f)
		}
		switch {
		case c.op == api.MutationTypeNone, c.op == "":
			c.op = api.MutationTypeNone
		case c.op == api.MutationTypeDelete:
			// Any old value goes.
		case c.op == api.MutationTypeUpdate && path == "":
			// The values of an updated resource are in PathMutationMap.
		case c.op == api.MutationTypeAdd, c.op == api.MutationTypeUpdate,
			c.op == api.MutationTypeReplace:
			doc, err := gaby.ParseYAML([]byte(info.Value))
			if err != nil {
				problem("the value of the mutation: %v", err)
			} else if c.value = doc.Value(); path == "" {
				r.after = doc // with its comments
			}
		default:
			problem("unknown mutation type %q", c.op)
		}
		return c
	}
	r.change = read(m.ResourceMutationInfo, "")
	for _, path := range sortedPaths(m.PathMutationMap) {
		if isCommentPath(path) {
			continue
		}
		r.paths = append(
			r.paths,
			&pathChange{path: mutationpath.Parse(path), change: read(m.PathMutationMap[path],
				path)},
		)
	}
	for _, path := range slices.Sorted(maps.Keys(m.ArrayOrders)) {
		r.orders = append(
			r.orders, arrayOrder{path: mutationpath.Parse(path), keys: m.ArrayOrders[path]},
		)
	}
	for _, path := range slices.Sorted(maps.Keys(m.ArrayElementAliases)) {
		for _, old := range slices.Sorted(maps.Keys(m.ArrayElementAliases[path])) {
			r.renames = append(r.renames, elementRename{
				path: mutationpath.Parse(path), old: old, now: m.ArrayElementAliases[path][old],
			})
		}
	}
	r.names = slices.Sorted(maps.Keys(m.Names()))
	if !slices.Contains(r.names, m.Resource.ResourceName) {
		r.names = append(r.names, m.Resource.ResourceName)
	}
	return r, errors.Join(problems...)
}

// sortedPaths returns the paths of m, parents first and numbers by value.
func sortedPaths(m api.MutationMap) []api.ResolvedPath {
	paths := slices.Collect(maps.Keys(m))
	slices.SortFunc(paths, func(a, b api.ResolvedPath) int {
		x, y := strings.Split(string(a), "."), strings.Split(string(b), ".")
		for i := range min(len(x), len(y)) {
			m, isNumber := parseIndex(x[i])
			n, areNumbers := parseIndex(y[i])
			c := strings.Compare(x[i], y[i])
			if isNumber && areNumbers {
				c = cmp.Compare(m, n)
			}
			if c != 0 {
				return c
			}
		}
		return len(x) - len(y)
	})
	return paths
}

// completed fills in the fields that users omit.
func completed(r api.ResourceInfo, provider configkit.ResourceProvider) api.ResourceInfo {
	if r.ResourceNameWithoutScope == "" {
		r.ResourceNameWithoutScope = provider.RemoveScopeFromResourceName(r.ResourceName)
	}
	if r.ResourceCategory == "" {
		r.ResourceCategory = provider.DefaultResourceCategory()
	}
	return r
}

// isCommentPath reports whether other programs keep a comment under path. Here comments are part of
// the text of values.
func isCommentPath(path api.ResolvedPath) bool {
	return strings.HasPrefix(string(path), "$comment$") ||
		strings.Contains(string(path), ".$comment$")
}

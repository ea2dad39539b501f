package sensitive

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// mutationValues is the JSON form of a mutation or conflict, as far as it has values.
type mutationValues struct {
	Resource             api.ResourceInfo
	ResourceMutationInfo struct{ Value string } // a whole resource
	PathMutationMap      map[api.ResolvedPath]struct{ Value, Previous string }
	Path                 api.ResolvedPath
	Source, Target       struct{ Value string }
}

// changesIn parses mutations or conflicts in JSON. For any other text it returns none.
func changesIn(data []byte) (all []mutationValues) {
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) || json.Unmarshal(data, &all) != nil {
		return nil
	}
	return all
}

// wholeResources returns the text of each resource that mutations add or replace.
func wholeResources(texts [][]byte) (resources [][]byte) {
	for _, data := range texts {
		for _, c := range changesIn(data) {
			if c.ResourceMutationInfo.Value != "" {
				resources = append(resources, []byte(c.ResourceMutationInfo.Value))
			}
		}
	}
	return resources
}

// addChanges adds the secret values in the mutations or conflicts of a text.
func (v *Values) addChanges(t *text) {
	for _, c := range changesIn(t.data) {
		values := map[api.ResolvedPath][]string{c.Path: {c.Source.Value, c.Target.Value}}
		for path, m := range c.PathMutationMap {
			values[path] = append(values[path], m.Value, m.Previous)
		}
		for path, list := range values {
			if v.provider.Sensitive(c.Resource.ResourceType, path) == configkit.NotSensitive {
				continue
			}
			for _, value := range list {
				t.addScalars(value)
			}
		}
	}
}

// addScalars adds the scalars of a YAML value.
func (t *text) addScalars(value string) {
	doc, err := gaby.ParseYAML([]byte(value))
	if value == "" || err != nil {
		return
	}
	var add func(gaby.Value)
	add = func(v gaby.Value) {
		if v.Kind() == gaby.Scalar {
			t.quoted = append(t.quoted, v.Text())
		}
		for _, entry := range v.All() {
			add(entry)
		}
	}
	add(doc.Value())
}

// Mutations returns mutations without the secret values in them.
func (v *Values) Mutations(list api.ResourceMutationList) api.ResourceMutationList {
	if v == nil {
		return list
	}
	all := make(api.ResourceMutationList, len(list))
	for i, m := range list {
		resource := m.Resource
		for was := range m.Aliases { // a Secret may have become another resource
			if v.secret[string(was)] != "" {
				resource.ResourceName = was
			}
		}
		masked := func(path api.ResolvedPath, info api.MutationInfo) api.MutationInfo {
			previous := v.Copied(v.Value(resource, path, info.Previous))
			value := v.wrote(v.Copied(v.Value(resource, path, info.Value)), previous)
			if value != info.Value || previous != info.Previous {
				info.Value, info.Previous, info.Patch = value, previous, ""
			}
			return info
		}
		m.ResourceMutationInfo = masked("", m.ResourceMutationInfo)
		paths := make(api.MutationMap, len(m.PathMutationMap))
		for path, info := range m.PathMutationMap { // a program may use a value as a key or name
			paths[api.ResolvedPath(v.Copied(string(path)))] = masked(path, info)
		}
		m.PathMutationMap = paths
		m.Resource.ResourceType = api.ResourceType(v.Copied(string(m.Resource.ResourceType)))
		if len(m.Aliases) > 1 {
			name := v.Copied(string(m.Resource.ResourceName))
			if name != string(m.Resource.ResourceName) {
				m.Resource.ResourceName, m.Aliases = api.ResourceName(name), nil
				m.Resource.ResourceNameWithoutScope, m.AliasesWithoutScopes = api.ResourceName(name), nil
			}
		}
		all[i] = m
	}
	return all
}

// wrote returns the value of a mutation with the values masked that the change copied there. What a
// previous value has, too, was not copied.
func (v *Values) wrote(value, previous string) string {
	if v.written == nil || v.written.Mask(previous) != previous {
		return value
	}
	return v.written.Mask(value)
}

// Conflict returns a conflict without the secret values in it.
func (v *Values) Conflict(c api.MutationConflict) api.MutationConflict {
	c.Source.Value = v.Copied(v.Value(c.Resource, c.Path, c.Source.Value))
	if c.Target != nil {
		target := *c.Target
		target.Value = v.Copied(v.Value(c.Resource, c.Path, target.Value))
		c.Target = &target
	}
	return c
}

// Invocation returns a function without the secret values in its arguments.
func (v *Values) Invocation(i api.FunctionInvocation) api.FunctionInvocation {
	if v == nil {
		return i
	}
	i.Arguments = slices.Clone(i.Arguments)
	for k := range i.Arguments {
		i.Arguments[k].Value = v.data(i.Arguments[k].Value)
	}
	return i
}

package generic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// Part returns a value as [yamlkit.Merge] takes it.
func Part(v gaby.Value) any {
	switch v.Kind() {
	case gaby.Map:
		entries := gaby.Entries{}
		for _, e := range v.All() {
			entries = append(entries, gaby.Entry{Key: e.Key(), Value: Part(e)})
		}
		return entries
	case gaby.List:
		items := []any{}
		for _, e := range v.All() {
			items = append(items, Part(e))
		}
		return items
	}
	return v.Data()
}

// MergeOptions say how a part is merged into a resource.
type MergeOptions struct {
	Plain   bool // lists are replaced, as in a JSON Merge Patch
	Guarded bool // among several resources, only values that the type has are created
}

// Merge merges a part of a resource into it, as [yamlkit.Merge] does.
func (m *Merging) Merge(
	doc *gaby.YamlDoc, info *api.ResourceInfo, part gaby.Entries, o MergeOptions,
) error {
	var keys *configkit.MergeKeyTree
	if !o.Plain {
		keys = m.provider.MergeKeys(info.ResourceType)
	}
	if path, key := unkeyed(part, keys, nil); key != "" {
		return fmt.Errorf("element %s of the patch needs %s, to find the element that it changes; "+
			"an element $patch: replace replaces the list", strings.Join(path, "."), key)
	}
	var may func([]string) bool
	if o.Guarded {
		may = func(segments []string) bool { return m.May(doc, info.ResourceType, segments) }
	}
	return yamlkit.Merge(doc, keys, part, may)
}

// unkeyed returns the path of the first element of a list with a merge key that lacks the key.
func unkeyed(part any, keys *configkit.MergeKeyTree, path []string) (at []string, key string) {
	if keys == nil {
		return nil, ""
	}
	switch v := part.(type) {
	case gaby.Entries:
		for _, e := range v {
			if at, key := unkeyed(e.Value, keys.Child(e.Key), append(path, e.Key)); key != "" {
				return at, key
			}
		}
	case []any:
		replaced := slices.ContainsFunc(v, func(item any) bool {
			element, _ := item.(gaby.Entries)
			return len(element) == 1 && element[0].Key == "$patch"
		})
		for i, item := range v {
			element, isMap := item.(gaby.Entries)
			below := append(slices.Clip(path), strconv.Itoa(i))
			if len(keys.Keys) > 0 && isMap && !replaced && !slices.ContainsFunc(element,
				func(e gaby.Entry) bool { return e.Key == keys.Keys[0] && e.Value != nil }) {
				return below, keys.Keys[0]
			}
			if at, key := unkeyed(item, keys.Child("*"), below); key != "" {
				return at, key
			}
		}
	}
	return nil, ""
}

// isWhole reports whether set-path merges a map into the resources themselves.
func isWhole(args handler.Arguments) bool { return args.String(parameterPath) == "." }

// mergeWhole merges a map into the selected resources and returns their number.
func mergeWhole(
	c *handler.Call, provider configkit.ResourceProvider, value *gaby.YamlDoc,
) (resources int, err error) {
	merging := NewMerging(c.FunctionContext, provider)
	defer merging.Report()
	part, _ := Part(value.Value()).(gaby.Entries)
	err = yamlkit.EachDocument(c.Docs, provider,
		func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
			resources++
			return merging.Merge(doc, info, part, MergeOptions{Guarded: true})
		})
	return resources, err
}

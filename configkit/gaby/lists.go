package gaby

import (
	"cmp"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// listItems returns the items of a list of resources as documents, nil if doc is not such a list.
func listItems(doc *YamlDoc) Container {
	h, err := doc.Header()
	if err != nil || !h.mayList() || doc.Check() != nil {
		return nil
	}
	items := doc.v.Get("items")
	if items.Kind() != List {
		return nil
	}
	var c Container
	for _, item := range items.All() {
		if item.Kind() != Map || !h.lists(item) {
			return nil
		}
		c = append(c, &YamlDoc{v: item})
	}
	return c
}

// mayList reports whether the kind may be that of a list. Only v1/List has no item type in its
// name.
func (h *Header) mayList() bool {
	return strings.HasSuffix(h.Kind, stream.ListSuffix) && h.APIVersion != "" &&
		(h.Kind != stream.ListSuffix || h.APIVersion == "v1")
}

// lists reports whether an entry of items is a resource rather than a part of the resource with
// this header. A list has no name.
func (h *Header) lists(item Value) bool {
	kind := stringText(item.Get("kind"))
	if h.Kind == stream.ListSuffix || kind != "" && stringText(item.Get("apiVersion")) != "" {
		return true
	}
	return h.Name == "" && h.GenerateName == "" && (kind == "" || kind+stream.ListSuffix == h.Kind) &&
		item.Get("metadata").Kind() == Map
}

// completeHeader fills in the apiVersion and kind that an item lacks because its list states them
// for all items. A ResourceList, which KRM functions exchange, says nothing about its items.
func (d *YamlDoc) completeHeader(h *Header) {
	list := d.v.d.cursor(0)
	kind, typed := strings.CutSuffix(stringText(list.Get("kind")), stream.ListSuffix)
	if items := list.Get("items"); !typed || kind == "" || kind == "Resource" || !items.Exists() ||
		items.node() != d.v.owner {
		return
	}
	h.Kind = cmp.Or(h.Kind, kind)
	h.APIVersion = cmp.Or(h.APIVersion, stringText(list.Get("apiVersion")))
}

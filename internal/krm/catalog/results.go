package catalog

import (
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/internal/krm"
)

// info appends a result without a resource.
func info(list *krm.ResourceList, message string) {
	list.Results = append(list.Results, krm.Result{Message: message, Severity: krm.SeverityInfo})
}

// about returns a result about a field of an item.
func about(item *krm.Item, severity krm.Severity, path []string, message string) krm.Result {
	r := krm.Result{Message: message, Severity: severity, ResourceRef: reference(item)}
	if len(path) > 0 {
		r.Field = &krm.Field{Path: fieldPath(path)}
	}
	if item.Path != "" {
		r.File = &krm.FileRef{Path: item.Path, Index: max(item.Index, 0)}
	}
	return r
}

func reference(item *krm.Item) *krm.ResourceRef {
	h, err := item.Doc.Header()
	if err != nil || h.Kind == "" {
		return nil
	}
	return &krm.ResourceRef{
		APIVersion: h.APIVersion, Kind: h.Kind, Name: h.Name, Namespace: h.Namespace,
	}
}

// fieldPath returns a path as results have it: dots, and indexes in brackets.
func fieldPath(path []string) string {
	var b strings.Builder
	for _, s := range path {
		if _, err := strconv.Atoi(s); err == nil && b.Len() > 0 {
			b.WriteString("[" + s + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(s)
	}
	return b.String()
}

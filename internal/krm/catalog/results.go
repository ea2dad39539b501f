package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
)

// info appends a result without a resource.
func info(list *krm.ResourceList, format string, args ...any) {
	list.Results = append(list.Results, fnresult.Result{
		Message: fmt.Sprintf(format, args...), Severity: fnresult.SeverityInfo,
	})
}

// report appends a result about a field of an item.
func report(list *krm.ResourceList, item *krm.Item, severity fnresult.Severity, path []string,
	format string, args ...any,
) {
	list.Results = append(list.Results, about(item, severity, path, fmt.Sprintf(format, args...)))
}

// each calls edit for items, and returns what is wrong with them.
func each(items []*krm.Item, edit func(*krm.Item) error) error {
	var problems []error
	for _, item := range items {
		if err := edit(item); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", item, err))
		}
	}
	return errors.Join(problems...)
}

// checkIdentities returns an error if an item has no name, or another has the same type, namespace
// and name. Of lists no name is expected.
func checkIdentities(items []*krm.Item) error {
	seen := map[gaby.Header]bool{}
	return each(items, func(item *krm.Item) error {
		h, err := item.Doc.Header()
		switch {
		case err != nil || h.Kind == "" || strings.HasSuffix(h.Kind, "List"):
			return err
		case h.Name == "":
			return errors.New("metadata.name is missing")
		}
		h.Namespace, h.GenerateName = cmp.Or(h.Namespace, defaultNamespace), ""
		if seen[h] {
			return errors.New("another resource has this type, namespace and name")
		}
		seen[h] = true
		return nil
	})
}

// about returns a result about a field of an item.
func about(item *krm.Item, severity fnresult.Severity, path []string, message string) fnresult.Result {
	r := fnresult.Result{Message: message, Severity: severity, ResourceRef: reference(item)}
	if len(path) > 0 {
		r.Field = &fnresult.ResultField{Path: fieldPath(path)}
	}
	if item.Path != "" {
		r.File = &fnresult.FileRef{Path: item.Path, Index: max(item.Index, 0)}
	}
	return r
}

func reference(item *krm.Item) *fnresult.ResourceRef {
	h, err := item.Doc.Header()
	if err != nil || h.Kind == "" {
		return nil
	}
	return &fnresult.ResourceRef{
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

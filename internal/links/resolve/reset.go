package resolve

import (
	"errors"
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/formula"
)

// Reset returns data with the placeholders that the automatic bindings of a link have replaced. A
// value that somebody edited since, or that is gone, stays as it is; kept are the paths of these.
func Reset(
	x *functions.Executor, t api.ToolchainType, data []byte, l *entity.Link,
) (reset []byte, kept []string, err error) {
	f, docs, all, err := read(x, t, data)
	if err != nil {
		return nil, nil, err
	}
	// The last binding first: an earlier one may be about the namespace in the name of the
	// resource.
	for i := len(l.Bindings) - 1; i >= 0; i-- {
		b := &l.Bindings[i]
		if !b.AutoUpdate || b.OriginalValue == nil || b.NeededResource == nil {
			continue
		}
		done := false
		for _, target := range unscoped(all, b.NeededResource) {
			now, found, err := target.read(b.NeededPath)
			if err != nil || !found || !sameText(now, b.LastValue) {
				continue
			}
			value := native(b.OriginalValue)
			if f, ok := value.(float64); ok {
				value = int(f) // JSON has no integers
			}
			if _, err := target.write(b.NeededPath, value); err != nil {
				if e, ok := errors.AsType[*entity.Error](err); ok {
					return nil, nil, fmt.Errorf("%s: %s", &target.info, e.Message)
				}
				return nil, nil, err
			}
			done = true
		}
		if !done {
			kept = append(kept, b.NeededPath+" of "+b.NeededResource.String())
		}
	}
	reset, err = f.converter.DocumentsToNative(docs)
	return reset, kept, err
}

// sameText reports whether two scalars have the same text. One may come from JSON.
func sameText(a, b any) bool {
	textA, errA := formula.Text(a)
	textB, errB := formula.Text(b)
	return errA == nil && errB == nil && textA == textB
}

// ValueAt returns the value at a path of a mutation in data, as YAML; "" if it is missing. The
// resource is found by its type and its name without the scope.
func ValueAt(
	x *functions.Executor, t api.ToolchainType, data []byte, about *api.ResourceInfo,
	path api.ResolvedPath,
) string {
	_, _, all, err := read(x, t, data)
	if err != nil {
		return ""
	}
	for _, found := range unscoped(all, about) {
		value, ok, err := found.read(mutation.PlainPath(path))
		if err != nil || !ok {
			continue
		}
		if text, err := entity.YAML(value); err == nil {
			return string(text)
		}
	}
	return ""
}

// unscoped returns the resources of the type and the name of another one, in any scope.
func unscoped(all []resource, about *api.ResourceInfo) []resource {
	if len(all) == 0 {
		return nil
	}
	return selectResources(all, entity.ResourceReference{
		ResourceType: about.ResourceType,
		ResourceName: all[0].provider.RemoveScopeFromResourceName(about.ResourceName),
	})
}

package session

import (
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// ParseReference parses TYPE:RESOURCE:PATH. The path may be empty.
func ParseReference(text string) (entity.ResourceReference, string, error) {
	of, rest, ok := strings.Cut(text, ":")
	name, path, ok2 := strings.Cut(rest, ":")
	if !ok || !ok2 || of == "" || name == "" {
		return entity.ResourceReference{}, "", diag.UsageHint(
			"for example apps/v1/Deployment:shop/web:spec.replicas",
			"TYPE:RESOURCE:PATH is expected, not %q", text)
	}
	return entity.ResourceReference{
		ResourceType: api.ResourceType(of), ResourceName: api.ResourceName(name),
	}, path, nil
}

// InfoOf returns a reference as the resource of a binding.
func InfoOf(r entity.ResourceReference) *api.ResourceInfo {
	name := string(r.ResourceName)
	return &api.ResourceInfo{
		ResourceType: r.ResourceType, ResourceName: r.ResourceName,
		ResourceNameWithoutScope: api.ResourceName(name[strings.LastIndex(name, "/")+1:]),
	}
}

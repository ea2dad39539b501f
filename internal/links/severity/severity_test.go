package severity_test

import (
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/severity"
)

func TestOf(t *testing.T) {
	conflict := api.MutationConflict{
		Reason: api.ConflictSubtracted,
		Resource: api.ResourceInfo{
			ResourceType: "apps/v1/Deployment", ResourceName: "shop/web",
			ResourceNameWithoutScope: "web",
		},
		Path: "spec.template.spec.containers.?name=app;@0.image",
	}
	ignore := entity.SeverityIgnore
	for name, c := range map[string]struct {
		rule entity.ConflictRule
		want bool
	}{
		"everything": {entity.ConflictRule{}, true},
		"path":       {entity.ConflictRule{Path: string(conflict.Path)[:20]}, false},
		"above":      {entity.ConflictRule{Path: "spec.template"}, true},
		"below": {
			entity.ConflictRule{Path: "spec.template.spec.containers.*.image.x"},
			false,
		},
		"any element": {entity.ConflictRule{Path: "spec.template.spec.containers.*.image"}, true},
		"element":     {entity.ConflictRule{Path: "spec.template.spec.containers.?name=app"}, true},
		"position":    {entity.ConflictRule{Path: "spec.template.spec.containers.0.image"}, true},
		"other element": {
			entity.ConflictRule{Path: "spec.template.spec.containers.?name=b"},
			false,
		},
		"type":         {entity.ConflictRule{ResourceType: "apps/v1/Deployment"}, true},
		"other type":   {entity.ConflictRule{ResourceType: "v1/Service"}, false},
		"name":         {entity.ConflictRule{ResourceName: "web"}, true},
		"full name":    {entity.ConflictRule{ResourceName: "shop/web"}, true},
		"other name":   {entity.ConflictRule{ResourceName: "prod/web"}, false},
		"reason":       {entity.ConflictRule{Reason: api.ConflictSubtracted}, true},
		"other reason": {entity.ConflictRule{Reason: api.ConflictBothAdded}, false},
		"type, not path": {
			entity.ConflictRule{ResourceType: "apps/v1/Deployment", Path: "spec.x"},
			false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.rule.Severity = ignore
			got := severity.Of([]entity.ConflictRule{c.rule}, &conflict)
			if (got == ignore) != c.want {
				t.Errorf("got %s", got)
			}
		})
	}
	first := []entity.ConflictRule{{Severity: entity.SeverityError}, {Severity: ignore}}
	if got := severity.Of(first, &conflict); got != entity.SeverityError {
		t.Errorf("got %s, want that of the first rule", got)
	}
}

func TestAtLeast(t *testing.T) {
	if !severity.AtLeast(entity.SeverityError, entity.SeverityWarning) ||
		severity.AtLeast(entity.SeverityNote, entity.SeverityWarning) {
		t.Error("the order of severities is wrong")
	}
}

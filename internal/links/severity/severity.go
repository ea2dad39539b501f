// Package severity says how severe conflicts of merges are, by the rules of a workspace: per path,
// resource and reason.
//
// Layer: systems.
package severity

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// Of returns the severity of a conflict: that of the first rule that matches, a warning without
// one.
func Of(rules []entity.ConflictRule, c *api.MutationConflict) entity.Severity {
	for i := range rules {
		if matches(&rules[i], c) {
			return rules[i].Severity
		}
	}
	return entity.SeverityWarning
}

// AtLeast reports whether a severity is least or more severe.
func AtLeast(s, least entity.Severity) bool {
	all := entity.Severities()
	return slices.Index(all, s) >= slices.Index(all, least)
}

// Select returns the conflicts that are at least so severe.
func Select(
	rules []entity.ConflictRule, all api.MutationConflictList, least entity.Severity,
) api.MutationConflictList {
	return slices.DeleteFunc(slices.Clone(all), func(c api.MutationConflict) bool {
		return !AtLeast(Of(rules, &c), least)
	})
}

func matches(rule *entity.ConflictRule, c *api.MutationConflict) bool {
	if rule.Reason != "" && rule.Reason != c.Reason ||
		rule.ResourceType != "" && rule.ResourceType != c.Resource.ResourceType {
		return false
	}
	if name := rule.ResourceName; name != "" && name != c.Resource.ResourceName &&
		name != c.Resource.ResourceNameWithoutScope {
		return false
	}
	return rule.Path == "" || below(rule.Path, string(c.Path))
}

// below reports whether a path of a mutation is at or below a pattern. A * in the pattern matches
// one segment. The hints of positions in the path, after ;@, do not count.
func below(pattern, path string) bool {
	segments := strings.Split(path, ".")
	for i, want := range strings.Split(pattern, ".") {
		if i == len(segments) {
			return false
		}
		key, at, _ := strings.Cut(segments[i], ";@")
		if want != "*" && want != key && want != at {
			return false
		}
	}
	return true
}

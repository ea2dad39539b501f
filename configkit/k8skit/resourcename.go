package k8skit

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
)

// nameRule describes the resource names that Kubernetes accepts.
type nameRule struct {
	what    string
	pattern string
	longest int
}

// ruleOfName returns the rule for names of a type. The rules are those of the API server's
// validation: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/.
func ruleOfName(t api.ResourceType) nameRule {
	apiVersion, kind := cutLast(string(t))
	group, _ := cutLast(apiVersion)
	switch {
	case group == "" && kind == "Namespace":
		return nameRule{
			"a DNS label: lower-case letters, digits and '-', with a letter or digit at both ends",
			`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, 63,
		}
	case group == "" && kind == "Service":
		return nameRule{
			"a DNS label that begins with a letter: lower-case letters, digits and '-'",
			`^[a-z]([-a-z0-9]*[a-z0-9])?$`, 63,
		}
	case group == "rbac.authorization.k8s.io", group == "apiregistration.k8s.io":
		return nameRule{
			"a part of a path: no '/' and no '%', and neither '.' nor '..'", `^[^/%]+$`, 253,
		}
	}
	longest := 253
	switch {
	case group == "batch" && kind == "Job": // the name becomes a label of its pods
		longest = 63
	case group == "batch" && kind == "CronJob": // names of its jobs are 11 bytes longer
		longest = 52
	}
	return nameRule{
		"a DNS name: lower-case letters, digits, '-' and '.', with a letter or digit at both " +
			"ends of each part",
		`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`, longest,
	}
}

// nameChecks caches compiled name patterns.
type nameChecks struct {
	mu       sync.Mutex
	compiled map[string]*regexp.Regexp
}

func (c *nameChecks) match(pattern, name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.compiled[pattern] == nil {
		if c.compiled == nil {
			c.compiled = map[string]*regexp.Regexp{}
		}
		c.compiled[pattern] = regexp.MustCompile(pattern)
	}
	return c.compiled[pattern].MatchString(name)
}

// CheckResourceName rejects a name that Kubernetes does not accept for a resource of a type.
func (p *ResourceProvider) CheckResourceName(t api.ResourceType, name string) error {
	rule := ruleOfName(t)
	if len(name) <= rule.longest && name != "." && name != ".." &&
		p.names.match(rule.pattern, name) {
		return nil
	}
	shown := name
	if len(name) > 80 {
		shown = name[:80] + "..."
	}
	kind := configkit.KindOf(t)
	return fmt.Errorf(
		"%q cannot be the name of %s %s, which is %s, and at most %d bytes long", shown,
		article(kind), kind, rule.what, rule.longest,
	)
}

func article(kind string) string {
	if kind != "" && strings.Contains("AEIO", kind[:1]) {
		return "an"
	}
	return "a"
}

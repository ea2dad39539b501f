package k8skit_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/k8skit"
)

func TestCheckResourceName(t *testing.T) {
	p := k8skit.New()
	for _, c := range []struct {
		of      api.ResourceType
		good    []string
		refused []string
	}{
		{
			"v1/ConfigMap",
			[]string{"a", "kube-root-ca.crt", "1", strings.Repeat("a", 253)},
			[]string{"", "A", "a_b", "-a", "a-", "a..b", "a.-b", "a/b", strings.Repeat("a", 254)},
		},
		{"example.com/v1/Widget", []string{"a.b"}, []string{"New_Name"}},
		{
			"v1/Service",
			[]string{"web", "w2"},
			[]string{"2nd", "a.b", "web-", strings.Repeat("a", 64)},
		},
		{"v1/Namespace", []string{"2nd"}, []string{"a.b", strings.Repeat("a", 64)}},
		{
			"rbac.authorization.k8s.io/v1/Role",
			[]string{"system:web", "A b", "..."},
			[]string{".", "..", "a/b", "a%b", ""},
		},
		{
			"batch/v1/CronJob",
			[]string{"a.b", strings.Repeat("a", 52)},
			[]string{strings.Repeat("a", 53)},
		},
		{"batch/v1/Job", []string{strings.Repeat("a", 63)}, []string{strings.Repeat("a", 64)}},
		{"serving.knative.dev/v1/Service", []string{"2nd.a"}, []string{"A"}},
	} {
		t.Run(string(c.of), func(t *testing.T) {
			for _, name := range c.good {
				if err := p.CheckResourceName(c.of, name); err != nil {
					t.Errorf("%s: %v", c.of, err)
				}
			}
			for _, name := range c.refused {
				if p.CheckResourceName(c.of, name) == nil {
					t.Errorf("%s: %q is accepted", c.of, name)
				}
			}
		})
	}
}

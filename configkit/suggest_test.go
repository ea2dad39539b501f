package configkit_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit"
)

func TestSuggest(t *testing.T) {
	names := []string{
		"get-replicas", "set-replicas", "set-container-image", "set-image",
		"get-resources", "apps/v1/Deployment",
	}
	for typed, want := range map[string]string{
		"set-replica":  "set-replicas",
		"set-relpicas": "set-replicas",
		"replicas":     "get-replicas set-replicas",
		"image-set":    "set-image set-container-image",
		"deployment":   "apps/v1/Deployment",
		"frobnicate":   "",
	} {
		t.Run(typed, func(t *testing.T) {
			if got := strings.Join(configkit.Suggest(typed, names), " "); got != want {
				t.Errorf("%s: %s, want %s", typed, got, want)
			}
		})
	}
}

func TestDidYouMean(t *testing.T) {
	for want, names := range map[string][]string{
		"": nil, "did you mean --a?": {"a"}, "did you mean --a or --b?": {"a", "b"},
		"did you mean --a, --b or --c?": {"a", "b", "c"},
	} {
		t.Run(want, func(t *testing.T) {
			if got := configkit.DidYouMean("--", names); got != want {
				t.Errorf("%v: %s, want %s", names, got, want)
			}
		})
	}
}

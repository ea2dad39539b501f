package lsp

import (
	"strings"
	"testing"
)

// TestHover asks what is at a place.
func TestHover(t *testing.T) {
	e := edit(t, nil, nil)
	for _, c := range []struct{ name, text, want string }{
		{
			"pod.yaml", strings.Replace(pod, "image: n", "image: ‸n", 1),
			"v1/Pod spec.containers.?name=web.image\na text\nget-container-image: ",
		},
		{
			"key.yaml", strings.Replace(pod, "image: n", "im‸age: n", 1),
			"v1/Pod spec.containers.?name=web.image\n",
		},
		{
			"enum.yaml", pod + "      imagePullPolicy: Al‸ways\n",
			"v1/Pod spec.containers.?name=web.imagePullPolicy\nAlways, IfNotPresent or Never",
		},
		{
			"reference.yaml", pod + "      envFrom: [{configMapRef: {name: a‸}}]\n---\n" + configMap,
			"v1/Pod spec.containers.?name=web.envFrom.0.configMapRef.name\na text\nrefers to v1/ConfigMap /a, ",
		},
		{"unknown.yaml", "a: ‸b\n", ""},
		{"empty.yaml", "‸", ""},
		{"chain.yaml", "- function: set-re‸plicas\n", "set-replicas: "},
		{
			"parameter.yaml", "- function: set-replicas\n  arguments: {repl‸icas: 5}\n",
			"number of replicas\nint; required; ",
		},
		{
			"Kptfile", "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\npipeline:\n" +
				"  mutators: [{image: ghcr.io/kptdev/krm-functions-catalog/set-name‸space:v0.4}]\n",
			"Set the namespace of all resources\n\nfunctionConfig: ",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			e.T = t
			got := e.Hover(c.name, c.text)
			if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

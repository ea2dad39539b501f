package lsp

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/settings"
)

const pod = `apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
spec:
  containers:
    - name: web
      image: nginx:1.29
`

// TestComplete asks for what can be written at a place.
func TestComplete(t *testing.T) {
	e := edit(t, map[string]string{
		"ws/fctl-workspace.yaml": "{}\n",
		"maps.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\n---\n" +
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: elsewhere, namespace: other}\n---\n" +
			"apiVersion: v1\nkind: Secret\nmetadata: {name: keys, namespace: shop}\n",
		"service.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n",
	}, nil)
	e.Open("wait.yaml", strings.Replace(strings.Replace(configMap, "a: b", "a: [b]", 1), "name: a", "namespace: other, name: a", 1))
	e.Shows("wait.yaml", "3:10-12 vet-schemas") // the folder is known now
	for _, c := range []struct {
		name, text string
		want       []string // the first ones, or all if the last one is ""
	}{
		{"chain.yaml", "- function: get-replicas\n- function: set-repl‸\n", []string{"clean-exported", "compute-mutations"}},
		{
			"path.yaml", "- function: set-path\n  arguments:\n    resource-type: apps/v1/Deployment\n" +
				"    path: spec.template.spec.containers.?name=web.ima‸\n",
			[]string{"spec.template.spec.containers.?name=web.name"},
		},
		{
			"list.yaml", "- function: set-string-path\n  arguments: [apps/v1/Deployment, sp‸]\n",
			[]string{"apiVersion", "kind", "metadata", "spec", "status", ""},
		},
		{"open.yaml", "- function: delete-path\n  arguments: {path: metadata.n‸}\n", []string{"metadata.name"}},
		{"key.yaml", pod + "      ‸\n", []string{"imagePullPolicy: ", "command:"}},
		{"word.yaml", pod + "      termin‸\n", []string{"imagePullPolicy: ", "command:"}},
		{"before.yaml", strings.Replace(pod, "spec:", "sp‸ec:", 1), []string{
			"spec", "status",
		}},
		{"first.yaml", strings.Replace(pod, "  containers:", "  ‸\n  containers:", 1), []string{"initContainers:"}},
		{"below.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  ‸\n", []string{
			"replicas: ", "selector:",
		}},
		{"flow.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {‸}\n", []string{
			"replicas: ", "selector:",
		}},
		{"enum.yaml", pod + "      imagePullPolicy: ‸\n", []string{"Always", "IfNotPresent", "Never", ""}},
		{"bool.yaml", pod + "      tty: t‸\n", []string{"false", "true", ""}},
		{"kind.yaml", "apiVersion: batch/v1\nkind: ‸\n", []string{"CronJob", "Job", ""}},
		{"version.yaml", "apiVersion: a‸\nkind: CronJob\n", []string{"batch.volcano.sh/v1alpha1", "batch/v1"}},
		{"map.yaml", pod + "      envFrom:\n        - configMapRef: {name: ‸}\n", []string{"settings", ""}},
		{
			"secret.yaml", pod + "      envFrom:\n        - secretRef:\n            name: ‸\n",
			[]string{"keys", ""},
		},
		{"ingress.yaml", "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: a, namespace: shop}\n" +
			"spec:\n  defaultBackend:\n    service:\n      name: w‸\n", []string{"web", ""}},
		{
			"image.yaml", pod + "    - name: two\n      image: busybox:1.37\n    - name: three\n      image: ‸\n",
			[]string{"nginx:1.29", "busybox:1.37", ""},
		},
		{
			"list.yaml", "apiVersion: v1\nkind: List\nitems:\n  - apiVersion: v1\n    kind: ConfigMap\n    ‸\n",
			[]string{"metadata:", "immutable: ", "data:", "binaryData:", ""},
		},
		{"root.yaml", "apiVersion: v1\nkind: ConfigMap\n‸\n", []string{"metadata:"}},
		{"broken.yaml", "a: [\n---\n" + pod + "      imagePullPolicy: ‸\n---\nb: ]\n", []string{"Always", "IfNotPresent", "Never", ""}},
		{"comment.yaml", pod + "      # ‸\n", []string{""}},
		{"block.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: |\n    ‸\n", []string{""}},
		{"colon.yaml", pod + "      imagePullPolicy:‸\n", []string{""}},
		{"parameter.yaml", "- function: set-container-image\n  arguments: {‸}\n", []string{
			"container-name: ", "container-image: ", "",
		}},
		{"invocation.yaml", "- function: get-replicas\n- ‸\n", []string{"name: "}},
		{"Kptfile", "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\npipeline:\n  mut‸\n", []string{
			"mutators: ", "validators: ", "",
		}},
		{
			"severity.yaml", "- function: vet-schemas\n  severity: ‸\n",
			[]string{"critical", "high", "medium", "low", ""},
		},
		{
			"fix.yaml", "- function: vet-schemas\n  fix: [{function: ‸}]\n",
			[]string{"clean-exported"},
		},
		{
			"argument.yaml", "- function: set-pod-defaults\n  arguments: {pod-security: ‸}\n",
			[]string{"true", "false", ""},
		},
		{
			"values.yaml", "- function: get-resources\n  arguments: {body: ‸}\n",
			[]string{"yaml", "none", "json", "native", ""},
		},
		{
			"package/Kptfile", "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\npipeline:\n" +
				"  mutators:\n    - image: ‸\n",
			[]string{"ghcr.io/kptdev/krm-functions-catalog/apply-replacements:v0.1"},
		},
		{
			"field/Kptfile", "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\npipeline:\n" +
				"  mutators:\n    - image: set-namespace:v0.4\n      ‸\n",
			[]string{"exec: ", "configPath: "},
		},
		{
			"config/Kptfile", "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\npipeline:\n" +
				"  mutators:\n    - image: set-namespace:v0.4\n      configMap: {‸}\n",
			[]string{"namespace: ", "namespaceMatcher: "},
		},
		{
			"bundle.yaml", "apiVersion: smith.atlassian.com/v1\nkind: Bundle\nmetadata: {name: a}\nspec:\n" +
				"  resources:\n    - name: a\n      ‸\n",
			[]string{"references: ", "spec: ", ""},
		},
		{
			"config.yaml", "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: FunctionConfig\n" +
				"metadata: {name: a}\nspec:\n  image: c\n  go‸\n",
			[]string{"prefixes: ", "goExecutor: "},
		},
		{
			"types.yaml", "resourceTypes:\n  example.com/v1/A:\n    ‸\n",
			[]string{"embeds: ", "mergeKeys: "},
		},
		{"ws/spaces/s/links/l.yaml", "‸\nSlug: a\n", []string{"DisplayName: ", "Labels: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e.T = t
			got := e.Completions(c.name, c.text)
			if n := len(c.want); n > 0 && c.want[n-1] == "" {
				if !slices.Equal(got, c.want[:n-1]) {
					t.Errorf("got %q, want %q", got, c.want[:n-1])
				}
			} else if len(got) < n || !slices.Equal(got[:n], c.want) || n == 0 {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestCompleteWhileChecking has a check that does not end: requests have an answer, and the server
// ends.
func TestCompleteWhileChecking(t *testing.T) {
	blocked := make(chan struct{})
	t.Cleanup(func() { close(blocked) })
	var calls atomic.Int32
	e := edit(t, nil, func(server *Server, s *settings.Settings) {
		s.TimeLimit = time.Second
		executor := server.Executor
		server.Executor = func(ctx context.Context, s *settings.Settings) (*functions.Executor, error) {
			if calls.Add(1) == 1 {
				<-blocked
			}
			return executor(ctx, s)
		}
	})
	time.Sleep(2 * pause) // the check begins
	if got := e.Completions("pod.yaml", pod+"      tty: ‸\n"); !slices.Equal(got, []string{"false", "true"}) {
		t.Errorf("%q", got)
	}
}

// TestCancel has requests that do not end: one is cancelled, another takes too long.
func TestCancel(t *testing.T) {
	blocked := make(chan struct{})
	t.Cleanup(func() { close(blocked) })
	e := edit(t, nil, func(server *Server, s *settings.Settings) {
		s.TimeLimit = 2 * time.Second
		server.Executor = func(ctx context.Context, _ *settings.Settings) (*functions.Executor, error) {
			<-blocked
			return nil, context.Canceled
		}
	})
	params := e.At("pod.yaml", strings.Replace(pod, "nginx", "ng‸inx", 1))
	first := e.Begin("textDocument/hover", params)
	e.Send("$/cancelRequest", map[string]any{"id": first})
	if m := e.Answer(first); m.Error == nil || m.Error.Code != cancelled {
		t.Errorf("%+v", m)
	}
	if m := e.Ask("textDocument/hover", params); m.Error == nil || m.Error.Message != "it took too long" {
		t.Errorf("%+v", m)
	}
}

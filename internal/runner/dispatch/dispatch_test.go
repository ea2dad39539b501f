package dispatch

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/runner/evaluator"
	"github.com/fctl-dev/fctl/internal/runner/pods"
	"github.com/fctl-dev/fctl/internal/runner/wrapper"
)

// local is a backend whose pods are wrappers in this process.
type local struct{ program string }

type localPod struct{ *wrapper.Wrapper }

func (l local) Start(context.Context, pods.Function) (pods.Pod, error) {
	w, err := wrapper.New(wrapper.Options{Command: []string{l.program}, Dir: filepath.Dir(l.program)})
	return localPod{w}, err
}

func (local) Delete(context.Context, pods.Pod) error  { return nil }
func (local) Release(context.Context, pods.Pod) error { return nil }

func (localPod) Name() string          { return "local" }
func (localPod) Gone() <-chan struct{} { return nil }

func (p localPod) Call(ctx context.Context, r *evaluator.Request) (*evaluator.Response, error) {
	return p.EvaluateFunction(ctx, r)
}

// TestSameMistakes makes mistakes with each executor: the code and the message are the same.
func TestSameMistakes(t *testing.T) {
	program := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ncat >/dev/null\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	configs, problems := functionconfig.Parse([]byte(`apiVersion: config.porch.kpt.dev/v1alpha1
kind: FunctionConfig
metadata: {name: f}
spec:
  image: f
  goExecutor: {tags: [go], id: set-namespace}
  binaryExecutor: {tags: [binary], path: f}
  podExecutor: {tags: [pod]}
`), "f")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	set, _ := functionconfig.NewSet(configs, "r")
	scheduler := pods.New(local{program}, pods.Options{})
	t.Cleanup(scheduler.Stop)
	d := New(functionconfig.NewCache(set), Options{
		Programs: &functionconfig.Programs{Dirs: []string{filepath.Dir(program)}, Allow: true},
		Pods: &Pods{
			Scheduler: scheduler, Version: func(*pods.Function) (string, error) { return "1", nil },
		},
		Limits: process.DefaultLimits(),
	})
	const header = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
	for _, c := range []struct{ name, list, want string }{
		{"nothing", "", "InvalidArgument: the text is empty; a ResourceList is expected"},
		{"no YAML", "a: [", ""},
		{"not UTF-8", "a: \xff", "InvalidArgument: 1:4: the text is not UTF-8"},
		{"another kind", "kind: ConfigMap\n", ""},
		{"a list of texts", header + "items: [a]\n", ""},
		{"items of a map", header + "items: {}\n", ""},
		{"keys twice", header + "items: []\nitems: []\n", ""},
	} {
		for _, tag := range []string{"go", "binary", "pod"} {
			t.Run(c.name+" "+tag, func(t *testing.T) {
				_, err := d.EvaluateFunction(t.Context(),
					&evaluator.Request{Image: "f:" + tag, ResourceList: []byte(c.list)})
				got := status.Code(err).String() + ": " + status.Convert(err).Message()
				if c.want == "" {
					c.want = got // that of the first executor
				}
				if got != c.want || status.Code(err) != codes.InvalidArgument {
					t.Errorf("%s, want %s", got, c.want)
				}
			})
		}
	}
	for _, tag := range []string{"binary", "pod"} {
		t.Run("exit status "+tag, func(t *testing.T) {
			_, err := d.EvaluateFunction(t.Context(),
				&evaluator.Request{Image: "f:" + tag, ResourceList: []byte(header + "items: []\n")})
			const want = "Internal: function r/f:"
			got := status.Code(err).String() + ": " + status.Convert(err).Message()
			if got != want+tag+" failed: exit status 3" {
				t.Error(got)
			}
		})
	}
}

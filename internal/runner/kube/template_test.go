package kube

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/runner/pods"
	"github.com/fctl-dev/fctl/internal/runner/server"
)

func options() *Options {
	return &Options{
		Namespace: "fn", Name: "default", WrapperImage: "fctl-runner:v1", Port: 9446,
		MaxMessage: 1 << 20, Timeout: time.Minute, PullPolicy: corev1.PullIfNotPresent,
	}
}

// TestPingInterval compares how often connections are checked with what the wrapper allows.
func TestPingInterval(t *testing.T) {
	if pingInterval < 2*server.DefaultMinPing {
		t.Errorf("%v is too often for %v", pingInterval, server.DefaultMinPing)
	}
}

func TestTemplate(t *testing.T) {
	f := &pods.Function{
		Image: "registry.example:5000/fn/set-labels:v0.2.0", Version: "abc",
		Limits: pods.PodLimits{TTL: time.Hour},
	}
	p, err := options().pod(f, []string{"/fn", "arg"})
	if err != nil {
		t.Fatal(err)
	}
	if p.GenerateName != "fn-set-labels-v0-2-0-" || p.Annotations[imageNote] != f.Image {
		t.Errorf("%q %v", p.GenerateName, p.Annotations)
	}
	c := p.Spec.Containers[0]
	if got := strings.Join(c.Command, " "); got != "/fctl-tools/fctl-wrapper --port 9446 "+
		"--max-message 1048576 --timeout 1m0s --empty /tmp --empty /dev/shm --empty /dev/mqueue "+
		"--empty-ipc --idle 1h5m0s -- /fn arg" {
		t.Error(got)
	}
	if weak := weaknesses(&p.Spec); len(weak) > 0 {
		t.Errorf("the default is weak: %v", weak)
	}
}

func TestOverrides(t *testing.T) {
	f := &pods.Function{Image: "a:v1", Template: &functionconfig.Pod{Overrides: functionconfig.Overrides{
		ServiceAccount:  "functions",
		SecurityContext: json.RawMessage(`{"runAsUser": 1000, "fsGroup": 2000}`),
		Container: functionconfig.ContainerOverrides{
			Resources: json.RawMessage(`{"limits": {"memory": "64Mi"}}`),
			Env: json.RawMessage(`[{"name": "LOG_TO_STDERR", "value": "false"}, {"name": ` +
				`"A"}]`),
			EnvFrom: json.RawMessage(`[{"configMapRef": {"name": "c"}}]`),
		},
		InitContainer: functionconfig.ContainerOverrides{
			Resources: json.RawMessage(`{"limits": {"cpu": "1"}}`),
		},
	}}}
	spec, err := options().spec(f)
	if err != nil {
		t.Fatal(err)
	}
	s, c := spec.SecurityContext, spec.Containers[0]
	if *s.RunAsUser != 1000 || *s.FSGroup != 2000 || *s.RunAsGroup != nobody || !*s.RunAsNonRoot {
		t.Errorf("%+v", s)
	}
	if spec.ServiceAccountName != "functions" || !*spec.AutomountServiceAccountToken ||
		*spec.EnableServiceLinks {
		t.Error("the service account is wrong")
	}
	if len(c.Env) != 3 || c.Env[1].Value != "false" || len(c.EnvFrom) != 1 {
		t.Errorf("%+v %+v", c.Env, c.EnvFrom)
	}
	if c.Resources.Limits.Memory().String() != "64Mi" ||
		spec.InitContainers[0].Resources.Limits.Cpu().String() != "1" {
		t.Error("the resources are wrong")
	}
	f.Template.Overrides.Container.Env = json.RawMessage(`{"name": "A"}`)
	if _, err := options().spec(f); err == nil || !strings.Contains(err.Error(), "container.env") {
		t.Error(err)
	}
}

func TestWeakTemplates(t *testing.T) {
	for context, want := range map[string]string{
		`{"runAsUser": 0}`:                            "it runs as root",
		`{"runAsNonRoot": false}`:                     "runAsNonRoot is not true",
		`{"runAsNonRoot": null, "runAsUser": null}`:   "runAsNonRoot is not true, it runs as root",
		`{"runAsGroup": 0}`:                           "its group is root",
		`{"fsGroup": 0}`:                              "its fsGroup is root",
		`{"supplementalGroups": [0]}`:                 "it has the supplemental group root",
		`{"seccompProfile": {"type": "Unconfined"}}`:  "seccomp is unconfined",
		`{"seccompProfile": null}`:                    "seccomp is unconfined",
		`{"appArmorProfile": {"type": "Unconfined"}}`: "AppArmor is unconfined",
		`{"sysctls": [{"name": "a", "value": "b"}]}`:  "it sets sysctls",
		`{"seLinuxOptions": {"type": "spc_t"}}`:       "it sets an SELinux type",
		`{"windowsOptions": {"hostProcess": true}}`:   "it is a process of the host",
	} {
		t.Run(context, func(t *testing.T) {
			f := &pods.Function{Image: "a:v1", Template: &functionconfig.Pod{
				Overrides: functionconfig.Overrides{SecurityContext: json.RawMessage(context)},
			}}
			o := options()
			_, err := o.Version(f)
			weak, ok := errors.AsType[*WeakError](err)
			if !ok || strings.Join(weak.Reasons, ", ") != want {
				t.Error(err)
			}
			o.AllowPrivileged = true
			spec, err := o.spec(f)
			if err != nil {
				t.Fatalf("allowed: %v", err)
			}
			// The rest stays.
			if c := spec.Containers[0].SecurityContext; !*c.ReadOnlyRootFilesystem ||
				*c.AllowPrivilegeEscalation || *spec.AutomountServiceAccountToken {
				t.Error("it changes other fields")
			}
		})
	}
}

func TestVersionsOfTemplates(t *testing.T) {
	version := func(change func(*pods.Function, *Options)) string {
		f, o := &pods.Function{Image: "a:v1", Template: &functionconfig.Pod{}}, options()
		change(f, o)
		v, err := o.Version(f)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	same := version(func(*pods.Function, *Options) {})
	if again := version(func(f *pods.Function, _ *Options) { f.Template = nil }); again != same {
		t.Error("an empty template is another version")
	}
	for name, change := range map[string]func(*pods.Function, *Options){
		"entrypoint": func(f *pods.Function, _ *Options) { f.Template.Entrypoint = []string{"/x"} },
		"env": func(f *pods.Function, _ *Options) {
			f.Template.Overrides.Container.Env = []byte(`[{"name":"A"}]`)
		},
		"account": func(f *pods.Function, _ *Options) { f.Template.Overrides.ServiceAccount = "a" },
		"wrapper": func(_ *pods.Function, o *Options) { o.WrapperImage = "fctl-runner:v2" },
	} {
		t.Run(name, func(t *testing.T) {
			if version(change) == same {
				t.Error("the version is the same")
			}
		})
	}
}

func TestWhyAPodDoesNotStart(t *testing.T) {
	p := &corev1.Pod{}
	p.Name = "fn-a"
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: functionContainer,
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
			Reason: "ContainerCreating",
		}},
	}}
	if err := failure(p); err != nil {
		t.Errorf("it may still start: %v", err)
	}
	p.Status.ContainerStatuses[0].State.Waiting.Reason = "ImagePullBackOff"
	p.Status.ContainerStatuses[0].State.Waiting.Message = "Back-off pulling\nimage \"a:v1\""
	if err := failure(p); err == nil || err.Error() != "the pod fn-a cannot start: "+
		"function: ImagePullBackOff: Back-off pulling image \"a:v1\"" {
		t.Error(err)
	}
}

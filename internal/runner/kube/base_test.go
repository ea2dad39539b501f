package kube

import (
	"errors"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/runner/pods"
)

// base has what a template of Porch has, and more.
const base = `apiVersion: v1
kind: PodTemplate
metadata: {name: base-pod-template}
template:
  metadata:
    labels: {team: platform, fctl.dev/runner: mine}
    annotations: {cluster-autoscaler.kubernetes.io/safe-to-evict: "true"}
  spec:
    restartPolicy: Always
    priorityClassName: low
    nodeSelector: {pool: functions}
    tolerations: [{key: functions, operator: Exists}]
    initContainers:
    - name: copy-wrapper-server
      image: porch/wrapper:v1
      command: [cp, a, b]
      resources: {limits: {memory: 32Mi}}
    containers:
    - name: proxy
      image: proxy:v1
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
    - name: function
      image: to-be-replaced
      command: [/wrapper-server-tools/wrapper-server]
      env: [{name: HTTPS_PROXY, value: "http://127.0.0.1:3128"}]
      volumeMounts: [{name: cache, mountPath: /cache}]
      resources: {requests: {cpu: 100m}, limits: {memory: 128Mi}}
    volumes:
    - {name: cache, emptyDir: {}}
`

func parseBase(t *testing.T, text string) *Base {
	t.Helper()
	b, err := ParseBase([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBase changes pods with a template: what the template has is added, the pod stays one of the
// runner, and the FunctionConfig of an image counts more.
func TestBase(t *testing.T) {
	o := options()
	o.Base = parseBase(t, base)
	f := &pods.Function{Image: "a:v1", Template: &functionconfig.Pod{Overrides: functionconfig.Overrides{
		Container: functionconfig.ContainerOverrides{
			Resources: []byte(`{"limits": {"memory": "64Mi"}}`),
		},
	}}}
	p, err := o.pod(f, []string{"/fn"})
	if err != nil {
		t.Fatal(err)
	}
	function, wrapper := p.Spec.Containers[0], p.Spec.InitContainers[0]
	for _, c := range []struct {
		name      string
		got, want string
	}{
		{"its label", p.Labels["team"], "platform"},
		{"the label of the runner", p.Labels[runnerLabel], "default"},
		{"its annotation", p.Annotations["cluster-autoscaler.kubernetes.io/safe-to-evict"], "true"},
		{"the image in the annotations", p.Annotations[imageNote], "a:v1"},
		{"priority", p.Spec.PriorityClassName, "low"},
		{"nodes", p.Spec.NodeSelector["pool"], "functions"},
		{"tolerations", p.Spec.Tolerations[0].Key, "functions"},
		{"restart policy", string(p.Spec.RestartPolicy), "Never"},
		{"image of the function", function.Name + " " + function.Image, "function a:v1"},
		{"command of the function", function.Command[0], "/fctl-tools/fctl-wrapper"},
		{"image of the wrapper", wrapper.Name + " " + wrapper.Image, "wrapper fctl-runner:v1"},
		{"command of the wrapper", strings.Join(wrapper.Command, " "), ""},
		{"memory of the wrapper", wrapper.Resources.Limits.Memory().String(), "32Mi"},
		{"memory of the FunctionConfig", function.Resources.Limits.Memory().String(), "64Mi"},
		{"processors of the template", function.Resources.Requests.Cpu().String(), "100m"},
		{"further container", p.Spec.Containers[1].Name, "proxy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.got != c.want {
				t.Errorf("%q, want %q", c.got, c.want)
			}
		})
	}
	has := func(path string) bool {
		return slices.ContainsFunc(function.VolumeMounts, func(m corev1.VolumeMount) bool {
			return m.MountPath == path
		})
	}
	if !has("/cache") || !has(toolsDir) || !has("/tmp") || len(p.Spec.Volumes) != 3 {
		t.Errorf("%+v %+v", function.VolumeMounts, p.Spec.Volumes)
	}
	if len(function.Env) != 3 || function.ReadinessProbe == nil || len(p.Spec.Containers) != 2 ||
		len(p.Spec.InitContainers) != 1 {
		t.Errorf("%+v", p.Spec)
	}
}

// TestBaseVersion retires pods of another template.
func TestBaseVersion(t *testing.T) {
	seen := map[string]string{}
	for _, c := range []struct{ name, from, to string }{
		{"as it is", "", ""},
		{"another label", "team: platform", "team: shop"},
		{"another priority", "priorityClassName: low", "priorityClassName: high"},
		{"another annotation", `"true"`, `"false"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options()
			o.Base = parseBase(t, strings.Replace(base, c.from, c.to, 1))
			v, err := o.Version(&pods.Function{Image: "a:v1"})
			if err != nil || seen[v] != "" {
				t.Errorf("%s is the version of %s, %v", v, seen[v], err)
			}
			seen[v] = c.name
		})
	}
	without, err := options().Version(&pods.Function{Image: "a:v1"})
	if err != nil || seen[without] != "" {
		t.Errorf("without a template: %s, %v", seen[without], err)
	}
}

func TestBaseProblems(t *testing.T) {
	const head = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"
	for _, c := range []struct{ name, text, want string }{
		{"another kind", "kind: ConfigMap\n", `a PodTemplate or a Pod is expected, not ` +
			`"ConfigMap"`},
		{"empty", "", `a PodTemplate or a Pod is expected, not ""`},
		{"not YAML", "a: [", "did not find expected node content"},
		{"unknown field", head + "  priority_class: x\n", `unknown field "priority_class"`},
		{
			"unknown field of a template", strings.Replace(base, "nodeSelector", "nodeSelektor", 1),
			`unknown field "nodeSelektor"`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := ParseBase([]byte(c.text)); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Error(err)
			}
		})
	}
}

// TestWeakBase refuses templates that give pods more rights.
func TestWeakBase(t *testing.T) {
	const container = "  containers:\n  - name: function\n"
	for _, c := range []struct{ spec, want string }{
		{"  hostNetwork: true\n", "it has the network of the host"},
		{"  hostPID: true\n", "it sees the processes of the host"},
		{"  hostIPC: true\n", "it has the shared memory of the host"},
		{"  automountServiceAccountToken: true\n", "it has a token without a named service " +
			"account"},
		{"  securityContext: {runAsUser: 0}\n", "it runs as root"},
		{
			"  volumes: [{name: v, hostPath: {path: /}}]\n",
			"its volume v is a directory of the host",
		},
		{
			container + "    securityContext: {privileged: true}\n",
			"its container function is privileged",
		},
		{
			container + "    securityContext: {allowPrivilegeEscalation: true}\n",
			"its container function may get more privileges",
		},
		{
			container + "    securityContext: {readOnlyRootFilesystem: false}\n",
			"its container function has a file system that is not read-only",
		},
		{
			container + "    securityContext: {capabilities: {add: [NET_ADMIN]}}\n",
			"its container function has capabilities",
		},
		{
			container + "    securityContext: {runAsUser: 0}\n",
			"its container function may run as root",
		},
		{
			container + "    securityContext: {procMount: Unmasked}\n",
			"its container function sees all of /proc",
		},
		{
			container + "    securityContext: {seccompProfile: {type: Unconfined}}\n",
			"its container function has no seccomp profile",
		},
		{
			container + "  - name: side\n    image: a\n    securityContext: " +
				"{readOnlyRootFilesystem: true, allowPrivilegeEscalation: false}\n",
			"its container side has capabilities",
		},
	} {
		t.Run(c.want, func(t *testing.T) {
			o := options()
			o.Base = parseBase(t, "kind: Pod\nspec:\n"+c.spec)
			_, err := o.Version(&pods.Function{Image: "a:v1"})
			weak, ok := errors.AsType[*WeakError](err)
			if !ok || strings.Join(weak.Reasons, ", ") != c.want {
				t.Error(err)
			}
			o.AllowPrivileged = true
			spec, err := o.spec(&pods.Function{Image: "a:v1"})
			if err != nil {
				t.Fatalf("allowed: %v", err)
			}
			// The shared memory of the host is not for the wrapper to delete.
			if slices.Contains(spec.Containers[0].Command, "--empty-ipc") == spec.HostIPC {
				t.Error(spec.Containers[0].Command)
			}
		})
	}
}

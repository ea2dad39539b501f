package kube

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/runner/pods"
)

// The names of the parts of a pod.
const (
	functionContainer = "function"
	wrapperContainer  = "wrapper"
	wrapperProgram    = "fctl-wrapper"
	toolsVolume       = "fctl-tools"
	toolsDir          = "/fctl-tools"
	nobody            = 65534
)

// The labels and annotations of pods.
const (
	managedBy   = "app.kubernetes.io/managed-by"
	program     = "fctl-runner"
	runnerLabel = "fctl.dev/runner"
	imageNote   = "fctl.dev/image"
	versionNote = "fctl.dev/template-version"
	// ownerNote is the process that uses the pod, empty for one that a runner left to others.
	ownerNote = "fctl.dev/owner"
	partLabel = "app.kubernetes.io/component"
)

// WeakError reports that a template gives a pod rights that functions do not need.
type WeakError struct{ Reasons []string }

func (e *WeakError) Error() string {
	return "its template weakens the security of the pod: " + strings.Join(e.Reasons, ", ") +
		" (--allow-privileged-pods)"
}

// spec returns the pod of a function without its command. The defaults are the safe ones: not root,
// no capabilities, a read-only file system, no token.
func (o *Options) spec(f *pods.Function) (*corev1.PodSpec, error) {
	// Each field has a variable of its own, because an override writes to it.
	user := func() *int64 { return new(int64(nobody)) }
	spec := &corev1.PodSpec{
		RestartPolicy:                 corev1.RestartPolicyNever,
		EnableServiceLinks:            new(false),
		AutomountServiceAccountToken:  new(false),
		TerminationGracePeriodSeconds: new(int64(o.Timeout.Seconds()) + 1),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: user(), RunAsGroup: user(), FSGroup: user(),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Volumes: []corev1.Volume{emptyDir(toolsVolume, "64Mi"), emptyDir("tmp", "1Gi")},
	}
	for _, secret := range o.PullSecrets {
		spec.ImagePullSecrets = append(spec.ImagePullSecrets,
			corev1.LocalObjectReference{Name: secret})
	}
	restricted := func() *corev1.SecurityContext {
		return &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		}
	}
	port := strconv.Itoa(o.Port)
	spec.InitContainers = []corev1.Container{{
		Name: wrapperContainer, Image: o.WrapperImage, ImagePullPolicy: o.PullPolicy,
		Command:         []string{"/" + wrapperProgram, "--install", toolsDir},
		VolumeMounts:    []corev1.VolumeMount{{Name: toolsVolume, MountPath: toolsDir}},
		SecurityContext: restricted(),
	}}
	spec.Containers = []corev1.Container{{
		Name: functionContainer, Image: f.Image, ImagePullPolicy: o.PullPolicy,
		Command: []string{
			toolsDir + "/" + wrapperProgram, "--port", port, "--max-message",
			strconv.Itoa(o.MaxMessage), "--timeout", o.Timeout.String(), "--empty", "/tmp",
		},
		Env: []corev1.EnvVar{
			{Name: "LOG_TO_STDERR", Value: "true"}, {Name: "STRUCTURED_RESULTS", Value: "true"},
		},
		Ports: []corev1.ContainerPort{{Name: "grpc", ContainerPort: int32(o.Port)}},
		VolumeMounts: []corev1.VolumeMount{
			{Name: toolsVolume, MountPath: toolsDir, ReadOnly: true},
			{Name: "tmp", MountPath: "/tmp"},
		},
		ReadinessProbe: &corev1.Probe{
			ProbeHandler: corev1.ProbeHandler{GRPC: &corev1.GRPCAction{Port: int32(o.Port)}},
			// A pod is called as soon as it is ready, so it should say so at once. Later it is not
			// asked often: a call that fails says more.
			PeriodSeconds: 1, FailureThreshold: 30, TimeoutSeconds: 5,
		},
		SecurityContext: restricted(),
	}}
	if err := o.Base.apply(spec); err != nil {
		return nil, err
	}
	if err := override(spec, f.Template); err != nil {
		return nil, err
	}
	if !spec.HostIPC { // else these are of the node
		c := &spec.Containers[0]
		c.Command = append(c.Command, "--empty", "/dev/shm", "--empty", "/dev/mqueue",
			"--empty-ipc")
	}
	if weak := weaknesses(spec); len(weak) > 0 && !o.AllowPrivileged {
		return nil, &WeakError{weak}
	}
	return spec, nil
}

// override changes a pod as the configuration of its function says.
func override(spec *corev1.PodSpec, p *functionconfig.Pod) (err error) {
	if p == nil {
		return nil
	}
	o := &p.Overrides
	if o.ServiceAccount != "" {
		spec.ServiceAccountName, spec.AutomountServiceAccountToken = o.ServiceAccount, new(true)
	}
	set := func(name string, text json.RawMessage, into any) {
		if text == nil || err != nil {
			return
		}
		if err = json.Unmarshal(text, into); err != nil {
			err = fmt.Errorf("templateOverrides.%s: %w", name, err)
		}
	}
	set("securityContext", o.SecurityContext, spec.SecurityContext)
	for _, part := range []struct {
		name      string
		overrides functionconfig.ContainerOverrides
		container *corev1.Container
	}{
		{"container", o.Container, &spec.Containers[0]},
		{"initContainer", o.InitContainer, &spec.InitContainers[0]},
	} {
		c := part.container
		set(part.name+".resources", part.overrides.Resources, &c.Resources)
		var env []corev1.EnvVar
		set(part.name+".env", part.overrides.Env, &env)
		for _, e := range env {
			c.Env = slices.DeleteFunc(c.Env, func(o corev1.EnvVar) bool { return o.Name == e.Name })
			c.Env = append(c.Env, e)
		}
		set(part.name+".envFrom", part.overrides.EnvFrom, &c.EnvFrom)
	}
	return err
}

func emptyDir(name, limit string) corev1.Volume {
	size := resource.MustParse(limit)
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
		EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: &size},
	}}
}

// Version returns a name for the template of a function: pods with different names differ. The
// error says that the template cannot be used.
func (o *Options) Version(f *pods.Function) (string, error) {
	spec, err := o.spec(f)
	if err != nil {
		return "", err
	}
	var entrypoint []string
	if f.Template != nil {
		entrypoint = f.Template.Entrypoint
	}
	var labels, annotations map[string]string
	if o.Base != nil {
		labels, annotations = o.Base.Labels, o.Base.Annotations
	}
	text, err := json.Marshal(struct {
		Spec                *corev1.PodSpec
		Entrypoint          []string
		Labels, Annotations map[string]string
	}{spec, entrypoint, labels, annotations})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:5]), nil
}

// abandoned is the time after its time to live after which a pod that nobody calls ends by itself.
// By then its runner would have deleted it.
const abandoned = 5 * time.Minute

// pod returns the pod of a function. command is its entrypoint.
func (o *Options) pod(f *pods.Function, command []string) (*corev1.Pod, error) {
	spec, err := o.spec(f)
	if err != nil {
		return nil, err
	}
	c := &spec.Containers[0]
	if ttl := f.Limits.TTL; ttl > 0 {
		c.Command = append(c.Command, "--idle", (ttl + abandoned).String())
	}
	c.Command = append(append(c.Command, "--"), command...)
	var base Base
	if o.Base != nil {
		base = *o.Base
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: podName(f.Image),
			Namespace:    o.Namespace,
			Labels: union(base.Labels, map[string]string{
				managedBy: program, partLabel: functionContainer, runnerLabel: o.Name,
			}),
			Annotations: union(base.Annotations, map[string]string{
				imageNote: f.Image, versionNote: f.Version, ownerNote: o.owner,
			}),
		},
		Spec: *spec,
	}, nil
}

// podName returns the beginning of the name of a pod: the base name of the image and its tag.
func podName(image string) string {
	base := image[strings.LastIndexByte(image, '/')+1:]
	base, _, _ = strings.Cut(base, "@")
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(base))
	if len(name) > 50 {
		name = name[:50]
	}
	return "fn-" + strings.Trim(name, "-") + "-"
}

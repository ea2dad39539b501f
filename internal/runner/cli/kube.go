package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/runner/dispatch"
	"github.com/fctl-dev/fctl/internal/runner/kube"
	"github.com/fctl-dev/fctl/internal/runner/pods"
	"github.com/fctl-dev/fctl/internal/runner/registry"
)

// imageVariable is the environment variable with the image of the wrapper.
const imageVariable = "FCTL_RUNNER_IMAGE"

// clusterOptions are the flags of a cluster and of pods.
type clusterOptions struct {
	kubeconfig, namespace, name string
	wrapperImage, pull, network string
	template                    string
	secrets                     []string
	privileged, keep            bool
	scheduler                   pods.Options
}

func (o *clusterOptions) addCluster(f *pflag.FlagSet) {
	f.StringVar(&o.kubeconfig, "kubeconfig", "",
		"read the cluster from `FILE`; KUBECONFIG, ~/.kube/config or the pod's own if empty")
}

func (o *clusterOptions) add(f *pflag.FlagSet) {
	d := pods.DefaultOptions()
	o.addCluster(f)
	f.StringVar(&o.namespace, "namespace", "",
		"`NAMESPACE` of pods; the kubeconfig's if empty")
	f.StringVar(&o.name, "name", "default", "`NAME` of this runner and its "+
		"replicas: one of them takes the pods that --keep-pods left")
	f.StringVar(&o.wrapperImage, "wrapper-image", "",
		"`IMAGE` with /fctl-wrapper, which pods start with; "+imageVariable+" if empty")
	f.StringVar(&o.template, "pod-template", kube.DefaultBase,
		"read the template of pods from `FILE`, or from the PodTemplate of that name, or the "+
			"ConfigMap with data.template, in the namespace of the pods")
	f.StringVar(&o.pull, "image-pull-policy", "", "pull images of pods by `POLICY`: Always, "+
		"IfNotPresent, Never")
	f.StringSliceVar(&o.secrets, "image-pull-secret", nil, "`NAMES` of secrets for pulling images")
	f.StringVar(&o.network, "pod-network", "auto",
		"reach pods by `WAY`: direct or forward; auto is direct inside a cluster")
	f.BoolVar(&o.privileged, "allow-privileged-pods", false,
		"allow templates that weaken the security of pods")
	f.BoolVar(&o.keep, "keep-pods", false, "leave the pods that are not in use to runners "+
		"of the same name")
	f.IntVar(&o.scheduler.Limits.MaxPods, "max-parallel-executions", d.Limits.MaxPods,
		"run at most `N` pods of a function that does not say")
	f.IntVar(&o.scheduler.Limits.PreferredQueue, "preferred-max-queue-length",
		d.Limits.PreferredQueue, "start another pod when `N` requests wait for one")
	f.DurationVar(&o.scheduler.Limits.TTL, "pod-ttl", d.Limits.TTL,
		"delete a pod `TIME` after its last use")
	f.IntVar(&o.scheduler.Total, "max-pods", d.Total, "run at most `N` pods of all functions")
	f.IntVar(&o.scheduler.Waiting, "max-waiting", d.Waiting, "let at most `N` requests wait "+
		"for pods")
	f.DurationVar(&o.scheduler.StartTimeout, "pod-start-timeout", d.StartTimeout,
		"give a pod `TIME` to be ready")
	f.DurationVar(&o.scheduler.GC, "gc-interval", d.GC,
		"search for unused pods every `TIME`")
}

// restConfig returns the cluster and the namespace of the kubeconfig.
func (o *clusterOptions) restConfig(p *program) (*rest.Config, string, error) {
	// What client-go has to say goes where the other messages go.
	klog.LogToStderr(false)
	klog.SetOutput(lines{p})
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil)
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, "", fmt.Errorf("no cluster is known: %w", err)
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, "", err
	}
	config.QPS, config.Burst = 50, 100
	config.UserAgent = "fctl-runner"
	return config, namespace, nil
}

// lines writes each line as a message of fctl-runner.
type lines struct{ p *program }

// Write implements io.Writer.
func (l lines) Write(text []byte) (int, error) {
	l.p.Say("%s", strings.TrimRight(string(text), "\n"))
	return len(text), nil
}

// pods starts a scheduler with pods in the cluster. The watch of pods ends with ctx.
func (o *clusterOptions) pods(ctx context.Context, p *program, limits process.Limits,
	maxMessage int,
) (*dispatch.Pods, *kube.Backend, error) {
	if o.wrapperImage == "" {
		o.wrapperImage = p.Getenv(imageVariable)
	}
	if o.wrapperImage == "" {
		return nil, nil, diag.Usage("pods need an image with fctl-wrapper: --wrapper-image or %s",
			imageVariable)
	}
	pull := corev1.PullPolicy(o.pull)
	switch pull {
	case "", corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever:
	default:
		return nil, nil, diag.Usage("--image-pull-policy %q: Always, IfNotPresent or Never is "+
			"expected",
			o.pull)
	}
	config, namespace, err := o.restConfig(p)
	if err != nil {
		return nil, nil, err
	}
	if o.namespace != "" {
		namespace = o.namespace
	}
	forward := o.network == "forward"
	switch o.network {
	case "auto":
		_, err := rest.InClusterConfig()
		forward = err != nil
	case "direct", "forward":
	default:
		return nil, nil, diag.Usage("--pod-network %q: auto, direct or forward is expected",
			o.network)
	}
	client := &registry.Client{Transport: http.DefaultTransport, Fresh: 10 * time.Minute}
	timeout := limits.Time
	if timeout == 0 {
		timeout = process.DefaultLimits().Time
	}
	backend, err := kube.New(ctx, config, kube.Options{
		Namespace: namespace, Name: o.name, WrapperImage: o.wrapperImage, Port: 9446,
		MaxMessage: maxMessage, Timeout: timeout, PullPolicy: pull, PullSecrets: o.secrets,
		AllowPrivileged: o.privileged, Forward: forward, Entrypoint: client.Entrypoint,
	})
	if err != nil {
		return nil, nil, err
	}
	base, err := backend.ReadBase(ctx, o.template)
	if err != nil {
		return nil, nil, err
	}
	if base == nil && o.template != kube.DefaultBase && o.template != "" {
		p.Say("namespace %s has no PodTemplate %s; pods have the built-in template", namespace,
			o.template)
	}
	backend.SetBase(base)
	o.scheduler.Keep, o.scheduler.Note = o.keep, p.Say
	return &dispatch.Pods{
		Scheduler: pods.New(backend, o.scheduler), Version: backend.Version, Tags: client.Tags,
	}, backend, nil
}

// watchTemplate reads the template of pods again and again until ctx ends, and calls changed when
// it is another one. A template that cannot be used changes nothing.
func (o *clusterOptions) watchTemplate(ctx context.Context, p *program, backend *kube.Backend,
	changed func(),
) {
	ticker := time.NewTicker(o.scheduler.GC)
	defer ticker.Stop()
	said := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		base, err := backend.ReadBase(ctx, o.template)
		problem := ""
		if err != nil {
			problem = err.Error()
		}
		if problem != "" && problem != said && ctx.Err() == nil {
			p.Say("%s; the template before stays in use", problem)
		}
		said = problem
		if err == nil && backend.SetBase(base) {
			p.Say("a new template for pods is used")
			changed()
		}
	}
}

func (p *program) objectsCommand() *cobra.Command {
	o := &clusterOptions{}
	cmd := &cobra.Command{
		Use: "objects", Short: "print the FunctionConfigs of a cluster",
		Long: `Print the FunctionConfigs of a namespace of the cluster as one JSON List. The
namespace is ` + kube.DefaultNamespace + ` if it is left out, and all of them for "*".

  fctl-runner objects kube:[NAMESPACE]`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.objects(cmd.Context(), o, args)
		},
	}
	o.addCluster(cmd.Flags())
	return cmd
}

func (p *program) objects(ctx context.Context, o *clusterOptions, args []string) error {
	namespace, ok := "", false
	if len(args) == 1 {
		namespace, ok = strings.CutPrefix(args[0], "kube:")
	}
	if !ok {
		return diag.Usage("one argument kube:[NAMESPACE] is expected")
	}
	config, _, err := o.restConfig(p)
	if err != nil {
		return err
	}
	configs, err := kube.NewConfigs(config, namespace)
	if err != nil {
		return err
	}
	found, err := configs.List(ctx)
	if err != nil {
		return err
	}
	items := make([]json.RawMessage, len(found))
	for i := range found {
		items[i] = found[i].JSON
	}
	text, err := json.MarshalIndent(map[string]any{
		"apiVersion": "v1", "kind": "List", "items": items,
	}, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(p.Streams.Out, string(text)+"\n")
	return err
}

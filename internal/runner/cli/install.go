package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/runner/install"
)

// installOptions are the flags of install.
type installOptions struct {
	install.Options
	target, dir string
}

func (p *program) installCommand() *cobra.Command {
	o := &installOptions{}
	cmd := &cobra.Command{
		Use: "install", Short: "print the manifests that install fctl-runner in a cluster",
		Long: `Print the manifests that install fctl-runner in a cluster: the CustomResourceDefinition
of FunctionConfig, namespaces, the rights that it needs, a Deployment with a
Service and a PodDisruptionBudget, and NetworkPolicies. FunctionConfigs are read
from the namespace of the pods.

  fctl-runner install --image IMAGE | kubectl apply -f -
  fctl-runner install --image IMAGE --output-dir base    writes a base for kustomize
  fctl-runner install --image IMAGE --for porch          replaces Porch's function runner`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return diag.Usage("unexpected argument %q", args[0])
			}
			return p.install(cmd.Context(), o, cmd.Flags().Changed)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Image, "image", "", "`IMAGE` of fctl-runner; FCTL_RUNNER_IMAGE if empty")
	f.StringVar(&o.WrapperImage, "wrapper-image", "", "`IMAGE` that the pods of functions start with; that of "+
		"fctl-runner if empty")
	f.StringVar(&o.Namespace, "namespace", "fctl-system", "`NAMESPACE` of the runner; porch-system "+
		"with --for porch")
	f.StringVar(&o.PodNamespace, "pod-namespace", "fctl-functions", "`NAMESPACE` of FunctionConfigs "+
		"and of the pods of functions; porch-fn-system with --for porch")
	f.IntVar(&o.Replicas, "replicas", 2, "run `N` replicas")
	f.BoolVar(&o.Monitor, "service-monitor", false, "add a ServiceMonitor for the operator of Prometheus")
	f.StringVar(&o.target, "for", "", "print what replaces a part of `SYSTEM`: porch")
	f.StringVarP(&o.dir, "output-dir", "O", "", "write the manifests and a kustomization.yaml to `DIR`")
	return cmd
}

func (p *program) install(ctx context.Context, o *installOptions, given func(flag string) bool) error {
	if o.Image == "" {
		o.Image = p.Getenv(imageVariable)
	}
	if o.Image == "" {
		return diag.UsageHint("'make runner-image' builds one", "--image or %s is missing", imageVariable)
	}
	switch o.target {
	case "":
	case "porch":
		o.Porch = true
		if !given("namespace") {
			o.Namespace = "porch-system"
		}
		if !given("pod-namespace") {
			o.PodNamespace = "porch-fn-system"
		}
	default:
		return diag.Usage("--for: porch is expected, not %q", o.target)
	}
	manifests, err := install.Manifests(o.Options)
	if err != nil {
		return diag.Usage("%w", err)
	}
	if o.dir != "" {
		tree, err := files.OpenTree(ctx, o.dir, false)
		if err != nil {
			return fmt.Errorf("%s: %w", o.dir, err)
		}
		defer tree.Close() //nolint:errcheck // nothing is synced
		for _, f := range append(manifests, install.Kustomization(manifests)) {
			if err := tree.Write(ctx, f.Name, nil, []byte(f.Text)); err != nil {
				return fmt.Errorf("%s: %w", filepath.Join(o.dir, f.Name), err)
			}
		}
		return nil
	}
	var texts []string
	for _, f := range manifests {
		texts = append(texts, f.Text)
	}
	text := strings.Join(texts, "---\n")
	if o.Porch {
		text = install.PorchFlags() + text
	}
	_, err = fmt.Fprint(p.Streams.Out, text)
	return err
}

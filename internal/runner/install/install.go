// Package install has the manifests with which fctl-runner runs in a cluster. They are complete YAML
// for any cluster but for the image; Manifests only replaces names in them.
//
// Layer: systems.
package install

import (
	"cmp"
	"embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
)

//go:embed base porch.txt
var texts embed.FS

// Options choose the manifests and the names in them.
type Options struct {
	// Image has fctl-runner. WrapperImage, which the pods of functions start with, has fctl-wrapper;
	// Image if it is empty.
	Image, WrapperImage string
	// Namespace of the runner, and PodNamespace of FunctionConfigs and the pods of functions.
	Namespace, PodNamespace string
	Replicas                int
	// Monitor adds a ServiceMonitor, which needs the operator of Prometheus.
	Monitor bool
	// Porch replaces Porch's function runner: its namespaces and CustomResourceDefinition exist.
	Porch bool
}

// Manifest is a file of YAML, with its name in a directory for kustomize.
type Manifest struct{ Name, Text string }

// Manifests returns the manifests in the order in which they are applied.
func Manifests(o Options) ([]Manifest, error) {
	name := regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	for _, namespace := range []string{o.Namespace, o.PodNamespace} {
		if !name.MatchString(namespace) {
			return nil, fmt.Errorf("%q is not the name of a namespace", namespace)
		}
	}
	o.WrapperImage = cmp.Or(o.WrapperImage, o.Image)
	image := regexp.MustCompile(`^[a-zA-Z0-9][-a-zA-Z0-9._:/@]*$`)
	for _, name := range []string{o.Image, o.WrapperImage} {
		if !image.MatchString(name) {
			return nil, fmt.Errorf("%q is not the name of an image", name)
		}
	}
	if o.Replicas < 1 {
		return nil, fmt.Errorf("%d replicas: at least one is needed", o.Replicas)
	}
	replaced := []string{
		": IMAGE", ": " + o.Image, "=IMAGE", "=" + o.WrapperImage, "replicas: 2", "replicas: " + strconv.Itoa(o.Replicas),
		"fctl-system", o.Namespace, "fctl-functions", o.PodNamespace,
	}
	names := []string{"namespaces", "rbac", "deployment", "service", "networkpolicy"}
	files := []Manifest{{"crd.yaml", functionconfig.CRD()}}
	if o.Porch {
		names, files = names[1:], nil
		// Porch's Service may keep its own selector beside this one, as after a server-side apply.
		replaced = append(replaced, "kind: Service\nmetadata:\n  name: fctl-runner",
			"kind: Service\nmetadata:\n  name: function-runner", "    metadata:\n      labels:\n",
			"    metadata:\n      labels:\n        app: function-runner\n")
	}
	if o.Monitor {
		names = append(names, "servicemonitor")
	}
	replacer := strings.NewReplacer(replaced...)
	for _, name := range names {
		text, err := texts.ReadFile("base/" + name + ".yaml")
		if err != nil {
			return nil, err
		}
		files = append(files, Manifest{name + ".yaml", replacer.Replace(string(text))})
	}
	return files, nil
}

// Kustomization returns the kustomization.yaml of the files.
func Kustomization(files []Manifest) Manifest {
	var text strings.Builder
	text.WriteString("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n")
	for _, f := range files {
		text.WriteString("  - " + f.Name + "\n")
	}
	return Manifest{"kustomization.yaml", text.String()}
}

// PorchFlags returns a comment in YAML with the flags of Porch's function runner, and those of
// fctl-runner serve that do the same.
func PorchFlags() string {
	text, err := texts.ReadFile("porch.txt")
	if err != nil {
		return ""
	}
	return string(text)
}

package bundle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/process"
)

// kube is the value of --observed that asks kubectl.
const kube = "kube:"

// maxRounds bounds how often the cluster is asked: each round may find names for the next one.
const maxRounds = 100

// observe gets the objects that Bundles make, and those that these produce and need, with kubectl
// in the user's own context. It asks again as long as what was observed names more objects.
func (r *runner) observe(ctx context.Context, bundles []*bundle.Bundle, options *bundle.Options,
) error {
	if r.settings.Untrusted { // a Bundle names the objects, such as Secrets
		return diag.Untrusted("--observed %s is refused", kube)
	}
	k, err := findKubectl()
	if err != nil {
		return err
	}
	asked := map[bundle.Key]bool{}
	definitions := false
	ask := *options
	ask.OwnerRefs = false // the Bundle may not have been observed yet
	for range maxRounds {
		results, err := processAll(ctx, bundles, &ask)
		if err != nil {
			return err
		}
		var keys []bundle.Key
		for _, result := range results {
			for _, key := range result.Wants(options) {
				if !asked[key] && !options.Pool.Has(key) {
					asked[key] = true
					keys = append(keys, key)
				}
			}
		}
		switch {
		case len(keys) > 0:
			err = r.get(ctx, k, keys, options.Pool)
		case !definitions && needsDefinition(results):
			definitions = true
			err = r.definitions(ctx, k, options.Pool)
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func needsDefinition(results []*bundle.Result) bool {
	for _, result := range results {
		if result.NeedsDefinition() {
			return true
		}
	}
	return false
}

// kubectl is the program.
type kubectl struct{ path string }

func findKubectl() (*kubectl, error) {
	path, err := exec.LookPath("kubectl")
	if err != nil {
		return nil, diag.UsageHint(
			"kubectl get ... -o yaml > observed.yaml, and --observed observed.yaml",
			"--observed %s: kubectl is not on PATH", kube)
	}
	return &kubectl{path}, nil
}

// run runs kubectl with the environment of the user and returns what it printed.
func (k *kubectl) run(ctx context.Context, stdin string, words ...string) ([]byte, string, error) {
	p := &process.Program{Path: k.path, AnyDir: true}
	dir, err := os.Getwd()
	if err != nil {
		return nil, "", err
	}
	out, err := p.Run(ctx, process.Call{
		Function: "kubectl", Stdin: []byte(stdin), Args: words, Dir: dir, Env: os.Environ(),
		Limits: process.Limits{Time: time.Minute, Memory: -1},
	})
	return out.Stdout, strings.TrimSpace(string(out.Stderr)), err
}

// failed returns the error of a call.
func failed(stderr string, err error) error {
	if _, ok := errors.AsType[*process.ExitError](err); ok && stderr != "" {
		err = errors.New(stderr)
	}
	return &api.Failure{
		Class: api.FailureInput, Message: "kubectl get: " + strings.ReplaceAll(err.Error(), "\n",
			"; "),
		Err: err, Hint: "kubectl config current-context shows the cluster that is asked",
	}
}

// fromKubectl is the name in messages of what kubectl prints.
const fromKubectl = "<kubectl get>"

// get runs kubectl get for objects. Those that do not exist are left out.
func (k *kubectl) get(ctx context.Context, keys []bundle.Key) ([]byte, string, error) {
	var manifests strings.Builder
	for _, key := range keys {
		fmt.Fprintf(&manifests, "---\napiVersion: %q\nkind: %q\nmetadata: {name: %q, namespace: "+
			"%q}\n",
			key.APIVersion(), key.Kind, key.Name, key.Namespace)
	}
	return k.run(ctx, manifests.String(), "get", "--ignore-not-found", "--show-managed-fields",
		"-o", "yaml", "-f", "-")
}

// get adds the objects of keys that exist.
func (r *runner) get(ctx context.Context, k *kubectl, keys []bundle.Key, pool *bundle.Pool) error {
	stdout, stderr, err := k.get(ctx, keys)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		kinds := unknownKinds(stderr)
		if len(kinds) == 0 {
			return failed(stderr, err)
		}
		r.notes(api.Note{Message: "the cluster does not know " + strings.Join(kinds, ", ") +
			"; none was observed"})
	}
	_, err = pool.Add(stdout, fromKubectl)
	return err
}

// unknownKinds returns the kinds that the cluster does not know, if that is all that kubectl
// complains about. kubectl prints the other objects nevertheless.
func unknownKinds(stderr string) []string {
	var kinds []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		_, rest, ok := strings.Cut(line, `no matches for kind "`)
		kind, _, _ := strings.Cut(rest, `"`)
		switch {
		case ok && !slices.Contains(kinds, kind):
			kinds = append(kinds, kind)
		case !ok && line != "" && !strings.HasPrefix(line, "ensure CRDs are installed"):
			return nil
		}
	}
	return kinds
}

// definitions adds the CustomResourceDefinitions. Without the permission to read them, annotations
// cannot say what is ready.
func (r *runner) definitions(ctx context.Context, k *kubectl, pool *bundle.Pool) error {
	stdout, stderr, err := k.run(ctx, "", "get", "customresourcedefinitions", "-o", "yaml")
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && strings.Contains(stderr, "orbidden"):
		r.notes(api.Note{Message: "the CustomResourceDefinitions cannot be read: " + stderr})
		return nil
	case err != nil:
		return failed(stderr, err)
	}
	_, err = pool.Add(stdout, fromKubectl)
	return err
}

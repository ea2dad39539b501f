// Package execution has the flags that decide how functions and plugins are run, and makes what
// runs them.
package execution

import (
	"os"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/catalog"
	"github.com/fctl-dev/fctl/internal/runtime"
)

// Flags are the flags that decide how functions are run.
type Flags struct {
	// AllowExec allows programs, and Network the network to those that declare that they need it.
	AllowExec, Network bool
	// Engine is the container engine, Pull the policy for its images, and Prefix the repository of
	// images without one.
	Engine, Pull, Prefix string

	allowOutside, asUser, sandbox, noLocal bool
	mounts, env                            []string
	timeout                                time.Duration
	executor                               string
}

// Kinds returns the values of --executor.
func Kinds() []string { return []string{"go", "exec", "container"} }

// Add adds the flags to a command.
func (o *Flags) Add(flags *pflag.FlagSet) {
	flags.BoolVar(&o.AllowExec, "allow-exec", false, "functions may be programs of this machine")
	flags.BoolVar(&o.AllowExec, "enable-exec", false, "--allow-exec")
	_ = flags.MarkHidden("enable-exec")
	flags.BoolVar(&o.allowOutside, "allow-outside", false,
		"programs and mounts may be outside of the directory of the resources")
	flags.BoolVar(&o.allowOutside, "allow-mount-outside", false, "--allow-outside")
	_ = flags.MarkHidden("allow-mount-outside")
	flags.BoolVar(&o.Network, "network", false,
		"containers that declare that they need the network get it")
	flags.StringArrayVar(&o.mounts, "mount", nil,
		"mount a directory in containers, `type=bind,src=DIR,dst=DIR`, read-only without rw=true")
	flags.StringArrayVarP(&o.env, "env", "e", nil,
		"an environment variable of the function, `NAME[=VALUE]`; without a value, yours")
	flags.BoolVar(&o.asUser, "as-current-user", false, "containers run as you, not as nobody")
	flags.BoolVar(&o.sandbox, "sandbox", false,
		"programs run without network, on a read-only file system (Linux)")
	flags.BoolVar(&o.noLocal, "no-mount-local", false,
		"functions do not see the directory of their functionConfig")
	flags.DurationVar(&o.timeout, "timeout", 0,
		"a function that runs longer than `TIME` is ended (default 5m)")
	flags.StringVar(&o.Engine, "engine", "",
		"the container `ENGINE`: docker, podman, nerdctl (default: the first that answers)")
	flags.StringVar(&o.Pull, "image-pull-policy", "IfNotPresent",
		"when images are pulled, a `POLICY`: Always, IfNotPresent, Never")
	flags.StringVar(&o.Prefix, "image-prefix", "",
		"the `REPOSITORY` of images without one (default "+runtime.DefaultPrefix+")")
	flags.StringVar(&o.executor, "executor", "",
		"only one `KIND` of executor: go (functions in fctl), exec, container")
}

// Executors returns what runs functions on the resources in root.
func (o *Flags) Executors(a *app.App, root string) (*krm.Executors, error) {
	e := &krm.Executors{
		Root: root, AllowExec: o.AllowExec, AllowOutside: o.allowOutside, Network: o.Network,
		Env: o.env, AsUser: o.asUser, NoLocal: o.noLocal, Only: o.executor,
		ImagePrefix: o.Prefix, Engine: o.Engine, Limits: runtime.Limits{Time: o.timeout},
		Catalog: catalog.Find,
	}
	if e.Engine == "" {
		e.Engine = a.Streams.Getenv("FCTL_ENGINE")
	}
	if e.ImagePrefix == "" {
		e.ImagePrefix = a.Streams.Getenv("KPT_IMAGE_PREFIX")
	}
	if o.executor != "" && !slices.Contains(Kinds(), o.executor) {
		return nil, diag.UsageHint("go, exec or container", "--executor: %q is not one", o.executor)
	}
	if o.Engine != "" && !slices.Contains(runtime.EngineNames(), o.Engine) {
		return nil, diag.UsageHint("docker, podman or nerdctl", "--engine: %q is not one", o.Engine)
	}
	if o.timeout < 0 {
		return nil, diag.Usage("--timeout: a time above 0 is expected, got %v", o.timeout)
	}
	var err error
	if e.Pull, err = runtime.ParsePullPolicy(o.Pull); err != nil {
		return nil, diag.Usage("--image-pull-policy: %w", err)
	}
	for _, text := range o.mounts {
		m, err := runtime.ParseMount(text)
		if err != nil {
			return nil, diag.Usage("--mount: %w", err)
		}
		e.Mounts = append(e.Mounts, m)
	}
	if _, err := runtime.MergeEnv(o.env); err != nil {
		return nil, diag.Usage("--env: %w", err)
	}
	if o.sandbox {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		e.Sandbox = &runtime.Sandbox{Self: self}
	}
	return e, nil
}

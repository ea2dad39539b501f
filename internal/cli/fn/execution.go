package fn

import (
	"os"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/catalog"
	"github.com/fctl-dev/fctl/internal/runtime"
)

// execFlags are the flags that decide how functions are run.
type execFlags struct {
	allowExec, allowOutside, network, asUser, sandbox, noLocal bool
	mounts, env                                                []string
	timeout                                                    time.Duration
	engine, pull, prefix, executor                             string
}

// executors are the values of --executor.
func executors() []string { return []string{"go", "exec", "container"} }

func (o *execFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&o.allowExec, "allow-exec", false, "functions may be programs of this machine")
	flags.BoolVar(&o.allowExec, "enable-exec", false, "--allow-exec")
	_ = flags.MarkHidden("enable-exec")
	flags.BoolVar(&o.allowOutside, "allow-outside", false,
		"programs and mounts may be outside of the directory of the resources")
	flags.BoolVar(&o.allowOutside, "allow-mount-outside", false, "--allow-outside")
	_ = flags.MarkHidden("allow-mount-outside")
	flags.BoolVar(&o.network, "network", false,
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
	flags.StringVar(&o.engine, "engine", "",
		"the container `ENGINE`: docker, podman, nerdctl (default: the first that answers)")
	flags.StringVar(&o.pull, "image-pull-policy", "IfNotPresent",
		"when images are pulled, a `POLICY`: Always, IfNotPresent, Never")
	flags.StringVar(&o.prefix, "image-prefix", "",
		"the `REPOSITORY` of images without one (default "+runtime.DefaultPrefix+")")
	flags.StringVar(&o.executor, "executor", "",
		"only one `KIND` of executor: go (functions in fctl), exec, container")
}

// executors returns what runs functions on the resources in root.
func (r *runner) executors(o *execFlags, root string) (*krm.Executors, error) {
	e := &krm.Executors{
		Root: root, AllowExec: o.allowExec, AllowOutside: o.allowOutside, Network: o.network,
		Env: o.env, AsUser: o.asUser, NoLocal: o.noLocal, Only: o.executor,
		ImagePrefix: o.prefix, Engine: o.engine, Limits: runtime.Limits{Time: o.timeout},
		Catalog: catalog.Find,
	}
	if e.Engine == "" {
		e.Engine = r.app.Streams.Getenv("FCTL_ENGINE")
	}
	if e.ImagePrefix == "" {
		e.ImagePrefix = r.app.Streams.Getenv("KPT_IMAGE_PREFIX")
	}
	if o.executor != "" && !slices.Contains(executors(), o.executor) {
		return nil, diag.UsageHint("go, exec or container", "--executor: %q is not one", o.executor)
	}
	if o.engine != "" && !slices.Contains(runtime.EngineNames(), o.engine) {
		return nil, diag.UsageHint("docker, podman or nerdctl", "--engine: %q is not one", o.engine)
	}
	if o.timeout < 0 {
		return nil, diag.Usage("--timeout: a time above 0 is expected, got %v", o.timeout)
	}
	var err error
	if e.Pull, err = runtime.ParsePullPolicy(o.pull); err != nil {
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

// Package runflags has the flags that decide how functions and plugins are run, and makes what
// runs them.
//
// Layer: commands.
package runflags

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/functionconfig"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/catalog"
	fnconfig "github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/source"
)

// Flags are the flags that decide how functions are run.
type Flags struct {
	// Network allows the network to functions that declare that they need it.
	Network bool
	// Engine is the container engine, and Pull the policy for its images.
	Engine, Pull string

	asUser, sandbox, noLocal, ignoreDigests, noBuiltin bool

	mounts, env, functions []string
	executor, runner       string
	allow                  allowances
	cluster                cluster
}

// allowances are what functions may do.
type allowances struct {
	outside, mount, builtin bool
	env                     []string
	exec                    *command.Choice
}

// cluster is where the pods of functions run.
type cluster struct{ kubeconfig, namespace string }

// Builtin returns the flags for functions of fctl wherever it has one for an image, or for none.
func (o *Flags) Builtin(builtin bool) *Flags {
	flags := *o
	flags.allow.builtin, flags.noBuiltin = builtin, !builtin
	return &flags
}

// Kinds returns the kinds that --executor may name.
func Kinds() []fnconfig.ExecutorKind {
	return []fnconfig.ExecutorKind{
		fnconfig.KindGo, fnconfig.KindBinary, fnconfig.KindContainer, fnconfig.KindPod,
	}
}

// Add adds the flags to a command.
func (o *Flags) Add(flags *pflag.FlagSet) {
	o.allow.exec = functionconfig.AddAllowExec(flags)
	flags.Var(o.allow.exec, "enable-exec", "--allow-exec")
	flags.Lookup("enable-exec").NoOptDefVal = "true"
	_ = flags.MarkHidden("enable-exec")
	flags.BoolVar(&o.allow.outside, "allow-outside", false,
		"programs and mounts may be outside of the directory of the resources, and pods may get "+
			"what their FunctionConfigs there take from the cluster")
	flags.BoolVar(&o.allow.outside, "allow-mount-outside", false, "--allow-outside")
	_ = flags.MarkHidden("allow-mount-outside")
	flags.BoolVar(&o.Network, "network", false,
		"give the network to containers that declare that they need it")
	flags.BoolVar(&o.Network, "allow-network", false, "--network")
	_ = flags.MarkHidden("allow-network")
	flags.BoolVar(&o.noBuiltin, "no-builtin", false,
		"run the programs and containers of images that fctl has a function for")
	flags.StringArrayVar(&o.mounts, "mount", nil,
		"mount a directory in containers, `type=bind,src=DIR,dst=DIR`, read-only without rw=true")
	flags.StringArrayVarP(&o.env, "env", "e", nil,
		"set an environment variable of the function, `NAME[=VALUE]`; without a value, yours")
	flags.StringSliceVar(&o.allow.env, "allow-env", nil,
		"functions that declare `NAME` get your environment variable of that name")
	flags.BoolVar(&o.allow.mount, "allow-mount", false,
		"let functions declare volumes, and mounts that they can write to")
	flags.BoolVar(&o.asUser, "as-current-user", false, "run containers as you, not as nobody")
	flags.BoolVar(&o.sandbox, "sandbox", false,
		"run programs without network, on a read-only file system (Linux)")
	flags.BoolVar(&o.noLocal, "no-mount-local", false,
		"hide the directory of the functionConfig from functions")
	flags.StringVar(&o.Engine, "engine", "",
		"run containers with `ENGINE`: docker, podman, nerdctl (default: the first that answers)")
	flags.StringVar(&o.Pull, "image-pull-policy", "IfNotPresent",
		"pull images by `POLICY`: Always, IfNotPresent, Never")
	flags.String("image-prefix", "",
		"`REPOSITORY` of images without one (default "+process.DefaultPrefix+")")
	functionconfig.AddConfigs(flags)
	functionconfig.AddFunctions(flags, &o.functions)
	flags.BoolVar(&o.ignoreDigests, "ignore-digests", false,
		"let programs and functions of fctl run for an image with a tag and a digest")
	flags.StringVar(&o.executor, "executor", "",
		"try executors of `KIND`: go (functions in fctl), binary, container, pod; or of "+
			"several kinds in order, separated by commas")
	flags.StringVar(&o.runner, "runner", "",
		"run images on the fctl-runner that serves at `HOST:PORT`")
	flags.StringVar(&o.cluster.kubeconfig, "kubeconfig", "",
		"read from `FILE` the cluster of --executor pod and --function-configs kube:")
	flags.StringVar(&o.cluster.namespace, "pod-namespace", "", "`NAMESPACE` of the pods of "+
		"--executor pod")
}

// FlagValues completes the value of a flag of Flags. It reports whether name is one.
func FlagValues(name, typed string) ([]string, cobra.ShellCompDirective, bool) {
	var values []string
	switch name {
	case "engine":
		values = process.EngineNames()
	case "executor":
		for _, kind := range Kinds() {
			values = append(values, string(kind))
		}
	case "image-pull-policy":
		values = []string{"Always", "IfNotPresent", "Never"}
	case "function-configs", "kubeconfig":
		return nil, cobra.ShellCompDirectiveDefault, true
	case "env", "image-prefix", "mount", "pod-namespace", "runner":
		return nil, cobra.ShellCompDirectiveNoFileComp, true
	default:
		return nil, 0, false
	}
	fitting, directive := command.Offer(values, typed)
	return fitting, directive, true
}

// Executors returns what runs functions on the resources in root. items are these resources, whose
// FunctionConfigs count as well as those that flags and settings name.
func (o *Flags) Executors(ctx context.Context, a *command.App, s *settings.Settings, root string,
	items []*krm.Item,
) (*krm.Executors, error) {
	if o.noBuiltin {
		if o.executor != "" {
			return nil, diag.UsageHint("--executor binary,container,pod",
				"--no-builtin and --executor exclude each other")
		}
		o.executor = "binary,container"
	}
	kinds, err := fnconfig.ParseKinds(o.executor, Kinds()...)
	if err != nil {
		return nil, diag.UsageHint("go, binary, container or pod", "--executor: %w", err)
	}
	if err := o.validate(s, kinds); err != nil {
		return nil, err
	}
	if info, err := os.Stat(root); err == nil && !info.IsDir() {
		root = filepath.Dir(root) // one file is a package as well
	}
	allow := o.AllowsExec(s)
	e := &krm.Executors{
		Root: root, Here: a.Dir, Untrusted: s.Untrusted,
		AllowExec: allow != "false", AllowOutside: o.allow.outside,
		AllowMount: o.allow.mount, AllowEnv: o.allow.env,
		Network: o.Network, Env: o.env, AsUser: o.asUser, NoLocal: o.noLocal, Only: kinds,
		ImagePrefix: s.ImagePrefix, Engine: o.Engine,
		Limits:  process.Limits{Time: a.Limits.Time(), Output: maxOutput(a.Limits)},
		Catalog: catalog.Find, Names: catalog.Names, Series: catalog.Series,
		Builtin: o.allow.builtin, IgnoreDigests: o.ignoreDigests, Runner: o.runner, Client: http.DefaultClient,
		FindRunner: func() (string, error) { return process.FindRunner(a.Streams.Getenv) },
		Cluster:    o.clusterFlags(a),
	}
	if e.Engine == "" {
		e.Engine = a.Streams.Getenv("FCTL_ENGINE")
	}
	if e.ImagePrefix == "" {
		e.ImagePrefix = a.Streams.Getenv("KPT_IMAGE_PREFIX")
	}
	if e.Pull, err = process.ParsePullPolicy(o.Pull); err != nil {
		return nil, diag.Usage("--image-pull-policy: %w", err)
	}
	for _, text := range o.mounts {
		m, err := process.ParseMount(text)
		if err != nil {
			return nil, diag.Usage("--mount: %w", err)
		}
		e.Mounts = append(e.Mounts, m)
	}
	if o.sandbox {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		e.Sandbox = &process.Sandbox{Self: self}
	}
	if e.Programs, err = functionconfig.Programs(a, o.functions, allow, e.Sandbox); err != nil {
		return nil, err
	}
	e.Configs, err = o.functionConfigs(ctx, a, s, e, items)
	return e, err
}

// maxOutput returns how much a program may write. What it writes is held twice, and then parsed.
func maxOutput(account *limit.Account) int64 {
	return min(account.Memory()/4, process.DefaultLimits().Output)
}

// validate checks the values of flags and settings.
func (o *Flags) validate(s *settings.Settings, kinds []fnconfig.ExecutorKind) error {
	onPods := slices.Contains(kinds, fnconfig.KindPod)
	_, badEnv := process.MergeEnv(o.env)
	host, port, badAddress := net.SplitHostPort(o.runner)
	switch {
	case o.Engine != "" && !slices.Contains(process.EngineNames(), o.Engine):
		return diag.UsageHint("docker, podman or nerdctl", "--engine: %q is not one", o.Engine)
	case badEnv != nil:
		return diag.Usage("--env: %w", badEnv)
	case o.runner != "" && (badAddress != nil || host == "" || port == ""):
		return diag.Usage("--runner: HOST:PORT is expected, not %q", o.runner)
	case o.runner != "" && o.executor != "":
		return diag.UsageHint("the server decides which executor runs a function",
			"--runner and --executor exclude each other")
	case !onPods && o.cluster.namespace != "":
		return diag.Usage("--pod-namespace needs --executor pod")
	case !onPods && o.cluster.kubeconfig != "" && !slices.ContainsFunc(s.FunctionConfigs,
		func(f settings.NamedPath) bool { return settings.IsCluster(f.Path) }):
		return diag.Usage("--kubeconfig needs --executor pod or --function-configs kube:")
	case !slices.Contains(o.allow.exec.Values, s.AllowExec):
		return s.Invalid("allow-exec",
			diag.Usage("allow-exec: %q is not true, false or any", s.AllowExec))
	}
	if s.ImagePrefix != "" {
		if err := process.CheckRepository(strings.TrimRight(s.ImagePrefix, "/")); err != nil {
			return s.Invalid("image-prefix",
				diag.Usage("image-prefix: %q is not a repository: %w", s.ImagePrefix, err))
		}
	}
	return nil
}

// AllowsExec returns whether programs may run: true, false or any. --enable-exec is not a setting.
func (o *Flags) AllowsExec(s *settings.Settings) string {
	if o.allow.exec.Value != "false" && !s.Untrusted {
		return o.allow.exec.Value
	}
	return s.AllowExec
}

// AskServer returns which executor of the server of --runner would run an image, or the version of it
// that tag asks for: a line for each step, "" without --runner.
func (o *Flags) AskServer(ctx context.Context, a *command.App, image, tag string) (string, error) {
	if o.runner == "" {
		return "", nil
	}
	path, err := process.FindRunner(a.Streams.Getenv)
	if err != nil {
		return "", err
	}
	text, err := process.AskRunner(ctx, path, 1<<20, "explain", "--runner", o.runner, "--tag", tag, image)
	_, steps, found := strings.Cut(string(text), "\n")
	if found { // nothing there would run it: the steps say so
		err = nil
	}
	return steps, err
}

// clusterFlags returns the flags of fctl-runner that name the cluster of pods.
func (o *Flags) clusterFlags(a *command.App) []string {
	var words []string
	if file := o.inDirectory(a); file != "" {
		words = append(words, "--kubeconfig", file)
	}
	if o.cluster.namespace != "" {
		words = append(words, "--namespace", o.cluster.namespace)
	}
	return words
}

// inDirectory returns the file of --kubeconfig, which is relative to the directory of -C.
func (o *Flags) inDirectory(a *command.App) string {
	if o.cluster.kubeconfig == "" {
		return ""
	}
	return source.InDirectory(a.Dir, o.cluster.kubeconfig)
}

// checkPods returns an error if FunctionConfigs that files of the repository hold, and not the user
// names, take something from the cluster for their pods.
func (o *Flags) checkPods(configs []*fnconfig.Config) error {
	kinds, err := fnconfig.ParseKinds(o.executor, Kinds()...)
	if err != nil || o.allow.outside || !slices.Contains(kinds, fnconfig.KindPod) {
		return err
	}
	var problems diag.List
	for _, c := range configs {
		what := c.TakesFromCluster()
		if what == "" {
			continue
		}
		f := diag.UsageHint("--allow-outside allows it",
			"its pods get %s of the cluster, and the user has to allow that", what)
		f.Pos, f.Resource = c.Pos, "FunctionConfig/"+c.Name
		problems = append(problems, f)
	}
	return problems.Err()
}

// functionConfigs returns the FunctionConfigs that flags and settings name, and those among items.
// One of an item does not count if the others have one for the same image.
func (o *Flags) functionConfigs(ctx context.Context, a *command.App, s *settings.Settings,
	e *krm.Executors, items []*krm.Item,
) (*fnconfig.Set, error) {
	configs, err := functionconfig.Load(ctx, a, s, o.inDirectory(a), o.checkPods)
	if err != nil {
		return nil, err
	}
	named, problems := fnconfig.NewSet(configs, e.ImagePrefix, e.Only...)
	own, more := krm.FunctionConfigs(items)
	own = slices.DeleteFunc(own, func(c *fnconfig.Config) bool {
		return named.Lookup(c.Image) != nil
	})
	if err := o.checkPods(own); err != nil {
		return nil, err
	}
	set, twice := fnconfig.NewSet(slices.Concat(named.Configs(), own), e.ImagePrefix, e.Only...)
	return set, functionconfig.Report(a, s, slices.Concat(problems, more, twice))
}

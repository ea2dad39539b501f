package fn

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/wrap"
	"github.com/fctl-dev/fctl/internal/process"
)

// wrapFlags are the flags of fn wrap and fn xargs.
type wrapFlags struct {
	kind, version, pattern string
	envOnly                bool
}

func newWrap(a *command.App) *cobra.Command {
	o := &wrapFlags{}
	cmd := &cobra.Command{
		Use:   "wrap [flags] -- PROGRAM [ARG...]",
		Short: "Make a program that prints resources a KRM function",
		Long: `Read a ResourceList on the standard input, run PROGRAM, and merge the resources
that it prints into those of the list.

PROGRAM gets your environment and, for each field of metadata and spec of the
functionConfig, a variable with the name of the field in upper case: NAME,
REPLICAS. KUST_FUNCTION_CONFIG is the functionConfig as YAML. A field that is a
map or a list gives an empty variable; the variable of foo-bar is also FOO_BAR.
Its standard input is the list, of the kind List.

A resource that exists, with the same type, namespace and name, is changed: what
PROGRAM prints wins, what only the existing one has stays, null removes. Other
resources are added, in files below the directory of the functionConfig. With
KUST_MERGE=false a resource is replaced instead of merged. The resources in the
directory KUST_OVERRIDE_DIR are merged last.`,
		Example: `  fctl fn wrap -- ./nginx.sh < list.yaml
  fctl fn wrap --filename-pattern '%n_%k.yaml' -- ./nginx.sh < list.yaml`,
	}
	cmd.Flags().StringVar(&o.pattern, "filename-pattern", wrap.DefaultPattern,
		"name the files of new resources by `PATTERN`: %n name, %k kind, %s namespace")
	o.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		options := wrap.Options{Command: words, Pattern: krm.PathPattern(o.pattern)}
		return runWrapped(a, cmd, o, options)
	}
	return cmd
}

func newXargs(a *command.App) *cobra.Command {
	o := &wrapFlags{}
	cmd := &cobra.Command{
		Use:   "xargs [flags] -- PROGRAM [ARG...]",
		Short: "Run a program with the functionConfig as flags",
		Long: `Read a ResourceList on the standard input, run PROGRAM, and write the resources
that it prints as a ResourceList.

PROGRAM gets the variables that 'fctl fn wrap' gives it. Each field of spec of the
functionConfig that is not a map or a list is also a flag, --KEY=VALUE, and the
items of the functionConfig are arguments. They come after ARG. --env-only leaves
them out.`,
		Example: `  fctl fn xargs -- ./label < list.yaml
  fctl fn xargs --env-only -- ./label < list.yaml`,
	}
	cmd.Flags().BoolVar(&o.envOnly, "env-only", false, "pass only variables, not flags and "+
		"arguments")
	o.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		options := wrap.Options{Command: words, Replace: true, Flags: !o.envOnly}
		return runWrapped(a, cmd, o, options)
	}
	return cmd
}

func (o *wrapFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.kind, "wrap-kind", "List", "give PROGRAM a list of `KIND`")
	cmd.Flags().StringVar(&o.version, "wrap-version", "v1",
		"give PROGRAM a list of apiVersion `VERSION`")
	addListStrictFlag(cmd.Flags())
	cmd.Args = func(cmd *cobra.Command, words []string) error {
		if dash := cmd.ArgsLenAtDash(); dash > 0 || dash < 0 && len(words) > 0 {
			return diag.UsageHint(cmd.CommandPath()+" -- PROGRAM [ARG...]",
				"words before \"--\": %q", words[0])
		}
		if len(words) == 0 {
			return command.Missing(cmd, "PROGRAM")
		}
		return nil
	}
}

// runWrapped runs a program on the list on the standard input.
func runWrapped(a *command.App, cmd *cobra.Command, o *wrapFlags, options wrap.Options) error {
	ctx := cmd.Context()
	r, err := newRunner(a, cmd)
	if err != nil {
		return err
	}
	if r.settings.Untrusted { // its variables are those of the functionConfig
		return diag.Untrusted("%s is a program, which is not run", options.Command[0])
	}
	list, err := r.readList(ctx, cmd)
	if err != nil {
		return err
	}
	options.Kind, options.Version = o.kind, o.version
	options.Environ, options.Stderr = os.Environ(), r.app.Streams.ErrOut
	options.Provider = r.provider
	if err := wrap.Run(ctx, list, options); err != nil {
		if exit, ok := errors.AsType[*process.ExitError](err); ok {
			r.tellNo(err)
			return diag.ExitError(exit.Code) // the program's own status (X6)
		}
		return diag.Failures(err, api.FailureFunction)
	}
	return r.answer(list, nil)
}

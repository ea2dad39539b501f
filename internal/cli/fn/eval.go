package fn

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/runflags"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/source"
)

// evalFlags are the flags of fn eval.
type evalFlags struct {
	app *command.App
	one chosen // the function
	commonFlags
	config            string
	meta, below       bool
	selector, exclude selectorFlags
	save              bool
	compare           compareFlag
	saveType, tag     string
}

func newEval(a *command.App) *cobra.Command {
	o := &evalFlags{app: a}
	cmd := &cobra.Command{
		Use: "eval [flags] [DIR|-] {--image IMAGE | --exec COMMAND | --function NAME} [-- " +
			"[KIND] KEY=VALUE...]",
		Short: "Run one function on the resources of a directory",
		Long: `Run one function on the resources in DIR, or on a ResourceList on the standard
input when DIR is "-", and write what it returns to the files. DIR is the
working directory if it is left out.

The functionConfig is the resource in the file of --fn-config, or is made of the
words after "--": KIND, which is ConfigMap if it is left out, and KEY=VALUE. For
--function they are arguments of the function by their names.

Nothing is written if the function fails. A file that the function did not
change keeps its bytes. --diff, --check and --dry-run write nothing.`,
		Example: `  fctl fn eval apps --image set-namespace:v0.4 -- namespace=shop
  fctl fn eval apps --function set-replicas --match-kind Deployment -- replicas=3
  fctl fn eval apps --allow-exec --exec './my-function --verbose' --fn-config config.yaml
  fctl fn source apps | fctl fn eval - --image set-labels:v0.2 -- app=shop
  fctl fn eval apps --diff --image search-replace:v0.2 -- by-value=a put-value=b
  fctl fn eval apps --compare --image set-labels:v0.2 --fn-config labels.yaml`,
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.one.image, "image", "i", "",
		"run this `IMAGE`; fctl itself has those of the published catalogue")
	flags.StringVar(&o.tag, "tag", "", tagUsage)
	flags.StringVar(&o.one.exec, "exec-path", "", "--exec")
	_ = flags.MarkHidden("exec-path")
	flags.StringVar(&o.one.exec, "exec", "", "run this `COMMAND`, split into words as a shell does")
	flags.StringVar(&o.one.function, "function", "", "run fctl's own function of this `NAME`")
	flags.StringVar(&o.config, "fn-config", "", "read the functionConfig from `FILE`, which "+
		"has one resource")
	addMetaFlag(flags, &o.meta)
	addSubpackagesFlag(flags, &o.below)
	o.selector.add(flags, "match", "select only resources")
	o.exclude.add(flags, "exclude", "exclude resources")
	flags.BoolVarP(&o.save, "save", "s", false, "add the function to the pipeline of the Kptfile")
	flags.StringVarP(&o.saveType, "type", "t", "",
		"save the function as `TYPE`: mutator, validator (with --save)")
	o.compare.add(flags)
	o.commonFlags.add(flags)
	cmd.RunE = o.run
	cmd.ValidArgsFunction = command.CompleteFiles(1)
	return cmd
}

// selectorFlags are the flags that make one selector.
type selectorFlags struct {
	selector            krm.Selector
	labels, annotations map[string]string
}

func (s *selectorFlags) add(flags *pflag.FlagSet, prefix, what string) {
	for _, f := range []struct {
		name, value string
		to          *string
	}{
		{"api-version", "VERSION", &s.selector.APIVersion},
		{"kind", "KIND", &s.selector.Kind},
		{"name", "NAME", &s.selector.Name},
		{"namespace", "NAMESPACE", &s.selector.Namespace},
	} {
		flags.StringVar(f.to, prefix+"-"+f.name, "", what+" of this `"+f.value+"`")
	}
	flags.StringToStringVar(&s.labels, prefix+"-labels", nil,
		what+" with all these labels, `KEY=VALUE,...`")
	flags.StringToStringVar(&s.annotations, prefix+"-annotations", nil,
		what+" with all these annotations, `KEY=VALUE,...`")
	for _, name := range []string{"-labels", "-annotations"} {
		flags.Lookup(prefix + name).DefValue = "" // pflag prints []
	}
}

// list returns the selector, none if no flag is set.
func (s *selectorFlags) list() []krm.Selector {
	s.selector.Labels, s.selector.Annotations = s.labels, s.annotations
	if s.selector.IsEmpty() {
		return nil
	}
	return []krm.Selector{s.selector}
}

// declared returns the function that is run. The flags about containers go with images only.
func (o *evalFlags) declared(cmd *cobra.Command) (*krm.Declared, error) {
	d, err := o.one.declared(cmd, o.execution.Network, o.compare.on)
	if err != nil {
		return nil, err
	}
	if d.Tag = o.tag; d.Exec == "" || o.compare.on {
		return d, nil
	}
	for _, flag := range []string{"tag", "mount", "network", "env", "as-current-user"} {
		if cmd.Flags().Changed(flag) {
			return nil, diag.Usage("--%s is for images; it excludes --exec", flag)
		}
	}
	return d, nil
}

// validate checks how the flags and the words after "--" go together.
func (o *evalFlags) validate(inline []string) error {
	if o.config != "" && len(inline) > 0 {
		return diag.Usage("--fn-config and arguments after -- exclude each other")
	}
	if o.one.function != "" && o.config != "" {
		return diag.UsageHint("-- KEY=VALUE...", "--function and --fn-config exclude each other")
	}
	if (o.saveType != "") != o.save {
		return diag.UsageHint("--save --type mutator", "--save and --type go together")
	}
	if o.save && o.one.function != "" {
		return diag.Usage("--save: a pipeline cannot have a function of --function")
	}
	if o.save && !slices.Contains(saveTypes(), o.saveType) {
		return diag.UsageHint("mutator or validator", "--type: %q is not one", o.saveType)
	}
	return nil
}

func (o *evalFlags) run(cmd *cobra.Command, words []string) error {
	ctx := cmd.Context()
	var inline []string
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		words, inline = words[:dash], words[dash:]
	}
	dir, err := pathWord(cmd, words, ".")
	if err != nil {
		return err
	}
	declared, err := o.declared(cmd)
	if err := cmp.Or(err, o.validate(inline), o.compare.validate(cmd.Flags())); err != nil {
		return err
	}
	r, version, err := o.start(o.app, cmd, dir == "-")
	if err != nil {
		return err
	}
	e := &evaluation{
		runner: r, flags: o, declared: declared, dir: dir, inline: inline, version: version,
		execution: &o.execution,
	}
	switch {
	case o.compare.on && (dir == "-" || o.one.image == ""):
		return diag.Usage("--compare is for --image and a directory")
	case o.compare.on:
		return r.compare(func(builtin bool) (*made, error) {
			side := *e
			side.execution = o.execution.Builtin(builtin)
			if only := *declared; only.Exec != "" {
				if only.Exec = ""; !builtin {
					only.Image, only.Exec = "", declared.Exec
				}
				side.declared = &only
			}
			made, _, err := side.evaluate(ctx)
			return made, err
		})
	case dir == "-":
		return e.stream(ctx, cmd)
	}
	return e.files(ctx)
}

// evaluation is one run of fn eval.
type evaluation struct {
	*runner
	flags    *evalFlags
	declared *krm.Declared
	dir      string
	inline   []string
	version  string // of the ResourceList, "" for what the declaration says
	step     *krm.Step
	config   *krm.Item

	execution *runflags.Flags
}

// configure makes the step and its functionConfig. items are the resources of the directory.
func (e *evaluation) configure(ctx context.Context, items []*krm.Item) error {
	root := ""
	if e.dir != "-" {
		root = source.InDirectory(e.app.Dir, e.dir)
	}
	executors, err := e.execution.Executors(ctx, e.app, e.settings, root, items)
	if err != nil {
		return err
	}
	executors.Own = func(name string) (krm.Function, error) {
		return e.ownFunction(ctx, name, e.inline)
	}
	var config *gaby.YamlDoc
	if e.config, err = e.configFile(ctx, e.flags.config); err != nil {
		return err
	}
	if e.config != nil {
		config = e.config.Doc
	}
	if len(e.inline) > 0 && e.flags.one.function == "" {
		if config, err = krm.InlineConfig(e.inline); err != nil {
			return err
		}
	}
	local := ""
	if e.config != nil {
		local = e.config.Dir
	}
	if e.step, _, err = executors.Resolve(ctx, e.declared, local); err != nil {
		return err
	}
	e.step.Version = cmp.Or(e.version, e.step.Version)
	e.step.Config = config
	e.step.Selects = krm.Selects(e.flags.selector.list(), e.flags.exclude.list())
	e.step.Selected = e.step.Selects != nil
	e.step.PathOf = krm.RootPath
	return nil
}

// run runs the function on items.
func (e *evaluation) run(ctx context.Context, items []*krm.Item,
) ([]*krm.Item, []*krm.StepResult, error) {
	return e.steps(ctx, items, []*krm.Step{e.step}, &e.flags.results, false)
}

// stream runs the function on the standard input.
func (e *evaluation) stream(ctx context.Context, cmd *cobra.Command) error {
	if err := e.configure(ctx, nil); err != nil {
		return err
	}
	s, err := e.readStream(ctx, cmd)
	if err != nil {
		return err
	}
	if e.step.Config == nil {
		e.step.Config = s.List.FunctionConfig
	}
	e.step.PathOf = nil
	items, results, err := e.run(ctx, s.List.Items)
	if err := e.outcome(ctx, &e.flags.results, "", s.List.Items, results, err); err != nil {
		return err
	}
	return e.emitStream(ctx, s, items, results, &e.flags.output)
}

// files runs the function on the files of a directory.
func (e *evaluation) files(ctx context.Context) error {
	m, given, err := e.evaluate(ctx)
	if err != nil {
		return err
	}
	err = e.outcome(ctx, &e.flags.results, m.p.Root, given, m.results, m.err)
	if err != nil {
		return err
	}
	if e.flags.save && !e.flags.output.reads() {
		kptfile, err := e.saveFunction(m.p)
		if err != nil {
			return err
		}
		if kptfile != nil {
			m.items = append(m.items, kptfile)
		}
	}
	return e.emit(ctx, m.p, m.items, m.results, &e.flags.output)
}

// evaluate runs the function on the resources of a directory. given are those that it could get.
func (e *evaluation) evaluate(ctx context.Context) (m *made, given []*krm.Item, err error) {
	p, err := e.readPackage(ctx, e.dir, krm.ReadOptions{Kptfile: e.flags.meta || e.flags.save})
	if err != nil {
		return nil, nil, err
	}
	if err := e.noteOthers(p); err != nil {
		return nil, nil, err
	}
	given = p.Items()
	if err := e.configure(ctx, given); err != nil {
		return nil, nil, err
	}
	var config []*krm.Item
	if e.flags.save && !e.flags.meta {
		given, config = p.WithoutKptfiles(given)
	}
	if !e.flags.below {
		var others []*krm.Item
		given, others = p.WithoutSubpackages(given)
		config = append(config, others...)
	}
	if e.config != nil && !e.flags.meta {
		var own []*krm.Item
		given, own = p.WithoutFile(given, e.config.File)
		config = append(config, own...)
	}
	after, results, err := e.run(ctx, given)
	return &made{p, append(after, config...), results, err}, given, nil
}

// saveFunction adds the function to the Kptfile, which it returns if it is new.
func (e *evaluation) saveFunction(p *krm.Package) (*krm.Item, error) {
	saved := &krm.Saved{
		Declared: e.declared, Config: e.step.Config, Selectors: e.flags.selector.list(),
		Exclude: e.flags.exclude.list(), Validator: e.flags.saveType == "validator",
		Prefix: e.settings.ImagePrefix,
	}
	if e.config != nil {
		root, err := filepath.Abs(p.Root)
		if err != nil {
			return nil, err
		}
		file, err := filepath.Abs(e.config.File)
		if err != nil {
			return nil, err
		}
		if saved.ConfigPath, err = filepath.Rel(root, file); err != nil ||
			!filepath.IsLocal(saved.ConfigPath) {
			return nil, diag.Usage("--save: the file of --fn-config is not in the directory")
		}
		saved.ConfigPath = filepath.ToSlash(saved.ConfigPath)
	}
	return p.Save(saved)
}

// saveTypes are the values of --type.
func saveTypes() []string { return []string{"mutator", "validator"} }

// reads reports whether the files of the package stay as they are.
func (o *outputFlags) reads() bool {
	return o.elsewhere() || o.dryRun || o.diff || o.check
}

// elsewhere reports whether the resources go to another directory or to the standard output.
func (o *outputFlags) elsewhere() bool { return o.output != "" && o.output != "json" }

// noteOthers notes documents that are not resources and stay as they are. With --strict they are an
// error.
func (r *runner) noteOthers(p *krm.Package) error {
	files := p.NoResources()
	if len(files) == 0 || r.settings.Quiet && !r.settings.Strict {
		return nil
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	if r.settings.Strict {
		return diag.Input(names[0], ".krmignore excludes files",
			errors.New("a document is not a resource: apiVersion, kind or metadata.name is "+
				"missing"))
	}
	shown := names
	if len(shown) > 3 && !r.settings.Verbose {
		shown = append(shown[:3:3], "...")
	}
	r.note("",
		diag.Count(len(names), "file")+
			" with documents that are not resources, which stay as they are: "+
			strings.Join(shown, ", "))
	return nil
}

// Package bundle implements the commands of Smith Bundles and of plugins: fctl bundle and fctl
// plugin, one file each.
//
// Layer: commands.
package bundle

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/bundle/ready"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/lang/cel"
	"github.com/fctl-dev/fctl/internal/parallel"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/source"
	"github.com/fctl-dev/fctl/internal/yamlpath"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// New makes the commands of Bundles.
func New(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bundle",
		Short: "Render Smith Bundles without a cluster",
		Long: `Work with Smith Bundles (smith.atlassian.com/v1): sets of resources that refer
to each other. References are filled from objects that were observed, which are
files or what kubectl gets. Nothing is applied.

The exit status is 0 when every resource is ready, 1 when one is in progress,
blocked, or failed in a way that a retry may fix, 2 when the Bundle is invalid,
3 when a file cannot be read, and 4 when a resource failed permanently.`,
		Args: a.NoSuchCommand,
		RunE: command.ShowHelp,
	}
	cmd.AddCommand(newRender(a), newValidate(a), newGraph(a), newToDelete(a), newExplain(a),
		newPlugins(a))
	return cmd
}

// inputFlags are the flags that say what is processed, and how.
type inputFlags struct {
	observed, ready, assumeReady    []string
	in                              bundleFiles
	outputs                         string
	checkOwner, ownerRefs, anyLists bool
	annotations                     bool
	rules                           *command.Choice
	plugins                         pluginFlags
}

func (o *inputFlags) add(flags *pflag.FlagSet) {
	o.in.add(flags)
	addSchemas(flags)
	flags.StringArrayVar(&o.observed, "observed", nil,
		"read objects as they exist from `FILE`, a file or directory; kube: asks kubectl")
	flags.StringArrayVar(&o.ready, "ready", nil,
		"treat objects of a kind as ready when PATH equals VALUE, `KIND[.GROUP][=PATH=VALUE]`, or "+
			"when an expression of CEL holds, KIND=cel:EXPRESSION")
	o.rules = addRules(flags)
	flags.StringSliceVar(&o.assumeReady, "assume-ready", nil,
		"treat the resource `NAME` (or all) as ready")
	flags.StringVar(&o.outputs, "outputs", "",
		"read from `FILE` which objects other kinds produce and need")
	flags.BoolVar(&o.checkOwner, "check-owner", false,
		"fail if an observed object is not controlled by the Bundle")
	flags.BoolVar(&o.anyLists, "allow-lists", false,
		"let a path that ends in [*] yield a list")
	o.plugins.add(flags)
}

// bundleFiles are the flags that say where Bundles are, and the namespace of those that have none.
type bundleFiles struct {
	namespace string
	files     []string
	recursive bool
}

func (o *bundleFiles) add(flags *pflag.FlagSet) {
	flags.StringVarP(&o.namespace, "namespace", "n", "default",
		"`NAMESPACE` of Bundles that have none")
	flags.StringArrayVarP(&o.files, "filename", "f", nil,
		"read Bundles from `FILE`, a file, directory or pattern, in addition to words")
	flags.BoolVarP(&o.recursive, "recursive", "R", false, "descend into subdirectories")
}

// The choices of --ready-rules.
const (
	kstatusRules = "kstatus"
	smithRules   = "smith"
)

// addRules adds the flag that says when objects of kinds are ready that Smith does not know.
func addRules(flags *pflag.FlagSet) *command.Choice {
	c := &command.Choice{
		What: "--ready-rules", Value: kstatusRules, Values: []string{kstatusRules, smithRules},
	}
	flags.Var(c, "ready-rules", "`RULES` for kinds that Smith does not know: kstatus goes by their "+
		"status, with smith nothing is ready")
	return c
}

func addSchemas(flags *pflag.FlagSet) {
	flags.StringArray("schema", nil,
		"read schemas of objects from `PATH`, a file or directory with "+
			"CustomResourceDefinitions, JSON Schemas, or a cluster's OpenAPI")
}

// runner is what the commands work with.
type runner struct {
	app      *command.App
	settings *settings.Settings
	reader   *source.Reader
	executor *functions.Executor // made by knowledge
}

func newRunner(a *command.App, cmd *cobra.Command) (*runner, error) {
	s, err := a.Settings(cmd.Flags())
	if err != nil {
		return nil, err
	}
	a.SettingsNotes(s)
	return &runner{app: a, settings: s, reader: do.Reader(s, a.Streams)}, nil
}

// notes writes notes on the error stream.
func (r *runner) notes(notes ...api.Note) {
	if !r.settings.Quiet {
		r.app.Console().Notes("", notes...)
	}
}

// bundles reads the Bundles of files and of directories. With an error, those that could be read are returned, as far
// as they could: bundle.Validate may find more problems in them.
func (r *runner) bundles(ctx context.Context, cmd *cobra.Command, words []string, in *bundleFiles,
) ([]*bundle.Bundle, error) {
	paths := append(slices.Clone(in.files), words...)
	if len(paths) == 0 {
		return nil, command.Missing(cmd, "BUNDLE")
	}
	if !bundle.IsNamespace(in.namespace) {
		return nil, diag.UsageHint(bundle.NamespaceHint,
			"--namespace: %q is not a name of a namespace",
			in.namespace)
	}
	if slices.Contains(paths, "") {
		return nil, diag.Usage("a file has an empty name")
	}
	finder := &source.Finder{
		Dir: r.app.Dir, Recursive: in.recursive, Toolchain: api.ToolchainKubernetesYAML,
	}
	found, err := finder.Find(ctx, paths)
	if err != nil {
		return nil, err
	}
	var all []*bundle.Bundle
	var problems diag.List
	for _, file := range found.Files {
		text, name, err := []byte(nil), "", file.Problem
		if err == nil {
			text, name, err = r.read(ctx, cmd, file.Path)
		}
		if err != nil {
			problems = append(problems, diag.Failures(err, api.FailureInput)...)
			continue
		}
		if !file.Explicit && !hasBundle(text) {
			continue // a directory has other files, too
		}
		bundles, notes, err := bundle.Read(text, name, in.namespace)
		r.notes(notes...)
		if err != nil {
			problems = append(problems, diag.Failures(err, api.FailureUsage)...)
		}
		all = append(all, bundles...)
	}
	if len(all) == 0 && len(problems) == 0 {
		problem := diag.Usage("no Bundle in %s", strings.Join(paths, ", "))
		if !in.recursive {
			problem.Hint = "-R descends into subdirectories"
		}
		return nil, problem
	}
	return all, problems.Err()
}

// hasBundle reports whether a document of a text is a Bundle.
func hasBundle(text []byte) bool {
	if !bytes.Contains(text, []byte(smithv1.Group)) {
		return false
	}
	docs, _ := gaby.ParseAll(text) // what cannot be read has no header
	return slices.ContainsFunc(docs, func(doc *gaby.YamlDoc) bool {
		h, _ := doc.Header()
		return h.Kind == smithv1.Kind && strings.HasPrefix(h.APIVersion, smithv1.Group+"/")
	})
}

// read reads a file, or the standard input, and returns its name in messages.
func (r *runner) read(ctx context.Context, cmd *cobra.Command, path string,
) (text []byte, name string, err error) {
	if path == "" {
		return nil, "", diag.Usage("a file has an empty name")
	}
	if path == "-" {
		if err := r.app.RejectTerminal(cmd); err != nil {
			return nil, "", err
		}
	}
	path = source.InDirectory(r.app.Dir, path)
	text, err = r.reader.Bytes(ctx, path)
	return text, diag.FileName(path), err
}

// options returns how Bundles are processed.
func (r *runner) options(ctx context.Context, cmd *cobra.Command, o *inputFlags,
	bundles []*bundle.Bundle,
) (*bundle.Options, error) {
	options := &bundle.Options{
		Outputs: bundle.DefaultOutputs(), CheckOwner: o.checkOwner, OwnerRefs: o.ownerRefs,
		AllowLists: o.anyLists, Annotations: o.annotations, SmithRules: o.rules.Value == smithRules,
	}
	var err error
	for _, text := range o.ready {
		rule, err := ready.ParseRule(text)
		if err != nil {
			return nil, diag.UsageHint("--ready Database.example.com=status.phase=Running",
				"--ready: %w", err)
		}
		options.ReadyRules = append(options.ReadyRules, rule)
	}
	if err := assume(options, o.assumeReady, bundles); err != nil {
		return nil, err
	}
	if o.outputs != "" {
		text, name, err := r.read(ctx, cmd, o.outputs)
		if err == nil {
			options.Outputs, err = bundle.ReadOutputs(text, name)
		}
		if err != nil {
			return nil, err
		}
	}
	if options.Plugins, err = r.plugins(ctx, &o.plugins); err != nil {
		return nil, err
	}
	if options.Pool, err = r.pool(ctx, cmd, o.observed); err != nil {
		return nil, err
	}
	if err = r.know(ctx, options, bundles); err == nil {
		err = bundle.Distinct(bundles, options)
	}
	if err != nil {
		return nil, err
	}
	notes, err := options.ResolveReadyRules(bundles)
	if err != nil {
		return nil, err
	}
	r.notes(notes...)
	if slices.Contains(o.observed, kube) {
		err = r.observe(ctx, bundles, options)
	}
	return options, err
}

// know adds knowledge about the types of objects: of fctl, of the files with schemas that the
// settings name, and of the CustomResourceDefinitions in the Bundles.
func (r *runner) know(ctx context.Context, options *bundle.Options, bundles []*bundle.Bundle,
) error {
	executor, err := r.knowledge(ctx)
	if err != nil {
		return err
	}
	if err := do.AddSchemas(ctx, executor, r.reader, r.settings); err != nil {
		return err
	}
	if files := bundle.Definitions(bundles); len(files) > 0 {
		err = executor.AddInputs(func() []schemas.SchemaFile { return files })
	}
	provider, ok := executor.ResourceProvider(api.ToolchainKubernetesYAML).(interface {
		yamlpath.FieldProvider
		Scope(t api.ResourceType) configkit.Scope
	})
	if ok {
		options.Scope, options.Fields = provider.Scope, provider
	}
	return err
}

// schemas returns the schemas that objects are checked against.
func (r *runner) schemas(ctx context.Context) (*schemas.Set, error) {
	executor, err := r.knowledge(ctx)
	if err != nil {
		return nil, err
	}
	provider, ok := executor.ResourceProvider(api.ToolchainKubernetesYAML).(interface {
		Schemas() *schemas.Library
	})
	if !ok {
		return nil, nil
	}
	set, err := provider.Schemas().Set(r.settings.KubernetesVersion, cel.NewRuleCompiler())
	if err != nil {
		return nil, r.settings.Invalid("kubernetes-version", err)
	}
	return set, nil
}

// assume sets which resources count as ready.
func assume(options *bundle.Options, names []string, bundles []*bundle.Bundle) error {
	options.AssumeReady = map[smithv1.ResourceName]bool{}
	known := map[smithv1.ResourceName]bool{}
	for _, b := range bundles {
		for _, resource := range b.Resources {
			known[resource.Name] = true
		}
	}
	for _, name := range names {
		if name == "all" {
			options.AssumeAll = true
			continue
		}
		if !known[smithv1.ResourceName(name)] {
			return noResource("--assume-ready: ", name, known)
		}
		options.AssumeReady[smithv1.ResourceName(name)] = true
	}
	return nil
}

// processAll processes Bundles in parallel.
func processAll(ctx context.Context, bundles []*bundle.Bundle, options *bundle.Options,
) ([]*bundle.Result, error) {
	results := make([]*bundle.Result, len(bundles))
	errs := make([]error, len(bundles))
	err := parallel.Each(ctx, len(bundles), parallel.Cores(), func(i int) error {
		results[i], errs[i] = bundle.Process(ctx, bundles[i], options)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var problems diag.List
	for _, err := range errs {
		if err != nil {
			problems = append(problems, diag.Failures(err, api.FailureFunction)...)
		}
	}
	if len(problems) > 0 {
		return nil, problems.Err()
	}
	bundle.Clashes(results)
	return results, nil
}

// knowledge returns the executor, which knows types and secret values. It is made once.
func (r *runner) knowledge(ctx context.Context) (*functions.Executor, error) {
	if r.executor != nil {
		return r.executor, nil
	}
	executor, err := r.app.ExecutorFor(ctx, r.settings)
	r.executor = executor
	return executor, err
}

// isSecret reports whether a text has secret values, or copies of those that hide got.
func (r *runner) isSecret(text []byte) bool {
	return r.app.Masked(string(text)) != string(text) || r.executor == nil ||
		r.executor.Sensitive(api.ToolchainKubernetesYAML, [][]byte{text}) != nil
}

// hide masks the values of Secrets in everything that people read from here on.
func (r *runner) hide(ctx context.Context, results []*bundle.Result) error {
	var texts [][]byte
	for _, result := range results {
		texts = append(texts, result.Secrets()...)
	}
	return r.hideTexts(ctx, texts)
}

// hideTexts masks the values in the texts of Secrets.
func (r *runner) hideTexts(ctx context.Context, texts [][]byte) error {
	executor, err := r.knowledge(ctx)
	if err != nil {
		return err
	}
	if len(texts) > 0 {
		r.app.Hide(executor.Sensitive(api.ToolchainKubernetesYAML,
			[][]byte{bytes.Join(texts, []byte("---\n"))}), false)
	}
	return nil
}

// outcome reports the errors of resources, and returns the exit status as an error.
func (r *runner) outcome(results []*bundle.Result) error {
	status := diag.ExitDone
	var problems diag.List
	for _, result := range results {
		for _, res := range result.Resources {
			r.notes(res.Notes...)
		}
		problems = append(problems, result.Failures()...)
		switch condition, retriable := result.Condition(); {
		case condition == smithv1.Ready:
		case condition == smithv1.Error && !retriable:
			status = max(status, diag.ExitFunction)
		default:
			status = max(status, diag.ExitNo)
		}
	}
	r.app.Console().Problems(problems)
	for _, f := range problems {
		if p, ok := errors.AsType[*bundle.PanicError](f.Err); ok && r.settings.Debug {
			if err := r.talk(p.Stack); err != nil {
				return err
			}
		}
	}
	if status == diag.ExitDone {
		return nil
	}
	return diag.ExitError(status)
}

// talk prints text on the error stream, unless the settings turn notes off.
func (r *runner) talk(text string) error {
	if r.settings.Quiet || text == "" {
		return nil
	}
	_, err := io.WriteString(r.app.Streams.ErrOut, text)
	return err
}

// joined joins the texts of documents.
func joined(texts []string) string {
	return strings.Join(texts, "---\n")
}

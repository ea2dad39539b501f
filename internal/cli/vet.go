package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/out/report"
)

func newVet(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "vet [flags] {FILE... | -f PATH...} [FUNCTION [ARG...]]...",
		Short: "Validate files",
		Long: `Run validating functions on files and print what they find, one line each:

  FILE:LINE:COLUMN: RESOURCE: RULE: MESSAGE

The last line counts files, resources, findings, and resources that could not be
checked. The exit status is 1 if there are findings, and 3 if no configuration
was found. -v also prints what passed; -q omits the last line.

Without FUNCTION, these run:
` + strings.Join(do.DefaultValidations(), ", ") + `.
"then" between functions is optional. 'fctl list validates' lists them.
--policy NAME runs a policy instead: baseline, restricted, best-practice, or one
in a file of your own. Name functions, too, to run both. --fix applies the fixes
that its rules have; use it with --diff first, then with -i. 'fctl help
policies' also explains --learn, and how to accept findings.`,
		Example: `  fctl vet deployment.yaml service.yaml
  fctl vet -f apps/ -R
  fctl vet -f apps/ -R vet-schemas 1.35 vet-images
  fctl vet -f apps/ -R --policy restricted
  fctl vet -f apps/ -R --policy restricted --fix --diff
  fctl vet -f apps/ -R --policy policy.yaml --report sarif`,
	}
	cmd.Flags().SetInterspersed(false) // plan splits the words from FUNCTION on
	o := &runFlags{vet: true}
	addFileFlags(cmd, o, "read a file, a directory or a pattern like 'apps/**/*.yaml'; - is the "+
		"standard input; `PATH` can be repeated")
	cmd.Flags().StringArrayVar(&o.functions, "functions", nil,
		"run the functions in `FILE` before those on the command line")
	addParam(cmd.Flags(), o)
	cmd.Flags().StringVar(&o.print.report, "report", "",
		"print the findings as `FORM`: text, github, gitlab, sarif, junit, json, or auto "+
			"(github in a GitHub workflow, text elsewhere); default text")
	cmd.Flags().StringArray("policy", nil,
		"run a `POLICY`: baseline, restricted, best-practice or a file; it can be repeated")
	cmd.Flags().BoolVar(&o.options.Learn, "learn", false, "print the setting provided for "+
		"resources that vet-references misses, or with -i add it to .fctl.yaml")
	cmd.Flags().BoolVar(&o.options.Fix, "fix", false,
		"apply the fixes of the rules of the policies, and print the configuration, or with -i "+
			"write it")
	addWriteFlags(cmd.Flags(), o)
	cmd.Flags().BoolVar(&o.print.diff, "diff", false, "print a unified diff of the configuration "+
		"(with --fix)")
	addChainFlags(a, cmd.Flags(), o)
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return runVet(cmd.Context(), newRun(a, cmd, o), words)
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, words []string,
		typed string,
	) ([]string, cobra.ShellCompDirective) {
		return completeVet(a, cmd, o, words, typed)
	}
	return cmd
}

// runVet runs the command: words, settings, files, flags, plan, and the run.
func runVet(ctx context.Context, r *run, words []string) error {
	if err := r.takeFiles(ctx, words); err != nil || r.flags.help {
		return r.withoutFiles(err)
	}
	return r.runWords(ctx)
}

// takeFiles takes the files off the words. Flags may come before each of them. The words from
// FUNCTION on are the chain.
func (r *run) takeFiles(ctx context.Context, words []string) error {
	if err := r.readFileList(ctx); err != nil {
		return err
	}
	words, err := r.moreFiles(words, r.isFile)
	if err != nil || r.flags.help {
		return err
	}
	if len(r.flags.files.Paths) == 0 {
		if len(words) > 1 && r.app.IsFunction(words[0]) {
			return diag.UsageHint(r.app.Meant(words),
				"FILE comes before FUNCTION, and %s is a function", words[0])
		}
		return diag.UsageHint("fctl vet deployment.yaml, or fctl vet -f apps/ -R",
			"FILE or -f PATH is missing")
	}
	if r.flags.options.Learn {
		if words = append(words, "vet-references"); len(words) > 1 {
			return diag.Usage("--learn runs vet-references, no other function")
		}
	}
	r.chain.Words, r.chain.Validations = words, true
	if err := r.takeToolchain(); err != nil {
		return err
	}
	if err := r.load(ctx); err != nil {
		return err
	}
	r.chain.Words = withThen(r.cmd, words, func(word string) bool {
		return slices.ContainsFunc(r.executor.Toolchains(), func(t api.ToolchainType) bool {
			s, known := r.executor.Signature(t, word)
			return known && s.Validating
		})
	})
	return nil
}

// isFile reports whether a word is a file rather than a function. The name of a function is not a
// file; other words are files if they exist or look like a path.
func (r *run) isFile(word string) bool {
	return word == "-" || strings.ContainsAny(word, "./*?[") ||
		r.exists(word) && !r.app.IsFunction(word)
}

// withThen returns words with "then" before each validating function that follows another one.
func withThen(cmd *cobra.Command, words []string, validating func(string) bool) []string {
	var all []string
	for i, word := range words {
		if word == "--" {
			return append(all, words[i:]...)
		}
		if i > 0 && words[i-1] != plan.Then && validating(word) &&
			!awaitsValue(cmd.Flags(), words[i-1]) {
			all = append(all, plan.Then)
		}
		all = append(all, word)
	}
	return all
}

// vetOptions sets the options that differ from those of other commands.
func (o *runFlags) vetOptions(options *do.Options, getenv func(string) string) error {
	options.KeepGoing = !o.stop // validations do not depend on each other
	switch {
	case options.Learn && (options.Fix || options.Report != "" ||
		options.Baseline+options.WriteBaseline != "" || options.Output > do.InPlace):
		return diag.Usage("--learn goes with -i only")
	case options.Learn:
		options.LearnWrites, options.Output = options.Output == do.InPlace, do.Stdout
		options.Report = report.Text
	case options.Fix && options.Format == report.Auto && options.Report == "":
		options.Format = report.Data
	case !options.Fix && (options.Format == report.Diff || options.Output != do.Stdout):
		return diag.UsageHint("--fix changes what a policy finds; 'fctl do' runs functions that "+
			"change files",
			"vet changes no file without --fix")
	case options.Report == "" && !options.Fix:
		options.Report = report.Text
		if form := options.Settings.Report; form != "" {
			parsed, err := report.ParseKind(form)
			if err != nil {
				return options.Settings.Invalid("report", err)
			}
			return o.vetReport(options, parsed, getenv)
		}
	default:
		return o.vetReport(options, options.Report, getenv)
	}
	return nil
}

// vetReport sets the form of the report. Without a workflow of GitHub, auto is text.
func (o *runFlags) vetReport(options *do.Options, kind report.Kind,
	getenv func(string) string,
) error {
	if options.Report = kind; kind == report.ForCI && getenv("GITHUB_ACTIONS") != "true" {
		options.Report = report.Text
	}
	return nil
}

// completeVet completes the words of vet, by the rules they are read by.
func completeVet(a *command.App, cmd *cobra.Command, o *runFlags, words []string,
	typed string,
) ([]string, cobra.ShellCompDirective) {
	c, r := newCompleter(a, cmd), newRun(a, cmd, o)
	c.validating = true
	for len(words) > 0 && (isFlag(words[0]) || r.isFile(words[0])) {
		if isFlag(words[0]) {
			flag, rest, open := c.takeFlag(words)
			if open {
				return c.flagValues(flag, typed)
			}
			words = rest
			continue
		}
		o.files.Paths = append(o.files.Paths, words[0])
		words = words[1:]
	}
	if len(o.files.Paths) > 0 {
		c.path = o.files.Paths[0]
	}
	switch {
	case len(words) > 0:
		return c.chain(words, typed)
	case strings.HasPrefix(typed, "-"):
		return c.flagWord(typed, c.flagNames(func(*pflag.Flag) bool { return true }))
	case len(o.files.Paths) == 0:
		return nil, cobra.ShellCompDirectiveDefault
	}
	names, _ := command.Offer(c.functionNames(), typed)
	return names, cobra.ShellCompDirectiveDefault
}

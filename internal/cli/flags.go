package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/settings"
)

// runFlags are the flags of the commands that run functions on units.
type runFlags struct {
	files   do.Files
	options do.Options // those that flags set directly
	print   printFlags
	write   writeFlags

	functions []string // files with chains, of do and vet
	params    []string
	filesFrom string
	vet       bool          // the command is vet
	form      report.Format // what -o is if it is not given; empty for what the settings say
	help      bool
	stop      bool
}

// printFlags say what is printed.
type printFlags struct {
	output, report                      string
	columns                             []string
	dataOnly, outputOnly, diff, combine bool
}

// writeFlags say where the configuration is written.
type writeFlags struct{ inPlace, dryRun, check bool }

// addRunFlags adds the flags of the commands that run functions on units.
func addRunFlags(a *command.App, cmd *cobra.Command, o *runFlags) {
	flags := cmd.Flags()
	addFileFlags(cmd, o, "read a file, a directory or a pattern like 'apps/**/*.yaml', instead of "+
		"FILE and UNIT; - is the standard input; `PATH` can be repeated")
	addWriteFlags(flags, o)
	flags.StringVarP(&o.print.output, "output", "o", "auto",
		"output `FORMAT`: "+report.FormatNames())
	flags.StringSliceVar(&o.print.columns, "columns", nil,
		"print a table with these `COLUMNS`, e.g. name,value; implies -o table")
	flags.BoolVar(&o.print.dataOnly, "data-only", false,
		"print the configuration: -o data")
	flags.BoolVar(&o.print.outputOnly, "output-only", false, "print what the functions return: -o output")
	flags.BoolVar(&o.print.diff, "diff", false, "print a unified diff of the configuration: -o diff")
	flags.StringVar(&o.print.report, "report", "",
		"print validation results as `FORM`: text, github, gitlab, sarif, junit, json, or auto "+
			"(github in a GitHub workflow)")

	flags.BoolVar(&o.print.combine, "combine-validations", false,
		"print one validation result for all functions and files, as JSON")
	flags.Bool("require-match", false, "fail if a function matches nothing")
	flags.IntVar(&o.options.NumFilters, "num-filters", 0,
		"use the first `N` validating functions as filters: one that does not pass ends the chain")
	flags.BoolVar(&o.options.Upsert, "upsert", false,
		"create missing values in each of several resources, though no schema and no other "+
			"resource of the type has them: 'fctl help paths'")
	addChainFlags(a, flags, o)
}

// addParam adds the flag for parameters of chains in files.
func addParam(flags *pflag.FlagSet, o *runFlags) {
	flags.StringArrayVar(&o.params, "param", nil,
		"set a parameter that a chain in a file declares, `NAME=VALUE`: 'fctl help chains'")
}

// addFileFlags adds the flags that name the files, and --help.
func addFileFlags(cmd *cobra.Command, o *runFlags, usage string) {
	flags := cmd.Flags()
	o.files.Command = cmd.Name()
	flags.BoolVarP(&o.help, "help", "h", false, "help for "+cmd.Name())
	flags.StringArrayVarP(&o.files.Paths, "filename", "f", nil, usage)
	flags.StringVar(&o.filesFrom, "files-from", "",
		"read the names of files from `FILE`, one per line, or from the standard input if it is "+
			"-; a NUL may end them, as in 'git ls-files -z'")
	flags.BoolVarP(&o.files.Recursive, "recursive", "R", false,
		"descend into subdirectories")
	command.AddShard(flags, &o.files.Shard)
}

// addChainFlags adds the flags that say what the functions of a chain see and what stops it.
func addChainFlags(a *command.App, flags *pflag.FlagSet, o *runFlags) {
	command.AddShowSecrets(flags, &o.options.ShowSecrets)
	command.AddSelectors(flags, &o.options.Select)
	flags.StringVar(&o.options.Baseline, "baseline", "",
		"accept the findings of validations that are in `FILE`")
	flags.StringVar(&o.options.WriteBaseline, "write-baseline", "",
		"write the findings of validations to `FILE`, for --baseline, and accept them")
	flags.BoolVar(&o.options.AllowEmpty, "allow-empty", false,
		"do not fail if -f finds no configuration")
	flags.Bool("strict", false,
		"fail on documents that are not resources, on syntax errors anywhere in the input, and "+
			"if a validation checks nothing")

	flags.Bool("keep-going", false,
		"run the next functions after one fails; print and write configuration that is not valid")
	flags.BoolVar(&o.stop, "stop", false,
		"stop at the first function that fails; overrides keep-going in the settings")
	flags.StringArray("schema", nil,
		"read schemas for vet-schemas from `PATH`, a file or directory: "+
			"CustomResourceDefinitions, JSON Schemas, a cluster's OpenAPI")
	flags.StringArrayVar(&o.options.SchemaLocations, "schema-location", nil,
		"read JSON Schemas for vet-schemas from `PATH` with kubeconform's variables, such as "+
			"{{.ResourceKind}}, in this order; default is what fctl knows")
	flags.String("kubernetes-version", "",
		"`RELEASE` of Kubernetes for vet-schemas and vet-semantics, such as 1.35")
	flags.StringArrayVar(&o.options.OtherData, "other-data", nil,
		"give functions that read it other data, `SOURCE=FILE`")
	flags.Bool("allow-external", false, "allow functions to use files, programs and the network")
	flags.StringSliceVar(&a.Context, "context", nil,
		"set a value of the unit's context, `NAME=VALUE`: space, space-id, unit-id, "+
			"organization-id, revision-num, approved-by, previous-data-hash, unit-label.KEY")
	command.AddToolchainFlags(flags)
	command.AddServer(flags, "use the functions of")
	flags.Lookup("toolchain").Usage += "; in directories the default is Kubernetes/YAML, and " +
		"auto takes every format"
}

// addWriteFlags adds the flags that decide where the configuration is written.
func addWriteFlags(flags *pflag.FlagSet, o *runFlags) {
	flags.BoolVarP(&o.write.inPlace, "in-place", "i", false, "write the result to the files that "+
		"were read")
	flags.StringVarP(&o.options.OutputDir, "output-dir", "O", "",
		"write the result to files in `DIR`, with the names of those that were read; of a "+
			"directory, a complete copy")
	flags.BoolVar(&o.write.dryRun, "dry-run", false, "write nothing, and count what would change")
	flags.BoolVar(&o.write.check, "check", false,
		"write nothing, print the files that would change, and end with status 1 if there are any")
	flags.BoolVar(&o.options.Fsync, "fsync", false, "sync written files to disk before ending")
}

// runOptions combines the flags and settings of a run.
func (o *runFlags) runOptions(flags *pflag.FlagSet,
	s *settings.Settings,
) (options do.Options, err error) {
	options = o.options
	options.Settings = s
	if options.Format, options.Report, err = o.format(flags, s); err != nil {
		return options, err
	}
	if options.Columns, err = o.tableColumns(options.Format); err != nil {
		return options, err
	}
	if options.Output, err = o.destination(flags); err != nil {
		return options, err
	}
	// What a flag asks for is printed even if the configuration is written to files; what a setting
	// asks for is not.
	options.Print = slices.ContainsFunc([]string{
		"output", "data-only", "output-only", "diff",
		"report", "combine-validations",
	}, flags.Changed)
	if o.stop && flags.Changed("keep-going") {
		return options, diag.Usage("--stop and --keep-going exclude each other")
	}
	options.KeepGoing = s.KeepGoing && !o.stop
	return options, nil
}

// tableColumns returns the columns that --columns asks for.
func (o *runFlags) tableColumns(format report.Format) ([]string, error) {
	if len(o.print.columns) > 0 && format != report.Table {
		return nil, diag.Usage("--columns is for -o table")
	}
	var columns []string
	for _, name := range o.print.columns {
		name = strings.ToUpper(strings.TrimSpace(name))
		if !slices.Contains(report.Columns(), name) {
			hint := configkit.DidYouMean("", configkit.Suggest(name, report.Columns()))
			return nil, diag.UsageHint(
				cmp.Or(hint, "the columns are "+strings.Join(report.Columns(), ", ")),
				"--columns: unknown column %s", name)
		}
		columns = append(columns, name)
	}
	return columns, nil
}

// destination returns where the configuration is written.
func (o *runFlags) destination(flags *pflag.FlagSet) (do.Destination, error) {
	asked, output := "", do.Stdout
	for _, c := range []struct {
		flag   string
		on     bool
		output do.Destination
	}{
		{"--in-place", o.write.inPlace, do.InPlace},
		{"--output-dir", flags.Changed("output-dir"), do.Directory},
		{"--check", o.write.check, do.Check},
	} {
		switch {
		case !c.on:
		case asked != "":
			return output, diag.Usage("%s and %s exclude each other", asked, c.flag)
		default:
			asked, output = c.flag, c.output
		}
	}
	switch {
	case o.write.dryRun && output == do.Check:
		return output, diag.Usage("--check and --dry-run exclude each other")
	case o.write.dryRun:
		return do.DryRun, nil
	}
	return output, nil
}

// format returns the output format or the report that -o, its short forms, --report,
// --combine-validations and the settings ask for.
func (o *runFlags) format(flags *pflag.FlagSet,
	s *settings.Settings,
) (report.Format, report.Kind, error) {
	outputOnly := o.print.outputOnly && !o.print.combine // a combined result is what functions return
	ways := 0
	for _, used := range []bool{
		o.print.dataOnly, outputOnly, o.print.diff,
		flags.Changed("output") && !(o.print.combine && (o.print.output == "json" || o.print.output == "output")),
		o.print.report != "", o.print.combine,
	} {
		if used {
			ways++
		}
	}
	switch {
	case ways > 1:
		return "", "", diag.Usage("--output, --data-only, --output-only, --diff, --report and " +
			"--combine-validations exclude each other")
	case o.print.combine:
		return report.Auto, report.Combined, nil
	case o.print.dataOnly:
		return report.Data, "", nil
	case outputOnly:
		return report.Output, "", nil
	case o.print.diff:
		return report.Diff, "", nil
	case o.print.report != "":
		parsed, err := report.ParseKind(o.print.report)
		if err != nil {
			return "", "", diag.Usage("%w", err)
		}
		return report.Auto, parsed, nil
	}
	if len(o.print.columns) > 0 && !flags.Changed("output") {
		return report.Table, "", nil
	}
	if o.form != "" && !flags.Changed("output") {
		return o.form, "", nil
	}
	if o.vet { // what the settings say is about the output of functions
		return report.Auto, "", nil
	}
	format, err := report.ParseFormat(s.Output)
	if err != nil {
		return "", "", s.Invalid("output", err)
	}
	return format, "", nil
}

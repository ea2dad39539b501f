package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/where"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/plan"
	"github.com/fctl-dev/fctl/internal/report"
	"github.com/fctl-dev/fctl/internal/settings"
)

// wishes are the flags and settings that say how a resolved chain is run, where
// the configuration goes and what is printed.
type wishes struct {
	format  report.Format
	report  report.Kind // empty: format counts
	where   string
	said    string // where, as the flags say it
	other   map[string]api.Text
	filters int
	keep    bool
	// showSecrets tells that secret values are shown where they would be masked.
	showSecrets bool
	writing
}

// wishes reads the flags. Those after FUNCTION count like those before it.
func (j *job) wishes(ctx context.Context, chain *plan.Plan) (w wishes, err error) {
	flags := j.cmd.Flags()
	if j.moreFlags {
		if j.settings, err = j.App.settings(flags); err != nil {
			return w, err
		}
	}
	if err = j.addSchemas(ctx); err != nil {
		return w, err
	}
	if w.format, w.report, err = formatOf(flags, j.settings, chain); err != nil {
		return w, err
	}
	if w.report == report.ForCI {
		w.report = ""
		if j.Streams.Getenv("GITHUB_ACTIONS") == "true" {
			w.report = report.GitHub
		}
	}
	if w.writing, err = j.newWriting(chain, w.format); err != nil {
		return w, err
	}
	if w.where, w.said, err = j.whereResource(flags); err != nil {
		return w, err
	}
	if err = j.addInputs(ctx, w.where); err != nil {
		return w, err
	}
	w.showSecrets, _ = flags.GetBool(showSecrets)
	stop, _ := flags.GetBool("stop")
	if stop && flags.Changed("keep-going") {
		return w, diag.Usage("--stop and --keep-going exclude each other")
	}
	w.keep = j.settings.KeepGoing && !stop
	if w.filters, _ = flags.GetInt("num-filters"); w.filters < 0 {
		return w, diag.Usage("--num-filters: %d is less than 0", w.filters)
	}
	if n := validating(chain); w.filters > n {
		return w, diag.UsageHint("'fctl list validates' shows functions that validate", "--num-filters: the chain has %s, less than %d",
			count(n, "validating function"), w.filters)
	}
	w.other, err = j.otherData(ctx, flags)
	return w, err
}

// validating is how many functions of a chain validate something.
func validating(chain *plan.Plan) int {
	n := 0
	for _, s := range chain.Signatures {
		if s.Validating {
			n++
		}
	}
	return n
}

// whereResource is the expression that --kind, --name, -n, -l and --where-resource make
// together, and what the flags say, for messages.
func (j *job) whereResource(flags *pflag.FlagSet) (expression, said string, err error) {
	text := func(name string) string {
		value, _ := flags.GetString(name)
		return value
	}
	for _, name := range []string{"kind", "name", "namespace", "selector", "where-resource"} {
		// More often a variable that is not set than the wish to change everything.
		if flags.Changed(name) && strings.TrimSpace(text(name)) == "" {
			return "", "", diag.UsageHint("leave the flag out to select all resources", "--%s: the value is empty", name)
		}
	}
	var parts, words []string
	for _, s := range []struct {
		flag     string
		selector where.SelectorWhere
	}{
		{"kind", where.SelectorWhere{Kind: text("kind")}},
		{"name", where.SelectorWhere{Name: text("name")}},
		{"namespace", where.SelectorWhere{Namespace: text("namespace")}},
		{"selector", where.SelectorWhere{Labels: text("selector")}},
	} {
		where, err := s.selector.Where()
		if err != nil {
			return "", "", whereProblem("--"+s.flag, err)
		}
		if where != nil {
			parts, words = append(parts, where.String()), append(words, "--"+s.flag+" "+text(s.flag))
		}
	}
	given := text("where-resource")
	if err := j.executor.CheckWhereResource(j.toolchain, given); err != nil {
		return "", "", whereProblem("--where-resource", err)
	}
	if given != "" {
		parts, words = append(parts, given), append(words, given)
	}
	return strings.Join(parts, " AND "), strings.Join(words, " AND "), nil
}

// asSaid has what a response says about the resources that were asked for say it in
// the words of the command line.
func (w *wishes) asSaid(response *handler.Result) {
	if w.where == w.said {
		return
	}
	for i := range response.Notes {
		if n := &response.Notes[i]; n.Kind.Unmatched() {
			n.Message = strings.Replace(n.Message, w.where, w.said, 1)
		}
	}
	for i := range response.Functions {
		if n := response.Functions[i].Unmatched; n != nil {
			n.Message = strings.Replace(n.Message, w.where, w.said, 1)
		}
	}
}

func whereProblem(flag string, err error) error {
	hint := "'fctl help where' explains such expressions"
	if e, ok := errors.AsType[*where.Error](err); ok && e.Hint != "" {
		hint = e.Hint
	}
	f := diag.UsageHint(hint, "%s: %w", flag, err)
	f.Err = err
	return f
}

// otherData reads the files of --other-data.
func (j *job) otherData(ctx context.Context, flags *pflag.FlagSet) (map[string]api.Text, error) {
	given, _ := flags.GetStringArray("other-data")
	var problems diag.List
	data := map[string]api.Text{}
	for _, pair := range given {
		name, path, ok := strings.Cut(pair, "=")
		if !ok || name == "" || path == "" {
			problems = append(problems, diag.UsageHint("as in --other-data Previous=old.yaml", "--other-data %s: SOURCE=FILE is expected", pair))
			continue
		}
		text, err := j.bytes(ctx, path)
		if err != nil {
			problems = append(problems, diag.Failures(err, api.FailureInput)...)
		}
		data[name] = text
	}
	return data, problems.Err()
}

// formatOf is what -o, its short forms, --report, --combine-validations and the settings say.
func formatOf(flags *pflag.FlagSet, s *settings.Settings, chain *plan.Plan) (report.Format, report.Kind, error) {
	dataOnly, _ := flags.GetBool("data-only")
	outputOnly, _ := flags.GetBool("output-only")
	asDiff, _ := flags.GetBool("diff")
	combine, _ := flags.GetBool("combine-validations")
	kind, _ := flags.GetString("report")
	output, _ := flags.GetString("output")
	if combine { // it is what the functions return
		outputOnly = false
	}
	ways := 0
	for _, used := range []bool{
		dataOnly, outputOnly, asDiff, flags.Changed("output") && !(combine && (output == "json" || output == "output")), kind != "", combine,
	} {
		if used {
			ways++
		}
	}
	switch {
	case ways > 1:
		return "", "", diag.Usage("--output, --data-only, --output-only, --diff, --report and --combine-validations exclude each other")
	case combine:
		return report.Auto, report.Combined, needsValidation("--combine-validations", chain)
	case dataOnly:
		return report.Data, "", nil
	case outputOnly:
		return report.Output, "", nil
	case asDiff:
		return report.Diff, "", nil
	case kind != "":
		parsed, err := report.ParseKind(kind)
		if err != nil {
			return "", "", diag.Usage("%w", err)
		}
		return report.Auto, parsed, needsValidation("--report", chain)
	}
	format, err := report.ParseFormat(s.Output)
	if err != nil {
		return "", "", s.Refuse("output", err)
	}
	return format, "", nil
}

// needsValidation refuses a flag that prints results of validations when the chain has no validating function.
func needsValidation(flag string, chain *plan.Plan) error {
	if validating(chain) > 0 {
		return nil
	}
	return diag.UsageHint("'fctl list validates' shows those that do", "%s: no function of the chain validates anything", flag)
}

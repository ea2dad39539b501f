package do

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/where"
)

// Options say how the chain of a request is run, where the configuration is written and what is
// printed.
type Options struct {
	Request  *Request
	Settings *settings.Settings
	// Notes are written before the run.
	Notes []api.Note

	Format  report.Format
	Report  report.Kind // if empty, Format decides what is printed
	Columns []string    // of tables; nil chooses them
	// Print prints the output even if the configuration is written to files.
	Print bool

	Output    Destination
	OutputDir string // of Directory
	Fsync     bool   // files are synced to disk before the run ends

	Select    Selection
	OtherData []string // SOURCE=FILE
	// NumFilters is the number of validating functions, from the first, that end the chain of
	// a unit that does not pass.
	NumFilters int
	KeepGoing  bool // functions after one that failed run too
	Upsert     bool // setters create missing values in each of several resources
	AllowEmpty bool // it is not a problem if no configuration is found
	// Fix runs the fixes of the rules that resources break before the validations.
	Fix bool
	// SchemaLocations are where JSON Schemas are, as kubeconform has them.
	SchemaLocations []string
	// Baseline is a file with findings that are accepted. WriteBaseline is a file to which the
	// findings are written, which accepts all of them.
	Baseline, WriteBaseline string
	// Learn prints the entries of the setting provided for what the input lacks, instead of
	// findings, and with LearnWrites adds them to the project's settings file.
	Learn, LearnWrites bool
	// Mentions reports whether a line of a file that is skipped, such as a template, is named in a
	// note. nil names none.
	Mentions func(line []byte) bool
	// Values asks for Result.Files.
	Values bool
	// ShowSecrets turns the masking of secret values off.
	ShowSecrets bool
}

// Selection selects the resources that functions see. All conditions must hold.
type Selection struct {
	Kind, Name, Namespace string // several have commas between them
	Labels                string // as in app=web,tier!=db
	Where                 string // an expression of internal/where
	CEL                   string // a CEL expression
}

// check checks the options against the chain and reads the files they name.
func (l *loop) check() (err error) {
	reader := Reader(l.options.Settings, l.deps.Streams)
	if err := AddSchemas(l.ctx, l.deps.Executor, reader, l.options.Settings); err != nil {
		return err
	}
	if err := l.addSchemaLocations(); err != nil {
		return err
	}
	if err := l.checkReport(); err != nil {
		return err
	}
	if err := l.checkOutput(); err != nil {
		return err
	}
	// A shard is chosen last, so that all shards find the same in the list of the files.
	l.request.found.Keep(l.request.files.Shard)
	if l.where, l.whereFlags, err = l.selection(); err != nil {
		return err
	}
	if err := l.addInputs(); err != nil {
		return err
	}
	if err := l.openBaseline(); err != nil {
		return err
	}
	if l.provided, err = parseProvided(l.options.Settings.Provided); err != nil {
		return err
	}
	if n := l.options.NumFilters; n < 0 {
		return diag.Usage("--num-filters: %d is negative", n)
	} else if has := validating(l.chain); n > has && !l.options.Settings.Quiet {
		l.options.Notes = append(l.options.Notes, api.Note{Message: fmt.Sprintf(
			"--num-filters: the chain has only %s, not %d",
			diag.Count(has, "validating function"), n,
		)})
	}
	l.other, err = l.otherData()
	return err
}

// checkReport rejects a report of validations if the chain has none, and resolves report.ForCI to
// the report of the CI system.
func (l *loop) checkReport() error {
	o := &l.options
	if o.Report == "" && o.Format == report.Auto && l.prints && l.deps.Streams.OutIsTerminal() &&
		validating(l.chain) == len(l.chain.Signatures) {
		o.Report = report.Text
	}
	if o.Report == "" {
		return nil
	}
	if validating(l.chain) == 0 {
		flag := "--report"
		if o.Report == report.Combined {
			flag = "--combine-validations"
		}
		return diag.UsageHint("'fctl list validates' lists validating functions",
			"%s: no function of the chain is validating", flag)
	}
	if o.Report == report.ForCI {
		o.Report = ""
		if l.deps.Streams.Getenv("GITHUB_ACTIONS") == "true" {
			o.Report = report.GitHub
		}
	}
	return nil
}

// validating returns the number of validating functions in a chain.
func validating(chain *plan.Plan) int {
	n := 0
	for _, s := range chain.Signatures {
		if s.Validating {
			n++
		}
	}
	return n
}

// selection joins the options that select resources into one expression. flags is the same in the
// words of the flags, for messages.
func (l *loop) selection() (expression, flags string, err error) {
	of, names := l.options.Select, (*TypeNames)(nil)
	if of.Kind != "" && l.request.toolchain == api.ToolchainKubernetesYAML {
		names = l.request.typeNames(l.ctx)
	}
	expression, flags, l.kindNotes, err = of.expression(names)
	if err != nil {
		return "", "", err
	}
	if err := l.deps.Executor.CheckWhereResource(l.request.toolchain, of.Where); err != nil {
		return "", "", whereProblem("--where-resource", err)
	}
	if of.CEL != "" {
		if err := l.deps.Executor.CheckWhereCEL(l.request.toolchain, of.CEL); err != nil {
			return "", "", whereProblem("--where-cel", err)
		}
	}
	return expression, flags, nil
}

// Resolved returns the selection as expressions alone.
func (of *Selection) Resolved(names *TypeNames) (Selection, error) {
	expression, _, _, err := of.expression(names)
	return Selection{Where: expression, CEL: of.CEL}, err
}

// expression returns the selection without CEL as an expression of internal/where, and as a note
// shows it. notes are about kinds. names may be nil: then kinds have no short names.
func (of *Selection) expression(names *TypeNames) (
	expression, flags string, notes []*kindNote, err error,
) {
	kinds := of.Kind
	if kinds != "" && names != nil {
		kinds, notes = names.kinds(kinds)
	}
	var parts, words []string
	for _, s := range []struct {
		flag, text string
		selector   where.SelectorWhere
	}{
		{"kind", of.Kind, where.SelectorWhere{Kind: kinds}},
		{"name", of.Name, where.SelectorWhere{Name: of.Name}},
		{"namespace", of.Namespace, where.SelectorWhere{Namespace: of.Namespace}},
		{"selector", of.Labels, where.SelectorWhere{Labels: of.Labels}},
	} {
		where, err := s.selector.Where()
		if err != nil {
			return "", "", nil, whereProblem("--"+s.flag, err)
		}
		if where != nil {
			parts, words = append(parts, where.String()), append(words, "--"+s.flag+" "+s.text)
		}
	}
	if of.Where != "" {
		operand := of.Where
		if len(parts) > 0 && strings.Contains(of.Where, "OR") {
			operand = "(" + of.Where + ")"
		}
		parts, words = append(parts, operand), append(words, operand)
	}
	return strings.Join(parts, " AND "), strings.Join(words, " AND "), notes, nil
}

func whereProblem(flag string, err error) error {
	hint := "'fctl help where' explains such expressions"
	if flag == "--where-cel" {
		hint = "'fctl help cel' explains such expressions"
	}
	if e, ok := errors.AsType[*where.Error](err); ok && e.Hint != "" {
		hint = e.Hint
	}
	f := diag.UsageHint(hint, "%s: %w", flag, err)
	f.Err = err
	return f
}

// otherData reads the files of --other-data.
func (l *loop) otherData() (map[string]api.Text, error) {
	var problems diag.List
	data := map[string]api.Text{}
	for _, pair := range l.options.OtherData {
		name, path, ok := strings.Cut(pair, "=")
		if !ok || name == "" || path == "" {
			problems = append(problems,
				diag.UsageHint("for example --other-data Previous=old.yaml",
					"--other-data %s: SOURCE=FILE is expected", pair))
			continue
		}
		text, err := l.request.bytes(l.ctx, path)
		if err != nil {
			problems = append(problems, diag.Failures(err, api.FailureInput)...)
		}
		data[name] = text
	}
	return data, problems.Err()
}

package fn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fatih/color"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
)

// resultFlags are the flags about the results of functions.
type resultFlags struct {
	dir, failOn, keepIO string
	logSteps            bool
	asJSON              bool // -o json
	report              *command.Choice
	each                bool // results-N.yaml of each function, too
	truncate            bool // print the first lines of what functions print
}

func (o *resultFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&o.dir, "results-dir", "",
		"write the results of the functions to results.yaml in `DIR`")
	flags.StringVar(&o.failOn, "fail-on-results", "",
		"end with status 1 and write nothing if a result has this `SEVERITY` or a worse one: "+
			"error, warning, info")
	o.report = command.AddReport(flags)
	flags.BoolVar(&o.truncate, "truncate-output", false,
		"print only the first lines of results and of the standard error of each function")
	flags.BoolVar(&o.logSteps, "log-steps", false, "report which function runs on what")
	flags.StringVar(&o.keepIO, "keep-io", "",
		"write what each function got and gave to files in `DIR`")
}

// file returns the file that the results are written to, "" for none.
func (o *resultFlags) file() string {
	if o.dir == "" {
		return ""
	}
	return diag.FileName(filepath.Join(o.dir, krm.ResultsFile))
}

// severities are the values of --fail-on-results, worst first.
func severities() []string { return []string{"error", "warning", "info"} }

func (o *resultFlags) validate() error {
	if o.failOn != "" && !slices.Contains(severities(), o.failOn) {
		return diag.UsageHint("error, warning or info", "--fail-on-results: %q is not a severity",
			o.failOn)
	}
	return nil
}

// stepReporter reports steps on the error stream.
type stepReporter struct {
	*runner
	log bool
	// truncate leaves out what comes after the first lines.
	truncate bool
	lock     sync.Mutex // packages are rendered in parallel
}

// started reports on a terminal that a step runs, because it may take long. Elsewhere the lines of
// the functions that ran are enough.
func (r *stepReporter) started(step *krm.Step, selected int) {
	if r.settings.Quiet || !r.app.Streams.ErrIsTerminal() || r.announces() {
		return
	}
	on := ""
	if step.Selected {
		on = " on " + diag.Count(selected, "resource")
	}
	if step.Package != "" {
		on += fmt.Sprintf(" in package %q", step.Package)
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	_, _ = fmt.Fprintf(r.app.Streams.ErrOut, "[RUNNING] %q%s\n", step.Name, on)
}

// announces reports whether every function has a line that says that it ran on what.
func (r *stepReporter) announces() bool { return r.log || r.settings.Verbose }

// ended reports a step that has run.
func (r *stepReporter) ended(s *krm.StepResult) {
	r.mask(s)
	if r.settings.Quiet && s.Err == nil {
		return
	}
	if s.Skipped != "" {
		_, _ = fmt.Fprintf(r.app.Streams.ErrOut, "[SKIPPED] %q: %s\n", s.Step.Name, s.Skipped)
		return
	}
	var b strings.Builder
	scope := ""
	if s.Step.Selected || r.log {
		scope = " on " + diag.Count(s.Selected, "resource")
	}
	status, style := "PASS", r.app.Streams.ErrStyle(color.FgGreen)
	if s.Err != nil {
		status, style = "FAIL", r.app.Streams.ErrStyle(color.FgRed)
	}
	took := ""
	if r.settings.Verbose { // a run on another machine prints the same text without it
		took = " in " + s.Duration.Round(10*time.Millisecond).String()
	}
	if r.announces() {
		fmt.Fprintf(&b, "[RUNNING] %q%s\n", s.Step.Name, scope)
	}
	fmt.Fprintf(&b, "%s %q%s%s\n", style("["+status+"]"), s.Step.Name, scope, took)
	r.list(&b, "[Results]", r.lines(s.Results))
	if text := strings.TrimRight(s.Stderr, "\n"); text != "" {
		r.list(&b, "Stderr", strings.Split(text, "\n"))
	}
	if s.Err != nil && !s.Unusable {
		fmt.Fprintf(&b, "  Exit code: %d\n", s.ExitCode)
	}
	_, _ = io.WriteString(r.app.Streams.ErrOut, b.String())
	for _, note := range s.Notes {
		r.note("", fmt.Sprintf("%s: %s", s.Step.Name, note))
	}
	if s.Deleted > 0 {
		r.note("", fmt.Sprintf("%s: %s removed", s.Step.Name, diag.Count(s.Deleted, "resource")))
	}
}

// lines returns the lines of results. Of many that say the same of other resources, only the first
// have lines, unless they are errors.
func (r *stepReporter) lines(results []fnresult.Result) []string {
	sayings := make([]string, len(results))
	count, shown := map[string]int{}, map[string]int{}
	for i := range results {
		before, of, _ := strings.Cut(results[i].Message, "Resource(")
		_, after, _ := strings.Cut(of, ")")
		sayings[i] = string(results[i].Severity) + " " + before + after
		count[sayings[i]]++
	}
	var lines []string
	for i := range results {
		saying := sayings[i]
		more := count[saying] - firstLines
		if fold := more > 1 && !r.settings.Verbose &&
			results[i].Severity != fnresult.SeverityError; fold {
			if shown[saying]++; shown[saying] == firstLines+1 {
				lines = append(lines, fmt.Sprintf("... %d more like it; --verbose shows all", more))
			}
			if shown[saying] > firstLines {
				continue
			}
		}
		line := results[i].String()
		if at := results[i].Location(); at != "" {
			line += " (" + at + ")"
		}
		lines = append(lines, strings.ReplaceAll(line, "\n", "\n      "))
	}
	return lines
}

// firstLines is the number of lines that are printed if not all are; kpt has the same.
const firstLines = 4

// list writes lines below a title.
func (r *stepReporter) list(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	left := 0
	if r.truncate && len(lines) > firstLines {
		lines, left = lines[:firstLines], len(lines)-firstLines
	}
	b.WriteString("  " + title + ":\n    " + strings.Join(lines, "\n    ") + "\n")
	if left > 0 {
		fmt.Fprintf(b, "    ... %s more without --truncate-output\n", diag.Count(left, "line"))
	}
}

// outcome writes the results to their directory and as a report, and returns the error of the run:
// that of the function that failed, or that of results which count as a failure. items are the
// resources of root that the functions got.
func (r *runner) outcome(ctx context.Context, o *resultFlags, root string, items []*krm.Item,
	results []*krm.StepResult, failed error,
) error {
	no := failed != nil && saysNo(results)
	if failed == nil {
		failed = o.failure(results)
		no = failed != nil
	}
	failed = r.masked(failed)
	code := 0
	if failed != nil || slices.ContainsFunc(results, failedStep) { // also with a deferred failure
		code = 1
	}
	problems := []error{r.printReport(o, root, items, results)}
	if o.dir != "" {
		texts, err := krm.ResultFiles(results, code, o.each)
		if err == nil {
			err = r.writeTexts(ctx, o.dir, texts)
		}
		problems = append(problems, err)
	}
	if o.keepIO != "" {
		problems = append(problems, r.writeTexts(ctx, o.keepIO, ioFiles(results)))
	}
	if failed != nil && o.asJSON {
		problems = append(problems, r.app.WriteJSONLines(r.events(nil, nil, results)))
	}
	if no {
		r.tellNo(failed)
		failed = diag.ExitError(diag.ExitNo)
	}
	return errors.Join(append(problems, failed)...)
}

func failedStep(s *krm.StepResult) bool { return s.Err != nil }

// tellNo reports a check that did not pass.
func (r *runner) tellNo(err error) {
	r.app.Console().Problems(diag.Failures(err, api.FailureFunction))
}

// saysNo reports whether the function that failed said with its results what is wrong: a check that
// did not pass, rather than a function that could not do its work.
func saysNo(results []*krm.StepResult) bool {
	if len(results) == 0 {
		return false
	}
	last := results[len(results)-1]
	return last.Err != nil && fnresult.Worst(last.Results) == fnresult.SeverityError
}

// failure returns the error for results that are as severe as --fail-on-results says.
func (o *resultFlags) failure(results []*krm.StepResult) error {
	limit := slices.Index(severities(), o.failOn)
	if limit < 0 {
		return nil
	}
	for _, s := range results {
		n := 0
		for _, r := range s.Results {
			if rank := slices.Index(severities(), string(r.Severity)); rank >= 0 && rank <= limit {
				n++
			}
		}
		if n > 0 {
			return &api.Failure{
				Function: s.Step.Name,
				Message: fmt.Sprintf("%s of severity %s or worse; nothing is written",
					diag.Count(n, "result"), o.failOn),
			}
		}
	}
	return nil
}

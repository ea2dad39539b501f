package fn

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
	"github.com/fctl-dev/fctl/internal/source"
)

// outputFlags are the flags that decide where resources go.
type outputFlags struct {
	writeFlags
	output string
}

func (o *outputFlags) add(flags *pflag.FlagSet) {
	flags.StringVarP(&o.output, "output", "o", "",
		"write the resources not to their files but to stdout (a ResourceList), unwrap "+
			"(documents), or a `DIR` that does not exist; json writes their files, and prints "+
			"each step as a JSON object on a line")
	o.writeFlags.add(flags)
}

// validate returns an error for flags that exclude each other.
func (o *outputFlags) validate(stdin bool) error {
	switch {
	case o.output != "" && o.output != "json" && (o.dryRun || o.diff || o.check):
		return diag.Usage("-o excludes --dry-run, --diff and --check")
	case stdin && (o.dryRun || o.diff || o.check || o.fsync):
		return diag.Usage("the standard input is not a file: --dry-run, --diff, --check and " +
			"--fsync exclude it")
	}
	return o.exclusive()
}

// checkOutput returns an error, before anything runs, if the directory of -o exists.
func (r *runner) checkOutput(o *outputFlags) error {
	switch o.output {
	case "", "json", "stdout", "unwrap":
		return nil
	}
	return absent(source.InDirectory(r.app.Dir, o.output), "-o")
}

// emit writes the items of a package where the flags say.
func (r *runner) emit(ctx context.Context, p *krm.Package, items []*krm.Item,
	results []*krm.StepResult, o *outputFlags,
) error {
	if o.diff {
		r.hide(items) // functions may have made other values
		r.heard(results)
	}
	switch o.output {
	case "", "json":
		changes, err := p.Changes(items)
		if err != nil {
			return err
		}
		if o.output == "json" {
			if err := r.app.WriteJSONLines(r.events(p, changes, results)); err != nil {
				return err
			}
		}
		return r.apply(ctx, p, changes, &o.writeFlags)
	case "stdout":
		list := &krm.ResourceList{Items: items, Results: allResults(results)}
		text, err := list.Source(true)
		if err != nil {
			return err
		}
		return r.app.Write(text)
	case "unwrap":
		return r.app.Write(krm.Unwrap(krm.WithoutLocal(items)))
	}
	changes, err := p.Changes(items)
	if err != nil {
		return err
	}
	dir := source.InDirectory(r.app.Dir, o.output)
	if err := absent(dir, "-o"); err != nil {
		return err
	}
	r.app.Writes.Begin()
	defer r.app.Writes.End()
	return withHints(p.WriteTo(ctx, dir, changes, r.writeOptions(o.fsync)))
}

// functionEvent is the line of -o json about a function that ran.
type functionEvent struct {
	Event    string            `json:"event"`
	Package  string            `json:"package,omitempty"`
	Name     string            `json:"name,omitempty"`
	Image    string            `json:"image,omitempty"`
	Exec     string            `json:"exec,omitempty"`
	Selected *int              `json:"selected,omitempty"`
	ExitCode *int              `json:"exitCode,omitempty"`
	Skipped  string            `json:"skipped,omitempty"`
	Error    string            `json:"error,omitempty"`
	Stderr   string            `json:"stderr,omitempty"`
	Results  []fnresult.Result `json:"results,omitempty"`
	Notes    []string          `json:"notes,omitempty"`
	Added    int               `json:"added,omitempty"`   // resources
	Removed  int               `json:"removed,omitempty"` // resources
}

// fileEvent is the line about a file that changes.
type fileEvent struct {
	Event  string `json:"event"`
	Path   string `json:"path,omitempty"`
	Change string `json:"change,omitempty"`
}

// events returns what functions did and which files change, one JSON object per line.
func (r *runner) events(
	p *krm.Package,
	changes []*krm.ChangedFile,
	results []*krm.StepResult,
) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, s := range results {
		e := functionEvent{
			Event: "function", Package: s.Step.Package, Name: s.Step.Label, Image: s.Step.Image,
			Exec: s.Step.Exec, Stderr: s.Stderr, Results: s.Results, Skipped: s.Skipped,
			Notes: s.Notes, Added: s.Added, Removed: s.Deleted,
		}
		if s.Skipped == "" {
			e.Selected, e.ExitCode = &s.Selected, &s.ExitCode
		}
		if s.Err != nil {
			e.Error = r.secrets().Message(s.Err.Error())
		}
		_ = enc.Encode(e) // a buffer never fails, and neither does this data
	}
	for _, c := range changes {
		change := "changed"
		switch {
		case c.IsNew():
			change = "created"
		case c.IsDeleted():
			change = "deleted"
		}
		_ = enc.Encode(fileEvent{"file", c.Name(p), change})
	}
	return b.Bytes()
}

// emitStream writes the items of a stream where the flags say.
func (r *runner) emitStream(ctx context.Context, s *krm.Stream, items []*krm.Item,
	results []*krm.StepResult, o *outputFlags,
) error {
	switch o.output {
	case "", "stdout":
		text, err := s.Bytes(items, allResults(results))
		if err != nil {
			return err
		}
		return r.app.Write(text)
	case "unwrap":
		items = krm.WithoutLocal(items)
		r.pipeNotes(krm.Restore(items, r.provider))
		return r.app.Write(krm.Unwrap(items))
	}
	if o.output == "json" {
		r.note(diag.Stdin, "-o json prints what happened; the resources are not printed")
		return r.app.WriteJSONLines(r.events(nil, nil, results))
	}
	dir := source.InDirectory(r.app.Dir, o.output)
	if err := absent(dir, "-o"); err != nil {
		return err
	}
	p, changes, err := krm.Sink(ctx, dir, items, krm.ReadOptions{Reader: r.reader()}, r.provider)
	if err != nil {
		return err
	}
	r.pipeNotes(p.Notes)
	return r.writePackage(ctx, p, changes, o.fsync)
}

// pipeNotes notes the texts of resources from a pipe that cannot be used, three of them at most.
func (r *runner) pipeNotes(notes []string) {
	for i, note := range notes {
		if i == 3 && !r.settings.Verbose {
			r.note("", fmt.Sprintf("%d more are not used", len(notes)-i))
			return
		}
		r.note("", note)
	}
}

// allResults returns the results of all steps.
func allResults(steps []*krm.StepResult) []fnresult.Result {
	var all []fnresult.Result
	for _, s := range steps {
		all = append(all, s.Results...)
	}
	return all
}

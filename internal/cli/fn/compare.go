package fn

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/out/diff"
	"github.com/fctl-dev/fctl/internal/process"
)

// compareFlag is the flag that compares functions of fctl with programs.
type compareFlag struct{ on bool }

func (o *compareFlag) add(flags *pflag.FlagSet) {
	flags.BoolVar(&o.on, "compare", false, "write nothing, run the functions of fctl and then the "+
		"programs or containers of their images, and print how their files and results differ")
}

// validate returns an error for flags that have no meaning for a comparison.
func (o *compareFlag) validate(flags *pflag.FlagSet) error {
	if !o.on {
		return nil
	}
	for _, name := range []string{
		"output", "diff", "check", "dry-run", "fsync", "save", "executor", "no-builtin", "runner",
		"results-dir", "keep-io", "report", "fail-on-results", "shard",
	} {
		if flags.Changed(name) {
			return diag.Usage("--compare and --%s exclude each other", name)
		}
	}
	return nil
}

// made is the result of functions on the resources of a directory.
type made struct {
	p       *krm.Package
	items   []*krm.Item
	results []*krm.StepResult
	err     error // of the function that failed
}

// changes returns the files that would be written, none after a failure.
func (m *made) changes() ([]*krm.ChangedFile, error) {
	if m.err != nil {
		return nil, nil
	}
	return m.p.Changes(m.items)
}

// outcome returns the results as lines, first without the messages, which are in other words, and
// whether a function failed.
func (m *made) outcome() (keys, lines []string) {
	for _, s := range m.results {
		for i := range s.Results {
			silent := s.Results[i]
			silent.Message = ""
			at := silent.Location()
			keys = append(keys, silent.String()+" "+at)
			line := strings.ReplaceAll(s.Results[i].String(), "\n", " ")
			if at != "" {
				line += " (" + at + ")"
			}
			lines = append(lines, line)
		}
	}
	end := "succeeded"
	if m.err != nil {
		end = "failed"
	}
	return append(keys, end), append(lines, end)
}

// compare runs functions twice, and prints how the programs differ from the functions of fctl.
func (r *runner) compare(run func(builtin bool) (*made, error)) error {
	var sides [2]*made
	for i, builtin := range []bool{true, false} {
		r.note("", map[bool]string{true: "functions of fctl:", false: "programs:"}[builtin])
		m, err := run(builtin)
		if err != nil {
			return err
		}
		if m.err != nil {
			// A program that did not run, or was ended, gave no answer to compare.
			_, answered := errors.AsType[*process.ExitError](m.err)
			if !answered && !(builtin && slices.ContainsFunc(m.results, failedStep)) {
				return r.masked(m.err)
			}
			r.tellNo(r.masked(m.err))
		}
		sides[i] = m
	}
	own, other := sides[0], sides[1]
	if !slices.ContainsFunc(own.results, func(s *krm.StepResult) bool {
		return s.Step.Image != "" && s.Step.Runner.InProcess != nil
	}) {
		return diag.UsageHint("fctl fn doc lists the images that it has",
			"--compare: fctl has a function for none of the images")
	}
	before, err := own.changes()
	if err != nil {
		return err
	}
	after, err := other.changes()
	if err != nil {
		return err
	}
	r.hide(slices.Concat(own.items, other.items))
	changes := own.p.Between(before, after)
	if err := r.diff(own.p, changes, false); err != nil {
		return err
	}
	keys, lines := own.outcome()
	otherKeys, otherLines := other.outcome()
	found := []string{}
	if len(changes) > 0 {
		found = append(found, diag.Count(len(changes), "file"))
	}
	if !slices.Equal(keys, otherKeys) {
		found = append(found, "the results")
		text := diff.Unified(diff.FileDiff{
			Name: "results", Before: text(lines), After: text(otherLines),
			Style: do.DiffStyle(r.app.Streams),
		})
		if err := r.app.WriteText(r.app.Masked(string(text))); err != nil {
			return err
		}
	}
	if len(found) == 0 {
		r.note("", "nothing differs")
		return nil
	}
	r.note("", fmt.Sprintf("%s: - is of fctl, + of the programs", strings.Join(found, " and ")+
		" differ"))
	return diag.ExitError(diag.ExitNo)
}

// text returns lines as a text.
func text(lines []string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }

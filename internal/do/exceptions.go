package do

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do/exceptions"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/source"
)

// openBaseline reads the baseline, or begins a new one.
func (l *loop) openBaseline() error {
	l.rules = report.Rules(l.chain.Signatures, l.chain.Invocations)
	switch path, written := l.options.Baseline, l.options.WriteBaseline; {
	case written != "":
		path = l.request.inDir(written)
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && len(bytes.TrimSpace(text)) == 0 {
			l.baseline = exceptions.New(path)
			return nil
		}
		if err != nil {
			return err
		}
		l.baseline, err = exceptions.Read(path, text)
		return err
	case path != "":
		text, err := l.request.bytes(l.ctx, path)
		if err != nil {
			return err
		}
		l.baseline, err = exceptions.Read(l.request.inDir(path), text)
		return err
	}
	return nil
}

// ignoredRules returns the rules that the annotation of each resource names, before or after the
// chain.
func (l *loop) ignoredRules(unit *source.InputUnit, response *handler.Result) map[string][]string {
	texts := [][]byte{unit.Data}
	if response.Changed {
		texts = append(texts, response.Data())
	}
	all := map[string][]string{}
	for _, text := range texts {
		if !bytes.Contains(text, []byte(exceptions.Annotation)) {
			continue
		}
		opened, err := l.deps.Executor.Open(unit.Toolchain, text)
		if err != nil {
			continue
		}
		for resource, value := range opened.Annotations(exceptions.Annotation) {
			all[resource] = append(all[resource], exceptions.Rules(value)...)
		}
	}
	return all
}

// misspelledRules returns notes about rules in annotations that look like misspelled rules of the
// chain.
func (l *loop) misspelledRules(ignored map[string][]string) []api.Note {
	var notes []api.Note
	for resource, rules := range ignored {
		for _, rule := range rules {
			name, _, _ := strings.Cut(rule, "/")
			if slices.Contains(l.rules, name) || slices.Contains(l.rules, rule) {
				continue
			}
			if meant := configkit.LikelyTypos(name, l.rules); len(meant) > 0 {
				notes = append(notes, api.Note{Message: fmt.Sprintf(
					"%s: %s: no rule is called %s; %s", resource, exceptions.Annotation, rule,
					configkit.DidYouMean("", meant))})
			}
		}
	}
	slices.SortFunc(notes, func(a, b api.Note) int { return strings.Compare(a.Message, b.Message) })
	return slices.Compact(notes)
}

// closeBaseline writes the baseline, or reports its entries that match nothing.
func (l *loop) closeBaseline() {
	switch {
	case l.baseline == nil:
	case l.options.WriteBaseline == "":
		l.say(func() {
			for _, n := range l.baseline.Unused(l.validated) {
				l.noteUnlessQuiet("", n)
			}
		})
	case len(l.result.Failures) > 0:
		l.fail(diag.List{{
			Class:   api.FailureFunction,
			Message: "the baseline is not written, because not every file could be validated",
		}})
	default:
		if err := l.writeBaseline(); err != nil {
			l.fail(diag.List{NotWritten(diag.FileName(l.options.WriteBaseline), err)})
		}
	}
}

// validated reports whether a rule ran on a file, so that a finding in it would have been found. A
// file that does not exist counts.
func (l *loop) validated(f exceptions.Finding) bool {
	function, _, _ := strings.Cut(f.Rule, "/")
	if !slices.Contains(l.rules, function) && !slices.Contains(l.rules, f.Rule) {
		return false
	}
	if slices.ContainsFunc(l.request.found.Files, func(file source.File) bool {
		return l.baseline.File(file.Path) == f.File
	}) {
		return l.where == ""
	}
	dir := filepath.Dir(l.request.inDir(cmp.Or(l.options.WriteBaseline, l.options.Baseline)))
	_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(f.File)))
	return f.File != "-" && os.IsNotExist(err)
}

// writeBaseline writes the findings to the file of the baseline. Entries stay that this run could
// not have found: those of other files and rules.
func (l *loop) writeBaseline() error {
	kept := l.baseline.Keep(l.validated)
	text, n, err := l.baseline.Text()
	if err != nil {
		return err
	}
	path := l.request.inDir(l.options.WriteBaseline)
	if err := l.deps.Writes.Write(func() error {
		return files.Write(l.ctx, path, 0o666, text)
	}); err != nil {
		return err
	}
	l.say(func() {
		also := ""
		if kept > 0 {
			also = fmt.Sprintf("; %d of files or rules that this run did not check stay", kept)
		}
		l.noteUnlessQuiet("", api.Note{Message: fmt.Sprintf("%s written to %s%s",
			diag.Count(n, "finding"), diag.Printable(diag.FileName(path)), also)})
	})
	return nil
}

// acceptHint says how findings are accepted.
const acceptHint = "to accept a finding, add the annotation " + exceptions.Annotation +
	": RULE to its resource; --write-baseline FILE accepts all of them"

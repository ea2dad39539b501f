package functest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/fctl-dev/fctl/internal/lang/pattern"
	"github.com/google/go-cmp/cmp"
)

const (
	outputFile = "output.json"
	notesFile  = "notes"
	errorsFile = "errors"
)

func (c *testCase) outFile() string { return "out" + c.extension }

// compare returns the differences between a result and the golden files.
func (c *testCase) compare(got caseResult) (problems []string, err error) {
	for _, file := range []struct{ name, got, absent string }{
		{c.outFile(), got.data, "nothing may change"},
		{outputFile, got.output, "nothing may be returned"},
		{notesFile, got.notes, "no note is expected"},
	} {
		want, err := read(filepath.Join(c.dir, file.name))
		if err != nil {
			return nil, err
		}
		// An out file that equals the input also says that nothing is to change.
		if want == file.got || file.name == c.outFile() && file.got == "" && len(got.errors) == 0 &&
			want == string(c.input) {
			continue
		}
		what := file.name + " (-want +got)"
		if want == "" {
			what = file.name + " does not exist, so " + file.absent + " (-want +got)"
		}
		problems = append(problems, difference(what, want, file.got))
	}
	more, err := c.compareErrors(got.errors)
	return append(problems, more...), err
}

// compareErrors matches the errors with the regular expressions of the errors file, in order.
func (c *testCase) compareErrors(got []string) (problems []string, err error) {
	text, err := read(filepath.Join(c.dir, errorsFile))
	if err != nil {
		return nil, err
	}
	var want []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			want = append(want, line)
		}
	}
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(want):
			problems = append(problems, "unexpected error: "+got[i])
		case i >= len(got):
			problems = append(problems, "no error matches "+want[i])
		default:
			expression, err := pattern.Compile(want[i])
			if err != nil {
				return nil, fmt.Errorf("%s: line %d: %w", filepath.Join(c.dir, errorsFile), i+1,
					err)
			}
			if !expression.MatchString(got[i]) {
				problems = append(problems,
					fmt.Sprintf("error %d does not match %s: %s", i+1, want[i], got[i]))
			}
		}
	}
	return problems, nil
}

// write writes a result to the golden files and removes those that are not needed. Regular
// expressions that match already are kept.
func (c *testCase) write(got caseResult) error {
	files := []struct{ name, text string }{
		{c.outFile(), got.data}, {outputFile, got.output}, {notesFile, got.notes},
	}
	if mismatches, err := c.compareErrors(got.errors); err != nil || len(mismatches) > 0 {
		var b strings.Builder
		for _, text := range got.errors {
			b.WriteString("^" + regexp.QuoteMeta(text) + "$\n")
		}
		files = append(files, struct{ name, text string }{errorsFile, b.String()})
	}
	for _, file := range files {
		path := filepath.Join(c.dir, file.name)
		if file.text == "" {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		if err := os.WriteFile(path, []byte(file.text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// difference returns a message with the diff between two texts.
func difference(what, want, got string) string {
	return what + ":\n" + cmp.Diff(want, got)
}

// Package fntest runs a KRM function on the golden directories that the SDKs of functions use, and
// compares what it returns.
//
// Two layouts are known. That of kyaml has config.yaml, input*.yaml, and expected.yaml or
// errors.txt. That of krm-functions-sdk has _fnconfig.yaml, _expected.yaml, and the input in all
// other YAML files. Directories with neither are not tests.
//
// Invariant: what is compared is data. Layout, comments and the annotations for transport make no
// difference; the order of resources does.
//
// Layer: systems.
package fntest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
	"github.com/fctl-dev/fctl/internal/lines"
)

// The files of the layouts.
const (
	kyamlConfig, kyamlExpected, kyamlErrors = "config.yaml", "expected.yaml", "errors.txt"
	sdkConfig, sdkExpected                  = "_fnconfig.yaml", "_expected.yaml"
)

// TestOutput is the output of a function.
type TestOutput struct {
	Items   []*krm.Item
	Results []fnresult.Result
	Stderr  string
	// In is what a program read and Raw what it wrote, nil for a function in this process.
	In, Raw []byte
	Err     error // why the function failed
	// AsNobody runs the program again as nobody and returns what it wrote; nil if that is not
	// possible.
	AsNobody func(ctx context.Context, stdin []byte) ([]byte, error)
}

// TestedFunction runs the function under test.
type TestedFunction func(
	ctx context.Context, config *krm.Item, items []*krm.Item,
) (*TestOutput, error)

// Options say how cases are run.
type Options struct {
	// Update writes what the function returns as what is expected.
	Update bool
	// Hide is called with resources whose secret values are masked in what Run returns.
	Hide func([]*krm.Item)
	// Shown masks the secret values in the two texts of a difference; nil masks none.
	Shown func(before, after []byte) (shownBefore, shownAfter []byte)
	// Secret reports whether a text has secret values: only its owner can read a new file with it.
	Secret func(text []byte) bool
}

// FunctionCase is a golden directory.
type FunctionCase struct {
	Dir string
	sdk bool
}

// Find returns the golden directories in dir and below it, in order.
func Find(dir string) ([]*FunctionCase, error) {
	var cases []*FunctionCase
	in := dir + string(filepath.Separator) // WalkDir follows the link that dir may be
	err := filepath.WalkDir(in, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		has := func(name string) bool {
			info, err := os.Stat(filepath.Join(path, name))
			return err == nil && info.Mode().IsRegular()
		}
		switch {
		case has(sdkExpected):
			cases = append(cases, &FunctionCase{Dir: filepath.Clean(path), sdk: true})
		case has(kyamlExpected) || has(kyamlErrors):
			cases = append(cases, &FunctionCase{Dir: filepath.Clean(path)})
		}
		return nil
	})
	if err != nil {
		return nil, diag.Input(diag.FileName(dir), "", err)
	}
	return cases, nil
}

// Run runs the function on the case and returns what is wrong. notes are about what functions should
// do and this one does not.
func (c *FunctionCase) Run(ctx context.Context, function TestedFunction, o Options) (notes []string,
	err error,
) {
	first, err := c.run(ctx, function, o)
	if err != nil {
		return nil, err
	}
	if o.Update {
		return nil, c.update(ctx, first, o)
	}
	if err := c.compare(ctx, first, o); err != nil {
		return nil, err
	}
	second, err := c.run(ctx, function, o)
	switch {
	case err != nil:
		return nil, err
	case first.Raw != nil && !bytes.Equal(first.Raw, second.Raw),
		!bytes.Equal(krm.Unwrap(first.Items), krm.Unwrap(second.Items)):
		return nil, errors.New("two runs on the same input give different bytes")
	}
	if first.Err != nil || first.Raw == nil {
		return nil, nil
	}
	if first.AsNobody != nil {
		out, err := first.AsNobody(ctx, first.In)
		if err == nil && !bytes.Equal(out, first.Raw) {
			err = errors.New("it writes other bytes")
		}
		if err != nil {
			return nil, fmt.Errorf("the function does not work for the user nobody: %w", err)
		}
	}
	return c.checkComments(ctx, first)
}

// run runs the function on the input of the case.
func (c *FunctionCase) run(
	ctx context.Context,
	function TestedFunction,
	o Options,
) (*TestOutput, error) {
	name := kyamlConfig
	if c.sdk {
		name = sdkConfig
	}
	var config *krm.Item
	path := filepath.Join(c.Dir, name)
	text, err := files.ReadFile(ctx, path)
	if err == nil {
		if config, err = krm.ReadConfig(text, diag.FileName(path)); err != nil {
			return nil, err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	items, err := c.input(ctx)
	if err != nil {
		return nil, err
	}
	o.Hide(items)
	return function(ctx, config, items)
}

// input reads the input files.
func (c *FunctionCase) input(ctx context.Context) ([]*krm.Item, error) {
	pattern := "input*.yaml"
	if c.sdk {
		pattern = "*.yaml"
	}
	found, err := filepath.Glob(filepath.Join(c.Dir, pattern))
	if err != nil {
		return nil, err
	}
	var items []*krm.Item
	for _, file := range found {
		name := filepath.Base(file)
		if c.sdk && strings.HasPrefix(name, "_") {
			continue
		}
		text, err := files.ReadFile(ctx, file)
		if err != nil {
			return nil, err
		}
		stream, err := krm.ReadStream(text, diag.FileName(file))
		if err != nil {
			return nil, err
		}
		for i, item := range stream.List.Items {
			if item.Path == "" {
				item.Path, item.Index = name, i
			}
			items = append(items, item)
		}
	}
	return items, nil
}

// compare returns how the output differs from what is expected.
func (c *FunctionCase) compare(ctx context.Context, got *TestOutput, o Options) error {
	if wanted, err := files.ReadFile(ctx, filepath.Join(c.Dir, kyamlErrors)); err == nil && !c.sdk {
		if got.Err == nil {
			return fmt.Errorf("the function succeeds; %s expects it to fail", kyamlErrors)
		}
		said := words(got.said())
		for line := range strings.Lines(string(wanted)) {
			if !strings.Contains(said, words(line)) {
				return fmt.Errorf("%s has %q, but the function says\n%s", kyamlErrors,
					strings.TrimSpace(line), got.said())
			}
		}
	} else if got.Err != nil && !c.expectsResults(ctx) {
		return fmt.Errorf("the function fails: %s", got.said())
	}
	name := kyamlExpected
	if c.sdk {
		name = sdkExpected
	}
	text, err := files.ReadFile(ctx, filepath.Join(c.Dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	want, err := krm.ReadStream(text, name)
	if err != nil {
		return err
	}
	o.Hide(want.List.Items)
	if diff := difference(want.List.Items, got.Items, o); diff != "" {
		return fmt.Errorf("the output differs from %s:\n%s", name, diff)
	}
	if len(want.List.Results) == 0 {
		return nil
	}
	before, after := resultLines(want.List.Results), resultLines(got.Results)
	if before != after {
		return fmt.Errorf("the results differ from %s:\n%s", name,
			lines.Unified(before, after, 3))
	}
	return nil
}

// expectsResults reports whether the function is expected to fail: the expected results have an
// error.
func (c *FunctionCase) expectsResults(ctx context.Context) bool {
	text, err := files.ReadFile(ctx, filepath.Join(c.Dir, sdkExpected))
	if err != nil {
		return false
	}
	want, err := krm.ReadStream(text, sdkExpected)
	return err == nil && fnresult.Worst(want.List.Results) == fnresult.SeverityError
}

// said returns everything that the function said about its failure.
func (o *TestOutput) said() string {
	said := o.Stderr
	if o.Err != nil {
		said += "\n" + o.Err.Error()
	}
	return strings.TrimSpace(said + "\n" + resultLines(o.Results))
}

// words returns text with single spaces between its words.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

func resultLines(results []fnresult.Result) string {
	var b strings.Builder
	for i := range results {
		b.WriteString(results[i].String() + "\n")
	}
	return b.String()
}

// difference returns the difference of the data of two lists of items, "" for none.
func difference(want, got []*krm.Item, o Options) string {
	same := len(want) == len(got)
	wanted, actual := plain(want), plain(got)
	for i := 0; same && i < len(wanted) && i < len(actual); i++ {
		same = wanted[i].Value().Equal(actual[i].Value())
	}
	if same && len(wanted) == len(actual) {
		return ""
	}
	before, after := []byte(wanted.String()), []byte(actual.String())
	if o.Shown != nil {
		before, after = o.Shown(before, after)
	}
	return lines.Unified(string(before), string(after), 3)
}

// plain returns the documents of items without the annotations for transport.
func plain(items []*krm.Item) gaby.Container {
	docs, err := gaby.ParseAll(krm.Unwrap(items))
	if err != nil {
		return nil
	}
	return docs
}

// NotWrittenError is the error for a file that cannot be updated.
type NotWrittenError struct {
	File string
	Err  error
}

func (e *NotWrittenError) Error() string { return e.Err.Error() }

func (e *NotWrittenError) Unwrap() error { return e.Err }

// update writes what the function returned as what is expected.
func (c *FunctionCase) update(ctx context.Context, got *TestOutput, o Options) error {
	write := func(name string, text []byte) error {
		perm := fs.FileMode(0o666)
		if o.Secret(text) {
			perm = 0o600
		}
		err := files.Write(ctx, filepath.Join(c.Dir, name), perm, text)
		if err != nil {
			return &NotWrittenError{filepath.Join(c.Dir, name), err}
		}
		return nil
	}
	if c.sdk {
		list := &krm.ResourceList{Items: got.Items, Results: got.Results}
		text, err := list.Bytes()
		if err != nil {
			return err
		}
		return write(sdkExpected, text)
	}
	if got.Err != nil {
		return write(kyamlErrors, []byte(got.Err.Error()+"\n"))
	}
	return write(kyamlExpected, krm.Unwrap(got.Items))
}

// checkComments notes comments of the input that a program did not write, although the line of
// the resource that they are about is still there.
func (c *FunctionCase) checkComments(ctx context.Context, got *TestOutput) ([]string, error) {
	items, err := c.input(ctx)
	if err != nil {
		return nil, err
	}
	lost, first := 0, ""
	for line := range bytes.Lines(krm.Unwrap(items)) {
		before, comment, ok := strings.Cut(string(line), " # ")
		if !ok || strings.ContainsAny(before, `"'`) {
			continue
		}
		if bytes.Contains(got.Raw, []byte(strings.TrimSpace(before))) &&
			!bytes.Contains(got.Raw, []byte(strings.TrimSpace(comment))) {
			lost++
			first = cmp.Or(first, strings.TrimSpace(comment))
		}
	}
	if lost == 0 {
		return nil, nil
	}
	note := fmt.Sprintf("the function loses %d comments, such as %q; fctl restores them, other "+
		"orchestrators may not", lost, first)
	return []string{note}, nil
}

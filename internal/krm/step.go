package krm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/sops"
	"github.com/fctl-dev/fctl/internal/krm/doctext"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/process"
)

// Runner runs one function: either in this process or as a program that reads and writes text.
type Runner struct {
	InProcess Function
	// Program returns what the function wrote. The output counts even with an error.
	Program Program
}

// Program runs a program on the text of a ResourceList.
type Program func(ctx context.Context, stdin []byte) (process.Output, error)

// Step is one function that is to be run.
type Step struct {
	Name  string // in messages: an image, a command, or the name of a function
	Label string // the name that a pipeline gives it
	// Package is the directory of the package whose pipeline it belongs to.
	Package string
	// Selected says that the function gets only some of the items, which is reported.
	Selected bool
	Image    string // for results
	Exec     string // for results
	Runner   Runner
	// Config is the functionConfig, nil for none. It may be the document of an item.
	Config *gaby.YamlDoc
	// Declaration is the item that declares the function. It is not deleted by the function itself.
	Declaration *Item
	// Selects reports whether the function gets an item; nil selects all.
	Selects func(*Item) bool
	// Check says that the function only validates: what it changes is dropped.
	Check bool
	// DeferFailure says that the steps after it run even if it fails.
	DeferFailure bool
	// Version is the version of the ResourceList for a program; empty means V1.
	Version string
	// PathOf returns the path of an item that the function made without saying where; nil leaves
	// these items without a path.
	PathOf func(*Item) string
}

// StepResult is what became of a step.
type StepResult struct {
	Step     *Step
	Selected int // items that the function got
	Results  []fnresult.Result
	Stderr   string
	ExitCode int // 1 if it failed in another way
	Duration time.Duration
	Notes    []string
	Deleted  int    // items that the function removed
	Added    int    // items that the function made
	Skipped  string // why the function did not run
	Err      error  // why the function failed
	// Unusable says that the function ended well, but its output cannot be used.
	Unusable bool
	// In and Out are what the function got and gave, as text, with KeepIO.
	In, Out []byte
}

// Pipeline runs steps.
type Pipeline struct {
	Provider configkit.ResourceProvider
	// Started and Ended are called before and after each step; they may be nil.
	Started func(*Step, int)
	Ended   func(*StepResult)
	// Gave is called with the items that a function gave, before they are checked. It may be nil.
	Gave func([]*Item)
	// AllowSelfDelete lets a function delete the resource that declares it.
	AllowSelfDelete bool
	// Strict makes a failure of what deviates from the specification.
	Strict bool
	// KeepIO keeps what functions get and give in the results.
	KeepIO bool
}

// Run runs the steps one after the other. It stops at the first that fails, unless its failure is
// deferred. The items are those after the last step that succeeded.
func (p *Pipeline) Run(ctx context.Context, items []*Item, steps []*Step,
) ([]*Item, []*StepResult, error) {
	var results []*StepResult
	var deferred []error
	for _, step := range steps {
		after, result := p.step(ctx, items, step)
		results = append(results, result)
		if err := ctx.Err(); err != nil {
			return items, results, err
		}
		if result.Err != nil && (!step.DeferFailure || process.IsAbandoned(result.Err)) {
			return items, results, result.Err
		}
		if result.Err != nil {
			deferred = append(deferred, result.Err)
		}
		items = after
	}
	if len(deferred) > 0 {
		return items, results, &DeferredError{deferred}
	}
	return items, results, nil
}

// DeferredError is the failures of functions that let the others run.
type DeferredError struct{ list []error }

// Error returns the failures, with a line --- between them.
func (e *DeferredError) Error() string {
	texts := make([]string, len(e.list))
	for i, err := range e.list {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "\n---\n")
}

// Unwrap returns the failures.
func (e *DeferredError) Unwrap() []error { return e.list }

// Declare makes the resource that declares the function its functionConfig and its scope, unless
// the scope is global.
func (s *Step) Declare(item *Item, global bool) {
	s.Config, s.Declaration = item.Doc, item
	if !global {
		s.Selects = Scope(item.Path)
		s.Selected = s.Selects != nil
	}
	s.PathOf = func(generated *Item) string {
		return DefaultPath(scopeDir(item.Path), generated)
	}
}

// step runs one step and returns the items after it.
func (p *Pipeline) step(ctx context.Context, items []*Item, step *Step) ([]*Item, *StepResult) {
	result := &StepResult{Step: step}
	selected := items
	if step.Selects != nil {
		selected = nil
		for _, item := range items {
			if step.Selects(item) {
				selected = append(selected, item)
			}
		}
	}
	result.Selected = len(selected)
	if p.Started != nil {
		p.Started(step, len(selected))
	}
	started := time.Now()
	marks, locations := make([]gaby.Mark, len(selected)), make([]location, len(selected))
	for i, item := range selected {
		marks[i], locations[i] = item.Doc.Checkpoint(), location{path: item.Path, index: item.Index}
	}
	var after []*Item
	if step.Runner.InProcess != nil {
		after = p.inProcess(ctx, selected, step, result)
	} else {
		after = p.program(ctx, selected, step, result)
	}
	result.Duration = time.Since(started)
	if p.Ended != nil {
		defer p.Ended(result)
	}
	if process.IsAbandoned(result.Err) {
		return items, result
	}
	if after != nil && !step.Check {
		if err := result.checkEncrypted(p.Provider, selected, marks); err != nil {
			result.fail(step, err)
			after = nil
		}
	}
	if p.Strict && result.Err == nil && len(result.Notes) > 0 {
		result.fail(step, errors.New(strings.Join(result.Notes, "; ")))
		after = nil
	}
	if after == nil || step.Check || result.Err != nil && !step.DeferFailure {
		for i, item := range selected {
			item.Doc.Rollback(marks[i])
			item.Path, item.Index = locations[i].path, locations[i].index
		}
		after = selected
	}
	return p.combine(items, selected, after, result), result
}

// fail records why the output of a function that ended well cannot be used.
func (r *StepResult) fail(step *Step, err error) {
	r.ExitCode, r.Err, r.Unusable = 1, named(step, err), true
}

// checkEncrypted returns an error for each value encrypted by SOPS that the function changed. Like
// fctl's own functions it warns if the MAC of SOPS covers other values that changed.
func (r *StepResult) checkEncrypted(provider configkit.ResourceProvider, items []*Item,
	since []gaby.Mark,
) error {
	var problems []error
	sum := 0
	for i, item := range items {
		outdated, found := sops.Check(provider, gaby.Container{item.Doc}, since[i:i+1])
		sum += outdated
		for _, err := range found {
			problems = append(problems, item.located(err))
		}
	}
	text := sops.Outdated(sum).Text()
	if sum > 0 && !slices.ContainsFunc(r.Results, func(o fnresult.Result) bool { return o.Message == text }) {
		r.Results = append(r.Results, fnresult.Result{Message: text, Severity: fnresult.SeverityWarning})
	}
	return errors.Join(problems...)
}

// combine puts the items that a function returned where those it got were, and new ones at the end.
func (p *Pipeline) combine(items, selected, after []*Item, result *StepResult,
) (combined []*Item) {
	defer func() { setIndexes(combined) }()
	if slices.Equal(selected, after) {
		return items
	}
	returned := make(map[*Item]bool, len(after))
	for _, item := range after {
		returned[item] = true
	}
	gone := map[*Item]bool{}
	for _, item := range selected {
		if returned[item] {
			delete(returned, item)
			continue
		}
		if item == result.Step.Declaration && !p.AllowSelfDelete {
			result.Notes = append(result.Notes, fmt.Sprintf(
				"the function did not return %s, which declares it; it stays", item))
			continue
		}
		gone[item] = true
	}
	combined = make([]*Item, 0, len(items)+len(returned))
	for _, item := range items {
		if !gone[item] {
			combined = append(combined, item)
		}
	}
	result.Deleted = len(gone)
	for _, item := range after {
		if returned[item] {
			combined = append(combined, item)
			result.Added++
		}
	}
	return combined
}

// setIndexes gives the items that go to the end of their files the next free indexes.
func setIndexes(items []*Item) {
	appended := func(item *Item) bool { return item.Index < 0 && item.Path != "" }
	if !slices.ContainsFunc(items, appended) {
		return
	}
	next := map[string]int{}
	for _, item := range items {
		next[item.Path] = max(next[item.Path], item.Index+1)
		if item.file != nil {
			next[item.file.Path] = max(next[item.file.Path], len(item.file.docs))
		}
	}
	for _, item := range items {
		if appended(item) {
			item.Index = next[item.Path]
			next[item.Path]++
		}
	}
}

// inProcess runs a function of this process. It returns nil if the items must not be used.
func (p *Pipeline) inProcess(ctx context.Context, selected []*Item, step *Step,
	result *StepResult,
) []*Item {
	list := &ResourceList{Version: V1, Items: slices.Clone(selected), FunctionConfig: step.Config}
	if p.KeepIO {
		result.In = list.kept(result)
	}
	ctx = limit.Named(ctx, func(err error) error { return named(step, err) })
	err := callFunction(ctx, step.Runner.InProcess, list)
	result.Results, result.Stderr = list.Results, list.Stderr
	if !process.IsAbandoned(err) {
		p.gave(list.Items)
		if p.KeepIO {
			result.Out = list.kept(result)
		}
	}
	if err == nil {
		err = settle(list.Items, selected, step)
	}
	if err != nil {
		result.ExitCode, result.Err = 1, named(step, err)
		return nil
	}
	return append([]*Item{}, list.Items...) // not nil, even if nothing is left
}

func (p *Pipeline) gave(items []*Item) {
	if p.Gave != nil {
		p.Gave(items)
	}
}

// kept returns the list as a program would have got it, for a function of this process.
func (l *ResourceList) kept(result *StepResult) []byte {
	text, err := l.wire(&wireOptions{version: true})
	if err != nil {
		result.Notes = append(result.Notes, "what it got or gave cannot be kept: "+err.Error())
	}
	return text
}

// callFunction calls a function and turns a panic into an error.
func callFunction(ctx context.Context, f Function, list *ResourceList) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &api.Failure{
				Class: api.FailureFunction, Message: fmt.Sprintf("panic: %v", r),
				Hint: "this is a bug of the function", Err: panicked{string(debug.Stack())},
			}
		}
	}()
	return limit.Watched(ctx, func(ctx context.Context, grow func(int) error) error {
		for _, item := range list.Items {
			gaby.Container{item.Doc}.LimitGrowth(grow)
		}
		return f(ctx, list)
	})
}

// panicked is the stack of a function that panicked.
type panicked struct{ stack string }

func (p panicked) Error() string { return p.stack }

// settle reads the path that a function in this process gave items by annotations, and gives new
// items their default path.
func settle(items, selected []*Item, step *Step) error {
	old := make(map[*Item]bool, len(selected))
	for _, item := range selected {
		old[item] = true
	}
	for _, item := range items {
		isNew := !old[item]
		if !isNew && (!item.Doc.Changed() || item.transport) {
			step.setDefaultPath(item)
			continue
		}
		if annotations(item.Doc).Get(PathAnnotation).Exists() ||
			annotations(item.Doc).Get(LegacyPathAnnotation).Exists() || isNew {
			at, err := readLocation(item.Doc)
			if err != nil {
				return err
			}
			if at.path != "" && at.path != item.Path {
				item.Path, item.Index = at.path, appendIndex
				if at.indexed {
					item.Index = at.index
				}
			}
			if item.read == nil { // in a list they stay, for who reads it
				if err := cleanAnnotations(item.Doc); err != nil {
					return err
				}
			}
		}
		if isNew {
			if err := checkReturned(nil, item); err != nil {
				return err
			}
		}
		step.setDefaultPath(item)
	}
	return nil
}

// setDefaultPath gives an item without a path the default one.
func (s *Step) setDefaultPath(item *Item) {
	if item.Path == "" && s.PathOf != nil {
		item.Path, item.Index = s.PathOf(item), appendIndex
	}
}

// program runs a function that reads and writes text. It returns nil if the items must not be used.
func (p *Pipeline) program(ctx context.Context, selected []*Item, step *Step,
	result *StepResult,
) []*Item {
	list := &ResourceList{
		Version: step.Version, Items: selected, FunctionConfig: step.Config,
		config: step.Declaration,
	}
	text, err := list.wire(&wireOptions{ids: true, seqIndent: true})
	if err != nil {
		result.ExitCode, result.Err = 1, err
		return nil
	}
	ctx = limit.Named(ctx, func(err error) error { return named(step, err) })
	out, err := step.Runner.Program(ctx, text)
	result.Stderr, result.ExitCode = string(out.Stderr), out.ExitCode
	if p.KeepIO {
		result.In, result.Out = text, out.Stdout
	}
	if err != nil {
		if result.ExitCode == 0 {
			result.ExitCode = 1
		}
		result.Err = named(step, err)
	}
	if process.IsCut(err) {
		return nil // reading it would take longer than the function may run
	}
	var after []*Item
	problem := limit.Watched(ctx, func(ctx context.Context, _ func(int) error) error {
		if err := limit.GrowTree(ctx, out.Stdout); err != nil {
			return err
		}
		after, err = p.returned(selected, out.Stdout, list, step, result)
		return err
	})
	if problem != nil {
		switch {
		case result.Err == nil:
			result.fail(step, problem)
		case step.DeferFailure && len(bytes.TrimSpace(out.Stdout)) > 0:
			result.Notes = append(result.Notes, "its output is not used: "+problem.Error())
		}
		return nil
	}
	return after
}

// returned returns the items after a function that wrote stdout. It returns nil if the items must
// not be used.
func (p *Pipeline) returned(selected []*Item, stdout []byte, list *ResourceList, step *Step,
	result *StepResult,
) ([]*Item, error) {
	output, err := ParseOutput(stdout)
	if err != nil {
		return nil, err
	}
	p.gave(output.Items)
	result.Results = output.Results
	result.Notes = append(result.Notes, output.Notes()...)
	if result.Err != nil && !step.DeferFailure {
		return nil, nil
	}
	if c := output.FunctionConfig; c != nil && step.Config != nil && !list.isConfig(c) {
		result.Notes = append(result.Notes,
			"the function changed its functionConfig; the change is ignored")
	}
	if step.Check {
		return nil, nil
	}
	after, err := merge(selected, output.Items, p.Provider)
	for _, item := range after {
		step.setDefaultPath(item)
	}
	return after, err
}

// isConfig reports whether a functionConfig is the one that was sent.
func (l *ResourceList) isConfig(c *gaby.YamlDoc) bool {
	text, err := l.configText()
	if err != nil {
		return true
	}
	sent, err := gaby.ParseYAML(doctext.Content(text))
	return err != nil || sent.Value().Equal(c.Value())
}

// named adds the function of a step to an error, or to each of several.
func named(step *Step, err error) error {
	if all := configkit.Unjoin(err); len(all) > 1 {
		for i, err := range all {
			all[i] = named(step, err)
		}
		return errors.Join(all...)
	}
	if failure, ok := errors.AsType[*api.Failure](err); ok {
		in := *failure
		if in.Function == "" {
			in.Function = step.Name
		}
		return &in
	}
	message := err.Error()
	if ended, ok := err.(process.Ended); ok {
		if of, text := ended.Outcome(); of == step.Name {
			message = text
		}
	}
	return &api.Failure{
		Class: api.FailureFunction, Function: step.Name, Message: message, Hint: process.Hint(err),
		Err: err,
	}
}

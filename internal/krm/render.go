package krm

import (
	"cmp"
	"context"
	"errors"
	"path"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/cel"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/source"
)

// Render runs the pipelines of the Kptfiles of a package and of the packages below it.
type Render struct {
	Pipeline  *Pipeline
	Executors *Executors
	// Meta says that functions also get Kptfiles and functionConfigs.
	Meta bool
	// Version is the version of the ResourceList for programs; empty means V1.
	Version string
	// Shard is the part of the packages that is rendered.
	Shard source.Shard
	// Ended is called after each package, with its directory and what its functions did, in the
	// order in which they run one after the other.
	Ended func(dir string, results []*StepResult)
}

// Rendered is the result of a Render.
type Rendered struct {
	Items    []*Item
	Results  []*StepResult
	Packages int
	// Kptfile is that of the root.
	Kptfile *Item
	// SaveOnFailure says that the Kptfile asks for the items even after a failure.
	SaveOnFailure bool
}

// Run renders the items. Everything that can be checked is checked before the first function runs.
// No function runs after the first that fails. Packages next to each other are rendered in parallel
// where nobody can see that: if all functions are in this process, and a failure writes nothing.
func (r *Render) Run(ctx context.Context, items []*Item) (*Rendered, error) {
	root, err := kptPackages(items)
	if err != nil {
		return nil, err
	}
	if err := root.readPipelines(r.Pipeline.Strict); err != nil {
		return nil, err
	}
	packages := root.keep(r.Shard)
	if err := r.prepare(ctx, root); err != nil {
		return nil, err
	}
	rendering := &rendering{
		Render: r, slots: make(chan struct{}, goruntime.GOMAXPROCS(0)),
		meta: metaFiles(root, map[string]bool{}),
	}
	result := &Rendered{Kptfile: root.kptfile, SaveOnFailure: root.isTrue(saveOnFailureAnnotation)}
	rendering.parallel = !result.SaveOnFailure && !root.runsPrograms()
	if root.isTrue(parentsFirstAnnotation) {
		result.Items, result.Results, err = rendering.parentsFirst(ctx, root, items)
	} else {
		done := rendering.render(ctx, root)
		result.Items, result.Results, err = done.items, done.results, done.err
		rendering.report(done)
	}
	result.Packages = packages
	result.SaveOnFailure = result.SaveOnFailure && !process.IsAbandoned(err)
	return result, err
}

// pieces returns the packages that can be rendered apart: those with a pipeline that no package
// above them has one for. The packages below them belong to them.
func (p *kptPackage) pieces() []*kptPackage {
	if len(p.functions()) > 0 {
		return []*kptPackage{p}
	}
	var all []*kptPackage
	for _, sub := range p.below {
		all = append(all, sub.pieces()...)
	}
	return all
}

// keep removes the pipelines that do not belong to a shard, and returns how many packages are left.
func (p *kptPackage) keep(s source.Shard) int {
	if s.IsWhole() {
		return p.count()
	}
	pieces := p.pieces()
	names, sizes := make([]string, len(pieces)), make([]int64, len(pieces))
	for i, piece := range pieces {
		names[i] = piece.dir
		counted := map[*InputFile]bool{}
		for _, item := range piece.all() {
			if item.file != nil && !counted[item.file] {
				counted[item.file] = true
				sizes[i] += int64(len(item.file.data))
			}
		}
	}
	left := 0
	for i, selected := range s.Select(names, sizes) {
		if selected {
			left += pieces[i].count()
		} else {
			pieces[i].clear()
		}
	}
	return left
}

// clear removes the pipelines of the package and of those below it.
func (p *kptPackage) clear() {
	p.mutators, p.validators = nil, nil
	for _, sub := range p.below {
		sub.clear()
	}
}

// count returns the number of packages.
func (p *kptPackage) count() int {
	n := 1
	for _, sub := range p.below {
		n += sub.count()
	}
	return n
}

// functions returns the functions of the pipeline in the order in which they run.
func (p *kptPackage) functions() []*pipelineFunction {
	return append(slices.Clone(p.mutators), p.validators...)
}

// metaFiles adds the paths of the functionConfigs of all packages.
func metaFiles(p *kptPackage, files map[string]bool) map[string]bool {
	for _, f := range p.functions() {
		if f.configPath != "" {
			files[f.configPath] = true
		}
	}
	for _, sub := range p.below {
		metaFiles(sub, files)
	}
	return files
}

// prepare finds what runs each function, and checks functionConfigs and conditions.
func (r *Render) prepare(ctx context.Context, p *kptPackage) error {
	var problems []error
	for i, f := range p.functions() {
		problems = append(problems, r.prepareFunction(ctx, p, f, i >= len(p.mutators)))
	}
	for _, sub := range p.below {
		problems = append(problems, r.prepare(ctx, sub))
	}
	return errors.Join(problems...)
}

func (r *Render) prepareFunction(ctx context.Context, p *kptPackage, f *pipelineFunction,
	check bool,
) error {
	located := func(err error) error {
		failure, ok := errors.AsType[*api.Failure](err)
		if !ok || failure.Pos.File != "" {
			return p.kptfile.located(err)
		}
		in := *failure
		in.Pos = f.at
		in.Pos.File = p.kptfile.fileName()
		return &in
	}
	if f.configPath != "" {
		doc, item, err := p.config(f, p.items)
		if err != nil {
			return err
		}
		if err := checkConfig(doc); err != nil {
			return item.located(at(doc.Position(), "%w", err))
		}
	}
	local := ""
	if f.configPath != "" {
		local = path.Dir(f.configPath)
		local = path.Join(r.Executors.Root, local)
	}
	step, _, err := r.Executors.Resolve(ctx, f.declared, local)
	if err != nil {
		return located(err)
	}
	step.Check, step.Label = check, f.name
	if r.Version != "" {
		step.Version = r.Version
	}
	f.step = step
	if f.when != "" {
		if f.condition, err = condition(f.when); err != nil {
			return p.kptfile.inExpression(f.whenKey, f.whenAt, err)
		}
	}
	return nil
}

// condition compiles a CEL expression about the resources that a function would get.
func condition(text string) (func(context.Context, []*Item) (bool, error), error) {
	program, err := cel.CompileUnit(text, cel.Bool)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, items []*Item) (bool, error) {
		list := make([]gaby.Value, len(items))
		for i, item := range items {
			list[i] = item.Doc.Value()
		}
		value, err := program.EvalUnit(ctx, list, &expression.Scope{})
		if err != nil {
			return false, err
		}
		met, _ := value.(bool)
		return met, nil
	}, nil
}

// inExpression returns the error of an expression that is written at a position of the item's file,
// as the value of key.
func (item *Item) inExpression(key string, pos gaby.Position, err error) error {
	f := &api.Failure{
		Class: api.FailureInput, Pos: pos, Message: key + ": " + err.Error(), Err: err,
		Hint: limit.HintOf(err),
	}
	if _, limited := errors.AsType[*limit.Error](err); limited {
		f.Class = api.FailureFunction
	}
	f.Pos.File = item.fileName()
	if in, ok := errors.AsType[*expression.Error](err); ok {
		f.Hint = cmp.Or(in.Hint, f.Hint)
	}
	return f
}

// rendering is one run of a Render.
type rendering struct {
	*Render
	slots chan struct{} // taken while functions of a package run
	meta  map[string]bool
	// parallel says that packages next to each other are rendered at once.
	parallel bool
}

// outcome is what became of a package and those below it.
type outcome struct {
	dir     string
	items   []*Item
	own     []*StepResult // of its own pipeline
	results []*StepResult // with those of the packages below, in order
	below   []*outcome
	err     error
}

// report calls Ended for the packages in order.
func (r *rendering) report(o *outcome) {
	for _, sub := range o.below {
		r.report(sub)
		if sub.err != nil {
			return
		}
	}
	if r.Ended != nil {
		r.Ended(o.dir, o.own)
	}
}

// render renders the packages below p and then p.
func (r *rendering) render(ctx context.Context, p *kptPackage) *outcome {
	done := &outcome{dir: p.dir, below: r.renderBelow(ctx, p)}
	items := slices.Clone(p.items)
	for i, sub := range done.below {
		done.results = append(done.results, sub.results...)
		items = append(items, sub.items...)
		if sub.err != nil {
			// the others count as not rendered
			done.below, done.err = done.below[:i+1], sub.err
			for _, rest := range p.below[i+1:] {
				items = append(items, rest.all()...)
			}
			done.items = items
			return done
		}
	}
	r.slots <- struct{}{}
	defer func() { <-r.slots }()
	done.items, done.own, done.err = r.pipeline(ctx, p, items)
	done.results = append(done.results, done.own...)
	return done
}

// renderBelow renders the packages below p. Without parallel it ends with the first that fails.
func (r *rendering) renderBelow(ctx context.Context, p *kptPackage) []*outcome {
	all := make([]*outcome, len(p.below))
	var group sync.WaitGroup
	for i, sub := range p.below {
		if r.parallel {
			group.Go(func() { all[i] = r.render(ctx, sub) })
			continue
		}
		if all[i] = r.render(ctx, sub); all[i].err != nil {
			return all[:i+1]
		}
	}
	group.Wait()
	return all
}

// runsPrograms reports whether a function of the package, or of one below it, is not of this
// process.
func (p *kptPackage) runsPrograms() bool {
	return slices.ContainsFunc(p.functions(), func(f *pipelineFunction) bool {
		return f.step.Runner.Program != nil
	}) || slices.ContainsFunc(p.below, (*kptPackage).runsPrograms)
}

// all returns the items of the package and of those below it.
func (p *kptPackage) all() []*Item {
	items := slices.Clone(p.items)
	for _, sub := range p.below {
		items = append(items, sub.all()...)
	}
	return items
}

// parentsFirst renders p on all its items and then the packages below it.
func (r *rendering) parentsFirst(ctx context.Context, root *kptPackage, items []*Item,
) ([]*Item, []*StepResult, error) {
	var results []*StepResult
	queue := []*kptPackage{root}
	for len(queue) > 0 {
		p := queue[0]
		queue = append(queue[1:], p.below...)
		var own, others []*Item
		for _, item := range items {
			if below(item.Path, p.dir) {
				own = append(own, item)
			} else {
				others = append(others, item)
			}
		}
		after, steps, err := r.pipeline(ctx, p, own)
		results = append(results, steps...)
		items = append(others, after...)
		if r.Ended != nil {
			r.Ended(p.dir, steps)
		}
		if err != nil {
			return items, results, err
		}
	}
	return items, results, nil
}

// pipeline runs the functions of a package on items, whose paths are relative to the package for
// that time.
func (r *rendering) pipeline(ctx context.Context, p *kptPackage, items []*Item,
) ([]*Item, []*StepResult, error) {
	functions := p.functions()
	if len(functions) == 0 {
		return items, nil, nil
	}
	relative(items, p.dir)
	var results []*StepResult
	var failed error
	for _, f := range functions {
		after, result, err := r.function(ctx, p, f, items)
		items = after
		if result != nil {
			results = append(results, result)
		}
		if err != nil {
			failed = err
			break
		}
	}
	if process.IsAbandoned(failed) {
		return items, results, failed
	}
	return items, results, errors.Join(failed, absolute(items, p.dir))
}

// relative makes the paths of items relative to a directory.
func relative(items []*Item, dir string) {
	if dir == "." {
		return
	}
	for _, item := range items {
		item.Path = strings.TrimPrefix(item.Path, dir+"/")
	}
}

// absolute is the inverse of relative. A path that leads out of the directory is an error.
func absolute(items []*Item, dir string) error {
	var problems []error
	for _, item := range items {
		if item.Path != "" {
			joined := path.Join(dir, item.Path)
			if path.IsAbs(item.Path) {
				joined = item.Path
			}
			if dir != "." && !below(joined, dir) {
				problems = append(problems, fault(item.name(),
					"the path %q leads out of the package %s", item.Path, dir))
			}
			if dir != "." {
				item.Path = joined
			}
		}
	}
	return errors.Join(problems...)
}

// function runs one function of a pipeline.
func (r *rendering) function(ctx context.Context, p *kptPackage, f *pipelineFunction, items []*Item,
) ([]*Item, *StepResult, error) {
	config := *f
	if config.configPath != "" {
		config.configPath = strings.TrimPrefix(config.configPath, p.dir+"/")
	}
	doc, _, err := p.config(&config, items)
	if err != nil {
		return items, nil, err
	}
	step := *f.step
	step.Config, step.Package = doc, p.dir
	selects := Selects(f.selectors, f.exclude)
	step.Selected = selects != nil || f.files != nil
	step.Selects = func(item *Item) bool {
		file := path.Join(p.dir, item.Path)
		switch {
		case !r.Meta && (path.Base(file) == KptfileName || r.meta[file]):
			return false
		case f.files != nil && !f.files.MatchString(item.Path):
			return false
		}
		return selects == nil || selects(item)
	}
	step.PathOf = RootPath
	if f.condition != nil {
		var selected []*Item
		for _, item := range items {
			if step.Selects(item) {
				selected = append(selected, item)
			}
		}
		met, err := f.condition(limit.Named(ctx, func(err error) error {
			return p.kptfile.inExpression(f.whenKey, f.whenAt, err)
		}), selected)
		if err != nil {
			return items, nil, p.kptfile.inExpression(f.whenKey, f.whenAt, err)
		}
		if !met {
			return items, &StepResult{Step: &step, Skipped: "the condition is not met: " + f.when},
				nil
		}
	}
	after, results, err := r.Pipeline.Run(ctx, items, []*Step{&step})
	return after, results[0], err
}

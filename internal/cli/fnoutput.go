package cli

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/source"
)

// fnOutputFlags are the flags that decide where resources go.
type fnOutputFlags struct {
	fnWriteFlags
	output string
}

func (o *fnOutputFlags) add(flags *pflag.FlagSet) {
	flags.StringVarP(&o.output, "output", "o", "",
		"where the resources go, instead of to their files: stdout (a ResourceList), unwrap (documents), or a `DIR` that does not exist")
	o.fnWriteFlags.add(flags)
}

// validate returns an error for flags that exclude each other.
func (o *fnOutputFlags) validate(stdin bool) error {
	switch {
	case o.output != "" && (o.dryRun || o.diff || o.check):
		return diag.Usage("-o excludes --dry-run, --diff and --check")
	case stdin && (o.dryRun || o.diff || o.check || o.fsync):
		return diag.Usage("the standard input is not a file: --dry-run, --diff, --check and --fsync exclude it")
	}
	return o.exclusive()
}

// emit writes the items of a package where the flags say.
func (r *fnRun) emit(ctx context.Context, p *krm.Package, items []*krm.Item,
	results []*krm.StepResult, o *fnOutputFlags,
) error {
	switch o.output {
	case "":
		changes, err := p.Changes(items)
		if err != nil {
			return err
		}
		return r.apply(ctx, p, changes, &o.fnWriteFlags)
	case "stdout":
		list := &krm.ResourceList{Items: items, Results: allResults(results)}
		text, err := list.Source()
		if err != nil {
			return err
		}
		return r.write(text)
	case "unwrap":
		return r.write(krm.Unwrap(krm.WithoutLocal(items)))
	}
	changes, err := p.Changes(items)
	if err != nil {
		return err
	}
	dir := source.InDirectory(r.global.dir, o.output)
	if err := absent(dir, "-o"); err != nil {
		return err
	}
	r.writes.Begin()
	defer r.writes.End()
	return withHints(p.WriteTo(ctx, dir, changes, o.fsync))
}

// emitStream writes the items of a stream where the flags say.
func (r *fnRun) emitStream(ctx context.Context, s *krm.Stream, items []*krm.Item,
	results []*krm.StepResult, o *fnOutputFlags,
) error {
	switch o.output {
	case "", "stdout":
		text, err := s.Bytes(items, allResults(results))
		if err != nil {
			return err
		}
		return r.write(text)
	case "unwrap":
		return r.write(krm.Unwrap(krm.WithoutLocal(items)))
	}
	dir := source.InDirectory(r.global.dir, o.output)
	if err := absent(dir, "-o"); err != nil {
		return err
	}
	p, changes, err := krm.Sink(ctx, dir, items, krm.ReadOptions{Reader: r.reader()}, r.provider)
	if err != nil {
		return err
	}
	return r.writePackage(ctx, p, changes, o.fsync)
}

// allResults returns the results of all steps.
func allResults(steps []*krm.StepResult) []krm.Result {
	var all []krm.Result
	for _, s := range steps {
		all = append(all, s.Results...)
	}
	return all
}

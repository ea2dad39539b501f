package cli

import (
	"context"
	"slices"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/plan"
	"github.com/fctl-dev/fctl/internal/source"
)

// plans are the chain of a command line, resolved for each toolchain that
// occurs among the files: the same words may mean another function there.
type plans struct {
	resolve func(api.ToolchainType) (*plan.Plan, error)

	mu   sync.Mutex
	made map[api.ToolchainType]resolved
}

type resolved struct {
	chain *plan.Plan
	err   error
}

// of is the chain for a toolchain. It can be called concurrently.
func (c *plans) of(t api.ToolchainType) (*plan.Plan, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, made := c.made[t]
	if !made {
		r.chain, r.err = c.resolve(t)
		c.made[t] = r
	}
	return r.chain, r.err
}

// plan resolves the chain for the first toolchain of the files for which that
// can be done. When there is none the error is what is wrong for the first. again
// tells resolve that it was called before: flags among the words are set then.
func (j *job) plan(ctx context.Context, resolve func(walk *plan.Walk, again bool) (*plan.Plan, error)) (*plans, error) {
	toolchains, err := j.toolchains(ctx)
	if err != nil {
		return nil, err
	}
	again := false
	c := &plans{made: map[api.ToolchainType]resolved{}, resolve: func(t api.ToolchainType) (*plan.Plan, error) {
		defer func() { again = true }()
		return resolve(j.walk(t), again)
	}}
	for _, j.toolchain = range toolchains {
		if _, err = c.of(j.toolchain); err == nil {
			return c, nil
		}
	}
	j.toolchain = toolchains[0]
	_, err = c.of(j.toolchain)
	return nil, err
}

// toolchains are those of the files that there are functions for, in the order
// of the files.
func (j *job) toolchains(ctx context.Context) ([]api.ToolchainType, error) {
	if t := j.reader.Toolchain; t != "" {
		return []api.ToolchainType{t}, nil
	}
	var known, unknown []api.ToolchainType
	var unsure []source.File
	add := func(t api.ToolchainType, named bool) {
		switch {
		case slices.Contains(known, t):
		case supported(t, j.executor.Toolchains()) == nil:
			known = append(known, t)
		case named: // others are passed over
			unknown = append(unknown, t)
		}
	}
	for _, f := range j.found.Files {
		t, sure := source.ToolchainByName(f.Path)
		switch {
		case f.Format != "":
			t = f.Format
		case !sure:
			unsure = append(unsure, f)
			continue
		}
		add(t, f.Named)
	}
	// Reading tells, and one file is enough to resolve the words for. A pipe among several files is left for the run: it can be read once.
	reader := *j.reader
	reader.RegularOnly = j.found.Several
	for _, f := range unsure {
		if len(known) > 0 {
			break
		}
		unit, err := reader.Unit(ctx, f.Path, f.Unit)
		switch {
		case err == nil:
			add(unit.Toolchain, f.Named)
		case ctx.Err() != nil, !j.found.Several:
			return nil, err
		}
		if !j.found.Several {
			j.unit = unit
		}
	}
	switch {
	case len(known) > 0:
		return known, nil
	case len(unknown) > 0:
		return nil, supported(unknown[0], j.executor.Toolchains())
	}
	return []api.ToolchainType{api.ToolchainKubernetesYAML}, nil
}

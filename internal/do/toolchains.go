package do

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/appkit"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/source"
)

// plans holds the chain of a command line, resolved for each toolchain among the files: the same
// words may name different functions in each.
type plans struct {
	resolve func(api.ToolchainType) (*plan.Plan, error)

	mu   sync.Mutex
	made map[api.ToolchainType]resolved
}

type resolved struct {
	chain *plan.Plan
	err   error
}

// of returns the chain for a toolchain. It can be called concurrently.
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

// Toolchains returns the toolchains of the files that the executor supports, in the order of the
// files.
func (r *Request) Toolchains(ctx context.Context) (_ []api.ToolchainType, err error) {
	if r.known == nil {
		r.known, err = r.findToolchains(ctx)
	}
	return r.known, err
}

func (r *Request) findToolchains(ctx context.Context) ([]api.ToolchainType, error) {
	if t := r.reader.Toolchain; t != "" {
		return []api.ToolchainType{t}, nil
	}
	var known, unknown []api.ToolchainType
	var unsure []source.File
	add := func(t api.ToolchainType, named bool) {
		switch {
		case slices.Contains(known, t):
		case Supported(t, r.executor.Toolchains()) == nil:
			known = append(known, t)
		case named: // other files are skipped
			unknown = append(unknown, t)
		}
	}
	for _, f := range r.found.Files {
		t, sure := r.reader.Formats.ByName(f.Path)
		switch {
		case f.Format != "":
			t = f.Format
		case r.reader.AnyFormat && appkit.FileType(f.Path) == appkit.HelmValues:
			t = api.ToolchainAppConfigYAML
		case !sure:
			unsure = append(unsure, f)
			continue
		}
		add(t, f.Explicit)
	}
	// Only the contents tell the format of these files. One supported file is enough to resolve the
	// words. A pipe among several files is not read here, because it can be read only once.
	reader := *r.reader
	reader.RegularOnly = r.found.Several
	for _, f := range unsure {
		if len(known) > 0 {
			break
		}
		unit, err := reader.Unit(ctx, f.Path, f.Unit)
		switch {
		case err == nil:
			add(unit.Toolchain, f.Explicit)
		case ctx.Err() != nil, !r.found.Several:
			return nil, err
		}
		if !r.found.Several {
			r.first = unit
		}
	}
	switch {
	case len(known) > 0:
		return known, nil
	case len(unknown) > 0:
		return nil, Supported(unknown[0], r.executor.Toolchains())
	}
	return []api.ToolchainType{api.ToolchainKubernetesYAML}, nil
}

// Supported returns an error if the toolchain is not among the known ones.
func Supported(t api.ToolchainType, known []api.ToolchainType) error {
	var names []string
	for _, k := range known {
		if k == t {
			return nil
		}
		names = append(names, string(k))
	}
	hint := "supported: " + strings.Join(names, ", ")
	if similar := configkit.Suggest(string(t), names); len(similar) > 0 {
		hint = configkit.DidYouMean("", similar)
	}
	return diag.UsageHint(hint, "unsupported toolchain %s", t)
}

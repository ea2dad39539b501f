package lsp

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/source"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// defined checks an open file that defines something, by the package that reads such files. It
// reports false for other files.
func (p *project) defined(ctx context.Context, path string) (problems []problem, ours bool) {
	text := p.buffers[path]
	add := func(err error) {
		if err == nil {
			return
		}
		for _, f := range diag.Failures(err, api.FailureUsage) {
			problems = append(problems, ofFailure(f))
		}
	}
	if kind, ok := workspace.KindOf(path); ok {
		add(entity.Decode(entity.Text{Bytes: text, File: path}, entity.New(kind)))
		return problems, true
	}
	if filepath.Base(path) == krm.KptfileName {
		add(krm.CheckKptfile(text, path))
		return append(problems, p.checkPipeline(ctx, path)...), true
	}
	if bytes.Contains(text, []byte(smithv1.APIVersion)) && hasKind(text, smithv1.Kind) {
		_, notes, err := bundle.Read(text, path, "default")
		add(err)
		for _, n := range notes {
			problems = append(problems, problem{
				at: n.Pos, severity: severityInformation, code: n.Function, message: n.Text(),
			})
		}
		ours = true
	}
	if bytes.Contains(text, []byte(functionconfig.Group)) {
		_, found := functionconfig.ParseMixed(text, path)
		ours = true
		for _, f := range found {
			problem := ofFailure(f.Failure)
			if f.Warning {
				problem.severity = severityWarning
			}
			problems = append(problems, problem)
		}
	}
	doc, err := gaby.ParseYAML(text)
	if err != nil || doc.Check() != nil {
		return problems, ours
	}
	switch top := doc.Value(); {
	case isChain(top):
		add(p.checkChain(ctx, path))
	case isTypes(top):
		add(p.checkTypes(ctx, path))
	}
	return problems, ours
}

// hasKind reports whether a text has a document of a kind.
func hasKind(text []byte, kind string) bool {
	docs, _ := gaby.ParseAll(text)
	return slices.ContainsFunc(docs, func(doc *gaby.YamlDoc) bool {
		h, err := doc.Header()
		return err == nil && h.Kind == kind
	})
}

// isChain reports whether a document is a chain of functions: a list of invocations, or a map with
// one.
func isChain(top gaby.Value) bool {
	list := top
	if top.Kind() == gaby.Map {
		if top.Get("apiVersion").Exists() || top.Get("kind").Exists() {
			return false
		}
		list = top.Get("functions")
	}
	if list.Kind() != gaby.List {
		return false
	}
	for _, e := range list.All() {
		if e.Get("function").Exists() || e.Get("FunctionName").Exists() {
			return true
		}
	}
	return false
}

// isTypes reports whether a document describes resource types.
func isTypes(top gaby.Value) bool {
	return top.Get("resourceTypes").Kind() == gaby.Map && !top.Get("apiVersion").Exists()
}

// checkChain returns what is wrong with a chain for the first toolchain that has its functions, or
// else for the toolchain of the settings.
func (p *project) checkChain(ctx context.Context, path string) error {
	executor, err := p.Executor(ctx, p.settings)
	if err != nil {
		return err
	}
	var first error
	for _, t := range p.toolchains(executor) {
		_, err := p.chain(ctx, executor, t, path)
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// toolchains returns the toolchains that a chain may be for, the likely one first.
func (p *project) toolchains(executor *functions.Executor) []api.ToolchainType {
	if t := p.settings.Toolchain; t != "" {
		return []api.ToolchainType{api.ToolchainType(t)}
	}
	all := slices.Clone(executor.Toolchains())
	slices.SortStableFunc(all, func(a, b api.ToolchainType) int {
		switch api.ToolchainKubernetesYAML {
		case a:
			return -1
		case b:
			return 1
		}
		return 0
	})
	return all
}

// chain resolves the chain in an open file. The files that its values name are read as other files
// of the folder are.
func (p *project) chain(
	ctx context.Context, executor *functions.Executor, t api.ToolchainType, path string,
) (*plan.Plan, error) {
	request := do.NewRequest(do.Files{}, p.settings, do.Deps{
		Streams: iostreams.New(nil, nil, nil), Executor: executor,
	})
	resolver := request.Resolver(ctx, t)
	resolver.NoParams = true
	return resolver.Invocations(plan.ChainText{
		Bytes: p.buffers[path], Name: path, Dir: filepath.Dir(path),
		ReadFile: func(name string) ([]byte, error) {
			if p.settings.Untrusted {
				return nil, diag.Untrusted("file:%s is not read", name)
			}
			reader := source.Reader{RegularOnly: true, MaxSize: mostBytes, Memory: p.buffers}
			return reader.Bytes(ctx, name)
		},
	})
}

// checkTypes returns what is wrong with a file about resource types. The other files of the settings
// apply.
func (p *project) checkTypes(ctx context.Context, path string) error {
	executor, err := p.Executor(ctx, nil)
	if err != nil {
		return err
	}
	others := *p.settings
	others.ResourceTypes = slices.DeleteFunc(slices.Clone(others.ResourceTypes),
		func(f settings.NamedPath) bool {
			other, err := filepath.Abs(f.Path)
			return err == nil && other == path
		})
	streams := iostreams.New(nil, nil, nil)
	err = do.AddResourceTypes(ctx, executor, do.Reader(p.settings, streams), &others)
	if err != nil {
		return nil //nolint:nilerr // shown where the settings are read
	}
	return executor.AddResourceTypes(
		resourcetypes.TypesFile{Name: path, Text: p.buffers[path]})
}

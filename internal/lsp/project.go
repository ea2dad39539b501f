package lsp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/source"
)

// project is the folder of an editor with its open buffers, at one moment.
type project struct {
	*Server
	buffers map[string][]byte
	refused map[string]*api.Failure // why buffers are empty here
}

// A folder with more is not read: only open files count then.
const (
	mostFiles = 20_000
	mostBytes = 256 << 20
	mostTime  = 10 * time.Second // of the search
)

// text returns what is in a file, "" if it cannot be read.
func (p *project) text(path string) *text {
	content, open := p.buffers[path]
	if !open {
		reader := source.Reader{RegularOnly: true, MaxSize: mostBytes}
		content, _ = reader.Bytes(context.Background(), path)
	}
	return newText(content, p.utf8)
}

// run runs a chain on the files of the folder, or on the open ones if it is too large. change
// changes the options. The executor knows the schemas of the folder afterwards. The result is empty
// if there is no file.
func (p *project) run(ctx context.Context, chain do.Chain, change func(*do.Options),
) (result do.Result, executor *functions.Executor, err error) {
	ctx, end := p.begin(ctx)
	defer end()
	if executor, err = p.Executor(ctx, p.settings); err != nil {
		return result, nil, err
	}
	deps := do.Deps{
		Streams: iostreams.New(nil, nil, nil), Executor: executor, Writes: &do.Writes{},
	}
	o := &do.Options{
		Settings: p.settings, Format: report.Auto, KeepGoing: true, AllowEmpty: true, Values: true,
	}
	change(o)
	chain.UnitLeftOut = true
	if o.Request, err = p.find(ctx, deps); o.Request == nil || err != nil {
		return result, executor, err
	}
	if err := o.Request.Plan(ctx, chain); err != nil {
		return result, executor, err
	}
	result, err = do.Run(ctx, *o, deps)
	if inputs, ok := providerOf(executor).(schemas.InputProvider); ok {
		inputs.Inputs() // while their files can be read
	}
	if cause := context.Cause(ctx); cause != nil {
		p.refuseText(cause)
		err = cause
	}
	return result, executor, err
}

// providerOf returns what knows Kubernetes.
func providerOf(executor *functions.Executor) configkit.ResourceProvider {
	return executor.ResourceProvider(api.ToolchainKubernetesYAML)
}

// remember keeps what the last check knows about the folder, for requests.
func (p *project) remember(executor *functions.Executor, fixes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.executor, p.fixes = executor, fixes
}

// known returns an executor with what the last check knows about the folder.
func (p *project) known(ctx context.Context) (*functions.Executor, error) {
	p.mu.Lock()
	executor := p.executor
	p.mu.Unlock()
	if executor != nil {
		return executor, nil
	}
	return p.Executor(ctx, p.settings)
}

// find finds the files. The request is nil if there are none.
func (p *project) find(ctx context.Context, deps do.Deps) (*do.Request, error) {
	files := do.Files{Paths: []string{p.dir}, Recursive: true, Command: "vet"}
	reader := do.Reader(p.settings, deps.Streams)
	reader.Formats = deps.Executor.ToolchainsOf
	reader.Toolchain = api.ToolchainType(p.settings.Toolchain)
	for _, path := range slices.Sorted(maps.Keys(p.buffers)) {
		unit, err := reader.UnitOf(path, diag.FileName(path), p.buffers[path])
		if err == nil && (unit.Toolchain == api.ToolchainKubernetesYAML || reader.Toolchain != "") {
			files.Memory = append(files.Memory, do.Memory{Name: path, Data: p.buffers[path]})
		}
	}
	p.mu.Lock()
	large := p.large
	p.mu.Unlock()
	if !large {
		searching, stop := context.WithTimeout(ctx, mostTime)
		defer stop()
		request, err := do.Find(searching, files, p.settings, deps)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case searching.Err() == nil && (err != nil || request.Within(p.mostFiles, mostBytes)):
			return request, err
		}
		if err := p.warnLarge(); err != nil {
			return nil, err
		}
	}
	if files.Paths = nil; len(files.Memory) == 0 {
		return nil, nil
	}
	return do.Find(ctx, files, p.settings, deps)
}

// warnLarge says that the folder is too large, once.
func (p *project) warnLarge() error {
	p.mu.Lock()
	p.large = true
	p.mu.Unlock()
	return p.notify("window/showMessage", shownMessage{messageWarning, fmt.Sprintf(
		"%s has more than %d files or %s: fctl checks only open files; open a smaller folder, or "+
			"exclude files with .fctlignore", p.dir, p.mostFiles, limit.Size(mostBytes))})
}

// refuseText remembers the text that an error is about, if a limit was reached.
func (p *project) refuseText(err error) {
	if _, limited := errors.AsType[*limit.Error](err); !limited {
		return
	}
	f := diag.Failures(err, api.FailureFunction)[0]
	path, err := filepath.Abs(f.Pos.File)
	if err != nil || f.Pos.File == "" {
		p.Report(f)
		return
	}
	content, open := p.buffers[path]
	if !open {
		content, _ = os.ReadFile(path)
	}
	p.mu.Lock()
	p.Server.refused[path] = refusal{string(content), f}
	p.mu.Unlock()
}

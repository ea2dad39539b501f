package bundle

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/smith/plugin"
)

// goPlugin is a plugin in Go. No two calls of such plugins run at once, since they share a process
// and their authors need not think of locks; and a call that does not return in time is left alone.
type goPlugin struct {
	ctx   context.Context //nolint:containedctx // the contract of plugins has no context
	limit time.Duration
	turn  chan struct{} // held by the call that runs
	made  plugin.Plugin
	// left says that a call was left alone: it may still run, so there is no other one.
	left bool
}

// brokenError is the error of a call that did not end as calls do: the plugin panicked, or did not
// return. What it was given may still be in use.
type brokenError struct{ error }

// Unwrap returns the error.
func (e brokenError) Unwrap() error { return e.error }

// Broken marks the error for package contract.
func (brokenError) Broken() {}

// call calls a function of a plugin.
func call[T any](g *goPlugin, work func() T) (T, error) {
	var none T
	select {
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-g.ctx.Done():
		return none, g.ctx.Err()
	}
	if g.left {
		return none, brokenError{errors.New("an earlier call of the plugin has not returned")}
	}
	result, err := process.Limited(g.ctx, g.limit, func(context.Context) (result T, err error) {
		defer func() {
			if r := recover(); r != nil {
				err = brokenError{&PanicError{fmt.Sprint(r), string(debug.Stack())}}
			}
		}()
		return work(), nil
	})
	if process.IsAbandoned(err) {
		g.left, err = true, brokenError{fmt.Errorf("the plugin does not return: %w", err)}
	}
	return result, err
}

// newGoPlugin calls a factory.
func newGoPlugin(ctx context.Context, limit time.Duration, turn chan struct{},
	factory plugin.NewFunc,
) (*goPlugin, error) {
	g := &goPlugin{ctx: ctx, limit: limit, turn: turn}
	var failed error
	made, err := call(g, func() plugin.Plugin {
		var made plugin.Plugin
		made, failed = factory()
		return made
	})
	switch {
	case err != nil:
	case failed != nil:
		err = failed
	case made == nil:
		err = errors.New("its factory returned nil")
	}
	if err != nil {
		return nil, fmt.Errorf("a plugin cannot be made: %w", err)
	}
	g.made = made
	return g, nil
}

// Describe implements plugin.Plugin.
func (g *goPlugin) Describe() *plugin.Description {
	d, err := call(g, g.made.Describe)
	if err != nil {
		panic(err) // as the plugin did, or as good as
	}
	return d
}

// Process implements plugin.Plugin.
func (g *goPlugin) Process(spec map[string]any, ctx *plugin.Context) plugin.ProcessResult {
	result, err := call(g, func() plugin.ProcessResult {
		result := g.made.Process(spec, ctx)
		if f, ok := result.(*plugin.ProcessResultFailure); ok && f != nil && f.Error != nil {
			// The method of the error may panic or not return, like the plugin: it runs here, once.
			return &plugin.ProcessResultFailure{
				Error:           errors.New(f.Error.Error()),
				IsExternalError: f.IsExternalError, IsRetriableError: f.IsRetriableError,
			}
		}
		return result
	})
	if err != nil {
		return &plugin.ProcessResultFailure{Error: err}
	}
	return result
}

// PanicError is the panic of a plugin. Value is the text of what it panicked with: an error of the
// plugin may have a method that does not return.
type PanicError struct{ Value, Stack string }

// Error returns the value of the panic.
func (e *PanicError) Error() string { return "the plugin panicked: " + e.Value }

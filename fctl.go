// Package fctl is the command fctl as a library: a team builds its own fctl, with its own
// functions, in ten lines.
//
//	func main() {
//		os.Exit(fctl.Main(fctl.WithFunctions(api.ToolchainKubernetesYAML, myFunction())))
//	}
//
// Do is the command do as a function, for programs that run functions on files themselves.
//
// Layer: programs.
package fctl

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/cli"
	"github.com/fctl-dev/fctl/smith/plugin"
)

// Option changes which functions Main and Do run.
type Option func(*config)

type config struct {
	plugins  []plugin.NewFunc
	executor func() *functions.Executor
	register []func(*functions.Executor) error
}

// WithExecutor replaces the standard executor by the one that make returns. make is called when a
// command first needs functions, and at most once.
func WithExecutor(make func() *functions.Executor) Option {
	return func(c *config) { c.executor = make }
}

// WithFunctions adds functions to a toolchain.
func WithFunctions(toolchain api.ToolchainType,
	registrations ...handler.FunctionRegistration,
) Option {
	return WithRegistration(func(e *functions.Executor) error {
		for _, r := range registrations {
			if err := e.RegisterFunction(toolchain, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// WithRegistration calls register with the executor before it is used, to register functions and to
// add resource type definitions. Its error is reported to the user, who cannot fix it, so call
// register in a test as well.
func WithRegistration(register func(*functions.Executor) error) Option {
	return func(c *config) { c.register = append(c.register, register) }
}

// WithPlugin adds Smith plugins to the commands that work with Bundles. Each factory is called when
// such a command starts, and by no other command; the error of one ends the command. The names of
// plugins are unique; one with the name of a plugin of fctl replaces that.
func WithPlugin(factories ...plugin.NewFunc) Option {
	return func(c *config) { c.plugins = append(c.plugins, factories...) }
}

// Main runs the command line of this process and returns the exit status, which the caller passes
// to os.Exit.
func Main(options ...Option) int {
	c := newConfig(options)
	return cli.Main(c.build, c.plugins...)
}

func newConfig(options []Option) *config {
	c := &config{executor: functions.NewStandardExecutor}
	for _, option := range options {
		option(c)
	}
	return c
}

func (c *config) build() (*functions.Executor, error) {
	executor := c.executor()
	for _, register := range c.register {
		if err := register(executor); err != nil {
			return nil, err
		}
	}
	return executor, nil
}

// Package command holds what every command works with: the streams, the settings, the executor, and the
// exit statuses. The commands are in package cli, and in the packages beside this one. A command
// reads its words and flags, calls the other packages and returns an error; it never writes to the
// process's streams itself and never exits. exit.go alone maps errors to exit statuses.
//
// Layer: commands.
package command

import (
	"context"
	"errors"
	"io"
	"sync"
	"syscall"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/smith/plugin"
)

// App is what the commands share.
type App struct {
	// Name is the name of the program in usage lines, in the output of explain and in shell
	// completion; fctl if empty.
	Name    string
	Streams *iostreams.Streams
	// Executor makes the executor; commands that do not need one never call it.
	Executor func() (*functions.Executor, error)
	// Plugins make Smith plugins besides those of fctl.
	Plugins []plugin.NewFunc

	// Dir, Config and Context are values of flags that are not settings: -C, --config, --context.
	Dir, Config string
	Context     []string
	// Limits bound the expressions of the run.
	Limits *limit.Account
	// Gate decides which paths the run may open. Until Settle knows whether the
	// repository is trusted, it admits all and remembers them, and Settle decides.
	Gate   files.Gate
	opened []string
	// Writes are the files that the process is writing.
	Writes do.Writes

	secrets sensitive.SecretSet
	hides   sync.Once
}

// OpenGate lets paths pass until Settle knows which ones may.
func (a *App) OpenGate() {
	a.Gate.Check = func(path string) error {
		a.opened = append(a.opened, path)
		return nil
	}
}

// Hide masks secret values in everything that people read from here on: messages, text, and on a
// terminal JSON. words also masks values that are words or numbers; see sensitive.SecretSet.
func (a *App) Hide(values *sensitive.Values, words bool) {
	if values != nil {
		a.secrets.Add(values, words)
		a.startHiding()
	}
}

// Show keeps the name of a file readable, and the names in what changed there, though Hide gets a
// secret value that is a part of them.
func (a *App) Show(file string, changed api.ResourceMutationList) { a.secrets.Show(file, changed) }

// HideTexts is Hide for values that are known by their texts, and known to be copied.
func (a *App) HideTexts(values []string) {
	if len(values) > 0 {
		a.secrets.AddTexts(values, true)
		a.startHiding()
	}
}

func (a *App) startHiding() {
	a.hides.Do(func() { a.Streams.Hide(a.secrets.Mask) })
}

// Masked returns text with the values masked that Hide got, for text that is styled or shortened
// later, and for text that is a part of a payload.
func (a *App) Masked(text string) string { return a.secrets.Mask(text) }

// NewExecutor makes the executor. If that fails, the fault lies with the registered functions, not
// with the command line.
func (a *App) NewExecutor() (*functions.Executor, error) {
	e, err := a.Executor()
	if err != nil {
		return nil, diag.Failures(err, api.FailureFunction)
	}
	return e, nil
}

// ExecutorFor makes the executor and adds the resource types of the settings. It checks that the
// toolchain in the settings has functions.
func (a *App) ExecutorFor(ctx context.Context, s *settings.Settings) (*functions.Executor, error) {
	executor, err := a.NewExecutor()
	if err != nil {
		return nil, err
	}
	if t := api.ToolchainType(s.Toolchain); t != "" {
		if err := do.Supported(t, executor.Toolchains()); err != nil {
			return nil, s.Invalid("toolchain", err)
		}
	}
	return executor, do.AddResourceTypes(ctx, executor, do.Reader(s, a.Streams), s)
}

// Deps returns what a run works with.
func (a *App) Deps(executor *functions.Executor) do.Deps {
	return do.Deps{Streams: a.Streams, Executor: executor, Writes: &a.Writes}
}

// Console returns what prints problems and notes.
func (a *App) Console() do.Console { return do.Console{Streams: a.Streams} }

// Note writes a note about the command, unless the settings turn notes off.
func (a *App) Note(s *settings.Settings, message string) {
	if !s.Quiet {
		a.Console().Notes("", api.Note{Message: message})
	}
}

// Write prints a payload on the standard output: bytes for programs.
func (a *App) Write(text []byte) error { return written(a.Streams.Out, text) }

// WriteText prints text for people on the standard output.
func (a *App) WriteText(text string) error { return written(a.Streams.Text(), []byte(text)) }

// Flush writes the output that is held back.
func (a *App) Flush() error {
	if err := a.Streams.Flush(); err != nil && !errors.Is(err, syscall.EPIPE) {
		return diag.Failures(err, api.FailureFunction)
	}
	return nil
}

func written(w io.Writer, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if err := (files.Stdout{W: w}).Write(text); err != nil {
		return diag.Failures(err, api.FailureFunction)
	}
	return nil
}

// WriteValues prints values as JSON or YAML, which on a terminal is text for people.
func (a *App) WriteValues(text []byte) error {
	if a.Streams.OutIsTerminal() {
		return a.WriteText(string(text))
	}
	return a.Write(text)
}

// WriteLines prints lines of data for programs, which on a terminal are text for people.
func (a *App) WriteLines(text []byte) error {
	if a.Streams.OutIsTerminal() {
		return a.WriteText(string(text))
	}
	return written(a.Streams.Lines(), text)
}

// WriteValuesJSON prints values as indented JSON. 'fctl help secrets' lists the commands that do.
func (a *App) WriteValuesJSON(values any) error {
	text, err := report.Marshal(values)
	if err != nil {
		return err
	}
	return a.WriteValues(text)
}

// WriteJSON prints a report as indented JSON. Like text, it has no secret values, not even in a
// pipe.
func (a *App) WriteJSON(value any) error {
	text, err := report.MarshalMasked(value, a.secrets.MaskJSON)
	if err != nil {
		return err
	}
	return a.WriteValues(text)
}

// WriteJSONLines is WriteJSON of a report that is one JSON text per line.
func (a *App) WriteJSONLines(text []byte) error { return a.WriteValues(a.secrets.MaskJSON(text)) }

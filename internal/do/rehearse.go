package do

import (
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/source"
)

// rehearse runs a chain that changes all files or none before anything is written, and counts the
// files on which it fails in l.refused. The run itself reports why.
func (l *loop) rehearse() {
	if !l.options.Output.writes() || !l.request.found.Several || l.options.KeepGoing ||
		l.options.Fix ||
		!l.deps.Executor.ChangesAll(l.request.toolchain, l.chain.Invocations) {
		return
	}
	inOrder(l.ctx, len(l.request.found.Files), func(i int, admit func(int64)) bool {
		return l.succeeds(l.request.found.Files[i], admit)
	}, func(ok bool) {
		if !ok {
			l.refused++
		}
	})
}

// succeeds reports whether the chain can be run on a file and the result written, or does not apply
// to it.
func (l *loop) succeeds(f source.File, admit func(int64)) bool {
	reader := *l.request.reader
	reader.RegularOnly, reader.Admit = true, admit
	if f.Problem != nil {
		return false
	}
	unit, err := reader.Unit(l.ctx, f.Path, f.Unit)
	switch {
	case err != nil:
		return !f.Explicit
	case !f.Accepts(l.request.reader.Formats, unit):
		return true
	}
	chain, err := l.chainFor(unit.Toolchain)
	if err != nil {
		return !f.Explicit
	}
	if source.CheckConflict(unit) != nil {
		return false
	}
	response, err := l.deps.Executor.Run(l.ctx, l.invocation(unit, chain), handler.Options{
		AllowExternal: l.options.Settings.AllowExternal, InParts: true, File: unit.File,
		WhereText: l.whereFlags, Survey: l.survey, Only: chain.Only,
	})
	switch {
	case err != nil:
		return false
	case !response.Success:
		return !f.Explicit && l.noConfiguration(unit, response) != ""
	case l.inPlace == nil || !response.Changed:
		return true
	}
	return l.inPlace.Target(f.Path, f.Explicit).Try(unit.Info, response.Pieces()...) == nil
}

// noteRefused says that no file is written, and why.
func (l *loop) noteRefused() {
	if l.refused > 0 {
		l.say(func() {
			l.console.Notes("", api.Note{Message: fmt.Sprintf("no file is written, as the chain "+
				"fails on %s, and what belongs together changes together; --keep-going writes the "+
				"others", diag.Count(l.refused, "file"))})
		})
	}
}

// tryWrite returns why a file whose result is not written could not be written anyway.
func (l *loop) tryWrite(o *outcome, unit *source.InputUnit) error {
	if l.inPlace == nil || !o.response.Changed {
		return nil
	}
	if err := o.target.Try(unit.Info, o.response.Pieces()...); err != nil {
		return NotWritten(unit.File, err)
	}
	return nil
}

package do

import (
	"sync"

	"github.com/fctl-dev/fctl/functions/handler"
)

// surveyOf returns a function that surveys all units, including the units of other shards, for
// the functions that treat a resource by what others have. It returns nil for a single unit, of
// which the executor makes the survey itself. Files that the run writes are read before; pipes,
// which can be read once, are not part of it.
func (l *loop) surveyOf() func() *handler.Survey {
	if !l.request.found.Several || l.options.Upsert || l.options.Fix {
		return nil
	}
	survey := sync.OnceValue(func() *handler.Survey {
		all := &handler.Survey{}
		inOrder(l.ctx, len(l.request.found.All()), l.surveyUnit, func(s *handler.Survey) {
			if s != nil {
				all.Add(s)
			}
		})
		return all
	})
	if l.options.Output.writes() &&
		l.deps.Executor.NeedsSurvey(l.request.toolchain, l.chain.Invocations) {
		survey()
	}
	return survey
}

// surveyUnit returns what a unit has, or nil if it is not read.
func (l *loop) surveyUnit(i int, admit func(int64)) *handler.Survey {
	f, reader := l.request.found.All()[i], *l.request.reader
	reader.RegularOnly, reader.Admit = true, admit
	if f.Path == "-" {
		return &handler.Survey{Incomplete: true}
	}
	if f.Problem != nil {
		return nil
	}
	unit, err := reader.Unit(l.ctx, f.Path, f.Unit)
	switch {
	case err != nil && f.Explicit: // a pipe, or what the run reports
		return &handler.Survey{Incomplete: true}
	case err != nil || !f.Accepts(l.request.reader.Formats, unit):
		return nil
	}
	chain, err := l.chainFor(unit.Toolchain)
	if err != nil {
		return nil
	}
	return l.deps.Executor.Survey(l.ctx, l.invocation(unit, chain))
}

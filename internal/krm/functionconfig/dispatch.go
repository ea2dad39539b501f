package functionconfig

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/process"
)

// Executor runs functions in one way. An error for which process.NotStarted is false means that the
// function ran, or may have run: then no other executor may run it.
type Executor func(ctx context.Context, c Candidate, call process.Call) (process.Output, error)

// Attempt is the outcome of asking one executor.
type Attempt struct {
	Kind  ExecutorKind
	Taken bool
	// Reason is why the executor was taken or skipped.
	Reason string
}

// String returns the step as `fctl fn explain` prints it.
func (s Attempt) String() string {
	if s.Taken {
		return string(s.Kind) + ": " + s.Reason + " → run"
	}
	return string(s.Kind) + ": " + s.Reason + " → next"
}

// Trace is the steps of a look-up, in the order in which they were taken.
type Trace []Attempt

// String returns one line per step.
func (t Trace) String() string {
	var b strings.Builder
	for _, s := range t {
		b.WriteString(s.String())
		b.WriteByte('\n')
	}
	return b.String()
}

// Reasons returns the kind of executor and the reason of each step.
func (t Trace) Reasons() []string {
	reasons := make([]string, len(t))
	for i, s := range t {
		reasons[i] = string(s.Kind) + ": " + s.Reason
	}
	return reasons
}

// NoExecutorError reports that no executor could start a function.
type NoExecutorError struct {
	Image string
	Trace Trace
	errs  []error
}

func (e *NoExecutorError) Error() string {
	return fmt.Sprintf("nothing can run %s: %s", e.Image, strings.Join(e.Trace.Reasons(), "; "))
}

// Unwrap returns why each executor that was asked could not start it.
func (e *NoExecutorError) Unwrap() []error { return e.errs }

// Dispatch runs a function with the first executor that can start it. A pod is followed by a
// container, if executors has one. The error is a *NoExecutorError if nothing could start it, and
// otherwise that of the executor that did.
func Dispatch(ctx context.Context, m *ConfigMatch, executors map[ExecutorKind]Executor,
	call process.Call,
) (process.Output, Trace, error) {
	type ran struct {
		out process.Output
		err error
	}
	try := func(kind ExecutorKind) func(context.Context, Candidate) (ran, error) {
		run := executors[kind]
		if run == nil {
			return nil
		}
		return func(ctx context.Context, c Candidate) (ran, error) {
			out, err := run(ctx, c, call)
			if err != nil && process.NotStarted(err) && ctx.Err() == nil {
				return ran{}, err
			}
			return ran{out, err}, nil
		}
	}
	attempts := NewAttempts(m, try)
	r, err := attempts.Next(ctx)
	if err != nil {
		return process.Output{}, attempts.Trace(), err
	}
	return r.out, attempts.Trace(), r.err
}

// Attempts asks executors one after the other.
type Attempts[R any] struct {
	image   string
	steps   []planned
	prepare func(ExecutorKind) func(context.Context, Candidate) (R, error)
	trace   Trace
	errs    []error
	why     string // of the last step that was taken
}

// NewAttempts returns the attempts to run a match. prepare returns nil for a kind that is not there.
// A pod is followed by a container if that is there.
func NewAttempts[R any](m *ConfigMatch,
	prepare func(ExecutorKind) func(context.Context, Candidate) (R, error),
) *Attempts[R] {
	a := &Attempts[R]{image: m.Image.String(), prepare: prepare}
	for _, step := range m.plan() {
		a.steps = append(a.steps, step)
		if step.skip == "" && step.candidate.Kind == KindPod && prepare(KindContainer) != nil {
			step.candidate.Kind = KindContainer
			a.steps = append(a.steps, step)
		}
	}
	return a
}

// Trace returns the steps so far.
func (a *Attempts[R]) Trace() Trace { return a.trace }

// Next returns what the next executor makes that does not return an error. The error is a
// *NoExecutorError if there is none.
func (a *Attempts[R]) Next(ctx context.Context) (R, error) {
	var none R
	for len(a.steps) > 0 {
		step := a.steps[0]
		a.steps = a.steps[1:]
		kind := step.candidate.Kind
		if step.skip != "" {
			a.trace = append(a.trace, Attempt{Kind: kind, Reason: step.skip})
			continue
		}
		prepare := a.prepare(kind)
		if prepare == nil {
			a.trace = append(a.trace,
				Attempt{Kind: kind, Reason: join(step.why, "not available here")})
			continue
		}
		made, err := prepare(ctx, step.candidate)
		if err == nil {
			a.why = step.why
			a.trace = append(a.trace, Attempt{Kind: kind, Reason: step.why, Taken: true})
			return made, nil
		}
		if ctx.Err() != nil {
			return none, ctx.Err()
		}
		a.trace = append(a.trace, Attempt{Kind: kind, Reason: because(step.why, err)})
		a.errs = append(a.errs, err)
	}
	return none, &NoExecutorError{Image: a.image, Trace: a.trace, errs: a.errs}
}

// Detail adds how the executor that Next returned runs the function.
func (a *Attempts[R]) Detail(text string) {
	last := &a.trace[len(a.trace)-1]
	last.Reason = join(last.Reason, text)
}

// Failed records that what Next returned could not be started after all.
func (a *Attempts[R]) Failed(err error) {
	last := &a.trace[len(a.trace)-1]
	last.Taken, last.Reason = false, because(a.why, err)
	a.errs = append(a.errs, err)
}

// because says why something that matched was not started, without the name of the function.
func because(why string, err error) string {
	switch {
	case process.NotStarted(err, process.NotAllowed):
		return err.Error()
	case process.NotStarted(err, process.NotPossible):
		err = cmp.Or(errors.Unwrap(errors.Unwrap(err)), err)
	}
	return join(why, err.Error())
}

// join returns why an executor was asked, and more about it.
func join(why, more string) string {
	if why == "" || more == "" {
		return why + more
	}
	return why + ", " + more
}

// planned is a candidate, or why a section of the config gives none.
type planned struct {
	candidate Candidate
	skip      string
	why       string
}

// plan returns all sections of the config in the order in which they are tried. A section without a
// candidate comes where its turn would be: before the candidates of the executors after it.
func (m *ConfigMatch) plan() []planned {
	var steps []planned
	if m.entry == nil {
		why := "no FunctionConfig has the image " + m.Image.Base
		if m.Other != nil {
			why = fmt.Sprintf("the FunctionConfig %s is for other repositories than %s",
				m.Other.Name,
				m.Image.Repository)
		}
		if why += "; default configuration"; m.alone {
			why = ""
		}
		return []planned{{candidate: m.candidates[0], why: why}}
	}
	reported := [3]bool{}
	skip := func(upTo int) {
		for i := range upTo {
			s := &m.entry.sections[i]
			if reported[i] || m.has(s.kind) && (s.kind != KindPod || m.podHasConfig()) {
				continue
			}
			reported[i] = true
			steps = append(steps, planned{candidate: Candidate{Kind: s.kind}, skip: m.whyNot(s)})
		}
	}
	for _, c := range m.Candidates() {
		skip(m.entry.index(c.Kind))
		if c.Kind == KindPod && c.Config == nil {
			skip(len(m.entry.sections))
		}
		steps = append(steps, planned{candidate: c, why: m.why(c)})
	}
	skip(len(m.entry.sections))
	return steps
}

func (m *ConfigMatch) podHasConfig() bool {
	for _, c := range m.Candidates() {
		if c.Kind == KindPod {
			return c.Config != nil
		}
	}
	return false
}

// index returns the index of the section of a kind.
func (e *configEntry) index(kind ExecutorKind) int {
	return slices.IndexFunc(e.sections[:], func(s executorTags) bool { return s.kind == kind })
}

// label names the tag of the request.
func (m *ConfigMatch) label() string {
	if m.Constraint != nil {
		return m.Constraint.Text
	}
	return m.tag()
}

// why says why a candidate is one.
func (m *ConfigMatch) why(c Candidate) string {
	switch {
	case c.Config == nil:
		return "no executor above was taken; default configuration"
	case c.Exact:
		return fmt.Sprintf("tag %s matches", m.label())
	case c.Entry == "" && len(c.Config.Pod.Tags) == 0:
		return "it has no tags, so every tag matches"
	}
	return fmt.Sprintf("tag %s matches %q", m.label(), c.Entry)
}

// whyNot says why a section gives no candidate.
func (m *ConfigMatch) whyNot(s *executorTags) string {
	switch {
	case !s.used:
		return fmt.Sprintf("FunctionConfig %s has no %sExecutor", m.Config.Name, s.kind)
	case m.excluded(s) && m.Image.Tag == "":
		return "the image is pinned by its digest"
	case m.excluded(s):
		return "the image is pinned by its digest (--ignore-digests)"
	}
	tags := make([]string, len(s.tags))
	for i := range s.tags {
		tags[i] = s.tags[i].Text
	}
	return fmt.Sprintf("tag %s is not in [%s]", m.label(), strings.Join(tags, ", "))
}

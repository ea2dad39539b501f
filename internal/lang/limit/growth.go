package limit

import (
	"bytes"
	"context"
	"time"
)

// unwatched is how many bytes functions may add without a look at the limit of memory.
const unwatched = 4 << 20

// Check returns an error if a function may not make a text of so many bytes. It is called before
// the text is made, if its length is a product of lengths in the input.
func (a *Account) Check(what string, bytes int64) error {
	if bytes > unwatched>>10 && bytes > a.Text() {
		return a.TooLong(what)
	}
	return nil
}

// Grow notes that a function of a run makes so many bytes that are kept; ctx names it and has the
// account, without which nothing is counted. The memory of the run is watched as soon as all
// functions together have made much. Grow fails when the watch finds too much: the function has to
// end.
func Grow(ctx context.Context, bytes int64) error {
	a, ok := ctx.Value(accountKey{}).(*Account)
	if !ok || bytes <= 0 || a.grown.Add(bytes) <= unwatched {
		return nil
	}
	most := a.memory()
	if bytes > most {
		return &Error{Memory: most}
	}
	if a.grown.Load() <= max(unwatched, most/64) {
		return nil
	}
	return a.watchGrowth(context.WithoutCancel(ctx)).Err()
}

// nodeBytes is the least memory of a node of a document.
const nodeBytes = 40

// GrowTree is Grow for a text of a program that will be read as YAML or JSON. Nodes can take many
// times the memory of their text, and a parser makes them faster than the watch looks.
func GrowTree(ctx context.Context, text []byte) error {
	nodes := 0
	for _, end := range []string{":", ",", "\n"} {
		nodes += bytes.Count(text, []byte(end))
	}
	return Grow(ctx, int64(nodes)*nodeBytes)
}

// watchGrowth returns the watch of what functions have made, and lets it name the function of ctx.
func (a *Account) watchGrowth(ctx context.Context) *Watch {
	a.base()
	a.mu.Lock()
	w := a.growth
	if w == nil {
		w = &Watch{ctx: ctx, account: a, memoryOnly: true}
		if a.growth = w; !a.closed {
			a.start(w)
		}
	}
	a.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ctx = ctx
	return w
}

// Close ends the watch that Grow has started, at the end of a run that does not end the process.
func (a *Account) Close() {
	a.mu.Lock()
	w, closed := a.growth, a.closed
	a.closed = true
	a.mu.Unlock()
	if w != nil && !closed {
		w.End()
	}
}

// Watched calls a function that may make much of little, such as results, and watches it. The
// function reports to grow the bytes that it adds to documents.
func Watched(
	ctx context.Context, f func(ctx context.Context, grow func(bytes int) error) error,
) error {
	ctx, done := Ensure(ctx)
	defer done()
	ctx = Before(ctx, time.Now().Add(Of(ctx).time))
	w := Start(ctx, nil)
	defer w.End()
	err := f(ctx, func(bytes int) error { return Grow(ctx, int64(bytes)) })
	if err == nil {
		err = w.Err()
	}
	return err
}

package remote

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/server/frame"
)

// responder is the end of a session at which functions run.
type responder struct {
	ctx      context.Context //nolint:containedctx // of the process
	memory   int64           // what the server allows
	time     time.Duration
	newest   func() (*functions.Executor, error)
	executor *functions.Executor                     // of the session, nil before it begins
	hashes   map[api.ToolchainType][sha256.Size]byte // of the signatures, without types of a client
	messages <-chan frame.Frame
	out      io.Writer
	codec    *codec

	asking sync.Mutex // a run may have several questions at once
	added  [askLocated + 1]bool
}

// Work answers the messages of sessions, one after the other, until in ends. Each gets an executor of
// its own. Functions that are not hermetic do not run.
func Work(
	ctx context.Context, executor func() (*functions.Executor, error), in io.Reader, out io.Writer,
) error {
	limits := limit.Of(ctx)
	return frame.Work(bufio.NewReader(in), 0, func(messages <-chan frame.Frame) error {
		w := &responder{
			ctx: ctx, memory: limits.Memory(), time: limits.Time(), newest: executor,
			messages: messages, out: out,
		}
		for f := range messages {
			answer, err := w.answer(f)
			if err != nil {
				return err
			}
			if _, err := out.Write(answer.Append(nil)); err != nil {
				return err
			}
		}
		return nil
	})
}

// answer answers a message. The error ends the session.
func (w *responder) answer(f frame.Frame) (frame.Frame, error) {
	switch {
	case f.Number == kindOpen:
		var b beginning
		w.codec, w.added = newCodec(), [askLocated + 1]bool{}
		err := w.codec.read(f, &b)
		if err == nil {
			w.executor, err = w.newest()
		}
		if err != nil {
			return f, err
		}
		return w.codec.frame(kindOpen, w.open(&b))
	case w.executor == nil:
		return f, errors.New("a session begins with a message of its own")
	case f.Number == kindRun:
		var c call
		if err := w.codec.read(f, &c); err != nil {
			return f, err
		}
		return w.codec.frame(kindRun, w.run(&c))
	case f.Number == kindPaths:
		var t api.ToolchainType
		if err := w.codec.read(f, &t); err != nil {
			return f, err
		}
		paths, err := w.executor.RegisteredPaths(t)
		if err != nil {
			return f, err
		}
		text, err := json.Marshal(paths)
		if err != nil {
			return f, err
		}
		return frame.Frame{Number: kindPaths, Body: text}, nil
	}
	return f, fmt.Errorf("messages of the kind %d are not known", f.Number)
}

// open adds the client's resource types and limits.
func (w *responder) open(b *beginning) opened {
	memory, time := w.memory, w.time
	if b.Memory > 0 {
		memory = min(memory, b.Memory)
	}
	if b.Time > 0 {
		time = min(time, b.Time)
	}
	limit.Of(w.ctx).Set(memory, time)
	var files []string
	for _, f := range b.Types {
		files = append(files, f.Name)
		if f.BuiltIn {
			return opened{Problem: newProblem(diag.Usage("%s is built in", f.Name))}
		}
	}
	if len(files) > 0 {
		if err := w.executor.AddResourceTypes(b.Types...); err != nil {
			return opened{Problem: newProblem(err)}
		}
	}
	unknown := signatures{}
	for _, t := range w.executor.Toolchains() {
		if known, ok := b.Known[t]; !ok || known != w.hash(t, len(files) > 0) {
			unknown[t] = w.executor.Signatures(t)
		}
	}
	text, err := json.Marshal(unknown)
	if err != nil {
		return opened{Problem: newProblem(err)}
	}
	return opened{Signatures: text}
}

// hash returns the hash of the signatures of a toolchain. Without types of the client, which may add
// functions, it is made once.
func (w *responder) hash(t api.ToolchainType, hasTypes bool) [sha256.Size]byte {
	known, ok := w.hashes[t]
	if ok && !hasTypes {
		return known
	}
	known = hash(w.executor, t)
	if !hasTypes {
		if w.hashes == nil {
			w.hashes = map[api.ToolchainType][sha256.Size]byte{}
		}
		w.hashes[t] = known
	}
	return known
}

// run runs a chain.
func (w *responder) run(c *call) callAnswer {
	if err := w.add(c); err != nil {
		return callAnswer{Problem: newProblem(err)}
	}
	for source, text := range c.Request.OtherData {
		if text == nil { // it is empty, and not missing
			c.Request.OtherData[source] = api.Text{}
		}
	}
	options := handler.Options{
		Compare: c.Options.Compare, ListChanged: c.Options.ListChanged,
		Secrets: c.Options.Secrets, NamesOnly: c.Options.NamesOnly, KeepSteps: c.Options.KeepSteps,
		EveryResource: c.Options.EveryResource, File: c.Options.File, WhereText: c.Options.WhereText,
		Only: c.Options.Only,
	}
	if c.Survey {
		options.Survey = sync.OnceValue(w.survey)
	}
	ctx := limit.Named(w.ctx, func(err error) error {
		return diag.In(c.Options.File, diag.Failures(err, api.FailureFunction))
	})
	r, err := w.executor.Run(ctx, &c.Request, options)
	if err != nil {
		return callAnswer{Problem: newProblem(err)}
	}
	o := callAnswer{Result: newResult(r)}
	o.Result.Clashes = w.executor.SchemaClashes()
	return o
}

// add has the executor ask for what the client has, once.
func (w *responder) add(c *call) error {
	if c.Schemas && !w.added[askSchemas] {
		w.added[askSchemas] = true
		if err := w.executor.AddSchemas(func() ([]schemas.SchemaFile, error) {
			return w.askFiles(asked{Question: askSchemas})
		}); err != nil {
			return err
		}
	}
	if len(c.Locations) > 0 && !w.added[askLocated] {
		w.added[askLocated] = true
		if err := w.executor.AddSchemaLocations(schemas.Locations{
			List: c.Locations, Read: func(file string) ([]byte, error) {
				found, err := w.askFiles(asked{Question: askLocated, File: file})
				if err != nil || len(found) == 0 {
					return nil, cmp.Or(err, fs.ErrNotExist)
				}
				return found[0].Text, nil
			},
		}); err != nil {
			return err
		}
	}
	files := func(q question) func() []schemas.SchemaFile {
		return func() []schemas.SchemaFile {
			r, _ := w.ask(asked{Question: q}) // the next message has the error, too
			return r.Files
		}
	}
	if c.Definitions && !w.added[askDefinitions] {
		w.added[askDefinitions] = true
		if err := w.executor.AddOwnDefinitions(files(askDefinitions)); err != nil {
			return err
		}
	}
	if c.Inputs && !w.added[askInputs] {
		w.added[askInputs] = true
		return w.executor.AddInputs(files(askInputs))
	}
	return nil
}

// survey asks for the survey of all units.
func (w *responder) survey() *handler.Survey {
	s := &handler.Survey{}
	r, err := w.ask(asked{Question: askSurvey})
	if err == nil {
		err = json.Unmarshal(r.Survey, s)
	}
	if err != nil {
		s.Incomplete = true
	}
	return s
}

// askFiles asks the client for files, which may be a problem.
func (w *responder) askFiles(q asked) ([]schemas.SchemaFile, error) {
	r, err := w.ask(q)
	if err == nil && r.Problem != nil {
		err = r.Problem.err()
	}
	return r.Files, err
}

// ask asks the client.
func (w *responder) ask(q asked) (r reply, err error) {
	w.asking.Lock()
	defer w.asking.Unlock()
	f, err := w.codec.frame(kindAsk, q)
	if err != nil {
		return r, err
	}
	if _, err := w.out.Write(f.Append(nil)); err != nil {
		return r, err
	}
	f, ok := <-w.messages
	if !ok {
		return r, io.ErrUnexpectedEOF
	}
	if f.Number != kindReply {
		return r, fmt.Errorf("an answer is expected, not a message of the kind %d", f.Number)
	}
	return r, w.codec.read(f, &r)
}

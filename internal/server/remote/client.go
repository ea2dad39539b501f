package remote

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/server/frame"
)

// session is the end of a session at which an executor wants functions to run. It implements
// [functions.Remote].
type session struct {
	conn  io.ReadWriter
	codec *codec

	mu      sync.Mutex
	clashes []schemas.Clash
	broken  error // of the connection
}

// Open begins a session on a connection to a worker and lets the executor run its requests there.
// memory and time limit expressions; 0 means the limits of the server.
func Open(
	conn io.ReadWriter, executor *functions.Executor, memory int64, time time.Duration,
) error {
	s := &session{conn: conn, codec: newCodec()}
	b := beginning{
		Types: executor.Added().Types, Memory: memory, Time: time,
		Known: map[api.ToolchainType][sha256.Size]byte{},
	}
	for _, t := range executor.Toolchains() {
		b.Known[t] = hash(executor, t)
	}
	var o opened
	if err := s.exchange(kindOpen, b, &o); err != nil {
		return err
	}
	if o.Problem != nil {
		return o.Problem.err()
	}
	var unknown signatures
	if err := json.Unmarshal(o.Signatures, &unknown); err != nil {
		return err
	}
	executor.RunAt(s, unknown)
	return nil
}

// exchange sends a message and reads its answer. If that is a question, it is answered by questions.
func (s *session) exchange(kind uint32, message, answer any, answers ...func(asked) reply) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	err := s.send(kind, message)
	for err == nil {
		var f frame.Frame
		if f, err = frame.Read(s.conn, math.MaxInt); err != nil {
			break
		}
		switch f.Number {
		case kind:
			if text, ok := answer.(*json.RawMessage); ok {
				*text = f.Body
				return nil
			}
			return s.codec.read(f, answer)
		case kindAsk:
			var q asked
			if len(answers) == 0 {
				err = errors.New("the server asks while nothing runs")
			} else if err = s.codec.read(f, &q); err == nil {
				err = s.send(kindReply, answers[0](q))
			}
		default:
			err = &api.Failure{Class: api.FailureFunction, Message: string(f.Body)}
		}
	}
	if errors.Is(err, io.EOF) {
		err = &api.Failure{Class: api.FailureFunction, Message: "the server ended the session"}
	}
	s.broken = err
	return err
}

func (s *session) send(kind uint32, message any) error {
	f, err := s.codec.frame(kind, message)
	if err != nil {
		return err
	}
	_, err = s.conn.Write(f.Append(nil))
	return err
}

// Run implements [functions.Remote].
func (s *session) Run(
	ctx context.Context, request *api.FunctionInvocationRequest, o handler.Options,
	added *functions.Added,
) (*handler.Result, error) {
	if o.Documents != nil {
		return nil, fmt.Errorf("documents at a server: %w", handler.ErrUnsupportedRequest)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := call{
		Request: *request,
		Options: options{
			Compare: o.Compare, ListChanged: o.ListChanged, Secrets: o.Secrets, NamesOnly: o.NamesOnly,
			KeepSteps: o.KeepSteps, EveryResource: o.EveryResource,
			File: o.File, WhereText: o.WhereText, Only: o.Only,
		},
		Schemas: added.Schemas != nil, Locations: added.Locations.List, Inputs: added.Inputs != nil,
		Definitions: added.Definitions != nil, Survey: o.Survey != nil,
	}
	var answer callAnswer
	if err := s.exchange(kindRun, c, &answer, func(q asked) reply {
		return answerTo(q, o, added)
	}); err != nil {
		return nil, err
	}
	if answer.Problem != nil {
		return nil, answer.Problem.err()
	}
	s.mu.Lock()
	s.clashes = answer.Result.Clashes
	s.mu.Unlock()
	r, err := answer.Result.result(request)
	if err == nil && !o.InParts {
		r.Parts = nil
	}
	return r, err
}

// answerTo answers a question of a worker.
func answerTo(a asked, o handler.Options, added *functions.Added) (r reply) {
	switch q := a.Question; {
	case q == askLocated && added.Locations.Read != nil:
		text, err := added.Locations.Read(a.File)
		switch {
		case err == nil:
			r.Files = []schemas.SchemaFile{{Name: a.File, Text: text}}
		case !errors.Is(err, fs.ErrNotExist):
			r.Problem = newProblem(err)
		}
	case q == askSchemas && added.Schemas != nil:
		files, err := added.Schemas()
		r.Files = files
		if err != nil {
			r.Problem = newProblem(err)
		}
	case q == askInputs && added.Inputs != nil:
		r.Files = added.Inputs()
	case q == askDefinitions && added.Definitions != nil:
		r.Files = added.Definitions()
	case q == askSurvey && o.Survey != nil:
		r.Survey, _ = json.Marshal(o.Survey()) // a survey always has JSON
	}
	return r
}

// RegisteredPaths implements [functions.Remote].
func (s *session) RegisteredPaths(
	t api.ToolchainType,
) (paths api.AttributeNameToResourceTypeToPathToVisitorInfoType, err error) {
	var text json.RawMessage
	if err := s.exchange(kindPaths, t, &text); err != nil {
		return nil, err
	}
	return paths, json.Unmarshal(text, &paths)
}

// SchemaClashes implements [functions.Remote].
func (s *session) SchemaClashes() []schemas.Clash {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.clashes)
}

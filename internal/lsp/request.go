package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/fctl-dev/fctl/internal/diag"
)

// question is a request about a place.
type question struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
	Position editorPosition `json:"position"`
	NewName  string         `json:"newName"` // of a rename
	Context  struct {
		Diagnostics []json.RawMessage `json:"diagnostics"` // other servers have forms of their own
	} `json:"context"` // of actions

	path   string
	action action // to resolve
}

// mostQuestions is the number of questions that are in work at the same time.
const mostQuestions = 16

// answer answers a question about a place.
func (s *Server) answer(
	ctx context.Context, m rpcMessage, find func(*project, context.Context, question) (any, error),
) error {
	var q question
	if err := json.Unmarshal(m.Params, &q); err != nil {
		return s.refuse(m, invalidParams, err.Error())
	}
	return s.ask(ctx, m, q, find)
}

// ask answers a question beside the reading of messages. What does not end within the limit of time
// is abandoned.
func (s *Server) ask(
	ctx context.Context, m rpcMessage, q question,
	find func(*project, context.Context, question) (any, error),
) error {
	var ok bool
	if q.path, ok = s.pathOf(q.TextDocument.URI); !ok || m.ID == nil {
		return s.refuse(m, invalidParams, "textDocument: the address of a file is expected")
	}
	id := string(m.ID)
	ctx, end := s.begin(ctx)
	ctx, stop := context.WithTimeout(ctx, s.limits.Time())
	s.mu.Lock()
	busy := s.working >= mostQuestions
	if !busy {
		s.working++
		s.questions[id] = stop
	}
	s.mu.Unlock()
	if busy {
		stop()
		end()
		return s.refuse(m, requestFailed, "too many requests are in work")
	}
	p, found := s.project(), make(chan rpcMessage, 1)
	go func() {
		found <- s.found(ctx, m, q, p, find)
		s.mu.Lock()
		s.working--
		s.mu.Unlock()
	}()
	s.checks.Go(func() {
		defer end()
		defer stop()
		var reply rpcMessage
		select {
		case reply = <-found:
		case <-ctx.Done():
			reply = rpcMessage{ID: m.ID, Error: problemOf(ctx, ctx.Err())}
		}
		s.mu.Lock()
		delete(s.questions, id)
		s.mu.Unlock()
		if err := s.wire.write(reply); err != nil {
			s.Report(err)
		}
	})
	return nil
}

// found returns the reply to a question.
func (s *Server) found(
	ctx context.Context, m rpcMessage, q question, p *project,
	find func(*project, context.Context, question) (any, error),
) rpcMessage {
	var result any
	var text []byte
	err := guarded(func() (err error) {
		result, err = find(p, ctx, q)
		return err
	})
	if err == nil {
		text, err = json.Marshal(result)
	}
	if err != nil {
		return rpcMessage{ID: m.ID, Error: problemOf(ctx, err)}
	}
	return rpcMessage{ID: m.ID, Result: json.RawMessage(text)}
}

// guarded calls a function. A panic, which is a bug that some text shows, is an error: an editor
// must not lose its server.
func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a bug in fctl: %v\n%s", r, debug.Stack())
		}
	}()
	return f()
}

// problemOf returns why a question has no answer.
func problemOf(ctx context.Context, err error) *rpcError {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &rpcError{requestFailed, "it took too long"}
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled):
		return &rpcError{cancelled, "it was cancelled"}
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	if list, ok := errors.AsType[diag.List](err); ok && len(list) > 0 {
		err = list[0]
	}
	return &rpcError{requestFailed, messageOf(err)}
}

// cancel ends the work on a question.
func (s *Server) cancel(m rpcMessage) {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(m.Params, &p) != nil {
		return
	}
	s.mu.Lock()
	stop := s.questions[string(bytes.TrimSpace(p.ID))]
	s.mu.Unlock()
	if stop != nil {
		stop()
	}
}

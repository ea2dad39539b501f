package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/server/frame"
)

// pictures are what the page shows of a workspace: the words of the command that prints it, and its
// type.
func pictures() map[string]struct{ words, kind string } {
	return map[string]struct{ words, kind string }{
		"graph": {"link graph -o svg", "image/svg+xml"},
		"plan":  {"link plan", "text/plain; charset=utf-8"}, // as JSON it would show secrets
	}
}

// workspace prints something of the workspace that the server was started in.
func (s *Server) workspace(w http.ResponseWriter, r *http.Request) {
	what, ok := pictures()[r.PathValue("what")]
	if !ok || s.options.Workspace == nil {
		text := "nothing is served at GET " + r.URL.Path
		if ok {
			text = "the server was not started in a workspace"
		}
		send(w, problem(http.StatusNotFound, text))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.options.Timeout)
	defer cancel()
	select {
	case s.looking <- struct{}{}: // one at a time
		defer func() { <-s.looking }()
	case <-ctx.Done():
		send(w, problem(http.StatusServiceUnavailable, "others look at the workspace"))
		return
	}
	text, err := s.look(ctx, strings.Fields(what.words))
	if err != nil {
		send(w, problem(http.StatusUnprocessableEntity, err.Error()))
		return
	}
	send(w, frame.Frame{Number: http.StatusOK, Name: []byte(what.kind), Body: text})
}

// look runs a command that only reads the workspace, and returns what it prints.
func (s *Server) look(ctx context.Context, words []string) ([]byte, error) {
	child, err := s.options.Workspace(words...)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, child.Kill)()
	text, err := io.ReadAll(io.LimitReader(child.Out, slackBytes+1))
	tooLarge := len(text) > slackBytes
	if tooLarge {
		child.Kill()
	}
	state, said := child.End()
	switch {
	case tooLarge:
		return nil, fmt.Errorf("%s prints more than %d bytes", strings.Join(words, " "), slackBytes)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s takes more than %v", strings.Join(words, " "),
			s.options.Timeout-Patience)
	case err != nil:
		return nil, err
	case !state.Success():
		return nil, errors.New(strings.TrimPrefix(said, diag.Program))
	}
	return text, nil
}

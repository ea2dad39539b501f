// Package lsp is a server of the Language Server Protocol: it shows in an editor what fctl finds in
// manifests.
//
// Invariants: it writes no files and runs no programs. What is in the buffers of the editor counts,
// not what is on the disk. A check that is out of date is ended.
//
// Layer: systems.
package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/settings"
)

// Server shows findings in one editor.
type Server struct {
	// Executor makes an executor; each check has its own.
	Executor func() (*functions.Executor, error)
	Settings *settings.Settings
	// Dir is the directory that is checked if the editor names none.
	Dir string
	// Report gets what goes wrong beside the messages.
	Report func(error)

	wire *wire
	utf8 bool

	mu      sync.Mutex
	buffers map[string][]byte  // by path
	end     context.CancelFunc // of the check that waits or runs
	checks  sync.WaitGroup

	publishing sync.Mutex
	shown      map[string]bool // the files with diagnostics
}

// wait is how long a check waits for further changes.
const wait = 200 * time.Millisecond

// errExit says that the editor ends the server without asking it to shut down.
var errExit = errors.New("the editor ended without a shutdown")

// Serve answers an editor until it ends.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer s.checks.Wait()
	defer cancel()
	s.wire = &wire{in: bufio.NewReader(in), out: out}
	s.buffers, s.shown, s.end = map[string][]byte{}, map[string]bool{}, func() {}
	initialized, down := false, false
	for {
		m, err := s.wire.read()
		if _, broken := errors.AsType[*brokenError](err); broken {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		switch {
		case err != nil:
			err = s.refuse(m, invalidRequest, err.Error())
		case m.Method == "exit" && down:
			return nil
		case m.Method == "exit":
			return errExit
		case m.Method == "shutdown":
			down = true
			err = s.wire.write(rpcMessage{ID: m.ID, Result: json.RawMessage("null")})
		case m.Method == "initialize":
			initialized = true
			err = s.initialize(m)
		case !initialized:
			err = s.refuse(m, notInitialized, "initialize comes first")
		case down:
			err = s.refuse(m, invalidRequest, "the server is shut down")
		default:
			err = s.handle(ctx, m)
		}
		if err != nil {
			return err
		}
	}
}

// refuse answers a request with an error. Others have no answer.
func (s *Server) refuse(m rpcMessage, code int, text string) error {
	if m.ID == nil {
		return nil
	}
	return s.wire.write(rpcMessage{ID: m.ID, Error: &rpcError{code, text}})
}

// initialize says what the server can do.
func (s *Server) initialize(m rpcMessage) error {
	var p initialize
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return s.refuse(m, invalidParams, err.Error())
	}
	root := p.RootURI
	if len(p.Folders) > 0 {
		root = p.Folders[0].URI
	}
	if path, ok := pathOf(root); ok {
		s.Dir = path
	}
	encoding := "utf-16"
	if s.utf8 = slices.Contains(p.Capabilities.General.PositionEncodings, "utf-8"); s.utf8 {
		encoding = "utf-8"
	}
	return s.wire.write(rpcMessage{ID: m.ID, Result: map[string]any{
		"capabilities": map[string]any{
			"positionEncoding": encoding,
			"textDocumentSync": map[string]any{"openClose": true, "change": syncFull, "save": true},
		},
		"serverInfo": map[string]any{"name": "fctl"},
	}})
}

// handle handles a message of an editor that has begun.
func (s *Server) handle(ctx context.Context, m rpcMessage) error {
	var d changed
	switch m.Method {
	case "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose",
		"textDocument/didSave":
		if err := json.Unmarshal(m.Params, &d); err != nil {
			return nil //nolint:nilerr // a notification has no answer
		}
	case "initialized":
		s.check(ctx)
		return nil
	default:
		if strings.HasPrefix(m.Method, "$/") || m.ID == nil {
			return nil
		}
		return s.refuse(m, methodNotFound, fmt.Sprintf("%s is unknown", m.Method))
	}
	path, ok := pathOf(d.TextDocument.URI)
	if !ok {
		return nil
	}
	s.mu.Lock()
	switch {
	case m.Method == "textDocument/didOpen":
		s.buffers[path] = []byte(d.TextDocument.Text)
	case m.Method == "textDocument/didClose":
		delete(s.buffers, path)
	case len(d.ContentChanges) > 0:
		s.buffers[path] = []byte(d.ContentChanges[len(d.ContentChanges)-1].Text)
	}
	s.mu.Unlock()
	s.check(ctx)
	return nil
}

// check checks the files soon, and ends the check before.
func (s *Server) check(ctx context.Context) {
	s.end()
	ctx, s.end = context.WithCancel(ctx)
	s.checks.Go(func() {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		s.mu.Lock()
		buffers := maps.Clone(s.buffers)
		s.mu.Unlock()
		found, err := s.findings(ctx, buffers)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			s.Report(err)
		default:
			s.publish(ctx, found)
		}
	})
}

// publish shows the diagnostics of files, and removes those of files that have none any more.
func (s *Server) publish(ctx context.Context, found map[string][]diagnostic) {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	if ctx.Err() != nil {
		return
	}
	for path := range s.shown {
		if _, still := found[path]; !still {
			found[path] = []diagnostic{}
		}
	}
	for path, diagnostics := range found {
		s.shown[path] = len(diagnostics) > 0
		params, err := json.Marshal(published{uriOf(path), diagnostics})
		if err == nil {
			err = s.wire.write(rpcMessage{Method: "textDocument/publishDiagnostics", Params: params})
		}
		if err != nil {
			s.Report(err)
			return
		}
		if !s.shown[path] {
			delete(s.shown, path)
		}
	}
}

// pathOf returns the path of a file's address.
func pathOf(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return "", false
	}
	path := u.Path
	if runtime.GOOS == "windows" { // /c:/a
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.Clean(filepath.FromSlash(path)), true
}

// uriOf returns the address of a file.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

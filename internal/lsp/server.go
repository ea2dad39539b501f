// Package lsp is a server of the Language Server Protocol: it shows in an editor what fctl finds in
// manifests and in the files that define something.
//
// Invariants: it writes no files and runs no programs. What is in the buffers of the editor counts,
// not what is on the disk. A check that is out of date is ended. A text that cannot be checked
// within the limits costs one diagnostic, and is not checked again before it changes.
//
// Layer: systems.
package lsp

import (
	"bufio"
	"cmp"
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

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/settings"
)

// Server serves one editor.
type Server struct {
	// Settings loads the settings for the folder of the editor, which may be empty, and returns the
	// directory that is checked.
	Settings func(folder string) (dir string, s *settings.Settings, err error)
	// Executor makes an executor with the resource types of the settings, or with none for nil.
	Executor func(context.Context, *settings.Settings) (*functions.Executor, error)
	// Report gets what goes wrong beside the messages.
	Report func(error)

	wire     *wire
	utf8     bool
	watches  bool   // the editor can tell which files change
	dir      string // the folder, absolute
	settings *settings.Settings
	limits   *limit.Account
	// mostFiles is the number of files in the folder that are read; 0 means the default.
	mostFiles int

	mu      sync.Mutex
	buffers map[string][]byte  // by path
	uris    map[string]string  // of the buffers
	refused map[string]refusal // by path
	tasks   map[*task]bool     // that run
	large   bool               // the folder is too large to be read
	// executor is that of the last check.
	executor  *functions.Executor
	fixes     bool                          // a rule of its chain has a fix
	questions map[string]context.CancelFunc // in work, by the number of the request
	working   int                           // the number of questions in work, with abandoned ones

	end    context.CancelFunc // of the check that waits or runs
	took   time.Duration      // of the last check
	checks sync.WaitGroup
	turn   sync.Mutex // of the check that runs

	publishing sync.Mutex
	shown      map[string]bool // the files with diagnostics
}

// refusal says why a text is not checked.
type refusal struct {
	text    string
	failure *api.Failure
}

// task is a check or a request in work.
type task struct{ end context.CancelCauseFunc }

const (
	// pause is how long a check waits for further changes, at least. It waits no less than the last
	// one took.
	pause = 200 * time.Millisecond
	// timeLimit is the default of --timeout: people wait for the answer.
	timeLimit = 10 * time.Second
)

// errExit says that the editor ends the server without asking it to shut down.
var errExit = errors.New("the editor ended without a shutdown")

// Serve answers an editor until it ends.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer s.wait()
	defer cancel()
	s.wire = &wire{in: bufio.NewReader(in), out: out}
	s.buffers, s.uris = map[string][]byte{}, map[string]string{}
	s.refused, s.tasks = map[string]refusal{}, map[*task]bool{}
	s.shown, s.end = map[string]bool{}, func() {}
	s.questions = map[string]context.CancelFunc{}
	s.mostFiles = cmp.Or(s.mostFiles, mostFiles)
	s.limits = limit.New(s.abort)
	defer s.limits.Close()
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
			err = s.wire.write(rpcMessage{ID: m.ID})
		case m.Method == "initialize" && !initialized:
			initialized = true
			err = s.initialize(m)
		case !initialized:
			err = s.refuse(m, notInitialized, "initialize comes first")
		case down || m.Method == "initialize":
			err = s.refuse(m, invalidRequest, "it is too late for this request")
		default:
			err = s.handle(ctx, m)
		}
		if err != nil {
			return err
		}
	}
}

// wait waits for what is in work, but not long.
func (s *Server) wait() {
	done := make(chan struct{})
	go func() {
		s.checks.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
	}
}

// refuse answers a request with an error. Others have no answer.
func (s *Server) refuse(m rpcMessage, code int, text string) error {
	if m.ID == nil || m.Method == "" {
		return nil
	}
	return s.wire.write(rpcMessage{ID: m.ID, Error: &rpcError{code, text}})
}

// notify sends a message that has no answer.
func (s *Server) notify(method string, params any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return s.wire.write(rpcMessage{Method: method, Params: text})
}

// initialize loads the settings and says what the server can do.
func (s *Server) initialize(m rpcMessage) error {
	var p initialize
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return s.refuse(m, invalidParams, err.Error())
	}
	root := p.RootURI
	if len(p.Folders) > 0 {
		root = p.Folders[0].URI
	}
	folder, _ := pathOf(root)
	var err error
	if s.dir, s.settings, err = s.Settings(folder); err == nil {
		s.dir, err = filepath.Abs(s.dir)
	}
	if err != nil {
		return errors.Join(s.refuse(m, requestFailed, messageOf(err)), err)
	}
	s.limits.Set(s.settings.MemoryBytes, cmp.Or(s.settings.TimeLimit, timeLimit))
	encoding := "utf-16"
	if s.utf8 = slices.Contains(p.Capabilities.General.PositionEncodings, "utf-8"); s.utf8 {
		encoding = "utf-8"
	}
	s.watches = p.Capabilities.Workspace.DidChangeWatchedFiles.DynamicRegistration
	return s.wire.write(rpcMessage{ID: m.ID, Result: map[string]any{
		"capabilities": map[string]any{
			"positionEncoding": encoding,
			"textDocumentSync": map[string]any{
				"openClose": true, "change": syncIncremental, "save": true,
			},
			"hoverProvider":      true,
			"definitionProvider": true,
			"renameProvider":     map[string]any{"prepareProvider": true},
			"codeActionProvider": map[string]any{
				"codeActionKinds": []string{kindQuickFix, kindFixAll}, "resolveProvider": true,
			},
			"completionProvider": map[string]any{"triggerCharacters": []string{" "}},
		},
		"serverInfo": map[string]any{"name": "fctl"},
	}})
}

// messageOf returns an error as the editor shows it.
func messageOf(err error) string {
	var b strings.Builder
	_ = diag.Failures(err, api.FailureFunction).Write(&b, diag.Style{}) // into memory
	return strings.TrimSpace(b.String())
}

// handle handles a message of an editor that has begun.
func (s *Server) handle(ctx context.Context, m rpcMessage) error {
	switch m.Method {
	case "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose",
		"textDocument/didSave":
		var d changed
		if json.Unmarshal(m.Params, &d) == nil && s.change(m.Method, d) {
			s.check(ctx)
		}
	case "workspace/didChangeWatchedFiles":
		s.check(ctx)
	case "initialized":
		s.check(ctx)
		if s.watches {
			return s.watch()
		}
	case "textDocument/completion":
		return s.answer(ctx, m, (*project).complete)
	case "textDocument/hover":
		return s.answer(ctx, m, (*project).hover)
	case "textDocument/codeAction":
		return s.answer(ctx, m, (*project).actions)
	case "codeAction/resolve":
		return s.resolve(ctx, m)
	case "textDocument/definition":
		return s.answer(ctx, m, (*project).definition)
	case "textDocument/prepareRename":
		return s.answer(ctx, m, (*project).prepareRename)
	case "textDocument/rename":
		return s.answer(ctx, m, (*project).rename)
	case "$/cancelRequest":
		s.cancel(m)
	default:
		if strings.HasPrefix(m.Method, "$/") {
			return nil
		}
		return s.refuse(m, methodNotFound, fmt.Sprintf("%s is unknown", m.Method))
	}
	return nil
}

// watch asks the editor to tell which files change.
func (s *Server) watch() error {
	params, err := json.Marshal(map[string]any{"registrations": []any{map[string]any{
		"id": "files", "method": "workspace/didChangeWatchedFiles",
		"registerOptions": map[string]any{"watchers": []any{
			map[string]any{"globPattern": "**/*.{yaml,yml,json}"},
		}},
	}}})
	if err != nil {
		return err
	}
	return s.wire.write(rpcMessage{
		ID: json.RawMessage(`"watch"`), Method: "client/registerCapability", Params: params,
	})
}

// change changes the buffers. It reports false if the message is about none.
func (s *Server) change(method string, d changed) bool {
	path, ok := s.pathOf(d.TextDocument.URI)
	if !ok {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch method {
	case "textDocument/didOpen":
		s.buffers[path], s.uris[path] = []byte(d.TextDocument.Text), d.TextDocument.URI
	case "textDocument/didClose":
		delete(s.buffers, path)
	case "textDocument/didChange":
		for _, c := range d.ContentChanges {
			if c.Range == nil {
				s.buffers[path] = []byte(c.Text)
			} else {
				s.buffers[path] = newText(s.buffers[path], s.utf8).changed(*c.Range, c.Text)
			}
		}
	}
	return true
}

// check checks the files soon, and ends the check before.
func (s *Server) check(ctx context.Context) {
	s.end()
	ctx, s.end = context.WithCancel(ctx)
	s.checks.Go(func() {
		s.mu.Lock()
		quiet := max(pause, s.took)
		s.mu.Unlock()
		select {
		case <-time.After(quiet):
		case <-ctx.Done():
			return
		}
		s.turn.Lock()
		defer s.turn.Unlock()
		began := time.Now()
		found, err := s.diagnose(ctx)
		if _, limited := errors.AsType[*limit.Error](err); limited && ctx.Err() == nil {
			found, err = s.diagnose(ctx) // without the file that reached the limit
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.Report(err)
		default:
			s.publish(ctx, found)
		}
		s.mu.Lock()
		s.took = time.Since(began)
		s.mu.Unlock()
	})
}

// diagnose checks the folder as it is now.
func (s *Server) diagnose(ctx context.Context) (found map[string][]diagnostic, err error) {
	err = guarded(func() (err error) {
		found, err = s.project().diagnose(ctx)
		return err
	})
	return found, err
}

// project returns the folder as it is now.
func (s *Server) project() *project {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &project{Server: s, buffers: maps.Clone(s.buffers), refused: map[string]*api.Failure{}}
	for path, r := range s.refused {
		if now, open := p.buffers[path]; open && string(now) != r.text {
			delete(s.refused, path)
			continue
		}
		p.buffers[path], p.refused[path] = nil, r.failure
	}
	return p
}

// begin returns a context for work that abort can end.
func (s *Server) begin(ctx context.Context) (_ context.Context, end func()) {
	t := &task{}
	ctx, t.end = context.WithCancelCause(limit.With(ctx, s.limits))
	s.mu.Lock()
	s.tasks[t] = true
	s.mu.Unlock()
	return ctx, func() {
		s.mu.Lock()
		delete(s.tasks, t)
		s.mu.Unlock()
		t.end(nil)
	}
}

// abort ends what runs, because of an expression that reached a limit and goes on.
func (s *Server) abort(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for t := range s.tasks {
		t.end(diag.Failures(err, api.FailureFunction))
	}
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
	for _, path := range slices.Sorted(maps.Keys(found)) {
		diagnostics := found[path]
		err := s.notify("textDocument/publishDiagnostics", published{s.uriOf(path), diagnostics})
		if err != nil {
			s.Report(err)
			return
		}
		if s.shown[path] = len(diagnostics) > 0; !s.shown[path] {
			delete(s.shown, path)
		}
	}
}

// uriOf returns the address of a file, as the editor writes it if the file is open.
func (s *Server) uriOf(path string) string {
	s.mu.Lock()
	uri := s.uris[path]
	s.mu.Unlock()
	if uri == "" {
		uri = uriOf(path)
	}
	return uri
}

// pathOf returns the path of a document's address. One that the editor has not saved yet is treated as
// a YAML file in the folder, with a name that no file has there.
func (s *Server) pathOf(uri string) (string, bool) {
	name, unsaved := strings.CutPrefix(uri, "untitled:")
	if !unsaved {
		return pathOf(uri)
	}
	return filepath.Join(s.dir, "untitled:"+url.PathEscape(name)+".yaml"), true
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

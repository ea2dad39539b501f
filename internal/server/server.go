// Package server serves the functions of an executor over HTTP: a request is an
// [api.FunctionInvocationRequest], the answer an [api.FunctionInvocationResponse], both as JSON.
//
// Invariants: functions run in worker processes only, one request at a time each, so that no request
// can harm another one or the server. The server reads and writes no files for its clients and runs
// no programs of theirs. Every answer that is not 2xx is a problem of RFC 9457, except to what net/http
// cannot read as a request.
//
// Layer: systems.
package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	_ "embed" // openapi.json
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/server/frame"
	"github.com/fctl-dev/fctl/internal/server/page"
)

// openAPI describes the requests and answers. The test of it writes the file.
//
//go:embed openapi.json
var openAPI []byte

// Options are the limits of a server and what it works with.
type Options struct {
	Executor *functions.Executor // what GET requests describe
	// Worker starts a process that calls [Work].
	Worker func() (*process.Child, error)
	// Session starts a process that calls [remote.Work].
	Session func() (*process.Child, error)
	// Workspace starts a process that reads the workspace that the server was started in. It is nil
	// outside of workspaces.
	Workspace func(words ...string) (*process.Child, error)
	Workers   int // the most that run
	// Requests is the number of requests that are worked on or wait; others are refused.
	Requests int
	Body     int64         // bytes of a request
	Timeout  time.Duration // of one request, without the time that it waits, and with [Patience]
	Grace    time.Duration // for requests in work once the server ends
	Token    func() string // what clients send, "" for nothing
	TLS      *tls.Config   // nil for HTTP
	Log      *slog.Logger  // of the requests, nil for no log
	Report   func(error)   // gets what goes wrong beside the requests
	// Names are the hosts by which clients may call a server on loopback, beside its addresses and
	// localhost.
	Names []string
}

// Server is an HTTP server.
type Server struct {
	options    Options
	toolchains map[string]api.ToolchainType // by the segment of an address, and by name
	pool       *pool
	sessions   *sessions
	slots      chan struct{}
	memory     *memory
	looking    chan struct{} // one client at a time looks at the workspace
	http       *http.Server
	stop       chan struct{} // has a value once a client wants the server to end
	local      bool          // it listens on loopback
	tracer     *tracer       // nil for no traces
}

// Patience is how much later than its worker the server ends a request: the worker says more about
// its own limit, and has time to do so.
const Patience = 5 * time.Second

// slack is what an answer may have more bytes than a request, in multiples of it, and in bytes.
const (
	slackFactor = 16
	slackBytes  = 16 << 20
)

// New returns a server, which has to be given a listener. The environment may ask for traces; the
// error is about it.
func New(o Options) (*Server, error) {
	s := &Server{
		options: o, toolchains: map[string]api.ToolchainType{},
		slots: make(chan struct{}, o.Requests), memory: newMemory(o.Body),
		stop: make(chan struct{}, 1), looking: make(chan struct{}, 1),
		pool:     newPool(o.Workers, o.Requests, o.Timeout, int(slackFactor*o.Body+slackBytes), o.Worker),
		sessions: newSessions(o.Workers, o.Timeout, o.Session),
	}
	for _, t := range o.Executor.Toolchains() {
		s.toolchains[t.Segment()], s.toolchains[string(t)] = t, t
	}
	mux := http.NewServeMux()
	for _, path := range []string{"/function/ok", "/function/info", "/healthz", "/readyz"} {
		mux.HandleFunc("GET "+path, s.ok)
	}
	mux.HandleFunc("POST /function/shutdown", s.shutdown)
	mux.HandleFunc("GET /function/{toolchain}", s.signatures)
	mux.HandleFunc("GET /function/{toolchain}/paths", s.paths)
	mux.HandleFunc("POST /function/{toolchain}", s.invoke)
	mux.HandleFunc("GET /session", s.session)
	mux.HandleFunc("GET /about", s.about)
	mux.HandleFunc("GET /workspace/{what}", s.workspace)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if !isPage(r) || !page.Serve(w, r) {
			send(w, problem(http.StatusNotFound, "nothing is served at "+r.Method+" "+r.URL.Path))
		}
	})
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		send(w, frame.Frame{Number: http.StatusOK, Name: []byte(jsonType), Body: openAPI})
	})
	meter := s.newMeter()
	mux.Handle("GET /metrics", meter)
	var err error
	if s.tracer, err = newTracer(o.Report); err != nil {
		return nil, err
	}
	// A page of another origin cannot have a browser send requests here.
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		send(w, problem(http.StatusForbidden, "pages of other origins may not send requests"))
	}))
	s.http = &http.Server{
		Handler: &observed{
			next: s.guard(protection.Handler(mux)), meter: meter, log: o.Log, tracer: s.tracer,
		},
		TLSConfig:         o.TLS,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	return s, nil
}

// Serve serves a listener until ctx is done or a client shuts the server down. Requests in work get
// time to end.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	s.local = isLoopback(listener.Addr().String())
	failed := make(chan error, 1)
	go func() {
		if s.options.TLS != nil {
			failed <- s.http.ServeTLS(listener, "", "")
		} else {
			failed <- s.http.Serve(listener)
		}
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	case <-s.stop:
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.options.Grace)
	defer cancel()
	err := s.http.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(fmt.Errorf("requests were still in work after %v", s.options.Grace),
			s.http.Close())
	}
	s.sessions.close(grace)
	s.pool.close()
	if s.tracer != nil && err == nil {
		s.tracer.close()
	}
	return err
}

// guard refuses requests without the token, and requests with another host than the server's own: a
// page whose name was bound to the server's address has such a one. Only a browser on this machine
// reaches the server through loopback.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := s.options.Token()
		switch {
		case (s.local || token == "" && isLoopback(r.RemoteAddr)) && !s.isOwn(r.Host):
			send(w, problem(http.StatusMisdirectedRequest, "the host "+r.Host+
				" is not this server; if it is one of its names, start it with --host "+r.Host))
		case token != "" && !sends(r, token) && !isPublic(r):
			w.Header().Set("WWW-Authenticate", "Bearer")
			send(w, problem(http.StatusUnauthorized, "the token of the server is missing or wrong"))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isPublic reports whether a request needs no token: probes have none, and the page asks for it.
func isPublic(r *http.Request) bool {
	return r.URL.Path == "/healthz" || r.URL.Path == "/readyz" || isPage(r)
}

// isPage reports whether a request is for the page or a file of it.
func isPage(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		(r.URL.Path == "/" || strings.HasPrefix(r.URL.Path, page.Path))
}

// sends reports whether a request has a token.
func sends(r *http.Request, token string) bool {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return false
	}
	want, has := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(want[:], has[:]) == 1
}

// isLoopback reports whether an address is one of this machine that no other machine can use.
func isLoopback(address string) bool {
	from, err := netip.ParseAddrPort(address)
	return err == nil && from.Addr().Unmap().IsLoopback()
}

// isOwn reports whether a host is a name of a server on loopback. A client of HTTP/1.0 need not say
// one, and browsers do not use it.
func (s *Server) isOwn(host string) bool {
	if host == "" {
		return true
	}
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	if address, err := netip.ParseAddr(name); err == nil {
		return address.IsLoopback()
	}
	for _, own := range append([]string{"localhost"}, s.options.Names...) {
		if strings.EqualFold(name, own) {
			return true
		}
	}
	return false
}

func (s *Server) ok(w http.ResponseWriter, _ *http.Request) { sendJSON(w, "OK") }

// shutdown ends the server, for a client on this machine.
func (s *Server) shutdown(w http.ResponseWriter, r *http.Request) {
	if !isLoopback(r.RemoteAddr) {
		send(w, problem(http.StatusForbidden, "only this machine may shut the server down"))
		return
	}
	sendJSON(w, "OK")
	select {
	case s.stop <- struct{}{}:
	default: // it is ending
	}
}

// About is what a server has.
type About struct {
	Toolchains []Toolchain
	Workspace  bool // it was started in one
}

// Toolchain is a format that the server has functions for.
type Toolchain struct {
	Segment string            // its name in addresses
	Name    api.ToolchainType // its name in requests
	Files   []string          // the extensions and names of files that usually have it
	Example string            // a file name
}

func (s *Server) about(w http.ResponseWriter, _ *http.Request) {
	about := About{Workspace: s.options.Workspace != nil}
	for _, t := range s.options.Executor.Toolchains() {
		files := slices.DeleteFunc(s.options.Executor.FilesOf(t), func(name string) bool {
			return s.options.Executor.ToolchainsOf(strings.Replace(name, "*", "x", 1))[0] != t
		})
		about.Toolchains = append(about.Toolchains, Toolchain{
			t.Segment(), t, files, s.options.Executor.ExampleFile(t),
		})
	}
	sendJSON(w, about)
}

func (s *Server) signatures(w http.ResponseWriter, r *http.Request) {
	t, ok := s.toolchain(w, r)
	if !ok {
		return
	}
	all := map[string]api.FunctionSignature{}
	for _, signature := range s.options.Executor.Signatures(t) {
		all[signature.FunctionName] = signature
	}
	sendJSON(w, all)
}

func (s *Server) paths(w http.ResponseWriter, r *http.Request) {
	t, ok := s.toolchain(w, r)
	if !ok {
		return
	}
	paths, err := s.options.Executor.RegisteredPaths(t)
	if err != nil {
		send(w, problem(http.StatusInternalServerError, err.Error()))
		return
	}
	sendJSON(w, paths)
}

// invoke has a worker answer a request. A request counts among those that are in work or wait once
// the server has read it, so that clients that send or read slowly hold up nobody.
func (s *Server) invoke(w http.ResponseWriter, r *http.Request) {
	t, ok := s.toolchain(w, r)
	if !ok {
		return
	}
	text, release, err := s.memory.read(w, r, s.options.Body)
	answer := func() frame.Frame {
		defer release()
		if err != nil {
			return s.unread(w, err)
		}
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		default:
			return busy(w, fmt.Sprintf("%d requests are in work or wait", s.options.Requests))
		}
		return s.pool.do(r.Context(), frame.Frame{Name: []byte(t), Body: text})
	}()
	if r.Context().Err() == nil {
		s.memory.send(r.Context(), w, answer)
	}
}

// unread returns the answer to a request that cannot be read.
func (s *Server) unread(w http.ResponseWriter, err error) frame.Frame {
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return problem(http.StatusRequestEntityTooLarge,
			fmt.Sprintf("the request has more than %d bytes", tooLarge.Limit))
	}
	if errors.Is(err, errFull) {
		return busy(w, err.Error())
	}
	return problem(http.StatusBadRequest, fmt.Sprintf("the request cannot be read: %v", err))
}

// busy returns the answer to a client that may try again soon.
func busy(w http.ResponseWriter, detail string) frame.Frame {
	w.Header().Set("Retry-After", "1")
	return problem(http.StatusServiceUnavailable, detail)
}

// toolchain returns the toolchain in the address of a request. If there is none it answers the
// request.
func (s *Server) toolchain(w http.ResponseWriter, r *http.Request) (api.ToolchainType, bool) {
	given := r.PathValue("toolchain")
	if r.URL.RawQuery != "" {
		given = cmp.Or(r.URL.Query().Get("toolchain"), given)
	}
	if t, ok := s.toolchains[given]; ok {
		return t, true
	}
	var known []string
	for _, t := range s.options.Executor.Toolchains() {
		known = append(known, t.Segment())
	}
	send(w, problem(http.StatusNotFound, fmt.Sprintf("unknown toolchain %q; known are %s", given,
		strings.Join(known, ", "))))
	return "", false
}

// sendJSON answers with a value as JSON.
func sendJSON(w http.ResponseWriter, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		send(w, problem(http.StatusInternalServerError, err.Error()))
		return
	}
	send(w, frame.Frame{Number: http.StatusOK, Name: []byte(jsonType), Body: body})
}

func send(w http.ResponseWriter, answer frame.Frame) {
	w.Header().Set("Content-Type", string(answer.Name))
	w.Header().Set("Content-Length", strconv.Itoa(len(answer.Body)))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(int(answer.Number))
	_, _ = w.Write(answer.Body) // the client may have gone
}

package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/server/frame"
	"github.com/fctl-dev/fctl/internal/server/remote"
)

// A session is a connection that has a worker of its own, for clients that run the functions of the
// server as if they were their own. The server passes frames on and bounds their sizes and times.

// perSession bounds what a session may take: each of its messages like a request, and all of them as
// much as so many requests.
const perSession = 60

// waiting is how many sessions may be open for each that works.
const waiting = 16

// idleSession is how long a session may have nothing to do.
const idleSession = 10 * time.Minute

// SessionTime returns how much time of the processor the worker of a session may use. It is replaced
// when it has used half of that.
func SessionTime(timeout time.Duration) time.Duration { return 2 * perSession * timeout }

// sessions are those that are open.
type sessions struct {
	workers *pool         // whose queue is not used
	open    chan struct{} // as long as sessions may be open
	busy    chan struct{} // as long as functions may run at once
	all     sync.WaitGroup
	// leaving is done once sessions are to end that have no request in work, ended once all are.
	leaving, ended context.Context //nolint:containedctx // they are not those of a request
	leave, end     context.CancelFunc
}

// newSessions returns the sessions of a server, of which at most n work at a time.
func newSessions(n int, timeout time.Duration, start func() (*process.Child, error)) *sessions {
	s := &sessions{
		workers: &pool{start: start, timeout: perSession * timeout, quick: make(chan struct{}, n)},
		open:    make(chan struct{}, waiting*n), busy: make(chan struct{}, n),
	}
	s.leaving, s.leave = context.WithCancel(context.Background())
	s.ended, s.end = context.WithCancel(context.Background())
	return s
}

// close lets requests end until ctx is done.
func (s *sessions) close(ctx context.Context) {
	s.leave()
	stop := context.AfterFunc(ctx, s.end)
	defer stop()
	s.all.Wait()
	s.workers.endIdle()
}

// session upgrades a connection and serves it.
func (s *Server) session(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), remote.Protocol) || r.ProtoMajor != 1 {
		w.Header().Set("Upgrade", remote.Protocol)
		send(w, problem(http.StatusUpgradeRequired, "a session begins with Upgrade: "+remote.Protocol))
		return
	}
	select {
	case s.sessions.open <- struct{}{}:
		defer func() { <-s.sessions.open }()
	default:
		w.Header().Set("Retry-After", "1")
		send(w, problem(http.StatusServiceUnavailable,
			fmt.Sprintf("%d sessions are open", cap(s.sessions.open))))
		return
	}
	s.sessions.all.Add(1)
	defer s.sessions.all.Done()
	worker, err := s.sessions.workers.take()
	if err != nil {
		send(w, problem(http.StatusInternalServerError,
			fmt.Sprintf("no worker can be started: %v", err)))
		return
	}
	w.Header().Set("Connection", "Upgrade")
	w.Header().Set("Upgrade", remote.Protocol)
	w.WriteHeader(http.StatusSwitchingProtocols)
	conn, from, err := http.NewResponseController(w).Hijack()
	if err != nil {
		s.sessions.workers.give(worker)
		return
	}
	defer conn.Close() //nolint:errcheck // the client has its answers
	if s.exchange(conn, from, worker) {
		s.sessions.workers.give(worker)
		return
	}
	worker.Kill()
	s.sessions.workers.end(worker)
}

// exchange passes messages on between a client and a worker until one of them ends, a limit is
// reached, or the server ends. It reports whether the worker can have another session.
func (s *Server) exchange(conn net.Conn, from io.Reader, worker *worker) (again bool) {
	stop := context.AfterFunc(s.sessions.ended, func() { _ = conn.Close() })
	defer stop()
	most := perSession * s.options.Timeout
	last := time.AfterFunc(most, worker.Kill)
	defer last.Stop()
	again = true
	idle := &idle{conn: conn}
	defer context.AfterFunc(s.sessions.leaving, idle.leave)()
	for {
		idle.wait(again)
		message, err := frame.Read(from, int(s.options.Body))
		if err != nil {
			switch {
			case idle.isLeft():
				refuse(conn, "the server is shut down")
			case errors.Is(err, frame.Err):
				refuse(conn, fmt.Sprintf("a message has more than %d bytes", s.options.Body))
			}
			return last.Stop() && again
		}
		answer, err := s.exchangeOne(message, worker)
		if err != nil {
			timely := last.Stop()
			worker.Kill()
			state, said := worker.End()
			first, _, _ := strings.Cut(said, "\n")
			switch {
			case errors.Is(err, context.DeadlineExceeded):
				first = fmt.Sprintf("the request took longer than %v", s.options.Timeout)
			case !timely:
				first = fmt.Sprintf("the session took longer than %v", most)
			case first == "":
				first = fmt.Sprintf("the worker ended without an answer: %v", state)
			}
			refuse(conn, first)
			return false
		}
		again = !remote.IsQuestion(answer)
		if _, err := conn.Write(answer.Append(nil)); err != nil {
			return last.Stop() && again
		}
	}
}

// idle ends a session between its requests.
type idle struct {
	conn net.Conn

	mu      sync.Mutex
	leaving bool
	between bool // the requests
	left    bool
}

// wait is called before a message is read, which is a request or belongs to one.
func (i *idle) wait(between bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.between = between
	_ = i.conn.SetDeadline(time.Now().Add(idleSession)) // a connection that is gone cannot be read
	i.end()
}

func (i *idle) leave() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.leaving = true
	i.end()
}

// isLeft reports whether the session was ended.
func (i *idle) isLeft() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.left
}

// end ends the wait for a request.
func (i *idle) end() {
	if i.leaving && i.between {
		i.left = true
		_ = i.conn.SetReadDeadline(time.Now())
	}
}

// exchangeOne gives a message to a worker and returns what it answers. The error is
// context.DeadlineExceeded if that takes too long.
func (s *Server) exchangeOne(
	message frame.Frame, worker *worker,
) (frame.Frame, error) {
	s.sessions.busy <- struct{}{}
	defer func() { <-s.sessions.busy }()
	late := time.AfterFunc(s.options.Timeout, worker.Kill)
	began := time.Now()
	defer func() { worker.busy += time.Since(began) }()
	_, err := worker.In.Write(message.Append(nil))
	var answer frame.Frame
	if err == nil {
		answer, err = frame.Read(worker.out, s.pool.most)
	}
	if !late.Stop() {
		return answer, context.DeadlineExceeded
	}
	return answer, err
}

// refuse tells a client why its session ends.
func refuse(conn net.Conn, reason string) {
	_, _ = conn.Write(frame.Frame{Body: []byte(reason)}.Append(nil)) // it has perhaps gone
}

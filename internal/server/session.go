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

// idleSession is how long a session may have nothing to do, and firstMessage how long before its first
// message.
const (
	idleSession  = 10 * time.Minute
	firstMessage = 10 * time.Second
)

// SessionTime returns how much time of the processor the worker of a session may use. It is replaced
// when it has used half of that.
func SessionTime(timeout time.Duration) time.Duration { return 2 * perSession * timeout }

// sessions are those that are open.
type sessions struct {
	workers *pool         // whose queue is not used
	open    chan struct{} // as long as sessions may be open
	busy    chan struct{} // as long as functions may run at once, without the slow ones
	slow    chan struct{} // as long as functions may run at once, with them
	all     sync.WaitGroup
	// leaving is done once sessions are to end that have no request in work, ended once all are.
	leaving, ended context.Context //nolint:containedctx // they are not those of a request
	leave, end     context.CancelFunc

	mu    sync.Mutex
	waits map[*idle]bool // the sessions
}

// newSessions returns the sessions of a server, of which at most n work at a time.
func newSessions(n int, timeout time.Duration, start func() (*process.Child, error)) *sessions {
	s := &sessions{
		workers: &pool{start: start, timeout: perSession * timeout, quick: make(chan struct{}, n)},
		open:    make(chan struct{}, waiting*n), busy: make(chan struct{}, n),
		slow: make(chan struct{}, n*(1+slowPerWorker)), waits: map[*idle]bool{},
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
	if !s.sessions.enter() {
		send(w, busy(w, fmt.Sprintf("%d sessions are open", cap(s.sessions.open))))
		return
	}
	defer func() { <-s.sessions.open }()
	s.sessions.all.Add(1)
	defer s.sessions.all.Done()
	w.Header().Set("Connection", "Upgrade")
	w.Header().Set("Upgrade", remote.Protocol)
	w.WriteHeader(http.StatusSwitchingProtocols)
	conn, from, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close() //nolint:errcheck // the client has its answers
	defer context.AfterFunc(s.sessions.ended, func() { _ = conn.Close() })()
	client := &client{conn: conn, from: from, most: int(s.options.Body)}
	client.idle = s.sessions.add(conn)
	defer s.sessions.remove(client.idle)
	defer context.AfterFunc(s.sessions.leaving, func() {
		client.idle.leave("the server is shut down")
	})()
	first, ok := client.read(true, firstMessage)
	if !ok {
		return
	}
	worker, err := s.sessions.workers.take()
	if err != nil {
		refuse(conn, fmt.Sprintf("no worker can be started: %v", err))
		return
	}
	if s.exchange(client, first, worker) {
		s.sessions.workers.give(worker)
		return
	}
	worker.Kill()
	s.sessions.workers.end(worker)
}

// enter waits for a place among the sessions. If all are open, the one that has had nothing to do for
// the longest time ends. It reports whether there is one.
func (s *sessions) enter() bool {
	select {
	case s.open <- struct{}{}:
		return true
	default:
	}
	s.endOldest()
	select {
	case s.open <- struct{}{}:
		return true
	case <-time.After(time.Second):
		return false
	}
}

// endOldest ends the session that has waited for a request for the longest time.
func (s *sessions) endOldest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var oldest *idle
	since := time.Now()
	for i := range s.waits {
		if at, waits := i.since(); waits && at.Before(since) {
			oldest, since = i, at
		}
	}
	if oldest != nil {
		oldest.leave("the session had nothing to do, and others wanted to begin")
	}
}

func (s *sessions) add(conn net.Conn) *idle {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := &idle{conn: conn}
	s.waits[i] = true
	return i
}

func (s *sessions) remove(i *idle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waits, i)
}

// client is the other end of a session.
type client struct {
	conn net.Conn
	from io.Reader
	most int // bytes of a message
	idle *idle
}

// read reads a message for which the client has some time: a request, or one that belongs to one. If
// there is none, it says why.
func (c *client) read(request bool, within time.Duration) (frame.Frame, bool) {
	c.idle.wait(request, within)
	message, err := frame.Read(c.from, c.most)
	c.idle.work()
	if err == nil {
		return message, true
	}
	if reason := c.idle.reason(); reason != "" {
		refuse(c.conn, reason)
	} else if errors.Is(err, frame.Err) {
		refuse(c.conn, fmt.Sprintf("a message has more than %d bytes", c.most))
	}
	return message, false
}

// exchange passes messages on between a client and a worker until one of them ends, a limit is
// reached, or the server ends. It reports whether the worker can have another session.
func (s *Server) exchange(c *client, message frame.Frame, worker *worker) (again bool) {
	most := perSession * s.options.Timeout
	last := time.AfterFunc(most, worker.Kill)
	defer last.Stop()
	for {
		answer, err := s.exchangeOne(message, worker)
		if err != nil {
			timely := last.Stop()
			worker.Kill()
			state, said := worker.End()
			first, _, _ := strings.Cut(said, "\n")
			switch {
			case errors.Is(err, context.DeadlineExceeded):
				first = fmt.Sprintf("the request took longer than %v", s.options.Timeout-Patience)
			case !timely:
				first = fmt.Sprintf("the session took longer than %v", most)
			case first == "":
				first = fmt.Sprintf("the worker ended without an answer: %v", state)
			}
			refuse(c.conn, first)
			return false
		}
		again = !remote.IsQuestion(answer)
		_ = c.conn.SetWriteDeadline(time.Now().Add(sendTime)) // Write says what is wrong
		if _, err := c.conn.Write(answer.Append(nil)); err != nil {
			return last.Stop() && again
		}
		var ok bool
		if message, ok = c.read(again, idleSession); !ok {
			return last.Stop() && again
		}
	}
}

// idle ends a session between its requests.
type idle struct {
	conn net.Conn

	mu      sync.Mutex
	why     string    // the session is to end, "" if not
	between time.Time // it waits for a request since then
	left    bool
}

// wait is called before a message is read, which is a request or belongs to one.
func (i *idle) wait(request bool, within time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := time.Now()
	_ = i.conn.SetReadDeadline(now.Add(within)) // a connection that is gone cannot be read
	if request {
		i.between = now
	}
	i.end()
}

// work is called once a message is read.
func (i *idle) work() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.between = time.Time{}
}

// since returns since when the session waits for a request, if it does.
func (i *idle) since() (at time.Time, waits bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.between, !i.between.IsZero() && !i.left
}

// leave ends the session for a reason as soon as it has no request in work.
func (i *idle) leave(why string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.why = why
	i.end()
}

// reason returns why the session was ended, "" if it was not.
func (i *idle) reason() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.left {
		return ""
	}
	return i.why
}

// end ends the wait for a request.
func (i *idle) end() {
	if i.why != "" && !i.between.IsZero() {
		i.left = true
		_ = i.conn.SetReadDeadline(time.Now())
	}
}

// exchangeOne gives a message to a worker and returns what it answers. The error is
// context.DeadlineExceeded if that takes too long.
func (s *Server) exchangeOne(
	message frame.Frame, worker *worker,
) (frame.Frame, error) {
	s.sessions.slow <- struct{}{}
	defer func() { <-s.sessions.slow }()
	s.sessions.busy <- struct{}{}
	release := sync.OnceFunc(func() { <-s.sessions.busy })
	defer release()
	defer time.AfterFunc(slow, release).Stop()
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

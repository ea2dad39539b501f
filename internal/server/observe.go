package server

import (
	"log/slog"
	"net/http"
	"time"
)

// observed counts, logs and traces the requests of a handler.
type observed struct {
	next   http.Handler
	meter  *meter
	log    *slog.Logger // nil for no log
	tracer *tracer      // nil for no traces
}

// newMeter returns the metrics of a server.
func (s *Server) newMeter() *meter {
	return &meter{routes: map[string]*timings{}, gauges: []gauge{{
		"fctl_serve_requests", "Requests that are worked on or wait.",
		func() int64 { return int64(len(s.slots)) },
	}, {
		"fctl_serve_workers", "Worker processes.",
		func() int64 { return s.pool.processes.Load() + s.sessions.workers.processes.Load() },
	}}}
}

// recorder knows the status and the length of an answer.
type recorder struct {
	http.ResponseWriter
	status, bytes int
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(p []byte) (int, error) {
	n, err := r.ResponseWriter.Write(p)
	r.bytes += n
	return n, err
}

// Unwrap lets http find what the writer can do besides.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// ServeHTTP implements http.Handler.
func (o *observed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	answer := &recorder{ResponseWriter: w, status: http.StatusOK}
	o.next.ServeHTTP(answer, r)
	took := time.Since(began)
	route := r.Pattern // what clients write does not become a label
	if route == "" || route == "/" {
		route = "none"
	}
	o.meter.observe(took, route, answer.status)
	if o.log != nil {
		o.log.LogAttrs(r.Context(), slog.LevelInfo, "request",
			slog.String("method", r.Method), slog.String("path", r.URL.Path),
			slog.Int("status", answer.status), slog.Int("bytes", answer.bytes),
			slog.Float64("seconds", took.Seconds()), slog.String("from", r.RemoteAddr))
	}
	if o.tracer != nil {
		o.tracer.record(r, route, answer.status, began, took)
	}
}

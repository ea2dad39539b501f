package server

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Metrics counts evaluations and serves the counts in the text format of Prometheus. It may be used
// from several goroutines.
type Metrics struct {
	mu     sync.Mutex
	counts map[labels]*series
	gauges []gauge
}

// labels are what evaluations are counted by.
type labels struct{ executor, code string }

// series is a histogram of durations.
type series struct {
	count   int64
	seconds float64
	buckets [boundCount]int64
}

type gauge struct {
	name, help string
	value      func() int64
}

const boundCount = 14

// bounds returns the upper bounds of the histogram in milliseconds: a function in Go takes less
// than one, a pod whose image has to be pulled a minute.
func bounds() [boundCount]int {
	return [...]int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 60000}
}

// Gauge adds a value that is asked for when the metrics are read. It is not for concurrent use.
func (m *Metrics) Gauge(name, help string, value func() int64) {
	m.gauges = append(m.gauges, gauge{name, help, value})
}

// Observe counts an evaluation. executor is the one that ran it, "none" if no one did; code is that
// of the answer.
func (m *Metrics) Observe(executor, code string, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts == nil {
		m.counts = map[labels]*series{}
	}
	key := labels{executor, code}
	s := m.counts[key]
	if s == nil {
		s = &series{}
		m.counts[key] = s
	}
	s.count++
	s.seconds += took.Seconds()
	for i, bound := range bounds() {
		if took <= time.Duration(bound)*time.Millisecond {
			s.buckets[i]++
		}
	}
}

// ServeHTTP implements http.Handler.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write([]byte(m.text())) // the client has gone
}

// text returns all metrics, sorted.
func (m *Metrics) text() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	for _, g := range m.gauges {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s gauge\n%s %d\n", g.name, g.help, g.name, g.name,
			g.value())
	}
	const name = "fctl_runner_evaluation_seconds"
	fmt.Fprintf(&b, "# HELP %s Evaluations by executor and code of the answer.\n"+
		"# TYPE %s histogram\n", name, name)
	keys := make([]labels, 0, len(m.counts))
	for key := range m.counts {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b labels) int {
		return cmp.Or(cmp.Compare(a.executor, b.executor), cmp.Compare(a.code, b.code))
	})
	for _, key := range keys {
		s := m.counts[key]
		both := fmt.Sprintf("executor=%q,code=%q", key.executor, key.code)
		for i, bound := range bounds() {
			le := strconv.FormatFloat(float64(bound)/1000, 'g', -1, 64)
			fmt.Fprintf(&b, "%s_bucket{%s,le=%q} %d\n", name, both, le, s.buckets[i])
		}
		fmt.Fprintf(&b, "%s_bucket{%s,le=\"+Inf\"} %d\n", name, both, s.count)
		fmt.Fprintf(&b, "%s_sum{%s} %g\n%s_count{%s} %d\n", name, both, s.seconds, name, both,
			s.count)
	}
	return b.String()
}

// Package metrics counts what a server does, and serves the counts in the text format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats). The client library of Prometheus is
// not used, because linking it makes every start of the program slower.
//
// Invariants: the text is the same for the same counts.
//
// Layer: base.
package metrics

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Metrics has a histogram of durations by labels, and gauges. It may be used from several goroutines.
type Metrics struct {
	name, help string
	labels     []string

	mu     sync.Mutex
	counts map[string]*series // by the values of the labels, as they are printed
	gauges []gauge
}

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

// New returns metrics with a histogram of seconds: its name, what it says, and the names of its
// labels.
func New(name, help string, labels ...string) *Metrics {
	return &Metrics{name: name, help: help, labels: labels, counts: map[string]*series{}}
}

// Gauge adds a value that is asked for when the metrics are read. It is not for concurrent use.
func (m *Metrics) Gauge(name, help string, value func() int64) {
	m.gauges = append(m.gauges, gauge{name, help, value})
}

// Observe counts what took some time. values are those of the labels.
func (m *Metrics) Observe(took time.Duration, values ...string) {
	var b strings.Builder
	for i, label := range m.labels {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(label)
		b.WriteByte('=')
		b.WriteString(strconv.Quote(values[i]))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.counts[b.String()]
	if s == nil {
		s = &series{}
		m.counts[b.String()] = s
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
	fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s histogram\n", m.name, m.help, m.name)
	for _, labels := range slices.Sorted(maps.Keys(m.counts)) {
		s := m.counts[labels]
		for i, bound := range bounds() {
			le := strconv.FormatFloat(float64(bound)/1000, 'g', -1, 64)
			fmt.Fprintf(&b, "%s_bucket{%s,le=%q} %d\n", m.name, labels, le, s.buckets[i])
		}
		fmt.Fprintf(&b, "%s_bucket{%s,le=\"+Inf\"} %d\n", m.name, labels, s.count)
		fmt.Fprintf(&b, "%s_sum{%s} %g\n%s_count{%s} %d\n", m.name, labels, s.seconds, m.name,
			labels, s.count)
	}
	return b.String()
}

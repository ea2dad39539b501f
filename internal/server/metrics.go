package server

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

// meter counts requests by route and status, and serves the counts in the text format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats). The client library of Prometheus,
// which fctl-runner uses, adds 1.5 ms to every start of a program.
type meter struct {
	gauges []gauge

	mu     sync.Mutex
	routes map[string]*timings // by the labels, as they are printed
}

// timings is a histogram of durations.
type timings struct {
	count   int64
	seconds float64
	buckets [boundCount]int64
}

type gauge struct {
	name, help string
	value      func() int64
}

const boundCount = 14

// bounds returns the upper bounds of the histogram in milliseconds.
func bounds() [boundCount]int {
	return [...]int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 60000}
}

// observe counts a request.
func (m *meter) observe(took time.Duration, route string, status int) {
	labels := fmt.Sprintf("route=%q,status=\"%d\"", route, status)
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.routes[labels]
	if t == nil {
		t = &timings{}
		m.routes[labels] = t
	}
	t.count++
	t.seconds += took.Seconds()
	for i, bound := range bounds() {
		if took <= time.Duration(bound)*time.Millisecond {
			t.buckets[i]++
		}
	}
}

// ServeHTTP implements http.Handler.
func (m *meter) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write([]byte(m.text())) // the client has gone
}

// text returns all metrics, sorted.
func (m *meter) text() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	for _, g := range m.gauges {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s gauge\n%s %d\n", g.name, g.help, g.name, g.name,
			g.value())
	}
	const name = "fctl_serve_request_seconds"
	b.WriteString("# HELP " + name + " Requests by route and status of the answer.\n# TYPE " + name +
		" histogram\n")
	for _, labels := range slices.Sorted(maps.Keys(m.routes)) {
		t := m.routes[labels]
		for i, bound := range bounds() {
			le := strconv.FormatFloat(float64(bound)/1000, 'g', -1, 64)
			fmt.Fprintf(&b, "%s_bucket{%s,le=%q} %d\n", name, labels, le, t.buckets[i])
		}
		fmt.Fprintf(&b, "%s_bucket{%s,le=\"+Inf\"} %d\n", name, labels, t.count)
		fmt.Fprintf(&b, "%s_sum{%s} %g\n%s_count{%s} %d\n", name, labels, t.seconds, name, labels,
			t.count)
	}
	return b.String()
}

package server

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// tracer sends a span for each request to a collector of OpenTelemetry, as OTLP over HTTP with JSON
// (https://opentelemetry.io/docs/specs/otlp). The library of OpenTelemetry is not used, because
// linking it makes every start of the program slower.
type tracer struct {
	endpoint string
	header   http.Header
	service  string
	report   func(error)
	spans    chan span
	done     chan struct{}
}

// span is a span in the JSON of OTLP.
type span struct {
	TraceID      string      `json:"traceId"`
	SpanID       string      `json:"spanId"`
	ParentSpanID string      `json:"parentSpanId,omitempty"`
	Name         string      `json:"name"`
	Kind         int         `json:"kind"`
	Start        string      `json:"startTimeUnixNano"`
	End          string      `json:"endTimeUnixNano"`
	Attributes   []attribute `json:"attributes"`
	Status       struct {
		Code int `json:"code,omitempty"`
	} `json:"status"`
}

type attribute struct {
	Key   string         `json:"key"`
	Value map[string]any `json:"value"`
}

// The numbers of OTLP.
const (
	kindServer  = 2
	statusError = 2
)

// Spans are sent together: as many as there are, and at least so often. If the collector is slower,
// further ones are dropped.
const (
	maxSpans  = 512
	sendEvery = 5 * time.Second
	sendLimit = 10 * time.Second
)

// newTracer returns the tracer that the environment asks for, nil if it asks for none. The variables
// are those of OpenTelemetry. report gets what goes wrong later.
func newTracer(report func(error)) (*tracer, error) {
	endpoint := os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	if base := os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"); endpoint == "" && base != "" {
		endpoint = strings.TrimSuffix(base, "/") + "/v1/traces"
	}
	if endpoint == "" || os.Getenv("OTEL_SDK_DISABLED") == "true" {
		return nil, nil //nolint:nilnil // no traces
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the address of a collector of OpenTelemetry", endpoint)
	}
	t := &tracer{
		endpoint: endpoint, header: http.Header{"Content-Type": {jsonType}},
		service: cmp.Or(os.Getenv("OTEL_SERVICE_NAME"), "fctl"), report: report,
		spans: make(chan span, 4*maxSpans), done: make(chan struct{}),
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"} {
		for pair := range strings.SplitSeq(os.Getenv(name), ",") {
			if key, value, ok := strings.Cut(pair, "="); ok {
				value, err := url.PathUnescape(strings.TrimSpace(value))
				if err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				t.header.Set(strings.TrimSpace(key), value)
			}
		}
	}
	go t.run()
	return t, nil
}

// record records a request.
func (t *tracer) record(
	r *http.Request, route string, status int, began time.Time, took time.Duration,
) {
	var id [24]byte
	_, _ = rand.Read(id[:]) // it never fails
	s := span{
		TraceID: hex.EncodeToString(id[:16]), SpanID: hex.EncodeToString(id[16:]),
		Name: route, Kind: kindServer,
		Start: strconv.FormatInt(began.UnixNano(), 10),
		End:   strconv.FormatInt(began.Add(took).UnixNano(), 10),
		Attributes: []attribute{
			{"http.request.method", map[string]any{"stringValue": r.Method}},
			{"http.route", map[string]any{"stringValue": route}},
			{"http.response.status_code", map[string]any{"intValue": strconv.Itoa(status)}},
		},
	}
	if trace, parent, ok := traceParent(r.Header.Get("Traceparent")); ok {
		s.TraceID, s.ParentSpanID = trace, parent
	}
	if status >= http.StatusInternalServerError {
		s.Status.Code = statusError
	}
	select {
	case t.spans <- s:
	default:
	}
}

// traceParent returns the trace and the span in a header (https://www.w3.org/TR/trace-context).
func traceParent(header string) (trace, span string, ok bool) {
	parts := strings.Split(header, "-")
	if len(parts) < 4 || len(parts[0]) != 2 || len(parts[1]) != 32 || len(parts[2]) != 16 {
		return "", "", false
	}
	for _, part := range parts[1:3] {
		if _, err := hex.DecodeString(part); err != nil || strings.Trim(part, "0") == "" {
			return "", "", false
		}
	}
	return parts[1], parts[2], true
}

// run sends spans until close.
func (t *tracer) run() {
	defer close(t.done)
	tick := time.NewTicker(sendEvery)
	defer tick.Stop()
	var spans []span
	for open := true; open; {
		var s span
		select {
		case s, open = <-t.spans:
			if open {
				spans = append(spans, s)
			}
			if open && len(spans) < maxSpans {
				continue
			}
		case <-tick.C:
		}
		if len(spans) > 0 {
			if err := t.send(spans); err != nil {
				t.report(fmt.Errorf("traces: %w", err))
			}
			spans = nil
		}
	}
}

// close sends the spans that are left. Nothing may be recorded any more.
func (t *tracer) close() {
	close(t.spans)
	<-t.done
}

// send sends spans.
func (t *tracer) send(spans []span) error {
	body, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{
		"resource": map[string]any{"attributes": []attribute{
			{"service.name", map[string]any{"stringValue": t.service}},
		}},
		"scopeSpans": []any{map[string]any{
			"scope": map[string]any{"name": "fctl serve"}, "spans": spans,
		}},
	}}})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), sendLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header = t.header.Clone()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // nothing depends on it
	_, _ = io.CopyN(io.Discard, response.Body, 1<<20)
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answers %s", response.Status)
	}
	return nil
}

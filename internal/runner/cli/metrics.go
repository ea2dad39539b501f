package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/fctl-dev/fctl/internal/runner/dispatch"
	"github.com/fctl-dev/fctl/internal/runner/server"
	"github.com/fctl-dev/fctl/internal/version"
)

// meters are the metrics of a server.
type meters struct {
	registry    *prometheus.Registry
	evaluations *prometheus.HistogramVec
	reloads     prometheus.Counter
	reloadTime  prometheus.Gauge
	configs     *prometheus.GaugeVec
}

func newMeters() *meters {
	build := version.Read()
	m := &meters{
		registry: prometheus.NewRegistry(),
		evaluations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "fctl_runner_evaluation_seconds",
			Help: "Evaluations by image of the FunctionConfig, executor and code of the answer.",
			// A function in Go takes less than a millisecond, a pod whose image has to be pulled a minute.
			Buckets: []float64{
				.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 60,
			},
		}, []string{"image", "executor", "code"}),
		reloads: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "fctl_runner_reloads_total", Help: "Times that FunctionConfigs were read.",
		}),
		reloadTime: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "fctl_runner_last_reload_timestamp_seconds",
			Help: "Time at which FunctionConfigs were last read.",
		}),
		configs: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "fctl_runner_functionconfigs",
			Help: "FunctionConfigs in use, those of them that stay as they were, and errors in all.",
		}, []string{"state"}),
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "fctl_runner_build_info", Help: "Version of fctl-runner and of Go.",
		ConstLabels: prometheus.Labels{"version": build.Version, "goversion": build.Go},
	})
	info.Set(1)
	m.registry.MustRegister(m.evaluations, m.reloads, m.reloadTime, m.configs, info,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// reloaded counts the FunctionConfigs each time that they were read.
func (m *meters) reloaded(used, stay, errs int) {
	m.reloads.Inc()
	m.reloadTime.SetToCurrentTime()
	m.configs.WithLabelValues("used").Set(float64(used))
	m.configs.WithLabelValues("kept").Set(float64(stay))
	m.configs.WithLabelValues("error").Set(float64(errs))
}

// addGauges adds the numbers of requests and, if there are any, of pods.
func (m *meters) addGauges(s *server.Server, pods *dispatch.Pods) {
	gauge := func(name, help string, value func() int64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help},
			func() float64 { return float64(value()) }))
	}
	gauge("fctl_runner_requests", "Requests that are worked on or wait.", s.Active)
	if pods == nil {
		return
	}
	gauge("fctl_runner_pods", "Pods, those that start included.", pods.Scheduler.Pods)
	gauge("fctl_runner_waiting", "Requests that wait for a pod.", pods.Scheduler.Waiting)
	for result, value := range map[string]func() int64{
		"ready": pods.Scheduler.Ready, "failed": pods.Scheduler.Failed,
	} {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "fctl_runner_pod_starts_total", Help: "Pods that were started, by result.",
			ConstLabels: prometheus.Labels{"result": result},
		}, func() float64 { return float64(value()) }))
	}
}

// serveMetrics serves /metrics until ctx ends.
func (p *program) serveMetrics(ctx context.Context, address string, m *meters) error {
	if address == "" {
		return nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("metrics: %w (--metrics-address)", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = s.Close() })
	go func() {
		if err := s.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			p.Say("metrics: %v", err)
		}
	}()
	return nil
}

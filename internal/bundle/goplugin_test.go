package bundle_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/bundle/contract"
	"github.com/fctl-dev/fctl/smith/plugin"
)

// brokenText is an error whose nil pointer cannot say what it is.
type brokenText struct{ text string }

func (e *brokenText) Error() string { return e.text }

// newCustom returns a factory of a plugin for ConfigMaps.
func newCustom(name string,
	process func(map[string]any, *plugin.Context) plugin.ProcessResult,
) plugin.NewFunc {
	return func() (plugin.Plugin, error) {
		return custom{&plugin.Description{
			Name: plugin.Name(name), GVK: plugin.NewGroupVersionKind("v1", "ConfigMap"),
		}, process}, nil
	}
}

func configMap() plugin.ProcessResult {
	return &plugin.ProcessResultSuccess{Object: &plugin.Object{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
	}}}
}

// Bundles are processed in parallel; plugins in Go are called one after the other, so that one
// which remembers something in a map needs no lock.
func TestPluginsInGoAreNotCalledAtOnce(t *testing.T) {
	var running, most atomic.Int32
	count := func(map[string]any, *plugin.Context) plugin.ProcessResult {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		time.Sleep(time.Millisecond)
		running.Add(-1)
		return configMap()
	}
	plugins, err := bundle.NewPlugins(t.Context(), 0,
		[]plugin.NewFunc{newCustom("one", count), newCustom("two", count)})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 20 {
		name := []string{"one", "two"}[i%2]
		b, err := read(t, head+"spec:\n  resources:\n  - name: a\n    spec: {plugin: {name: "+name+
			", objectName: x}}\n")
		if err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			result, err := bundle.Process(t.Context(), b, &bundle.Options{Plugins: plugins})
			if err != nil {
				t.Error(err)
			} else if got := summary(result); got != "a InProgress: not observed\n" {
				t.Errorf("got %s", got)
			}
		})
	}
	group.Wait()
	if n := most.Load(); n != 1 {
		t.Errorf("%d calls at once", n)
	}
}

// A plugin that does not return is left alone, and not called again; others are.
func TestPluginThatDoesNotReturn(t *testing.T) {
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	hang := func(map[string]any, *plugin.Context) plugin.ProcessResult {
		<-end
		return configMap()
	}
	quick := func(map[string]any, *plugin.Context) plugin.ProcessResult { return configMap() }
	plugins, err := bundle.NewPlugins(t.Context(), 10*time.Millisecond,
		[]plugin.NewFunc{newCustom("hang", hang), newCustom("quick", quick)})
	if err != nil {
		t.Fatal(err)
	}
	text := head + "spec:\n  resources:\n"
	for i, name := range []string{"hang", "hang", "quick"} {
		text += fmt.Sprintf("  - name: r%d\n    spec: {plugin: {name: %s, objectName: x%d}}\n", i,
			name, i)
	}
	b, err := read(t, text)
	if err != nil {
		t.Fatal(err)
	}
	result, err := bundle.Process(t.Context(), b, &bundle.Options{Plugins: plugins})
	if err != nil {
		t.Fatal(err)
	}
	const left = "the plugin does not return: it ran longer than 10ms: it cannot be ended"
	const again = "an earlier call of the plugin has not returned"
	if got, want := summary(result), "r0 Error: "+left+" (retriable false, external false)\n"+
		"r1 Error: "+again+" (retriable false, external false)\n"+
		"r2 InProgress: not observed\n"; got != want {
		t.Errorf("got %s", got)
	}
	tested, err := plugins.Find("hang")
	if err != nil {
		t.Fatal(err)
	}
	tested.Test(
		[]contract.PluginCase{{Name: "c", WantError: "earlier"}},
		2,
		func(_ string, err error) {
			if err == nil || !strings.HasSuffix(err.Error(), again) {
				t.Errorf("plugin test: %v", err)
			}
		},
	)
	_, err = bundle.NewPlugins(t.Context(), 10*time.Millisecond, []plugin.NewFunc{
		func() (plugin.Plugin, error) { <-end; return nil, nil },
	})
	if err == nil || err.Error() != "a plugin cannot be made: "+left {
		t.Errorf("got %v", err)
	}
}

// slowText is an error that does not say what it is before its channel is closed.
type slowText chan struct{}

func (e slowText) Error() string { <-e; return "slow" }

// Errors of plugins are made into text within the limit of time, once; a plugin that ends its
// goroutine has failed at once.
func TestErrorsOfPluginsAreLimited(t *testing.T) {
	end := make(slowText)
	t.Cleanup(func() { close(end) })
	calls := 0
	for name, c := range map[string]struct {
		limit   time.Duration
		process func(map[string]any, *plugin.Context) plugin.ProcessResult
		want    string
	}{
		"panic": {10 * time.Millisecond, func(map[string]any, *plugin.Context) plugin.ProcessResult {
			panic(end)
		}, "it ran longer than 10ms"},
		"failure": {10 * time.Millisecond, func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return &plugin.ProcessResultFailure{Error: end}
		}, "it ran longer than 10ms"},
		"second call": {time.Minute, func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return &plugin.ProcessResultFailure{Error: counted{&calls}}
		}, "call 1"},
		"exit": {time.Hour, func(map[string]any, *plugin.Context) plugin.ProcessResult {
			runtime.Goexit()
			return nil
		}, "runtime.Goexit"},
	} {
		t.Run(name, func(t *testing.T) {
			plugins, err := bundle.NewPlugins(t.Context(), c.limit,
				[]plugin.NewFunc{newCustom("p", c.process)})
			if err != nil {
				t.Fatal(err)
			}
			b, err := read(t, head+"spec:\n  resources:\n  - name: a\n"+
				"    spec: {plugin: {name: p, objectName: x}}\n")
			if err != nil {
				t.Fatal(err)
			}
			result, err := bundle.Process(t.Context(), b, &bundle.Options{Plugins: plugins})
			if err != nil {
				t.Fatal(err)
			}
			if got := summary(result); !strings.Contains(got, c.want) {
				t.Errorf("got %s", got)
			}
		})
	}
}

// counted is an error that counts how often it says what it is.
type counted struct{ calls *int }

func (e counted) Error() string {
	*e.calls++
	return fmt.Sprint("call ", *e.calls)
}

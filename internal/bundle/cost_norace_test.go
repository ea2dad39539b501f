//go:build !race

package bundle_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/smith/plugin"
	"github.com/fctl-dev/fctl/smith/plugin/filter"
)

// ladder returns a Bundle of n ConfigMaps, each of which refers to the two before it and uses a
// value of one, and the objects as they exist.
func ladder(n int) (text, observed string) {
	var b, o strings.Builder
	b.WriteString(head + "spec:\n  resources:\n")
	for i := n - 1; i >= 0; i-- { // dependencies come last
		fmt.Fprintf(&b, "  - name: r%d\n    references:\n", i)
		if i > 1 {
			fmt.Fprintf(&b, "    - resource: r%d\n", i-2)
		}
		value, previous := `"first"`, "first"
		if i > 0 {
			fmt.Fprintf(&b, "    - {resource: r%d, name: previous, path: metadata.name}\n", i-1)
			value, previous = `"!{previous}"`, fmt.Sprintf("c%d", i-1)
		}
		fmt.Fprintf(&b, "    spec:\n      object:\n        apiVersion: v1\n"+
			"        kind: ConfigMap\n"+
			"        metadata:\n          name: c%d # the name\n        data:\n"+
			"          previous: %s\n", i, value)
		fmt.Fprintf(&o, "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c%d\n"+
			"  namespace: default\n"+
			"data:\n  previous: %s\n", i, previous)
	}
	return b.String(), o.String()
}

// others returns n objects that no Bundle has.
func others(n int) string {
	var o strings.Builder
	for i := range n {
		fmt.Fprintf(&o, "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: other-%d\n"+
			"  namespace: default\n  labels: {app: other, n: \"%d\"}\nspec:\n  replicas: 3\n"+
			"  template:\n"+
			"    spec:\n      containers:\n      - name: main\n        image: nginx:%d\n", i, i, i)
	}
	return o.String()
}

// fastest returns the time of the fastest of three calls.
func fastest(call func()) time.Duration {
	best := time.Hour
	for range 3 {
		started := time.Now()
		call()
		best = min(best, time.Since(started))
	}
	return best
}

// parse returns the time that yaml.v3 needs for texts.
func parse(t *testing.T, texts ...string) time.Duration {
	t.Helper()
	return fastest(func() {
		for _, text := range texts {
			decoder := yaml.NewDecoder(strings.NewReader(text))
			for {
				var node yaml.Node
				if decoder.Decode(&node) != nil {
					break
				}
			}
		}
	})
}

// renderAll reads and processes a Bundle and returns how many resources are ready.
func renderAll(t *testing.T, text string, observed ...string) (ready, size int) {
	t.Helper()
	pool := &bundle.Pool{}
	for i, o := range observed {
		if _, err := pool.Add([]byte(o), fmt.Sprint(i)); err != nil {
			t.Error(messages(err))
		}
	}
	plugins, err := bundle.NewPlugins(t.Context(), 0, []plugin.NewFunc{filter.New})
	if err != nil {
		t.Error(err)
	}
	bundles, _, err := bundle.Read([]byte(text), "b.yaml", "default")
	if err != nil {
		t.Error(messages(err))
		return 0, 0
	}
	result, err := bundle.Process(context.Background(), bundles[0], &bundle.Options{
		Pool: pool, Plugins: plugins, Outputs: bundle.DefaultOutputs(),
	})
	if err != nil {
		t.Error(err)
		return 0, 0
	}
	for _, res := range result.Resources {
		if res.Rendered() {
			ready++
			size += len(res.Bytes())
		}
	}
	return ready, size
}

// TestLadderCost processes 2,000 resources in a ladder, whose paths are exponentially many, in less
// than a second and in a few times the time of parsing the files.
func TestLadderCost(t *testing.T) {
	text, observed := ladder(2000)
	took := fastest(func() {
		if ready, _ := renderAll(t, text, observed); ready != 2000 {
			t.Errorf("%d resources are ready", ready)
		}
	})
	report(t, took, parse(t, text, observed), time.Second, 4)
}

// TestObservedCost reads 10,000 observed objects in less than two seconds.
func TestObservedCost(t *testing.T) {
	text, observed := ladder(100)
	all := observed + others(10_000)
	took := fastest(func() {
		if ready, _ := renderAll(t, text, all); ready != 100 {
			t.Errorf("%d resources are ready", ready)
		}
	})
	report(t, took, parse(t, text, all), 2*time.Second, 1)
}

// TestLadderLinear processes ten times the resources in about ten times the time.
func TestLadderLinear(t *testing.T) {
	measure := func(n int) time.Duration {
		text, observed := ladder(n)
		return fastest(func() { renderAll(t, text, observed) })
	}
	least := 1000.0
	for range 5 { // on a busy machine, some are slower
		small, large := measure(1000), measure(10_000)
		t.Logf("1,000 resources %v, 10,000 resources %v", small, large)
		if least = min(least, float64(large)/float64(small)); least <= 25 {
			return
		}
	}
	t.Errorf("10 times the resources take %v times the time", least)
}

// TestParallelCost processes 100 Bundles at the same time, which share what was observed.
func TestParallelCost(t *testing.T) {
	text, observed := ladder(50)
	pool := &bundle.Pool{}
	if _, err := pool.Add([]byte(observed), "o.yaml"); err != nil {
		t.Fatal(messages(err))
	}
	first := ""
	var mu sync.Mutex
	took := fastest(func() {
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() {
				bundles, _, err := bundle.Read([]byte(text), "b.yaml", "default")
				if err != nil {
					t.Error(messages(err))
					return
				}
				result, err := bundle.Process(context.Background(), bundles[0],
					&bundle.Options{Pool: pool})
				if err != nil {
					t.Error(err)
					return
				}
				got := rendered(result)
				mu.Lock()
				defer mu.Unlock()
				if first == "" {
					first = got
				}
				if got != first {
					t.Error("two results differ")
				}
			})
		}
		group.Wait()
	})
	texts := make([]string, 0, 200)
	for range 100 {
		texts = append(texts, text, observed)
	}
	report(t, took, parse(t, texts...), 2*time.Second, 4)
}

// report compares a time with a limit, and with the time of parsing the same files.
func report(t *testing.T, took, parsing, limit time.Duration, ratio float64) {
	t.Helper()
	got := float64(took) / float64(parsing)
	t.Logf("%v, %.2f times the %v of yaml.v3 for parsing", took, got, parsing)
	if took > limit && got > ratio {
		t.Errorf("it takes %v, %.2f times the time of parsing; the limit is %v, or %v times",
			took, got, limit, ratio)
	}
	if got > 2*ratio {
		t.Errorf("it takes %.2f times the time of parsing; the limit is %v times", got, ratio)
	}
}

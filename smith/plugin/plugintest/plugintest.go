// Package plugintest tests that a plugin keeps its contract. A test of a plugin is
//
//	func TestPlugin(t *testing.T) {
//		plugintest.Run(t, New, plugintest.Case{Name: "empty", WantError: "prefix"})
//	}
//
// Layer: systems.
package plugintest

import (
	"testing"

	"github.com/fctl-dev/fctl/internal/bundle/contract"
	"github.com/fctl-dev/fctl/smith/plugin"
)

// Case is one call of a plugin and what is expected of it.
type Case = contract.PluginCase

// Runs is how often each case runs.
const Runs = 100

// Run makes a plugin and checks its description. Each case is a subtest: it checks the spec against
// the schema, calls Process 100 times with copies that are filled in different orders, and once
// without environment variables, and checks that the result is the same every time, that the inputs
// are not changed, that the object has the GVK of the description and no other namespace, that
// nothing panics, and what the case expects. Tests that use Run must not run in parallel, since it
// changes the environment.
func Run(t *testing.T, newPlugin plugin.NewFunc, cases ...Case) {
	t.Helper()
	p, err := newPlugin()
	if err != nil || p == nil {
		t.Fatalf("the plugin cannot be made: %v, %v", p, err)
	}
	if err := contract.Description(p); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Helper()
			if err := contract.Check(p, c, Runs, false); err != nil {
				t.Error(err)
			}
			if err := contract.Environment(p, c); err != nil {
				t.Error(err)
			}
		})
	}
}

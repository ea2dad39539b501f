package contract_test

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/bundle/contract"
	"github.com/fctl-dev/fctl/smith/plugin"
	"github.com/fctl-dev/fctl/smith/plugin/filter"
	"github.com/fctl-dev/fctl/smith/plugin/plugintest"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

type custom struct {
	description func() *plugin.Description
	process     func(spec map[string]any, ctx *plugin.Context) plugin.ProcessResult
}

func (c custom) Describe() *plugin.Description { return c.description() }

func (c custom) Process(spec map[string]any, ctx *plugin.Context) plugin.ProcessResult {
	return c.process(spec, ctx)
}

func description() *plugin.Description {
	return &plugin.Description{
		Name: "custom", GVK: plugin.NewGroupVersionKind("v1", "ConfigMap"),
		SpecSchema: []byte(`{"required": ["k"]}`),
	}
}

func made(data any) plugin.ProcessResult {
	return &plugin.ProcessResultSuccess{Object: &plugin.Object{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "data": data,
	}}}
}

func withMetadata(metadata map[string]any) plugin.ProcessResult {
	return &plugin.ProcessResultSuccess{Object: &plugin.Object{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata,
	}}}
}

// TestCheck has each way to break the contract.
func TestCheck(t *testing.T) {
	type process = func(spec map[string]any, ctx *plugin.Context) plugin.ProcessResult
	yes, no := true, false
	calls := 0
	good := contract.PluginCase{
		Spec:   map[string]any{"k": "v", "m": map[string]any{"a": 1}},
		Actual: &plugin.Object{Object: map[string]any{"a": "b"}},
		Dependencies: map[plugin.ResourceName]plugin.Dependency{
			"x": {Outputs: []*plugin.Object{{Object: map[string]any{"a": "b"}}}},
			"y": {Auxiliary: []*plugin.Object{{Object: map[string]any{"a": "b"}}}},
			"z": {Spec: smithv1.Resource{Name: "z", Spec: smithv1.ResourceSpec{
				Object: map[string]any{"a": "b"},
				Plugin: &smithv1.PluginSpec{Spec: map[string]any{"a": "b"}},
			}}},
		},
	}
	failing := func(external, retriable bool) process {
		return func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return &plugin.ProcessResultFailure{
				Error: errors.New("no luck"), IsExternalError: external,
				IsRetriableError: retriable,
			}
		}
	}
	for name, c := range map[string]struct {
		process process
		change  func(*contract.PluginCase)
		want    string
	}{
		"fine": {
			func(map[string]any, *plugin.Context) plugin.ProcessResult {
				return made(nil)
			}, nil, "",
		},
		"panics": {
			func(map[string]any, *plugin.Context) plugin.ProcessResult { panic("oh") }, nil,
			"panic in Process: oh",
		},
		"nil": {
			func(map[string]any, *plugin.Context) plugin.ProcessResult { return nil }, nil,
			"nil is the result of Process",
		},
		"nil pointer": {func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return (*plugin.ProcessResultFailure)(nil)
		}, nil, "nil is the result of Process"},
		"no object": {func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return &plugin.ProcessResultSuccess{}
		}, nil, "it succeeds without an object"},
		"no error": {func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return &plugin.ProcessResultFailure{}
		}, nil, "it fails without an error"},
		"a map in itself": {func(map[string]any, *plugin.Context) plugin.ProcessResult {
			m := map[string]any{}
			m["a"] = m
			return &plugin.ProcessResultSuccess{Object: &plugin.Object{Object: m}}
		}, func(c *contract.PluginCase) {
			c.Want = &plugin.Object{Object: map[string]any{}}
		}, "the object of the plugin nests deeper than 1000 levels, or contains itself, at a.a.a.a"},
		"another type": {func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return &plugin.ProcessResultSuccess{Object: &plugin.Object{Object: map[string]any{"kind": "A"}}}
		}, nil, "unexpected GVK: wanted v1, Kind=ConfigMap, got , Kind=A"},
		"another namespace": {func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return withMetadata(map[string]any{"namespace": "x"})
		}, nil, "the namespace of the object is x, that of the Bundle default"},
		"changes the spec": {func(spec map[string]any, _ *plugin.Context) plugin.ProcessResult {
			spec["k"] = "w"
			return made(nil)
		}, nil, "the spec was changed by Process"},
		"changes a dependency": {func(_ map[string]any, ctx *plugin.Context) plugin.ProcessResult {
			ctx.Dependencies["x"].Outputs[0].Object["a"] = 1
			return made(nil)
		}, nil, "the Context was changed by Process"},
		"changes a declared object": {func(_ map[string]any,
			ctx *plugin.Context,
		) plugin.ProcessResult {
			ctx.Dependencies["z"].Spec.Spec.Object["a"] = 1
			return made(nil)
		}, nil, "the Context was changed by Process"},
		"changes a declared spec": {func(_ map[string]any,
			ctx *plugin.Context,
		) plugin.ProcessResult {
			ctx.Dependencies["z"].Spec.Spec.Plugin.Spec["a"] = 1
			return made(nil)
		}, nil, "the Context was changed by Process"},
		"a controller": {func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return withMetadata(
				map[string]any{"ownerReferences": []any{map[string]any{"controller": true}}})
		}, nil, "the object has an owner reference with controller: true, which only Smith sets"},
		"a time of deletion": {func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return withMetadata(
				map[string]any{"annotations": map[string]any{smithv1.DeletionTimestamp: ""}})
		}, nil, "the object has the annotation smith.atlassian.com/deletionTimestamp, which only " +
			"Smith sets"},
		"counts": {func(map[string]any, *plugin.Context) plugin.ProcessResult {
			calls++
			return made(map[string]any{"calls": calls})
		}, nil, "run 2 with the same input returns something else:"},
		"order of maps": {func(_ map[string]any, ctx *plugin.Context) plugin.ProcessResult {
			var names []any
			for name := range ctx.Dependencies {
				names = append(names, string(name))
			}
			return made(map[string]any{"names": names})
		}, nil, "with the same input returns something else:"},
		"not data": {func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return made(map[string]any{"f": func() {}})
		}, nil, "data.f is a func()"},
		"not a number": {func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return made(map[string]any{"f": []any{math.NaN()}})
		}, nil, "data.f.0 is NaN"},
		"bytes": {func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return made(map[string]any{"f": []byte("x")})
		}, nil, "data.f is a []uint8"},
		"spec that does not fit": {
			nil, func(c *contract.PluginCase) { c.Spec = nil },
			"it fails: spec failed validation against schema: spec: k is required",
		},
		"expected misfit": {
			nil, func(c *contract.PluginCase) { c.Spec, c.WantError = nil, "k is required" }, "",
		},
		"fails": {failing(true, true), nil, "it fails: no luck"},
		"fails as expected": {failing(true, false), func(c *contract.PluginCase) {
			c.WantError, c.External, c.Retriable = "luck", &yes, &no
		}, ""},
		"fails otherwise": {failing(false, true), func(c *contract.PluginCase) {
			c.WantError, c.External, c.Retriable = "time", &yes, &no
		}, "it fails with \"no luck\", which does not contain \"time\"\n" +
			"IsExternalError is false\n" +
			"IsRetriableError is true"},
		"should fail": {
			func(map[string]any, *plugin.Context) plugin.ProcessResult { return made(nil) },
			func(c *contract.PluginCase) { c.WantError = "luck" },
			"it succeeds, and should fail with \"luck\"",
		},
		"another object": {
			func(map[string]any, *plugin.Context) plugin.ProcessResult { return made("x") },
			func(c *contract.PluginCase) {
				c.Want = &plugin.Object{Object: map[string]any{
					"apiVersion": "v1",
					"kind":       "ConfigMap", "data": "y",
				}}
			}, "the object is\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			one := good
			if c.change != nil {
				c.change(&one)
			}
			err := contract.Check(custom{description, c.process}, one, 100, false)
			if c.want == "" && err != nil || c.want != "" &&
				(err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("CONTRACT_TEST", "x")
	reads := custom{description, func(map[string]any, *plugin.Context) plugin.ProcessResult {
		return made(os.Getenv("CONTRACT_TEST"))
	}}
	if err := contract.Environment(reads, contract.PluginCase{}); err == nil ||
		!strings.HasPrefix(err.Error(),
			"without environment variables it returns something else:") {
		t.Errorf("got %v", err)
	}
	if os.Getenv("CONTRACT_TEST") != "x" {
		t.Error("the environment is not as it was")
	}
}

func TestDescription(t *testing.T) {
	calls := 0
	for want, describe := range map[string]func() *plugin.Description{
		"":                              description,
		"nil is the result of Describe": func() *plugin.Description { return nil },
		"panic in Describe: oh":         func() *plugin.Description { panic("oh") },
		"the name is empty": func() *plugin.Description {
			d := description()
			d.Name = ""
			return d
		},
		`the name "A_b" is not a DNS`: func() *plugin.Description {
			d := description()
			d.Name = "A_b"
			return d
		},
		"has no version or no ki": func() *plugin.Description {
			d := description()
			d.GVK.Kind = ""
			return d
		},
		"the schema: ": func() *plugin.Description {
			d := description()
			d.SpecSchema = []byte("{")
			return d
		},
		"returns something else": func() *plugin.Description {
			calls++
			d := description()
			d.GVK.Group = strings.Repeat("x", calls)
			return d
		},
	} {
		t.Run("want "+want, func(t *testing.T) {
			err := contract.Description(custom{describe, nil})
			if want == "" && err != nil || want != "" &&
				(err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

// The plugin of fctl keeps the contract.
func TestFilter(t *testing.T) {
	plugintest.Run(t, filter.New, contract.PluginCase{
		Name: "no binding", Spec: map[string]any{"filterByPrefix": "x"},
		WantError: "filter needs a dependency on a ServiceBinding",
	})
}

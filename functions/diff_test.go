package functions_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
)

func TestDiffAcrossUnits(t *testing.T) {
	const (
		web = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n" +
			"spec: {type: A}\n"
		webB = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n" +
			"spec: {type: B}\n"
		other = "apiVersion: v1\nkind: Service\nmetadata: {name: other, namespace: shop}\n" +
			"spec: {type: A}\n"
		values = "a: 1\n"
	)
	tests := []struct {
		name  string
		units []functions.Versions
		want  []string // for each unit the operations, then the moves
	}{
		{
			"the same",
			[]functions.Versions{{Before: []byte(web), After: []byte("# new\n" + web)}},
			[]string{""},
		},
		{
			"changed",
			[]functions.Versions{{Before: []byte(web), After: []byte(webB)}},
			[]string{"Update /1 "},
		},
		{
			"new and gone",
			[]functions.Versions{{After: []byte(web)}, {Before: []byte(other)}},
			[]string{"Add /0 ", "Delete /0 "},
		},
		{"moved", []functions.Versions{
			{Before: []byte(web), After: []byte(other)},
			{Before: []byte(values), After: []byte(values + "---\n" + web)},
		}, []string{"Add /0 ", "<0"}},
		{
			"moved and changed",
			[]functions.Versions{{Before: []byte(web)}, {After: []byte(webB)}},
			[]string{"", "Update /1 <0"},
		},
		{
			"twice before, so nobody knows which moved",
			[]functions.Versions{
				{Before: []byte(web), After: []byte(web)},
				{Before: []byte(web)},
				{After: []byte(webB)},
			},
			[]string{"", "Delete /0 ", "Add /0 "},
		},
		{"other toolchains do not move", []functions.Versions{
			{Toolchain: api.ToolchainAppConfigYAML, Before: []byte("a: 1\n")},
			{Toolchain: api.ToolchainAppConfigYAML, After: []byte("a: 1\n")},
		}, []string{"Delete /0 ", "Add /0 "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for i := range test.units {
				if test.units[i].Toolchain == "" {
					test.units[i].Toolchain = api.ToolchainKubernetesYAML
				}
			}
			for i, d := range functions.NewStandardExecutor().Diff(test.units, functions.NewLeaves, functions.Only{}) {
				got := ""
				for _, m := range d.Mutations {
					got += string(m.ResourceMutationInfo.MutationType) + " /" +
						string(rune('0'+len(m.PathMutationMap))) + " "
				}
				for _, m := range d.Moved {
					got += "<" + string(rune('0'+m.From))
				}
				if got != test.want[i] || d.Err != nil {
					t.Errorf("unit %d: %q, %v, want %q", i, got, d.Err, test.want[i])
				}
			}
		})
	}
}

func TestDiffOfNewMaps(t *testing.T) {
	const web = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"
	for detail, want := range map[functions.Detail][]api.ResolvedPath{
		functions.NewLeaves: {"spec.selector.app", "spec.selector.tier", "spec.type"},
		functions.NewMaps:   {"spec"},
	} {
		d := functions.NewStandardExecutor().Diff([]functions.Versions{{
			Toolchain: api.ToolchainKubernetesYAML, Before: []byte(web),
			After: []byte(web + "spec: {type: ClusterIP, selector: {app: web, tier: front}}\n"),
		}}, detail, functions.Only{})[0]
		got := slices.Sorted(maps.Keys(d.Mutations[0].PathMutationMap))
		if !slices.Equal(got, want) || d.Err != nil {
			t.Errorf("detail %d: %v, %v, want %v", detail, got, d.Err, want)
		}
	}
}

func TestDiffOfUnreadableData(t *testing.T) {
	differences := functions.NewStandardExecutor().Diff([]functions.Versions{
		{Toolchain: "Other", Before: []byte("a")},
		{Toolchain: api.ToolchainAppConfigEnv, Before: []byte("nothing"), After: []byte("A=b\n")},
		{Toolchain: api.ToolchainKubernetesYAML, Before: []byte("a: [\n"), After: []byte("a: 1\n")},
		{Toolchain: api.ToolchainKubernetesYAML, Before: []byte("a: 2\n"), After: []byte("a: 1\n")},
	}, functions.NewLeaves, functions.Only{})
	for i, d := range differences[:3] {
		if d.Err == nil {
			t.Errorf("no error for unit %d", i)
		}
	}
	if d := differences[3]; d.Err != nil || len(d.Mutations) != 1 {
		t.Errorf("%+v", d)
	}
}

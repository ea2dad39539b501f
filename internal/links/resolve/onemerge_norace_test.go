//go:build !race

package resolve_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation/mutationtest"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/merge/textmerge"
	"github.com/fctl-dev/fctl/internal/source"
)

// sameAsMerge checks that an upgrade makes of three texts the bytes that fctl merge makes of them.
// Merges with conflicts about deletions are left out, because a unit follows a deletion. It reports
// whether there was a conflict, and whether the merge was compared.
func sameAsMerge(
	t *testing.T, base, ours, theirs string, tt api.ToolchainType, anyMutation bool,
) (conflict, ok bool) {
	t.Helper()
	w := newWorld(t)
	want := w.executor.Merge(tt, []byte(base), []byte(ours), []byte(theirs), textmerge.Options{})
	if want.ByLines != nil {
		return false, false // a unit that cannot be read is an error
	}
	values := 0
	for _, c := range want.Conflicts {
		if c.Value == nil {
			if tt == api.ToolchainAppConfigText {
				values = 1 // a text is one value
			}
			continue
		}
		values++
		if isDeletion(*c.Value) {
			return true, false
		}
	}
	w.unit("dev", base, tt)
	w.clone("prod", "dev")
	if anyMutation {
		w.links["upgrade-prod"].WhereMutation = ""
	}
	if ours != base {
		w.edit("prod", ours)
	}
	w.edit("dev", theirs)
	out := w.resolve("prod")
	if values > 0 && slices.ContainsFunc(out.Conflicts, isDeletion) {
		return true, false
	}
	values -= len(slices.DeleteFunc(slices.Clone(out.Conflicts), isDeletion))
	if diff := cmp.Diff(string(want.Text), string(out.Data)); diff != "" || values != 0 {
		t.Errorf("%s\n--- changed by us\n%s\n--- by them\n%s\n--- merge, upgrade\n%s\n%v\n%v", base,
			cmp.Diff(base, ours), cmp.Diff(base, theirs), diff, want.Conflicts, out.Conflicts)
	}
	return len(want.Conflicts) > 0, true
}

// isDeletion reports whether a conflict is about something that one side deleted.
func isDeletion(m api.MutationConflict) bool {
	return m.Reason.Loses() || m.Source.MutationType == api.MutationTypeDelete ||
		m.Target != nil && m.Target.MutationType == api.MutationTypeDelete
}

// TestUpgradeIsMerge compares upgrades of random units with fctl merge.
func TestUpgradeIsMerge(t *testing.T) {
	compared, conflicts := 0, 0
	for seed := range mutationtest.Cases(200, 5000) {
		m := mutationtest.NewMaker(uint64(seed))
		unit := m.Unit()
		base := m.Decorated(mutationtest.Text(t, unit), m.IntN(8))
		ours := m.Decorated(mutationtest.Edited(t, base, m.Variant(unit, m.IntN(3))), m.IntN(4))
		theirs := m.Decorated(mutationtest.Edited(t, base, m.Variant(unit, m.IntN(3))), m.IntN(4))
		conflict, ok := sameAsMerge(t, base, ours, theirs, api.ToolchainKubernetesYAML, seed%4 == 0)
		if ok {
			compared++
		}
		if ok && conflict {
			conflicts++
		}
	}
	t.Log(compared, conflicts)
}

// TestUpgradeIsMergeOfFormats compares upgrades of random lists of settings with fctl merge.
func TestUpgradeIsMergeOfFormats(t *testing.T) {
	for toolchain, entry := range map[api.ToolchainType]string{
		api.ToolchainAppConfigEnv: "%s=%d\n", api.ToolchainAppConfigTOML: "%s = %d\n",
		api.ToolchainAppConfigProperties: "%s=%d\n", api.ToolchainAppConfigYAML: "%s: %d\n",
		api.ToolchainAppConfigINI: "%s = %d\n", api.ToolchainOpenTofuHCL: "%s = %d\n",
	} {
		t.Run(string(toolchain), func(t *testing.T) {
			for seed := range mutationtest.Cases(30, 1000) {
				m := mutationtest.NewMaker(uint64(seed))
				text := func(changes int) string {
					var b strings.Builder
					for i := range 8 {
						value := 1
						if m.IntN(8) < changes {
							switch m.IntN(4) {
							case 0:
								fmt.Fprintf(&b, "# comment %d\n", m.IntN(100))
							case 1:
								continue
							default:
								value = m.IntN(100)
							}
						}
						fmt.Fprintf(&b, entry, fmt.Sprint("K", i), value)
					}
					return b.String()
				}
				sameAsMerge(t, text(0), text(2), text(2), toolchain, false)
			}
		})
	}
}

// TestUpgradeIsMergeOfScripts compares upgrades with fctl merge on the texts of its own tests.
func TestUpgradeIsMergeOfScripts(t *testing.T) {
	scripts, err := filepath.Glob("../../../cmd/fctl/testdata/script/merge-*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scripts {
		script, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{}
		for _, f := range script.Files {
			texts[f.Name] = string(f.Data)
		}
		for _, base := range slices.Sorted(maps.Keys(texts)) {
			if !strings.Contains(base, "base") {
				continue
			}
			ours, theirs := texts[strings.Replace(base, "base", "ours", 1)],
				texts[strings.Replace(base, "base", "theirs", 1)]
			if ours == "" || theirs == "" {
				continue
			}
			t.Run(filepath.Base(name)+"/"+base, func(t *testing.T) {
				sameAsMerge(t, texts[base], ours, theirs, source.Formats(functions.ToolchainsOf).Toolchain(base, []byte(ours)), false)
			})
		}
	}
}

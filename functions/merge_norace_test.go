//go:build !race

package functions_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/merge/textmerge"
)

// flatText is a text of entries, each on a line of its own.
type flatText []flatEntry

// flatEntry is a key and a value with the comments before it and after it on its line.
type flatEntry struct {
	key, value string
	head, line string // comments
}

// flatFormat describes how a format writes a flatText.
type flatFormat struct {
	start, end string // around all entries
	entry      string // a format string for key and value
	noLine     bool   // values have no trailing comments
	comment    string // the comment prefix; "# " if empty
}

// text writes t in the format.
func (f flatFormat) text(t flatText) string {
	mark := f.comment
	if mark == "" {
		mark = "# "
	}
	var b strings.Builder
	b.WriteString(f.start)
	for _, e := range t {
		if e.head != "" {
			b.WriteString(mark + e.head + "\n")
		}
		fmt.Fprintf(&b, f.entry, e.key, e.value)
		if e.line != "" && !f.noLine {
			b.WriteString(" " + mark + e.line)
		}
		b.WriteByte('\n')
	}
	return b.String() + f.end
}

// variant changes some entries.
func (t flatText) variant(r *rand.Rand, comment func() string) flatText {
	t = slices.Clone(t)
	for range r.IntN(4) {
		i := r.IntN(len(t))
		switch r.IntN(6) {
		case 0, 1:
			t[i].value = fmt.Sprint(10 + r.IntN(90))
		case 2:
			t[i].head = comment()
		case 3:
			t[i].line = comment()
		case 4:
			if len(t) > 2 {
				t = slices.Delete(t, i, i+1)
			}
		case 5:
			key := fmt.Sprintf("K%02d", 20+r.IntN(40))
			if !slices.ContainsFunc(t, func(e flatEntry) bool { return e.key == key }) {
				t = slices.Insert(t, i, flatEntry{key: key, value: "1", head: comment()})
			}
		}
	}
	return t
}

// values returns the values of t by key.
func (t flatText) values() map[string]string {
	values := map[string]string{}
	for _, e := range t {
		values[e.key] = e.value
	}
	return values
}

// mergedValues merges entry by entry. It reports false if there is a conflict.
func mergedValues(base, ours, theirs map[string]string) (merged map[string]string, ok bool) {
	merged, ok = map[string]string{}, true
	keys := maps.Clone(base)
	maps.Copy(keys, ours)
	maps.Copy(keys, theirs)
	for k := range keys {
		v := ours[k]
		switch {
		case ours[k] == theirs[k], theirs[k] == base[k]:
		case ours[k] == base[k]:
			v = theirs[k]
		default:
			ok = false
		}
		if v != "" {
			merged[k] = v
		}
	}
	return merged, ok
}

// TestMergeLawsOfAllToolchains checks that in every format values are merged one by one, and that
// each comment is either kept or reported as a conflict.
func TestMergeLawsOfAllToolchains(t *testing.T) {
	for toolchain, format := range map[api.ToolchainType]flatFormat{
		api.ToolchainKubernetesYAML: {
			start: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n",
			entry: "  %s: \"%s\"",
		},
		api.ToolchainAppConfigYAML:       {entry: "%s: %s"},
		api.ToolchainAppConfigProperties: {entry: "%s=%s", noLine: true},
		api.ToolchainAppConfigEnv:        {entry: "%s=%s"},
		api.ToolchainAppConfigTOML:       {start: "title = 'x'\n[section]\n", entry: "%s = %s"},
		api.ToolchainOpenTofuHCL: {
			start: "resource \"a\" \"b\" {\n", entry: "  %s = %s", end: "}\n",
		},
		api.ToolchainAppConfigINI: {start: "[section]\n", entry: "%s = %s", noLine: true},
	} {
		t.Run(string(toolchain), func(t *testing.T) {
			executor := functions.NewStandardExecutor()
			count := map[string]int{}
			for seed := range 300 {
				r := rand.New(rand.NewPCG(uint64(seed), 2))
				number := 0
				comment := func() string { number++; return fmt.Sprintf("comment %d.", number) }
				var base flatText
				for i := range 3 + r.IntN(5) {
					base = append(
						base, flatEntry{key: fmt.Sprintf("K%02d", i), value: fmt.Sprint(i + 1)},
					)
				}
				base = base.variant(r, comment)
				ours, theirs := base.variant(r, comment), base.variant(r, comment)
				b, o, u := format.text(base), format.text(ours), format.text(theirs)
				merged := executor.Merge(
					toolchain, []byte(b), []byte(o), []byte(u), textmerge.Options{},
				)
				have := string(merged.Text)
				fail := func(what string) {
					t.Fatalf(
						"seed %d: %s\n--- base\n%s\n--- ours\n%s\n--- theirs\n%s\n--- have\n"+
							"%s--- %v\n%+v",
						seed, what, b, o, u, have, merged.ByLines, merged.Conflicts,
					)
				}
				if merged.ByLines != nil {
					fail("merged line by line")
				}
				reported := ""
				for _, c := range merged.Conflicts {
					reported += strings.Join(c.Lines, "") + c.Lost
				}
				for _, side := range []flatText{ours, theirs} {
					for _, e := range side {
						for _, c := range []string{e.head, e.line} {
							isLine := c == e.line && format.noLine
							if c != "" && !isLine && !strings.Contains(b, c) &&
								!strings.Contains(have, c) && !strings.Contains(reported, c) {
								fail(c)
							}
						}
					}
				}
				want, ok := mergedValues(base.values(), ours.values(), theirs.values())
				for k, v := range want {
					if !strings.Contains(have, strings.TrimSpace(fmt.Sprintf(format.entry, k, v))) {
						fail(k + " is not " + v)
					}
				}
				for k := range mapUnion(base.values(), ours.values(), theirs.values()) {
					if want[k] == "" && strings.Contains(have, k) {
						fail(k + " is still there")
					}
				}
				switch {
				case !ok && len(merged.Conflicts) == 0:
					fail("no conflict")
				case len(merged.Conflicts) == 0:
					count["clean"]++
				case ok:
					count["conflict of comments"]++
				default:
					count["conflict"]++
				}
			}
			t.Log(count)
		})
	}
}

// mapUnion returns a map with the keys of all maps.
func mapUnion(all ...map[string]string) map[string]string {
	union := map[string]string{}
	for _, m := range all {
		maps.Copy(union, m)
	}
	return union
}

//go:build !race

package resolve_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/configkit/mutation/mutationtest"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
)

// TestRandomMerges edits two units in turn and merges one into the other. What a person wrote last
// stays, a second merge changes nothing, and the mutations of each revision, applied to the one
// before, give its data.
func TestRandomMerges(t *testing.T) {
	for seed := range mutationtest.Cases(300, 3_000) {
		m := mutationtest.NewMaker(uint64(seed))
		w := newWorld(t)
		up := m.Unit()
		w.unit("up", mutationtest.Text(t, up))
		w.clone("down", "up")
		if m.IntN(2) == 0 {
			w.links["upgrade-down"].WhereMutation = ""
		}
		for round := range 4 {
			up = m.Variant(up, m.IntN(4))
			w.edit("up", mutationtest.Text(t, up))
			if m.IntN(3) > 0 {
				w.edit("down", mutationtest.Text(t, m.Variant(w.objects("down"), m.IntN(3))))
			}
			own := ownValues(w, "down")
			before := w.units["down"].Data
			if _, err := w.try("down", resolve.Options{}); err != nil {
				if strings.Contains(err.Error(), "E_DUP_RESOURCE") {
					break // two resources got one name
				}
				t.Fatalf("seed %d, round %d: %v", seed, round, err)
			}
			fail := func(format string, args ...any) {
				t.Fatalf("seed %d, round %d: %s\n--- up\n%s\n--- before\n%s\n--- down\n%s", seed,
					round, fmt.Sprintf(format, args...), w.units["up"].Data, before,
					w.units["down"].Data)
			}
			again, err := resolve.Resolve(context.Background(), w.input("down"))
			if err != nil || again.Changed || len(again.Mutations) > 0 {
				fail("a second merge changes the unit: %v", err)
			}
			if w.links["upgrade-down"].WhereMutation != "" {
				for key, value := range own {
					if now, ok := ownValues(w, "down")[key]; ok && now != value {
						fail("%q became %q at %s", value, now, key)
					}
				}
			}
		}
		w.replays("down", seed)
	}
}

// ownValues returns the values that people wrote last, by resource and path.
func ownValues(w *world, slug string) map[string]string {
	u := w.units[slug]
	by := map[int]bool{}
	for _, m := range u.Mutations {
		by[int(m.MutationNum)] = m.MergeSourceID == ""
	}
	own := map[string]string{}
	for _, m := range u.Sources {
		for path, info := range m.PathMutationMap {
			if by[info.Index] && !strings.Contains(string(path), "?~h=") {
				own[string(m.Resource.ResourceType)+" "+
					string(m.Resource.ResourceNameWithoutScope)+" "+mutation.PlainPath(path)] = info.Value
			}
		}
	}
	return own
}

// TestRandomBindings binds random needs to random providers while people edit both sides.
func TestRandomBindings(t *testing.T) {
	const (
		provider = "apiVersion: v1\nkind: %s\nmetadata: {name: %s%s}\n"
		consumer = `apiVersion: v1
kind: ServiceAccount
metadata: {name: a%d, namespace: %s}
imagePullSecrets: [{name: %s}]
`
	)
	pick := func(r *rand.Rand, all ...string) string { return all[r.IntN(len(all))] }
	for seed := range 300 {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		w := newWorld(t)
		providers := func() string {
			var b bytes.Buffer
			seen := map[string]bool{}
			for range 1 + r.IntN(3) {
				kind, name := pick(r, "Namespace", "Secret"), pick(r, "a", "b", "c")
				if seen[kind+name] {
					continue
				}
				seen[kind+name] = true
				if b.Len() > 0 {
					b.WriteString("---\n")
				}
				ns := ""
				if kind == "Secret" && r.IntN(2) == 0 {
					ns = ", namespace: " + pick(r, "a", "b")
				}
				fmt.Fprintf(&b, provider, kind, name, ns)
			}
			return b.String()
		}
		w.unit("one", providers())
		w.unit("two", providers())
		consumers := func() string {
			const open = "confighubplaceholder"
			text := ""
			for i := range 1 + r.IntN(2) {
				if i > 0 {
					text += "---\n"
				}
				text += fmt.Sprintf(consumer, i, pick(r, open, open, "x", "a"),
					pick(r, open, open+"-x", "mine"))
			}
			return text
		}
		w.unit("down", consumers())
		w.link("l1", "down", "one", entity.UpdateNeedsProvides)
		w.link("l2", "down", "two", entity.UpdateNeedsProvides)
		for range 6 {
			switch r.IntN(4) {
			case 0:
				w.edit("one", providers())
			case 1:
				w.edit("two", providers())
			case 2:
				w.edit("down", consumers())
			}
			slugs := [][]string{nil, {"l1"}, {"l2"}}[r.IntN(3)]
			if w.resolve("down", slugs...); t.Failed() {
				t.Fatalf("seed %d", seed)
			}
			bound := map[string]bool{}
			for _, l := range w.links {
				for _, b := range l.Bindings {
					key := b.NeededResource.String() + " " + b.NeededPath
					if bound[key] {
						t.Fatalf("seed %d: %s is bound twice", seed, key)
					}
					bound[key] = true
				}
			}
		}
	}
}

package workspace_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// TestIndexChangesNothing loads a workspace with and without an index, after edits that keep the
// size of files and come immediately after the index was written.
func TestIndexChangesNothing(t *testing.T) {
	dir := shop(t)
	files := map[string]string{}
	for i := range 100 {
		unit := fmt.Sprintf("spaces/shop/units/u%d/", i)
		files[unit+"unit.yaml"] = "Labels: {n: a}\n"
		files[unit+"data.yaml"] = "kind: A\n"
		files[fmt.Sprintf("spaces/shop/links/l%d.yaml", i)] = fmt.Sprintf(
			"FromUnit: u%d\nToUnit: db\nUpdateType: TransformPaths\nDownstreamSetters:\n"+
				"- FunctionInvocation: {FunctionName: f, Arguments: [{Value: %d}]}\n", i, i)
	}
	write(t, dir, files)
	commit := func() {
		s, w := open(t, dir, workspace.OpenOptions{Write: true})
		tx := s.Begin("")
		if _, err := tx.Edits(recorder{}, w.Units, false); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.WriteIndex()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	load := func() string {
		s, w := open(t, dir, workspace.OpenOptions{})
		defer s.Close() //nolint:errcheck // only read
		var all []any
		for _, u := range w.Units {
			edited, _, err := s.Edited(u)
			all = append(all, u.Unit, edited, err)
		}
		for _, l := range w.Links {
			all = append(all, l.Link)
			if a := l.DownstreamSetters; len(a) > 0 {
				all = append(all, fmt.Sprintf("%T", a[0].FunctionInvocation.Arguments[0].Value))
			}
		}
		text, err := json.MarshalIndent(all, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	compare := func(what string) {
		t.Helper()
		with := load()
		index := filepath.Join(dir, ".fctl/index")
		if err := os.Rename(index, index+".off"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(load(), with); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
		if err := os.Rename(index+".off", index); err != nil {
			t.Fatal(err)
		}
	}
	commit()
	time.Sleep(100 * time.Millisecond) // now the files are old enough to be indexed
	if err := os.Remove(filepath.Join(dir, ".fctl/index")); err != nil {
		t.Fatal(err)
	}
	commit()
	compare("unchanged")
	for i := range 100 {
		name := fmt.Sprintf("spaces/shop/units/u%d/", i)
		write(t, dir, map[string]string{
			name + "unit.yaml": "Labels: {n: b}\n", name + "data.yaml": "kind: B\n",
			fmt.Sprintf("spaces/shop/links/l%d.yaml", i): fmt.Sprintf(
				"FromUnit: u%d\nToUnit: web\n", i),
		})
		if i%10 == 0 {
			commit()
			write(t, dir, map[string]string{name + "data.yaml": "kind: C\n"})
		}
	}
	compare("edited")
	s, w := open(t, dir, workspace.OpenOptions{})
	defer s.Close() //nolint:errcheck // only read
	if u, err := w.Unit("shop", "u3"); err != nil || u.Labels["n"] != "b" {
		t.Error(err, u)
	}
	if l, err := w.Link("shop", "l3"); err != nil || l.Type() != entity.UpdateNeedsProvides {
		t.Error(err, l)
	}
}

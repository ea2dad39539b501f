package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// recorder is an engine that records no sources.
type recorder struct{}

func (recorder) EditRecorded(*workspace.Unit) error { return nil }

func (recorder) Accumulate(
	_ api.ToolchainType, sources api.ResourceMutationList, _, _ []byte, _ int64, _ bool,
) (api.ResourceMutationList, api.ResourceMutationList, error) {
	return sources, nil, nil
}

func open(t testing.TB, dir string, o workspace.OpenOptions) (*workspace.Store,
	*workspace.Workspace,
) {
	t.Helper()
	s, err := workspace.Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	s.Now = func() time.Time { return time.Unix(0, 0).UTC() }
	w, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// content returns the files below a directory, without the lock.
func content(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || path == ".fctl/lock" {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func shop(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := workspace.Init(t.Context(), dir,
		workspace.InitOptions{Space: "shop"}); err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{
		workspace.Marker:                  "DefaultSpace: shop\n", // of the old layout
		"spaces/shop/units/web/unit.yaml": "# the shop\nLabels: {tier: web}\n",
		"spaces/shop/units/web/data.yaml": "kind: A\n",
		"spaces/shop/units/db/unit.yaml":  "{}\n",
		"spaces/shop/links/web-db.yaml":   "FromUnit: web\nToUnit: db # the database\n",
	})
	return dir
}

// change is a command that changes everything a command can change.
func change(ctx context.Context, s *workspace.Store, w *workspace.Workspace) error {
	tx := s.Begin("change")
	if _, err := tx.Edits(recorder{}, w.Units, false); err != nil {
		return err
	}
	web, err := w.Unit("shop", "web")
	if err != nil {
		return err
	}
	if _, err := tx.Record(recorder{}, web, []byte("kind: B\n"), entity.SourceUpdate, "b",
		entity.Mutation{}, false); err != nil {
		return err
	}
	db, err := w.Unit("shop", "db")
	if err != nil {
		return err
	}
	if _, err := tx.Record(recorder{}, db, []byte("kind: C\n"), entity.SourceCreateUnit, "",
		entity.Mutation{}, false); err != nil {
		return err
	}
	web.Labels["tier"] = "front"
	tx.Updated(&web.Common)
	tx.Write(web)
	link, err := w.Link("shop", "web-db")
	if err != nil {
		return err
	}
	link.UpstreamLastMergedRevisionNum = 1
	tx.WriteState(link)
	if err := tx.Create(w, &workspace.Unit{Unit: &entity.Unit{
		Common: entity.Common{Slug: "new", SpaceSlug: "shop"}, ToolchainType: "AppConfig/Env",
	}}); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

func TestLoadAndChange(t *testing.T) {
	dir := shop(t)
	s, w := open(t, dir, workspace.OpenOptions{Write: true})
	if len(w.Problems) > 0 {
		t.Fatal(w.Problems)
	}
	if err := change(t.Context(), s, w); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, w = open(t, dir, workspace.OpenOptions{})
	defer s.Close() //nolint:errcheck // only read
	if errs := w.Validate(); len(errs) > 0 {
		t.Fatal(errs)
	}
	web, err := w.Unit("shop", "web")
	if err != nil {
		t.Fatal(err)
	}
	if web.HeadRevisionNum != 2 || web.HeadMutationNum != 2 || web.Version != 2 {
		t.Errorf("%+v", web.Unit)
	}
	files := content(t, dir)
	for name, want := range map[string]string{
		"spaces/shop/units/web/data.yaml":             "kind: B\n",
		".fctl/state/shop/units/web/revisions/1/data": "kind: A\n",
		".fctl/state/shop/units/web/revisions/2/data": "kind: B\n",
		"spaces/shop/links/web-db.yaml": "FromUnit: web\nToUnit: db # the " +
			"database\n",
		".fctl/state/shop/units/db/revisions/1/data":          "kind: C\n",
		"spaces/shop/units/db/unit.yaml":                      "{}\n",
		".fctl/state/shop/units/web/revisions/2/sources.json": "[]\n",
	} {
		t.Run(name, func(t *testing.T) {
			if files[name] != want {
				t.Errorf("%s: %q", name, files[name])
			}
		})
	}
	if got := files["spaces/shop/units/web/unit.yaml"]; !strings.HasPrefix(got,
		"# the shop\nLabels: {tier: front}\n") || !strings.Contains(got, "UnitID: ") {
		t.Error(got)
	}
	link, err := w.Link("shop", "web-db")
	if err != nil || !link.AutoUpdate || link.UpstreamLastMergedRevisionNum != 1 {
		t.Errorf("%v %+v", err, link)
	}
}

// TestUndo takes a command back: all files are as before.
func TestUndo(t *testing.T) {
	dir := shop(t)
	before := content(t, dir)
	s, w := open(t, dir, workspace.OpenOptions{Write: true})
	if err := change(t.Context(), s, w); err != nil {
		t.Fatal(err)
	}
	title, err := s.Undo(t.Context(), false)
	if err != nil || title != "change" {
		t.Fatal(title, err)
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Error(diff)
	}
	if title, err := s.Undo(t.Context(), false); title != "" || err != nil {
		t.Error(title, err)
	}
}

// TestDryRun runs the same command without committing it: nothing is written, not even a lock.
func TestDryRun(t *testing.T) {
	dir := shop(t)
	if err := os.Remove(filepath.Join(dir, ".fctl/lock")); err != nil {
		t.Fatal(err)
	}
	before := content(t, dir)
	s, w := open(t, dir, workspace.OpenOptions{DryRun: true})
	if err := change(t.Context(), s, w); err == nil {
		t.Fatal("a dry run was committed")
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Lstat(filepath.Join(dir, ".fctl/lock")); err == nil {
		t.Error("a dry run made a lock")
	}
}

// TestAnEditSurvivesTheRepair edits a working copy after a process was killed. The command has no
// effect then, and the edit is still there.
func TestAnEditSurvivesTheRepair(t *testing.T) {
	for name, many := range map[string]int{"one by one": 0, "in batches": 1} {
		t.Run(name, func(t *testing.T) { editAndRepair(t, many) })
	}
}

func editAndRepair(t *testing.T, many int) {
	t.Helper()
	dir := shop(t)
	s, w := open(t, dir, workspace.OpenOptions{
		Write: true, Sequential: true, ManyFiles: many,
		Step: func(what string) {
			if what == "create spaces/shop/units/web/data.yaml" {
				panic("killed")
			}
		},
	})
	func() {
		defer func() { _ = recover() }()
		_ = change(t.Context(), s, w)
	}()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"spaces/shop/units/web/data.yaml": "kind: MINE\n"})
	s, w = open(t, dir, workspace.OpenOptions{Write: true})
	web, err := w.Unit("shop", "web")
	if err != nil || web.HeadRevisionNum != 0 {
		t.Fatal(err, web.HeadRevisionNum)
	}
	if edited, data, err := s.Edited(web); !edited || string(data) != "kind: MINE\n" || err != nil {
		t.Errorf("%v %q %v", edited, data, err)
	}
}

// TestTwoProcesses changes a unit from many processes at once: no revision is lost.
func TestTwoProcesses(t *testing.T) {
	if dir := os.Getenv("WORKSPACE_DIR"); os.Getenv("WORKSPACE_WRITER") != "" {
		for i := range 5 {
			s, w := open(t, dir, workspace.OpenOptions{Write: true})
			web, err := w.Unit("shop", "web")
			if err != nil {
				t.Fatal(err)
			}
			tx := s.Begin("write")
			text := fmt.Sprintf("kind: %d-%d\n", os.Getpid(), i)
			if _, err := tx.Record(recorder{}, web, []byte(text), entity.SourceUpdate, "",
				entity.Mutation{}, false); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(tx.Commit(t.Context()), s.Close()); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	dir := shop(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestTwoProcesses$")
			cmd.Env = append(os.Environ(), "WORKSPACE_WRITER=1", "WORKSPACE_DIR="+dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	group.Wait()
	s, w := open(t, dir, workspace.OpenOptions{})
	web, err := w.Unit("shop", "web")
	if err != nil || web.HeadRevisionNum != 20 {
		t.Fatal(err, web.HeadRevisionNum)
	}
	revisions, err := s.Revisions(web)
	mutations, err2 := s.Mutations(web)
	if err != nil || err2 != nil || len(revisions) != 20 || len(mutations) != 20 {
		t.Fatal(err, err2, len(revisions), len(mutations))
	}
}

package workspace

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/internal/links/pack"
)

func encoded(t testing.TB, r *record) []byte {
	t.Helper()
	parts, err := r.encode()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(parts...)
}

// TestARecordNamesOnlyFilesOfAWorkspace decodes records that did not come from fctl.
func TestARecordNamesOnlyFilesOfAWorkspace(t *testing.T) {
	ok := []operation{
		{Path: "spaces/a/units/b/data.yaml", Data: []byte("a"), Guarded: true, Before: "x"},
		{Path: "fctl-workspace.yaml", Guarded: true, Delete: true},
		{Path: ".fctl/state/a/units/b/mutations.jsonl", Append: true, Offset: 7},
		{Path: ".fctl/undo/12", Delete: true},
		{Path: "spaces/a", Dir: true, Delete: true},
		{Path: "spaces/a/units/b/data.yaml", Link: "../c.yaml"},
	}
	for _, o := range ok {
		r := &record{Title: "t", Ops: []operation{o}}
		back := &record{}
		if err := back.decode(encoded(t, r)); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
		if len(o.Data) == 0 {
			r.Ops[0].Data, back.Ops[0].Data = nil, nil
		}
		if diff := cmp.Diff(r, back); diff != "" {
			t.Error(diff)
		}
	}
	for _, name := range []string{
		".git/config", ".GIT/config", "spaces/.git/hooks/x", "spaces/a/.git./config", "main.go",
		"../x", "/etc/passwd", "spaces/../.git/config", ".fctl/journal", ".fctl/lock", ".fctl",
		".fctl/index", ".fctl/undo/x", "attributes/run.sh", "", ".", "spaces/a/git~1/config",
		".fctl/state/../../x", ".github/workflows/a.yaml",
	} {
		for _, o := range []operation{
			{Path: name, Data: []byte("a")},
			{Path: name, Data: []byte("a"), Guarded: true},
			{Path: name, Delete: true},
			{Path: name, Delete: true, Guarded: true},
			{Path: name, Append: true},
			{Path: name, Link: "x"},
			{Path: name, Dir: true},
		} {
			if (&record{}).decode(encoded(t, &record{Ops: []operation{o}})) == nil {
				t.Errorf("%+v is accepted", o)
			}
		}
	}
	for _, o := range []operation{
		{Path: "spaces/a/units/b/data.yaml", Data: []byte("a")},
		{Path: "spaces/a/units/b/data.yaml", Append: true, Guarded: true},
		{Path: ".fctl/state/a", Append: true, Offset: -1},
		{Path: ".fctl/state/a", Mode: 0o4755},
		{Path: ".fctl/undo/1", Link: "x"},
		{Path: "spaces/evil", Link: "../.git"},
		{Path: "spaces/evil", Link: "../.fctl/state"},
		{Path: "spaces/a/units/b/evil", Link: "/etc"},
		{Path: "spaces/a/units/b/evil", Link: "../../../../../x"},
	} {
		if (&record{}).decode(encoded(t, &record{Ops: []operation{o}})) == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// TestRepairDiscardsWhatCannotBeTakenBack opens workspaces with journals that no command leaves.
func TestRepairDiscardsWhatCannotBeTakenBack(t *testing.T) {
	for name, o := range map[string]operation{
		"through a file":  {Path: "spaces/a/links.yaml/x", Data: []byte("x"), Guarded: true},
		"through a link":  {Path: "spaces/l/units/x/data.yaml", Data: []byte("x"), Guarded: true},
		"in place of one": {Path: "spaces/a/links.yaml", Link: "x"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if _, err := Init(t.Context(), dir, InitOptions{Space: "a"}); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("a", filepath.Join(dir, "spaces", "l")); err != nil {
				t.Skip(err)
			}
			journal := encoded(t, &record{Title: "t", Ops: []operation{o}})
			if err := os.WriteFile(filepath.Join(dir, journalFile), journal, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(t.Context(), dir, OpenOptions{Write: true}); err == nil {
				t.Fatal("it is taken back")
			}
			s, err := Open(t.Context(), dir, OpenOptions{Repair: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil || len(s.Repaired) != 1 {
				t.Error(err, s.Repaired)
			}
		})
	}
}

// TestARecordFollowsNoLink undoes and takes back records that name a symbolic link: what it leads
// to stays as it is.
func TestARecordFollowsNoLink(t *testing.T) {
	for name, o := range map[string]operation{
		"a folder":         {Path: "spaces/a/x", Dir: true, Delete: true},
		"a folder of fctl": {Path: ".fctl/state/x", Dir: true, Delete: true},
		"a file":           {Path: "spaces/a/x.yaml", Data: []byte("echo"), Guarded: true, Mode: 0o755},
	} {
		for _, file := range []string{undoDir + "/1", journalFile} {
			t.Run(name+" in "+file, func(t *testing.T) {
				dir := t.TempDir()
				if _, err := Init(t.Context(), dir, InitOptions{Space: "a"}); err != nil {
					t.Fatal(err)
				}
				if err := os.MkdirAll(filepath.Join(dir, "own", "empty"), 0o777); err != nil {
					t.Fatal(err)
				}
				target := "../../own"
				if !o.Dir {
					target = "../../run.sh"
				}
				for _, made := range []string{"spaces/a/x", "spaces/a/x.yaml", ".fctl/state/x"} {
					if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, made)), 0o700); err != nil {
						t.Fatal(err)
					}
					if err := os.Symlink(target, filepath.Join(dir, made)); err != nil {
						t.Skip(err)
					}
				}
				at := filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, encoded(t, &record{Title: "t", Ops: []operation{o}}), 0o600); err != nil {
					t.Fatal(err)
				}
				s, err := Open(t.Context(), dir, OpenOptions{Write: true})
				if err == nil {
					_, err = s.Undo(t.Context(), false)
					err = errors.Join(err, s.Close())
				}
				if err == nil {
					t.Error("it is obeyed")
				}
				if _, err := os.Stat(filepath.Join(dir, "own", "empty")); err != nil {
					t.Error(err)
				}
				if _, err := os.Lstat(filepath.Join(dir, "run.sh")); err == nil {
					t.Error("a file was written")
				}
			})
		}
	}
}

// FuzzRecord reads a record that was changed: it is the same or refused, without a panic.
func FuzzRecord(f *testing.F) {
	r := &record{Title: "unit do a", Ops: []operation{
		{Path: "spaces/a/units/b/data.yaml", Data: []byte("kind: A\n"), Guarded: true, Before: "x"},
		{Path: ".fctl/state/a/units/b/mutations.jsonl", Append: true, Offset: 7},
	}}
	text := encoded(f, r)
	f.Add(0, byte(1), len(text))
	f.Add(20, byte(0xff), len(text))
	f.Add(len(text)-1, byte(0x80), len(text))
	f.Add(0, byte(0), 17)
	f.Fuzz(func(t *testing.T, at int, change byte, end int) {
		changed := bytes.Clone(text)
		if at >= 0 && at < len(changed) {
			changed[at] ^= change
		}
		if end >= 0 && end < len(changed) {
			changed = changed[:end]
		}
		if err := (&record{}).decode(changed); err == nil && !bytes.Equal(text, changed) {
			t.Errorf("a damaged record is read: %q", changed)
		}
	})
}

// FuzzRecordBody reads any bytes under a right checksum.
func FuzzRecordBody(f *testing.F) {
	f.Add([]byte("\x02a\x02\x02b"))
	f.Fuzz(func(t *testing.T, body []byte) {
		r := &record{}
		if pack.Unmarshal(string(body), r) != nil {
			return
		}
		for i := range r.Ops {
			_ = checkOperation(&r.Ops[i]) // must not panic
		}
	})
}

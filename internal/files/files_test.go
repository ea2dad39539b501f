//go:build unix

package files_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/internal/files"
)

const old, young = "old: text\n", "new: text, longer\n"

// source is a file that was read to be written in place.
type source struct {
	target *files.Target
	info   fs.FileInfo
	data   []byte
}

func (s source) write(parts ...[]byte) error { return s.target.Write(s.info, s.data, parts...) }

// create creates a file.
func create(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
}

// read locks and reads a file.
func read(t *testing.T, in *files.InPlace, path string, link bool) source {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	s := source{target: in.Target(path, link)}
	if same, err := s.target.Hold(t.Context(), f.Fd()); !same || err != nil {
		t.Fatalf("%s: the same: %v, %v", path, same, err)
	}
	t.Cleanup(s.target.Release)
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	s.info, s.data = info, []byte(content(t, path))
	return s
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// entries returns the names in a directory.
func entries(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestInPlace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	create(t, path)
	for _, mode := range []fs.FileMode{0o600, 0o664, 0o755 | fs.ModeSetgid} {
		t.Run(mode.String(), func(t *testing.T) {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			for _, onDisk := range []bool{false, true} {
				in := &files.InPlace{Sync: onDisk}
				s := read(t, in, path, true)
				if err := s.write([]byte("new: "), nil, []byte("text, longer\n")); err != nil {
					t.Fatal(err)
				}
				if err := in.Close(); err != nil {
					t.Fatal(err)
				}
				if info, err := os.Stat(path); err != nil || info.Mode() != mode {
					t.Errorf("mode is %v, want %v (%v)", info.Mode(), mode, err)
				}
				if content(t, path) != young || entries(t, dir) != "a.yaml" {
					t.Errorf("%q in %s", content(t, path), entries(t, dir))
				}
			}
		})
	}
}

func TestInPlaceKeepsTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of others")
	}
	path := filepath.Join(t.TempDir(), "a.yaml")
	create(t, path)
	if err := os.Chown(path, 12345, 54321); err != nil {
		t.Fatal(err)
	}
	if err := read(t, &files.InPlace{}, path, false).write([]byte(young)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if stat := info.Sys().(*syscall.Stat_t); stat.Uid != 12345 || stat.Gid != 54321 ||
		content(t, path) != young {
		t.Errorf("it belongs to %d:%d", stat.Uid, stat.Gid)
	}
}

func TestInPlaceFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	create(t, filepath.Join(dir, "real/a.yaml"))
	for from, to := range map[string]string{
		"one.yaml": "two.yaml", "two.yaml": "real/a.yaml",
		"dir": "real",
	} {
		t.Run(from, func(t *testing.T) {
			if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
				t.Fatal(err)
			}
		})
	}
	for _, name := range []string{"one.yaml", "dir/a.yaml"} {
		t.Run(name, func(t *testing.T) {
			create(t, filepath.Join(dir, "real/a.yaml"))
			if err := read(t, &files.InPlace{}, filepath.Join(dir, name),
				true).write([]byte(young)); err != nil {
				t.Fatal(err)
			}
			if content(t, filepath.Join(dir, "real/a.yaml")) != young ||
				entries(t, dir) != "dir one.yaml real two.yaml" ||
				entries(t, filepath.Join(dir, "real")) != "a.yaml" {
				t.Errorf("%s: %s", name, entries(t, dir))
			}
			if to, err := os.Readlink(filepath.Join(dir, "one.yaml")); err != nil ||
				to != "two.yaml" {
				t.Errorf("the link leads to %s (%v)", to, err)
			}
		})
	}
}

// TestInPlaceLosesNothing checks that a file that changes between reading and writing is an error,
// and is left as it is.
func TestInPlaceLosesNothing(t *testing.T) {
	aged := time.Now().Add(-time.Hour)
	for name, change := range map[string]func(path string) error{
		"longer":  func(p string) error { return os.WriteFile(p, []byte(old+old), 0o644) },
		"as long": func(p string) error { return os.WriteFile(p, []byte("owl: text\n"), 0o644) },
		"replaced": func(p string) error {
			return errors.Join(os.WriteFile(p+"2", []byte(old), 0o644), os.Rename(p+"2", p))
		},
		"touched": func(p string) error {
			return os.Chtimes(p, aged, aged.Add(time.Nanosecond))
		},
		"mode":    func(p string) error { return os.Chmod(p, 0o600) },
		"owner":   func(p string) error { return os.Chown(p, 12345, -1) },
		"group":   func(p string) error { return os.Chown(p, -1, 12345) },
		"removed": os.Remove,
		"a link now": func(p string) error {
			return errors.Join(os.Rename(p, p+"2"), os.Symlink(p+"2", p))
		},
		"as long and as old": func(p string) error {
			return errors.Join(os.WriteFile(p, []byte("owl: text\n"), 0o644),
				os.Chtimes(p, aged, aged))
		},
	} {
		t.Run(name, func(t *testing.T) {
			if (name == "owner" || name == "group") && os.Geteuid() != 0 {
				t.Skip("only root can give files away")
			}
			dir := t.TempDir()
			path := filepath.Join(dir, "a.yaml")
			create(t, path)
			if err := os.Chtimes(path, aged, aged); err != nil {
				t.Fatal(err)
			}
			s := read(t, &files.InPlace{}, path, name != "a link now")
			if err := change(path); err != nil {
				t.Fatal(err)
			}
			was, _ := os.Stat(path)
			text, _ := os.ReadFile(path)
			if err := s.write([]byte(young)); !errors.Is(err, files.ErrChanged) {
				t.Errorf("got %v", err)
			}
			if now, _ := os.Stat(path); was != nil && !os.SameFile(now, was) {
				t.Error("it was replaced")
			}
			if now, _ := os.ReadFile(path); string(now) != string(text) ||
				strings.Contains(entries(t, dir), "tmp") {
				t.Errorf("%q became %q in %s", text, now, entries(t, dir))
			}
		})
	}
}

func TestInPlaceRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	create(t, path)
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	readOnly := read(t, &files.InPlace{}, path, true)
	for _, c := range []struct {
		s    source
		want error
	}{
		{readOnly, files.ErrReadOnly},
		{source{target: readOnly.target}, files.ErrNotRegular},
		{source{target: readOnly.target, info: info}, files.ErrNotRegular},
	} {
		t.Run(c.want.Error(), func(t *testing.T) {
			if err := c.s.write([]byte(young)); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
	if content(t, path) != old || entries(t, dir) != "a.yaml" {
		t.Errorf("%q in %s", content(t, path), entries(t, dir))
	}
}

func TestInPlaceWithoutSpace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	create(t, path)
	// A limit on the size of files simulates a full disk.
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	small := limit
	small.Cur = 1 << 20
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit) }()
	err := read(t, &files.InPlace{}, path, true).write(make([]byte, 2<<20))
	if !errors.Is(err, syscall.EFBIG) || strings.Contains(err.Error(), ".tmp") {
		t.Errorf("got %v", err)
	}
	if content(t, path) != old || entries(t, dir) != "a.yaml" {
		t.Errorf("%q in %s", content(t, path), entries(t, dir))
	}
}

// TestHold checks that a target has one holder at a time, even under different names.
func TestHold(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "b.yaml")
	create(t, path)
	if err := os.Link(path, other); err != nil {
		t.Fatal(err)
	}
	in := &files.InPlace{}
	first := read(t, in, path, true)
	f, err := os.Open(other)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if same, err := in.Target(other, true).Hold(short, f.Fd()); same ||
		!errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the same: %v, %v", same, err)
	}
	held := make(chan bool)
	second := in.Target(path, true)
	go func() {
		same, err := second.Hold(t.Context(), f.Fd())
		held <- same || err != nil
	}()
	if err := first.write([]byte(young)); err != nil {
		t.Fatal(err)
	}
	first.target.Release()
	if <-held {
		t.Error("the path names another file by now")
	}
}

func TestTree(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "made/out")
	source := filepath.Join(dir, "a.yaml")
	create(t, source)
	if err := os.Chmod(source, 0o600); err != nil {
		t.Fatal(err)
	}
	from, err := os.Stat(source)
	if err != nil {
		t.Fatal(err)
	}
	for _, onDisk := range []bool{false, true} {
		t.Run(fmt.Sprint(onDisk), func(t *testing.T) {
			tree, err := files.OpenTree(t.Context(), root, onDisk)
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					if err := tree.Write(t.Context(), "x/y/a.yaml", from,
						[]byte(young)); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if err := tree.Close(); err != nil {
				t.Error(err)
			}
			path := filepath.Join(root, "x/y/a.yaml")
			info, err := os.Stat(path)
			if err != nil || info.Mode() != 0o600 || content(t, path) != young ||
				entries(t, filepath.Dir(path)) != "a.yaml" {
				t.Errorf("%v %q in %s", info.Mode(), content(t, path),
					entries(t, filepath.Dir(path)))
			}
		})
	}
	if content(t, source) != old {
		t.Error("the source was written")
	}
}

// Create makes a file once, however many try it at the same time, and replaces nothing.
func TestTreeCreates(t *testing.T) {
	dir := t.TempDir()
	tree, err := files.OpenTree(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close() //nolint:errcheck // nothing is synced
	if err := os.Symlink("nowhere", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	create(t, filepath.Join(dir, "sub", "old"))
	for _, path := range []string{"link", "sub/old", "sub"} {
		if err := tree.Create(t.Context(), path, 0o666, []byte(young)); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: error %v", path, err)
		}
	}
	var made sync.Map
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			text := fmt.Sprint(i)
			err := tree.Create(t.Context(), "new/file", 0o666, []byte(text))
			if err == nil {
				made.Store(text, true)
			} else if !errors.Is(err, fs.ErrExist) {
				t.Error(err)
			}
		})
	}
	group.Wait()
	n := 0
	made.Range(func(text, _ any) bool {
		n++
		return text == content(t, filepath.Join(dir, "new", "file"))
	})
	if n != 1 {
		t.Errorf("%d made the file", n)
	}
}

// TestTreeIsNotLeft checks that no path leaves the directory, neither lexically nor by links.
func TestTreeIsNotLeft(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "out")
	source := filepath.Join(dir, "a.yaml")
	create(t, source)
	from, err := os.Stat(source)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := files.OpenTree(t.Context(), root, false)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close() //nolint:errcheck // nothing was written
	for from, to := range map[string]string{
		"up": "..", "abs": dir,
		"file.yaml": filepath.Join(dir, "target.yaml"),
	} {
		t.Run(from, func(t *testing.T) {
			if err := os.Symlink(to, filepath.Join(root, from)); err != nil {
				t.Fatal(err)
			}
		})
	}
	for _, rel := range []string{
		"../b.yaml", "x/../../b.yaml", filepath.Join(dir, "b.yaml"),
		"up/b.yaml", "abs/b.yaml", "", ".",
	} {
		t.Run(rel, func(t *testing.T) {
			if err := tree.Write(t.Context(), rel, from, []byte(young)); err == nil {
				t.Errorf("%q is written", rel)
			}
		})
	}
	if err := tree.Write(t.Context(), "file.yaml", from, []byte(young)); err != nil ||
		content(t, filepath.Join(root, "file.yaml")) != young {
		t.Errorf("a link is in the way: %v", err)
	}
	if entries(t, dir) != "a.yaml out" {
		t.Errorf("there is %s", entries(t, dir))
	}
	here, err := files.OpenTree(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close() //nolint:errcheck // nothing was written
	if err := here.Write(t.Context(), "a.yaml", from, []byte(young)); !errors.Is(err,
		files.ErrSource) || content(t, source) != old {
		t.Errorf("got %v", err)
	}
}

//go:build unix

package sink_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/internal/sink"
)

const old, young = "old: text\n", "new: text, longer\n"

// original makes a file that was read.
func original(t *testing.T, path string) sink.Original {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	return reread(t, path)
}

func reread(t *testing.T, path string) sink.Original {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return sink.Original{Path: path, Link: true, Info: info, Data: data}
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// entries are the names in a directory.
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
	original(t, path)
	for _, mode := range []fs.FileMode{0o600, 0o664, 0o755 | fs.ModeSetgid} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		o := reread(t, path)
		for _, onDisk := range []bool{false, true} {
			s := sink.NewInPlace(onDisk)
			if err := s.Write(o, []byte("new: "), nil, []byte("text, longer\n")); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode() != mode {
				t.Errorf("mode is %v, want %v (%v)", info.Mode(), mode, err)
			}
			if content(t, path) != young || entries(t, dir) != "a.yaml" {
				t.Errorf("%q in %s", content(t, path), entries(t, dir))
			}
			o = reread(t, path)
		}
	}
}

func TestInPlaceKeepsTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of others")
	}
	path := filepath.Join(t.TempDir(), "a.yaml")
	original(t, path)
	if err := os.Chown(path, 12345, 54321); err != nil {
		t.Fatal(err)
	}
	if err := sink.NewInPlace(false).Write(reread(t, path), []byte(young)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if stat := info.Sys().(*syscall.Stat_t); stat.Uid != 12345 || stat.Gid != 54321 || content(t, path) != young {
		t.Errorf("it belongs to %d:%d", stat.Uid, stat.Gid)
	}
}

func TestInPlaceFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	original(t, filepath.Join(dir, "real/a.yaml"))
	for from, to := range map[string]string{"one.yaml": "two.yaml", "two.yaml": "real/a.yaml", "dir": "real"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"one.yaml", "dir/a.yaml"} {
		if err := os.WriteFile(filepath.Join(dir, "real/a.yaml"), []byte(old), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := sink.NewInPlace(false).Write(reread(t, filepath.Join(dir, name)), []byte(young)); err != nil {
			t.Fatal(err)
		}
		if content(t, filepath.Join(dir, "real/a.yaml")) != young || entries(t, dir) != "dir one.yaml real two.yaml" || entries(t, filepath.Join(dir, "real")) != "a.yaml" {
			t.Errorf("%s: %s", name, entries(t, dir))
		}
		if to, err := os.Readlink(filepath.Join(dir, "one.yaml")); err != nil || to != "two.yaml" {
			t.Errorf("the link leads to %s (%v)", to, err)
		}
	}
}

// What changes between reading and writing is an error, and stays as it is.
func TestInPlaceLosesNothing(t *testing.T) {
	aged := time.Now().Add(-time.Hour)
	for name, change := range map[string]func(path string) error{
		"longer":     func(p string) error { return os.WriteFile(p, []byte(old+old), 0o644) },
		"as long":    func(p string) error { return os.WriteFile(p, []byte("owl: text\n"), 0o644) },
		"replaced":   func(p string) error { return errors.Join(os.WriteFile(p+"2", []byte(old), 0o644), os.Rename(p+"2", p)) },
		"touched":    func(p string) error { return os.Chtimes(p, aged, aged.Add(time.Nanosecond)) },
		"mode":       func(p string) error { return os.Chmod(p, 0o600) },
		"removed":    os.Remove,
		"a link now": func(p string) error { return errors.Join(os.Rename(p, p+"2"), os.Symlink(p+"2", p)) },
		// as fast as the clock of the file system cannot tell
		"at once": func(p string) error {
			return errors.Join(os.WriteFile(p, []byte("owl: text\n"), 0o644), os.Chtimes(p, time.Time{}, time.Now().Add(time.Hour)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a.yaml")
			original(t, path)
			at := aged
			if name == "at once" {
				at = time.Now().Add(time.Hour).Truncate(time.Hour)
			}
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
			o := reread(t, path)
			o.Link = name != "a link now"
			if err := change(path); err != nil {
				t.Fatal(err)
			}
			if name == "at once" {
				if err := os.Chtimes(path, at, at); err != nil {
					t.Fatal(err)
				}
			}
			was, _ := os.ReadFile(path)
			err := sink.NewInPlace(false).Write(o, []byte(young))
			if !errors.Is(err, sink.ErrChanged) {
				t.Errorf("got %v", err)
			}
			if now, _ := os.ReadFile(path); string(now) != string(was) || strings.Contains(entries(t, dir), "tmp") {
				t.Errorf("%q became %q in %s", was, now, entries(t, dir))
			}
		})
	}
}

func TestInPlaceRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	o := original(t, path)
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    sink.Original
		want error
	}{
		{reread(t, path), sink.ErrReadOnly},
		{sink.Original{Path: path, Data: o.Data}, sink.ErrNotRegular},
		{sink.Original{Path: dir, Info: info}, sink.ErrNotRegular},
	} {
		if err := sink.NewInPlace(false).Write(c.o, []byte(young)); !errors.Is(err, c.want) {
			t.Errorf("got %v, want %v", err, c.want)
		}
	}
	if content(t, path) != old || entries(t, dir) != "a.yaml" {
		t.Errorf("%q in %s", content(t, path), entries(t, dir))
	}
}

func TestInPlaceWithoutSpace(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/full")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	original(t, path)
	// A limit of the size of files is the full disk that everybody can have.
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
	err := sink.NewInPlace(false).Write(reread(t, path), make([]byte, 2<<20))
	if !errors.Is(err, syscall.EFBIG) || strings.Contains(err.Error(), ".tmp") {
		t.Errorf("got %v", err)
	}
	if content(t, path) != old || entries(t, dir) != "a.yaml" {
		t.Errorf("%q in %s", content(t, path), entries(t, dir))
	}
}

func TestTree(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "made/out")
	o := original(t, filepath.Join(dir, "a.yaml"))
	if err := os.Chmod(o.Path, 0o600); err != nil {
		t.Fatal(err)
	}
	o = reread(t, o.Path)
	for _, onDisk := range []bool{false, true} {
		tree, err := sink.OpenTree(root, onDisk)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if err := tree.Write("x/y/a.yaml", o, []byte(young)); err != nil {
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
		if err != nil || info.Mode() != 0o600 || content(t, path) != young || entries(t, filepath.Dir(path)) != "a.yaml" {
			t.Errorf("%v %q in %s", info.Mode(), content(t, path), entries(t, filepath.Dir(path)))
		}
	}
	if content(t, o.Path) != old {
		t.Error("the source was written")
	}
}

// No path leaves the directory, neither by its words nor by links.
func TestTreeIsNotLeft(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "out")
	o := original(t, filepath.Join(dir, "a.yaml"))
	tree, err := sink.OpenTree(root, false)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close() //nolint:errcheck // nothing was written
	for from, to := range map[string]string{"up": "..", "abs": dir, "file.yaml": filepath.Join(dir, "target.yaml")} {
		if err := os.Symlink(to, filepath.Join(root, from)); err != nil {
			t.Fatal(err)
		}
	}
	for _, rel := range []string{"../b.yaml", "x/../../b.yaml", filepath.Join(dir, "b.yaml"), "up/b.yaml", "abs/b.yaml", "", "."} {
		if err := tree.Write(rel, o, []byte(young)); err == nil {
			t.Errorf("%q is written", rel)
		}
	}
	if err := tree.Write("file.yaml", o, []byte(young)); err != nil || content(t, filepath.Join(root, "file.yaml")) != young {
		t.Errorf("a link is in the way: %v", err)
	}
	if entries(t, dir) != "a.yaml out" {
		t.Errorf("there is %s", entries(t, dir))
	}
	here, err := sink.OpenTree(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close() //nolint:errcheck // nothing was written
	if err := here.Write("a.yaml", o, []byte(young)); !errors.Is(err, sink.ErrSource) || content(t, o.Path) != old {
		t.Errorf("got %v", err)
	}
}

// Only what a killed run left behind is swept.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	const left, linked, link, isDir, locked = ".fctl-0000000000000001.tmp", ".fctl-0000000000000002.tmp", ".fctl-0000000000000003.tmp", ".fctl-0000000000000004.tmp", ".fctl-0000000000000005.tmp"
	others := []string{"a.yaml", ".fctl-000000000000000.tmp", ".fctl-000000000000000g.tmp", ".fctl-0000000000000001.tmp~", "fctl-0000000000000001.tmp", ".fctl-0000000000000001"}
	for _, name := range append(others, left, linked, locked) {
		original(t, path(name))
	}
	if err := errors.Join(os.Link(path(linked), path("other-name")), os.Symlink("a.yaml", path(link)), os.Mkdir(path(isDir), 0o755)); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path(locked))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	before := strings.Fields(entries(t, dir))
	if n := sink.Sweep(sink.Leftovers(dir)); n != 1 {
		t.Errorf("%d are removed", n)
	}
	if after := strings.Fields(entries(t, dir)); len(after) != len(before)-1 || strings.Contains(strings.Join(after, " ")+" ", left+" ") {
		t.Errorf("left is %v", after)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if n := sink.Sweep([]string{path(locked), path("a.yaml"), path("nothing")}); n != 1 {
		t.Errorf("%d are removed", n)
	}
}

// Writers and sweepers do not get into each other's way.
func TestSweepWhileOthersWrite(t *testing.T) {
	dir := t.TempDir()
	stop := make(chan struct{})
	var sweepers, writers sync.WaitGroup
	for range 2 {
		sweepers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					sink.Sweep(sink.Leftovers(dir))
				}
			}
		})
	}
	for i := range 4 {
		path := filepath.Join(dir, string(rune('a'+i))+".yaml")
		original(t, path)
		writers.Go(func() {
			s := sink.NewInPlace(false)
			for n := range 200 {
				info, err := os.Stat(path)
				if err != nil {
					t.Error(err)
					return
				}
				data, err := os.ReadFile(path)
				if err == nil {
					err = s.Write(sink.Original{Path: path, Info: info, Data: data}, []byte(strings.Repeat("x", n%7+1)))
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	sweepers.Wait()
	if entries(t, dir) != "a.yaml b.yaml c.yaml d.yaml" {
		t.Errorf("left is %s", entries(t, dir))
	}
}

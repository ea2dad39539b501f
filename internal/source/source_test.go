package source_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/source"
)

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFileAndStandardInput(t *testing.T) {
	big := strings.Repeat("a: 1\n---\n", 100_000)
	path := file(t, "d.yaml", big)
	r := &source.Reader{In: strings.NewReader("from: stdin\n")}
	u, err := r.Unit(t.Context(), path, "U")
	if err != nil {
		t.Fatal(err)
	}
	if string(u.Data) != big || u.Name != "U" || u.File != path ||
		u.Toolchain != api.ToolchainKubernetesYAML {
		t.Errorf("got %d bytes of %s, %s", len(u.Data), u.File, u.Toolchain)
	}
	if u, err = r.Unit(t.Context(), "-", "U"); err != nil {
		t.Fatal(err)
	}
	if string(u.Data) != "from: stdin\n" || u.File != "<stdin>" {
		t.Errorf("got %q of %s", u.Data, u.File)
	}
}

func TestStandardInputThatIsAFile(t *testing.T) {
	path := file(t, "d.yaml", "skipped\nrest\n")
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	if _, err := f.Seek(8, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	data, err := (&source.Reader{In: f}).Bytes(t.Context(), "-")
	if err != nil || string(data) != "rest\n" {
		t.Errorf("got %q, %v", data, err)
	}
}

// TestLargeFiles checks that a large file is read completely, even if it becomes longer or shorter
// meanwhile.
func TestLargeFiles(t *testing.T) {
	var b strings.Builder
	for i := 0; b.Len() < 9<<20; i++ {
		fmt.Fprintf(&b, "k%d: %d\n", i, i)
	}
	text := b.String()
	for _, size := range []int{len(text), 5 << 20, 1 << 20, 0} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			path := file(t, "big.yaml", text)
			r := &source.Reader{Admit: func(int64) {
				if err := os.Truncate(path, int64(size)); err != nil {
					t.Error(err)
				}
			}}
			if got, err := r.Bytes(t.Context(), path); err != nil || string(got) != text[:size] {
				t.Errorf("%d of %d bytes are left: got %d, %v", size, len(text), len(got), err)
			}
		})
	}
	path := file(t, "grows.yaml", text)
	r := &source.Reader{Admit: func(int64) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close() //nolint:errcheck // written by then
		_, err = io.WriteString(f, text)
		if err != nil {
			t.Error(err)
		}
	}}
	if got, err := r.Bytes(t.Context(), path); err != nil || string(got) != text+text {
		t.Errorf("the file has %d bytes by now: got %d, %v", 2*len(text), len(got), err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	if _, err := f.Seek(int64(len(text)-100), io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got, err := (&source.Reader{In: f}).Bytes(t.Context(), "-"); err != nil ||
		string(got) != text[len(text)-100:]+text {
		t.Errorf("from the middle of a file: got %d bytes, %v", len(got), err)
	}
}

// TestStreams checks that a stream is read completely, whatever pieces it comes in.
func TestStreams(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 3<<20/16)
	for _, n := range []int{0, 1, 16<<10 - 1, 16 << 10, 16<<10 + 1, 48 << 10, 3 << 20} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			for name, reader := range map[string]func(io.Reader) io.Reader{
				"whole": func(r io.Reader) io.Reader {
					return r
				}, "halves": iotest.HalfReader, "end with data": iotest.DataErrReader,
			} {
				r := &source.Reader{In: reader(strings.NewReader(text[:n]))}
				if got, err := r.Bytes(t.Context(), "-"); err != nil || string(got) != text[:n] {
					t.Errorf("%s: got %d bytes, %v, want %d", name, len(got), err, n)
				}
			}
		})
	}
	broken := errors.New("broken")
	r := &source.Reader{In: io.MultiReader(strings.NewReader(text[:20<<10]),
		iotest.ErrReader(broken))}
	if _, err := r.Bytes(t.Context(), "-"); !errors.Is(err, broken) {
		t.Errorf("a reader that breaks: %v", err)
	}
}

func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ path, want string }{
		"missing":   {filepath.Join(dir, "no.yaml"), "no such file"},
		"directory": {dir, "a file is expected, not a directory"},
		"UTF-16":    {file(t, "u.yaml", "\xff\xfea\x00"), "this is UTF-16 text"},
		"binary":    {file(t, "b.yaml", "\x7fELF\x00\x01"), "this is a binary file"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := (&source.Reader{}).Unit(t.Context(), c.path, "U")
			f, ok := errors.AsType[*api.Failure](err)
			if !ok || f.Class != api.FailureInput || f.Message != c.want || f.Pos.File != c.path {
				t.Errorf("got %+v", err)
			}
		})
	}
	if _, err := (&source.Reader{}).Unit(t.Context(), filepath.Join(dir, "no.yaml"),
		"U"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cause is lost: %v", err)
	}
}

func TestWaitingCanBeInterrupted(t *testing.T) {
	in, writer := io.Pipe()
	defer writer.Close() //nolint:errcheck // never fails
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&source.Reader{In: in}).Unit(ctx, "-", "U"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestToolchainByName(t *testing.T) {
	for path, want := range map[string]api.ToolchainType{
		"a.yaml":         api.ToolchainKubernetesYAML,
		"a.YML":          api.ToolchainKubernetesYAML,
		"-":              api.ToolchainKubernetesYAML,
		"Makefile":       api.ToolchainKubernetesYAML,
		"a.properties":   api.ToolchainAppConfigProperties,
		".env":           api.ToolchainAppConfigEnv,
		"prod.env":       api.ToolchainAppConfigEnv,
		".env.local":     api.ToolchainAppConfigEnv,
		"a.jsonc":        api.ToolchainAppConfigJSON,
		"x.tfvars":       api.ToolchainOpenTofuHCL,
		"a.ini":          api.ToolchainAppConfigINI,
		".git/config":    api.ToolchainAppConfigINI,
		"dir/config":     api.ToolchainKubernetesYAML,
		"dir.x/a.toml":   api.ToolchainAppConfigTOML,
		"main.tf":        api.ToolchainOpenTofuHCL,
		"a.hcl":          api.ToolchainOpenTofuHCL,
		"a.txt":          api.ToolchainAppConfigText,
		"dir.json/a.yml": api.ToolchainKubernetesYAML,
	} {
		t.Run(path, func(t *testing.T) {
			if got, sure := source.Formats(nil).ByName(path); got != want || !sure {
				t.Errorf("%s: got %s (%v), want %s", path, got, sure, want)
			}
		})
	}
	if _, sure := source.Formats(nil).ByName("a.json"); sure {
		t.Error("JSON is known without a look")
	}
}

func TestToolchainOfJSON(t *testing.T) {
	for text, want := range map[string]api.ToolchainType{
		`{"apiVersion": "v1", "kind": "Pod", "broken`:               api.ToolchainKubernetesYAML,
		`{"metadata": {"a": [1]}, "kind":"P", "apiVersion":"v1"}`:   api.ToolchainKubernetesYAML,
		`{"apiVersion": "v1"}`:                                      api.ToolchainAppConfigJSON,
		`{"apiVersion": "v1", "kind": ""}`:                          api.ToolchainAppConfigJSON,
		`[1, 2]`:                                                    api.ToolchainAppConfigJSON,
		`{"broken": "kind", "apiVersion" `:                          api.ToolchainKubernetesYAML,
		`// "apiVersion", kind`:                                     api.ToolchainKubernetesYAML,
		`{"apiVersion": "v1", "kind": "}\"{"} {"apiVersion": "v1"}`: api.ToolchainAppConfigJSON,
		"{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}\n---\n{}\n":    api.ToolchainKubernetesYAML,
		`{"broken": `:                                               api.ToolchainAppConfigJSON,
		``:                                                          api.ToolchainAppConfigJSON,
	} {
		t.Run(text, func(t *testing.T) {
			u, err := (&source.Reader{}).Unit(t.Context(), file(t, "a.json", text), "U")
			if err != nil || u.Toolchain != want {
				t.Errorf("%s: got %v, %v, want %s", text, u, err, want)
			}
		})
	}
}

func TestGivenToolchainWins(t *testing.T) {
	r := &source.Reader{Toolchain: api.ToolchainAppConfigYAML}
	u, err := r.Unit(t.Context(), file(t, "a.toml", "x"), "U")
	if err != nil || u.Toolchain != api.ToolchainAppConfigYAML {
		t.Errorf("got %v, %v", u, err)
	}
}

// TestHold checks that a file is read as it is once it is locked, and that it is locked only after
// it was admitted: the holder of a lock must not wait for others.
func TestHold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	write := func(text string) {
		if err := errors.Join(os.WriteFile(path+"2", []byte(text), 0o600),
			os.Rename(path+"2", path)); err != nil {
			t.Fatal(err)
		}
	}
	write("before")
	var calls []string
	r := &source.Reader{RegularOnly: true, Admit: func(int64) { calls = append(calls, "admit") }}
	r.Hold = func(uintptr) (bool, error) {
		calls = append(calls, "hold")
		switch len(calls) {
		case 2:
			write("replaced")
			return false, nil
		case 3:
			return true, os.WriteFile(path, []byte("written meanwhile"), 0o600)
		}
		return false, errors.New("no more")
	}
	u, err := r.Unit(t.Context(), path, "A")
	if err != nil || string(u.Data) != "written meanwhile" || u.Info.Size() != int64(len(u.Data)) {
		t.Errorf("%v, %v", u, err)
	}
	if got := strings.Join(calls, " "); got != "admit hold hold" {
		t.Errorf("called: %s", got)
	}
	if _, err := r.Unit(t.Context(), path, "A"); err == nil ||
		!strings.Contains(err.Error(), "no more") {
		t.Errorf("got %v", err)
	}
}

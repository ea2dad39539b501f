package limit

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// A watch asks an evaluation to end; one that goes on ends the run, with what it was about.
func TestWatch(t *testing.T) {
	ended := make(chan error, 1)
	account := New(func(err error) { ended <- err })
	account.Set(0, time.Millisecond)
	ctx := Named(With(t.Context(), account), func(err error) error {
		return errors.Join(errors.New("outer"), err)
	})
	ctx = Named(ctx, func(err error) error { return errors.Join(errors.New("inner"), err) })
	asked := make(chan error, 1)
	watch := Start(ctx, func(err error) { asked <- err })
	defer watch.End()
	if _, ok := errors.AsType[*Error](<-asked); !ok || watch.Err() == nil {
		t.Errorf("it was asked to end with %v", watch.Err())
	}
	err := <-ended
	if want := "outer\ninner\nit ran longer than 1ms"; err.Error() != want {
		t.Errorf("the run ended with %q, want %q", err, want)
	}
}

func TestWatchOfMemory(t *testing.T) {
	account := New(nil)
	account.Set(16<<20, 0)
	asked := make(chan struct{})
	watch := Start(With(t.Context(), account), func(error) { close(asked) })
	defer watch.End()
	kept := make([]byte, 32<<20)
	<-asked
	if want := "it needs more memory than 16MiB"; watch.Err().Error() != want {
		t.Errorf("got %q, want %q", watch.Err(), want)
	}
	runtime.KeepAlive(kept)
}

// Timed ends the run of what takes too long, however much memory that takes.
func TestTimed(t *testing.T) {
	ended := make(chan error, 1)
	account := New(func(err error) { ended <- err })
	account.Set(1, 5*time.Millisecond)
	ctx := Named(With(t.Context(), account), func(err error) error {
		return errors.Join(errors.New("name"), err)
	})
	err := Timed(ctx, func(context.Context) {
		if err := <-ended; err.Error() != "name\nit ran longer than 5ms" {
			t.Errorf("the run ended with %q", err)
		}
	})
	if _, ok := errors.AsType[*Error](err); !ok {
		t.Errorf("it returned %v", err)
	}
	if err := Timed(ctx, func(context.Context) {}); err != nil {
		t.Error(err)
	}
	if len(account.running) > 0 || account.watched != 0 {
		t.Errorf("%d watches are left", len(account.running))
	}
}

// All evaluations of one function have one deadline.
func TestDeadline(t *testing.T) {
	account := New(func(err error) { t.Errorf("the run ended: %v", err) })
	account.Set(0, 50*time.Millisecond)
	ended := 0
	err := Timed(With(t.Context(), account), func(ctx context.Context) {
		for range 1000 {
			w := Start(ctx, nil)
			for range 5 {
				if time.Sleep(time.Millisecond); w.Err() != nil {
					ended++
					break
				}
			}
			w.End()
			if err := Timed(ctx, func(context.Context) {}); ended > 0 && err == nil {
				t.Error("a function that began after the deadline has no error")
			}
			if ended > 3 {
				return
			}
		}
	})
	if ended == 0 || err == nil || err.Error() != "it ran longer than 50ms" {
		t.Errorf("%d evaluations were ended, and the function with %v", ended, err)
	}
}

// A context that is done ends the evaluation and not the run, which ends by itself.
func TestWatchOfContext(t *testing.T) {
	account := New(func(err error) { t.Errorf("the run ended: %v", err) })
	ctx, cancel := context.WithCancel(With(t.Context(), account))
	asked := make(chan struct{})
	watch := Start(ctx, func(error) { close(asked) })
	cancel()
	<-asked
	watch.End()
	if !errors.Is(watch.Err(), context.Canceled) {
		t.Errorf("got %v", watch.Err())
	}
}

func TestMachine(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("v2/a/memory.max", "5000\n")
	write("v2/a/b/memory.max", "max\n")
	write("v1/memory/memory.limit_in_bytes", "9223372036854771712\n")
	write("v1/memory/c/memory.limit_in_bytes", "7000\n")
	for name, c := range map[string]struct{ got, want int64 }{
		"the machine": {machineMemory(write("meminfo", "X: 1\nMemTotal:  12 kB\n")), 12 << 10},
		"no machine":  {machineMemory(filepath.Join(dir, "none")), math.MaxInt64},
		"version 2": {
			containerMemory(write("cgroup2", "0::/a/b\n"), filepath.Join(dir, "v2")), 5000,
		},
		"version 1": {
			containerMemory(write("cgroup1", "9:cpu:/x\n4:memory:/c\n"),
				filepath.Join(dir, "v1")), 7000,
		},
		"version 1, no limit": {
			containerMemory(write("cgroup0", "4:memory:/\n"), filepath.Join(dir, "v1")),
			9223372036854771712,
		},
		"no groups": {containerMemory(filepath.Join(dir, "none"), dir), math.MaxInt64},
	} {
		t.Run(name, func(t *testing.T) {
			if c.got != c.want {
				t.Errorf("got %d, want %d", c.got, c.want)
			}
		})
	}
	if m := New(nil).Memory(); m <= 0 || m > mostMemory {
		t.Errorf("the default is %d", m)
	}
}

func TestSize(t *testing.T) {
	for size, want := range map[int64]string{
		100: "100 bytes", 1536: "1.5KiB", 16 << 20: "16MiB", 8 << 30: "8GiB",
	} {
		t.Run(want, func(t *testing.T) {
			if got := Size(size); got != want {
				t.Errorf("got %q", got)
			}
		})
	}
}

func BenchmarkWatch(b *testing.B) {
	ctx := With(b.Context(), New(nil))
	for b.Loop() {
		Start(ctx, nil).End()
	}
}

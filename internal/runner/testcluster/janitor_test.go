//go:build cluster

package testcluster

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// janitorOf is the variable that makes this program a janitor, which waits until the tests end and
// then removes what they left in a directory.
const janitorOf = "FCTL_TEST_JANITOR"

// ended is what the tests say to the janitor when they have cleaned up themselves.
const ended = "ended"

func TestMain(m *testing.M) {
	dir := os.Getenv(janitorOf)
	if dir == "" {
		os.Exit(m.Run())
	}
	said, _ := io.ReadAll(os.Stdin) // until the tests are gone
	if string(said) != ended {
		(&Cluster{dir: dir}).sweep()
	}
}

// startJanitor starts a process that ends what the cluster has started when this one is killed. The
// function that it returns sends it away.
func startJanitor(dir string) (dismiss func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), janitorOf+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no signal of the terminal reaches it
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() {
		_, _ = io.WriteString(pipe, ended)
		_ = pipe.Close()
		_ = cmd.Wait()
	}, nil
}

// sweep kills the processes of the cluster, with those that they have started, removes its mounts
// and its bridge, and then its directory.
func (c *Cluster) sweep() {
	for range 20 { // what is killed may have started others meanwhile
		pids := c.processIDs()
		if len(pids) == 0 {
			break
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(100 * time.Millisecond)
	}
	_ = c.unmount()
	_ = exec.Command("ip", "link", "del", bridge).Run()
	_ = os.RemoveAll(c.dir)
}

// processIDs returns the processes whose command line has a path in the directory of the cluster,
// and those below them: the processes of containers.
func (c *Cluster) processIDs() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	is, children := []int{}, map[int][]int{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline")) // it may have ended
		if strings.Contains(string(line), c.dir+"/") {
			is = append(is, pid)
		}
		status, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		// The name of the program, which may have blanks, is in parentheses.
		if _, rest, ok := bytes.Cut(status, []byte(") ")); ok {
			if words := strings.Fields(string(rest)); len(words) > 1 && words[0] != "Z" {
				parent, _ := strconv.Atoi(words[1])
				children[parent] = append(children[parent], pid)
			}
		}
	}
	all := map[int]bool{}
	for len(is) > 0 {
		pid := is[0]
		if is = is[1:]; !all[pid] {
			all[pid] = true
			is = append(is, children[pid]...)
		}
	}
	pids := make([]int, 0, len(all))
	for pid := range all {
		pids = append(pids, pid)
	}
	return pids
}

// TestJanitor kills a run of tests that has started a program with a child, and checks that both
// and the directory go.
func TestJanitor(t *testing.T) {
	const victim = "FCTL_TEST_VICTIM"
	if dir := os.Getenv(victim); dir != "" {
		if _, err := startJanitor(dir); err != nil {
			t.Fatal(err)
		}
		t.Fatal(exec.Command("/bin/sh", filepath.Join(dir, "run.sh")).Run())
	}
	dir := filepath.Join(t.TempDir(), "cluster")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	script := "sleep 987654 &\ntouch " + filepath.Join(dir, "runs") + "\nwait\n"
	if err := os.WriteFile(filepath.Join(dir, "run.sh"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestJanitor$")
	cmd.Env = append(os.Environ(), victim+"="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	within := func(what string, holds func() bool) {
		t.Helper()
		for range 100 {
			if holds() {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Errorf("not within 10 s: %s", what)
	}
	c := &Cluster{dir: dir}
	within("the program runs", func() bool {
		_, err := os.Stat(filepath.Join(dir, "runs"))
		return err == nil
	})
	if n := len(c.processIDs()); n < 2 {
		t.Errorf("%d processes run", n)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	within("the directory is gone", func() bool {
		_, err := os.Stat(dir)
		return os.IsNotExist(err)
	})
	within("the processes are gone", func() bool { return len(c.processIDs()) == 0 })
}

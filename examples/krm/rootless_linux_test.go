package krm_test

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/fctl-dev/fctl/examples/internal/exampletest"
)

// rootless is a user who runs podman without being root, in directories of its own.
type rootless struct {
	dir        string
	env        []string
	credential *syscall.Credential // nil for the user of the test
}

// newRootless returns the user of the test, or if that is root the first user who has ranges of
// user ids. The test is skipped without one.
func newRootless(t *testing.T) *rootless {
	t.Helper()
	for _, program := range []string{"podman", "newuidmap"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("not run: %v", err)
		}
	}
	r := &rootless{}
	if os.Getuid() == 0 {
		if r.credential = subordinate(t); r.credential == nil {
			t.Skip("not run: no user has user ids in /etc/subuid; " +
				"useradd --create-home NAME makes one")
		}
	}
	var err error
	// Another user cannot enter what t.TempDir makes.
	if r.dir, err = os.MkdirTemp("", "rootless"); err != nil { //nolint:usetesting // see above
		t.Fatal(err)
	}
	run := filepath.Join(r.dir, "run")
	if err := os.Mkdir(run, 0o700); err != nil {
		t.Fatal(err)
	}
	r.env = append(os.Environ(), "HOME="+r.dir, "XDG_RUNTIME_DIR="+run,
		"XDG_CONFIG_HOME="+filepath.Join(r.dir, "config"),
		"XDG_DATA_HOME="+filepath.Join(r.dir, "data"))
	if _, err := exec.LookPath("runc"); err == nil {
		write(t, r.dir, map[string]string{"containers.conf": "[containers]\n" +
			"default_ulimits = [\"nofile=1024:1024\", \"nproc=1024:1024\"]\n" +
			"[engine]\nruntime = \"runc\"\n"})
		r.env = append(r.env, "CONTAINERS_CONF="+filepath.Join(r.dir, "containers.conf"))
	}
	t.Cleanup(func() {
		r.run(t, "podman", "system", "reset", "--force")
		_ = os.RemoveAll(r.dir)
	})
	return r
}

// subordinate returns the first user other than root who has ranges of user ids, nil for none.
func subordinate(t *testing.T) *syscall.Credential {
	t.Helper()
	text, err := os.ReadFile("/etc/subuid")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, ":")
		u, err := user.Lookup(name)
		if err != nil || u.Uid == "0" {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		gid, problem := strconv.ParseUint(u.Gid, 10, 32)
		if err == nil && problem == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	return nil
}

// own makes the user the owner of a directory and of all files there.
func (r *rootless) own(t *testing.T, dir string) {
	t.Helper()
	if r.credential == nil {
		return
	}
	err := filepath.Walk(dir, func(path string, _ os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(r.credential.Uid), int(r.credential.Gid))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a program as the user.
func (r *rootless) run(t *testing.T, program string, words ...string) (stdout, stderr string,
	status int,
) {
	t.Helper()
	cmd := exec.Command(program, words...)
	cmd.Dir, cmd.Env = r.dir, r.env
	if r.credential != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: r.credential}
	}
	return exampletest.Run(t, cmd)
}

// E1, E2: podman runs a function without root, as nobody and as the user.
func TestPodmanRootless(t *testing.T) {
	r := newRootless(t)
	write(t, r.dir, map[string]string{
		"fctl":       exampletest.Read(t, fctl(t)),
		"Dockerfile": "FROM scratch\nCOPY fctl /fctl\nENTRYPOINT [\"/fctl\", \"krm\"]\n",
	})
	r.own(t, r.dir)
	stdout, stderr, _ := r.run(t, "podman", "info", "--format", "{{.Host.Security.Rootless}}")
	if strings.TrimSpace(stdout) != "true" {
		t.Skipf("not run: podman is not rootless here: %s%s", stdout, stderr)
	}
	const image = "localhost/fctl-test/rootless:v1"
	if _, stderr, status := r.run(t, "podman", "build", "-q", "-t", image, "."); status != 0 {
		t.Skipf("not run: podman does not build images here: %s", stderr)
	}
	if _, stderr, status := r.run(t, "podman", "run", "--rm", "--network", "none",
		"--entrypoint", "/fctl", image, "version"); status != 0 {
		t.Skipf("not run: podman does not run containers here: %s", stderr)
	}
	const text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n" +
		"spec: {replicas: 1} # mine\n"
	for _, c := range []struct {
		name  string
		flags []string
	}{
		{"as nobody", nil}, {"as the user", []string{"--as-current-user"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			apps := filepath.Join(r.dir, "apps")
			if err := os.MkdirAll(apps, 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, apps, map[string]string{"web.yaml": text})
			r.own(t, apps)
			words := append([]string{
				"fn", "eval", "apps", "--engine", "podman", "--image", image,
			}, c.flags...)
			words = append(words, "--", "function=set-replicas", "replicas=5")
			_, stderr, status := r.run(t, filepath.Join(r.dir, "fctl"), words...)
			want := strings.Replace(text, "replicas: 1", "replicas: 5", 1)
			if have := exampletest.Read(t, filepath.Join(apps, "web.yaml")); status != 0 ||
				have != want {
				t.Errorf("status %d: %s\n%s", status, stderr, have)
			}
		})
	}
}

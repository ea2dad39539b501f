package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestE1ContainerWords(t *testing.T) {
	none := Limits{Time: -1, Output: -1, Memory: -1, CPUs: -1, PIDs: -1}.withDefaults()
	const attach = "-a STDIN -a STDOUT -a STDERR "
	const safe = "--security-opt=no-new-privileges --cap-drop ALL --read-only " +
		"--tmpfs /tmp:rw,nosuid,nodev,mode=1777 "
	const env = "-e LOG_TO_STDERR=true -e STRUCTURED_RESULTS=true "
	for _, c := range []struct {
		name, engine string
		call         Call
		uid          int
		want         string
	}{
		{
			"default", "docker",
			Call{Limits: none},
			1000,
			"run --rm -i --name N " + attach + "--pull never --network none --user 65534:65534 " +
				safe + env + "IMG",
		},
		{
			"nerdctl attaches by itself", "nerdctl",
			Call{Limits: none},
			1000,
			"run --rm -i --name N --pull never --network none --user 65534:65534 " + safe + env +
				"IMG",
		},
		{
			"network wanted and allowed", "docker",
			Call{Limits: none, NetworkWanted: true, NetworkAllowed: true},
			1000,
			"run --rm -i --name N " + attach + "--pull never --network host --user 65534:65534 " +
				safe + env + "IMG",
		},
		{
			"network allowed but not wanted", "docker",
			Call{Limits: none, NetworkAllowed: true},
			1000,
			"run --rm -i --name N " + attach + "--pull never --network none --user 65534:65534 " +
				safe + env + "IMG",
		},
		{
			"E2 current user", "docker",
			Call{Limits: none, AsCurrentUser: true},
			1000,
			"run --rm -i --name N " + attach + "--pull never --network none --user 1000:100 " +
				safe + env + "IMG",
		},
		{
			"E2 current user of rootless podman", "podman",
			Call{Limits: none, AsCurrentUser: true},
			1000,
			"run --rm -i --name N " + attach +
				"--userns keep-id --pull never --network none --user 1000:100 " + safe + env +
				"IMG",
		},
		{"E3 mounts", "docker", Call{Limits: none, Local: "/usr", Mounts: []Mount{
			{Type: "bind", Source: "/a b", Target: "/x"},
			{Type: "volume", Source: "v", Target: "/y", ReadWrite: true},
			{Type: "tmpfs", Target: "/z"},
		}}, 1000, "run --rm -i --name N " + attach +
			"--pull never --network none --user 65534:65534 " + safe +
			"--mount type=bind,source=/a b,target=/x,readonly --mount " +
			"type=volume,source=v,target=/y --mount type=tmpfs,target=/z --mount " +
			"type=bind,source=/usr,target=/local,readonly " + env + "IMG"},
		{
			"E4 environment", "docker",
			Call{Limits: none, Env: []string{"Z=1=2", "HOST", "LOG_TO_STDERR=false"}},
			1000,
			"run --rm -i --name N " + attach + "--pull never --network none --user 65534:65534 " +
				safe +
				"-e HOST -e LOG_TO_STDERR=false -e STRUCTURED_RESULTS=true -e Z=1=2 IMG",
		},
		{
			"limits", "docker",
			Call{Limits: Limits{}.withDefaults(), Args: []string{"arg"}},
			1000,
			"run --rm -i --name N " + attach + "--pull never --network none --user 65534:65534 " +
				safe +
				"--memory 2147483648 --cpus 2 --pids-limit 256 " + env + "IMG arg",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			container := &Container{Engine: Engine{Name: c.engine}, Image: "IMG"}
			words, err := container.words(&c.call, "N", c.uid, 100)
			if got := strings.Join(words, " "); err != nil || got != c.want {
				t.Errorf("%v\n got %s\nwant %s", err, got, c.want)
			}
		})
	}
	for name, call := range map[string]Call{
		"a variable without a name": {Env: []string{"=x"}},
		"a relative bind source":    {Mounts: []Mount{{Type: "bind", Source: "a", Target: "/a"}}},
		"a comma in a path": {Mounts: []Mount{{
			Type: "bind", Source: "/a,b",
			Target: "/a",
		}}},
		"a relative target": {Mounts: []Mount{{Type: "bind", Source: "/a", Target: "a"}}},
		"an unknown type":   {Mounts: []Mount{{Type: "npipe", Source: "/a", Target: "/a"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := (&Container{Image: "IMG"}).words(&call, "N", 0, 0); err == nil {
				t.Errorf("%s is accepted", name)
			}
		})
	}
	git := filepath.Join(t.TempDir(), ".git", "hooks")
	if err := os.MkdirAll(git, 0o755); err != nil {
		t.Fatal(err)
	}
	if words, err := (&Container{Image: "IMG"}).words(&Call{Local: git}, "N", 0, 0); err == nil {
		t.Errorf("the directory of a functionConfig in .git is mounted: %s", words)
	}
	bind := Mount{Type: "bind", Source: git, Target: "/x"}
	if m, err := bind.Resolve("/", "/", true); err == nil {
		t.Errorf("--mount mounts a directory in .git: %v", m)
	}
	bind = Mount{Type: "bind", Source: filepath.Dir(filepath.Dir(git)), Target: "/x", ReadWrite: true}
	if m, err := bind.Resolve("/", "/", true); err == nil {
		t.Errorf("--mount with rw mounts a directory that has .git: %v", m)
	}
	if _, err := (&Container{Image: "--privileged"}).words(&Call{}, "N", 0, 0); err == nil {
		t.Error("an image name that is a flag is accepted")
	}
}

func TestE3ParseMount(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"type=bind,src=sub,dst=/x,rw=true": fmt.Sprint(Mount{"bind", root + "/sub", "/x", true}),
		"source=sub,target=/x":             fmt.Sprint(Mount{"bind", root + "/sub", "/x", false}),
		"type=tmpfs,target=/t":             fmt.Sprint(Mount{"tmpfs", "", "/t", false}),
		"type=volume,src=v,dst=/x":         fmt.Sprint(Mount{"volume", "v", "/x", false}),
		"type=volume,src=/etc,dst=/x":      "",
		"type=volume,src=../.git,dst=/x":   "",
		"type=bind,src=..,dst=/x":          "",
		"type=bind,src=/etc,dst=/x":        "",
		"type=bind,what=x,dst=/x":          "",
		"type=bind,dst=/x":                 "",
	} {
		t.Run(text, func(t *testing.T) {
			m, err := ParseMount(text)
			if err == nil {
				m, err = m.Resolve(root, root, false)
			}
			if (err == nil) != (want != "") || err == nil && fmt.Sprint(m) != want {
				t.Errorf("%s: %v, %v, want %s", text, m, err, want)
			}
		})
	}
	if _, err := (Mount{Type: "bind", Source: "/etc", Target: "/x"}).Resolve(root, root,
		true); err != nil {
		t.Errorf("outside of the root, allowed: %v", err)
	}
}

// fakeEngine puts a shell script on PATH as an engine, and returns the file to which it writes its
// arguments, a line for each call.
func fakeEngine(t *testing.T, name, body string) (Engine, string) {
	t.Helper()
	needUnix(t)
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	text := "#!/bin/sh\necho \"$@\" >> " + log + "\n" + body + "\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	return Engine{name, filepath.Join(dir, name)}, log
}

func calls(t *testing.T, log string) string {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for line := range strings.Lines(string(text)) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func TestFindEngine(t *testing.T) {
	fakeEngine(t, "docker", `echo "cannot connect to the daemon" >&2; exit 1`)
	docker := os.Getenv("PATH")
	podman, _ := fakeEngine(t, "podman", "")
	t.Setenv("PATH", filepath.Dir(podman.Path)+":"+strings.TrimSuffix(docker, ":/usr/bin:/bin")+
		":/bin")
	e, err := FindEngine(t.Context(), "")
	if err != nil || e.Name != "podman" {
		t.Errorf("the first engine that answers is %v, %v", e, err)
	}
	_, err = FindEngine(t.Context(), "docker")
	if !notStarted(NoEngine)(err) || !strings.Contains(err.Error(), "cannot connect to the daemon") {
		t.Errorf("error is %v", err)
	}
	if _, err = FindEngine(t.Context(), "rkt"); err == nil {
		t.Error("an unknown engine is accepted")
	}
	t.Setenv("PATH", t.TempDir())
	_, err = FindEngine(t.Context(), "")
	want := "no container engine answers: docker is not on PATH; podman is not on PATH; " +
		"nerdctl is not on PATH"
	if err == nil || err.Error() != want {
		t.Errorf("error is %v", err)
	}
}

func TestE5PullAndRunFailuresDiffer(t *testing.T) {
	const present = `case $1 in image) exit 0;; esac
`
	const absent = `case $1 in image) exit 1;; esac
`
	for _, c := range []struct {
		name, script string
		policy       PullPolicy
		calls        string
		is           func(error) bool
	}{
		{"present", present + "cat", PullIfNotPresent, "image run image run", noError},
		{
			"absent", absent + `test "$1" = pull || cat`, PullIfNotPresent,
			"image pull run image pull run", noError,
		},
		{"always", absent + `test "$1" = pull || cat`, PullAlways, "pull run pull run", noError},
		{"never", absent, PullNever, "image image", notStarted(NotPulled)},
		{
			"pull fails", absent + `echo "no route" >&2; exit 1`, PullIfNotPresent,
			"image pull image pull",
			func(err error) bool {
				return notStarted(NotPulled)(err) && err.Error() ==
					"image IMG is not present and could not be pulled: no route"
			},
		},
		{
			"function fails", present + "exit 1", PullIfNotPresent, "image run image run",
			is[*ExitError],
		},
		{
			"function fails in the engine's words", present + `echo "Error: mine" >&2; exit 1`,
			PullIfNotPresent, "image run image run", is[*ExitError],
		},
		{
			"function ends with 125", present + "echo my own words >&2; exit 125", PullIfNotPresent,
			"image run image run", is[*ExitError],
		},
		{
			"engine fails", present +
				`echo "docker: Error response from daemon: bad" >&2; exit 125`,
			PullIfNotPresent, "image run image run", notStarted(EngineFailed),
		},
		{
			"engine warns and fails", present + `echo "limits are ignored" >&2
echo "Error: no such network" >&2; exit 125`,
			PullIfNotPresent, "image run image run", notStarted(EngineFailed),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, log := fakeEngine(t, "docker", c.script)
			container := &Container{Engine: e, Image: "IMG", Pull: c.policy}
			for range 2 {
				out, err := container.Run(t.Context(), Call{Stdin: []byte("in")})
				if !c.is(err) {
					t.Errorf("error is %T: %v", err, err)
				}
				if err == nil && string(out.Stdout) != "in" {
					t.Errorf("stdout is %q", out.Stdout)
				}
			}
			if got := calls(t, log); got != c.calls {
				t.Errorf("the engine was called with %q, want %q", got, c.calls)
			}
		})
	}
	e, log := fakeEngine(t, "docker", present+"cat")
	container := &Container{Engine: e, Image: "IMG", Prepared: &Images{}}
	for range 2 {
		if _, err := container.Run(t.Context(), Call{}); err != nil {
			t.Error(err)
		}
	}
	if got := calls(t, log); got != "image run run" {
		t.Errorf("images that are remembered are looked for again: %s", got)
	}
}

func noError(err error) bool { return err == nil }

// E5: an engine that fails, and a function that ends with a status that engines use, are
// distinguished, and the hint says which of them it was.
func TestEngineOrFunction(t *testing.T) {
	cannotStart := func(engine string) string {
		return "the function did not run: " + engine + " failed, or the program that the image " +
			"names is missing, is not executable, or is for another kind of machine; check with: " +
			engine + " run --rm IMG"
	}
	for _, c := range []struct {
		name, engine, stderr string
		code                 int
		engineFailed         bool
		hint                 string
	}{
		{
			"docker fails", "docker", "docker: Error response from daemon: bad", 125, true,
			"the function did not run: docker failed; check with: docker run --rm IMG",
		},
		{
			"not executable", "podman", "Error: runc: permission denied", 126, true,
			cannotStart("podman"),
		},
		{
			"no such program", "docker", "docker: executable not found", 127, true,
			cannotStart("docker"),
		},
		{
			"nerdctl fails", "nerdctl", `time="T" level=fatal msg="bad"`, 1, true,
			"the function did not run: nerdctl failed; check with: nerdctl run --rm IMG",
		},
		{"a function fails", "nerdctl", "bad", 1, false, ""},
		{
			"a function ends with 125", "docker", "my own words", 125, false,
			"the function ended with status 125, not docker",
		},
		{
			"a shell does not find a command", "podman", "sh: jq: not found", 127, false,
			"the function ended with status 127, not podman; " +
				"in a shell that is a command that does not exist",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, _ := fakeEngine(t, c.engine, fmt.Sprintf(
				"test $1 = image || { echo '%s' >&2; exit %d; }", c.stderr, c.code))
			_, err := (&Container{Engine: e, Image: "IMG"}).Run(t.Context(), Call{})
			if notStarted(EngineFailed)(err) != c.engineFailed || is[*ExitError](err) == c.engineFailed {
				t.Errorf("error is %T: %v", err, err)
			}
			if hint, ok := err.(interface{ Hint() string }); !ok || hint.Hint() != c.hint {
				t.Errorf("hint of %v, want %q", err, c.hint)
			}
		})
	}
}

func TestE1NetworkMustBeAllowed(t *testing.T) {
	e, log := fakeEngine(t, "docker", "")
	_, err := (&Container{Engine: e, Image: "IMG"}).Run(t.Context(), Call{NetworkWanted: true})
	want := "function IMG: network required but not enabled with --network"
	if err == nil || err.Error() != want {
		t.Errorf("error is %v", err)
	}
	if _, err := os.Stat(log); err == nil {
		t.Error("the engine was started")
	}
}

func TestE7ContainerIsRemovedOnTimeout(t *testing.T) {
	e, log := fakeEngine(t, "docker", "case $1 in run) sleep 60;; esac")
	_, err := (&Container{Engine: e, Image: "IMG"}).Run(t.Context(),
		Call{Limits: Limits{Time: 300 * time.Millisecond}})
	if !is[*TimeoutError](err) || !strings.Contains(err.Error(), "IMG") {
		t.Errorf("error is %v", err)
	}
	if got := calls(t, log); got != "image run rm" {
		t.Errorf("the engine was called with %q", got)
	}
}

func TestE6Images(t *testing.T) {
	digest := "sha256:" + strings.Repeat("0a", 32)
	const prefix = "ghcr.io/kptdev/krm-functions-catalog"
	for name, want := range map[string]*Image{
		"set-labels":                {"", "set-labels", "", ""},
		"set-labels:v0.2":           {"", "set-labels", "v0.2", ""},
		"localhost:5000/set-labels": {"localhost:5000", "set-labels", "", ""},
		"my.io:5000/a/b/set-labels:v1.0@" + digest: {
			"my.io:5000/a/b", "set-labels", "v1.0",
			digest,
		},
		prefix + "/set-labels@" + digest: {prefix, "set-labels", "", digest},
		"a/b:c/d":                        nil,
		"x:":                             nil,
		":v1":                            nil,
		"/x":                             nil,
		"x//y":                           nil,
		"Up/x":                           nil,
		"x@sha256:12":                    nil,
		"":                               nil,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseImage(name)
			if (err == nil) != (want != nil) || want != nil && got != *want {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		})
	}
	for name, want := range map[string]string{
		"set-labels:v0.2": "x.io/p/set-labels:v0.2", "a/set-labels": "a/set-labels",
	} {
		t.Run(name, func(t *testing.T) {
			if got := FullImage(name, "x.io/p/"); got != want {
				t.Errorf("FullImage(%q) = %q, want %q", name, got, want)
			}
		})
	}
	if got := FullImage("set-labels", ""); got != prefix+"/set-labels" {
		t.Errorf("default prefix: %q", got)
	}
}

// TestRealContainer builds an image FROM scratch and runs it with the engine of this machine.
func TestRealContainer(t *testing.T) {
	e, err := FindEngine(t.Context(), os.Getenv("FCTL_ENGINE"))
	if err != nil {
		t.Skipf("not run: %v", err)
	}
	if e.Name == "podman" {
		settings := filepath.Join(t.TempDir(), "containers.conf")
		if err := os.WriteFile(settings, []byte(podmanSettings), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := exec.LookPath("runc"); err == nil {
			t.Setenv("CONTAINERS_CONF", settings)
		}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.go":    containerFunction,
		"go.mod":     "module function\n\ngo 1.26\n",
		"Dockerfile": "FROM scratch\nCOPY function /function\nENTRYPOINT [\"/function\"]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-o", "function", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-trimpath")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	image := "localhost/fctl-test/function:v1"
	if _, err := e.ask(t.Context(), time.Minute, "build", "-q", "-t", image, dir); err != nil {
		t.Skipf("not run: %s does not build images here: %v", e.Name, err)
	}
	defer func() { _, _ = e.ask(t.Context(), time.Minute, "rmi", "-f", image) }()
	c := &Container{Engine: e, Image: image, Pull: PullNever}
	local := t.TempDir()
	if err := os.WriteFile(filepath.Join(local, "config.yaml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(local, 0o755); err != nil {
		t.Fatal(err)
	}
	call := Call{
		Stdin: []byte("in\n"), Env: []string{"ASKED=x"}, Local: local,
		Args: []string{"cat"},
	}
	out, err := c.Run(t.Context(), call)
	if notStarted(EngineFailed)(err) {
		t.Skipf("not run: %v", err)
	}
	want := "in\nuser 65534\nASKED x\ninterfaces 1\nroot read-only: true\ntmp writable: true\n" +
		"local config.yaml\n"
	if err != nil || string(out.Stdout) != want {
		t.Errorf("%v: stdout is\n%s%s", err, out.Stdout, out.Stderr)
	}
	call.Args = []string{"fail"}
	out, err = c.Run(t.Context(), call)
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != 3 || string(out.Stderr) != "failed\n" {
		t.Errorf("%v, %q", err, out.Stderr)
	}
	call.Args, call.Limits.Time = []string{"sleep"}, 2*time.Second
	if _, err = c.Run(t.Context(), call); !is[*TimeoutError](err) {
		t.Errorf("error is %v", err)
	}
	left, err := e.ask(t.Context(), time.Minute, "ps", "-q", "--filter", "ancestor="+image)
	if err != nil || len(left.Stdout) > 0 {
		t.Errorf("containers are left: %s, %v", left.Stdout, err)
	}
	_, err = (&Container{Engine: e, Image: "localhost/fctl-test/none:v1", Pull: PullNever}).Run(
		t.Context(), call)
	if !notStarted(NotPulled)(err) {
		t.Errorf("error is %v", err)
	}
}

// podmanSettings are for machines on which crun cannot raise limits.
const podmanSettings = `[containers]
default_ulimits=["nofile=1024:1024","nproc=1024:1024"]
[engine]
runtime="runc"
`

const containerFunction = `package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

func main() {
	switch os.Args[1] {
	case "fail":
		fmt.Fprintln(os.Stderr, "failed")
		os.Exit(3)
	case "sleep":
		time.Sleep(time.Minute)
	}
	io.Copy(os.Stdout, os.Stdin)
	fmt.Println("user", os.Getuid())
	fmt.Println("ASKED", os.Getenv("ASKED"))
	interfaces, _ := net.Interfaces()
	fmt.Println("interfaces", len(interfaces))
	fmt.Println("root read-only:", os.WriteFile("/x", nil, 0o600) != nil)
	fmt.Println("tmp writable:", os.WriteFile("/tmp/x", nil, 0o600) == nil)
	list, _ := os.ReadDir("/local")
	for _, e := range list {
		fmt.Println("local", e.Name())
	}
}
`

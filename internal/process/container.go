package process

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// PullPolicy says when an image is pulled (E5).
type PullPolicy string

// The pull policies.
const (
	PullAlways       PullPolicy = "Always"
	PullIfNotPresent PullPolicy = "IfNotPresent"
	PullNever        PullPolicy = "Never"
)

// ParsePullPolicy returns the policy of the given name, in any case. An empty name is IfNotPresent.
func ParsePullPolicy(name string) (PullPolicy, error) {
	for _, p := range []PullPolicy{PullIfNotPresent, PullAlways, PullNever} {
		if name == "" || strings.EqualFold(name, string(p)) {
			return p, nil
		}
	}
	return "", fmt.Errorf("unknown pull policy %q: Always, IfNotPresent or Never is expected", name)
}

// Container runs a container image with the command line of an engine (E1 to E7). It may be used
// from several goroutines; an image is looked for, and pulled, once.
type Container struct {
	Engine Engine
	Image  string // the full name
	Pull   PullPolicy
	// Prepared remembers which images are present. Several containers may share it; nil for none.
	Prepared *Images
	Advice   string // the hint if the image cannot be pulled
}

// Images remembers, by name, whether images are present. The zero value is ready for use.
type Images struct{ once sync.Map }

// pullLimit is how long a pull may take. The time limit of the function does not include it.
const pullLimit = 30 * time.Minute

// Run implements Executor.
func (c *Container) Run(ctx context.Context, call Call) (Output, error) {
	call.Function = cmp.Or(call.Function, c.Image)
	call.Limits = call.Limits.withDefaults()
	if call.NetworkWanted && !call.NetworkAllowed {
		return Output{}, noNetwork(call.Function)
	}
	name := "fctl-" + strings.ToLower(rand.Text()[:12])
	args, err := c.words(&call, name, os.Geteuid(), os.Getegid())
	if err != nil {
		return Output{}, impossible(call.Function, err)
	}
	if err := c.prepare(ctx); err != nil {
		return Output{}, err
	}
	p := &process{path: c.Engine.Path, args: args, call: &call, stop: func() { c.remove(name) }}
	out, err := p.run(ctx)
	if problem := c.engineProblem(out, err); problem != nil {
		return out, problem
	}
	return out, err
}

// words returns the arguments of the engine for one run.
func (c *Container) words(call *Call, name string, uid, gid int) ([]string, error) {
	env, err := MergeEnv(containerDefaults(), call.Env)
	if err != nil {
		return nil, err
	}
	words := []string{"run", "--rm", "-i", "--name", name}
	if c.Engine.Name != "nerdctl" { // it attaches all three, and does not know -a
		words = append(words, "-a", "STDIN", "-a", "STDOUT", "-a", "STDERR")
	}
	network, user := "none", fmt.Sprintf("%d:%d", nobody, nobody)
	if call.NetworkWanted && call.NetworkAllowed {
		network = "host"
	}
	if call.AsCurrentUser {
		user = fmt.Sprintf("%d:%d", uid, gid)
		if c.Engine.Name == "podman" && uid != 0 {
			words = append(words, "--userns", "keep-id")
		}
	}
	words = append(words, "--pull", "never", "--network", network, "--user", user,
		"--security-opt=no-new-privileges", "--cap-drop", "ALL", "--read-only",
		"--tmpfs", "/tmp:rw,nosuid,nodev,mode=1777")
	l := call.Limits
	if l.Memory > 0 {
		words = append(words, "--memory", strconv.FormatInt(l.Memory, 10))
	}
	if l.CPUs > 0 {
		words = append(words, "--cpus", strconv.FormatFloat(l.CPUs, 'f', -1, 64))
	}
	if l.PIDs > 0 {
		words = append(words, "--pids-limit", strconv.Itoa(l.PIDs))
	}
	mounts := slices.Clone(call.Mounts)
	if call.Local != "" {
		local, err := Mount{Type: "bind", Source: call.Local, Target: "/local"}.withoutGit()
		if err != nil {
			return nil, err
		}
		mounts = append(mounts, local)
	}
	for _, m := range slices.Clone(mounts) {
		hidden, err := m.hidden()
		if err != nil {
			return nil, err
		}
		mounts = append(mounts, hidden...)
	}
	for _, m := range mounts {
		if err := m.check(); err != nil {
			return nil, err
		}
		if m.Type == "bind" && !filepath.IsAbs(m.Source) {
			return nil, fmt.Errorf("mount of %q: its source is not absolute", m.Source)
		}
		option := m.option()
		if m.Type == "tmpfs" && c.Engine.Name == "podman" {
			option += ",notmpcopyup" // it would copy what is hidden
		}
		words = append(words, "--mount", option)
	}
	for _, e := range env {
		words = append(words, "-e", e)
	}
	if strings.HasPrefix(c.Image, "-") {
		return nil, fmt.Errorf("%q is not the name of an image", c.Image)
	}
	return append(append(words, c.Image), call.Args...), nil
}

// remove ends a container whose engine command is about to be killed.
func (c *Container) remove(name string) {
	_, _ = c.Engine.ask(context.Background(), engineDelay, "rm", "-f", name)
}

// prepare makes the image present, once for each name.
func (c *Container) prepare(ctx context.Context) error {
	if c.Prepared == nil {
		return c.pull(ctx)
	}
	once, _ := c.Prepared.once.LoadOrStore(c.Image, sync.OnceValue(func() error {
		return c.pull(ctx)
	}))
	return once.(func() error)()
}

// pull makes the image present as the policy says.
func (c *Container) pull(ctx context.Context) error {
	if c.Pull != PullAlways {
		_, err := c.Engine.ask(ctx, engineDelay, "image", "inspect", c.Image)
		if err == nil {
			return nil
		}
		if c.Pull == PullNever {
			return c.notPulled(errors.New("the pull policy is Never"))
		}
	}
	if _, err := c.Engine.ask(ctx, pullLimit, "pull", "-q", c.Image); err != nil {
		return c.notPulled(err)
	}
	return nil
}

func (c *Container) notPulled(err error) error {
	e := Refuse(NotPulled, "image %s is not present and could not be pulled: %w", c.Image, err)
	e.Advice = c.Advice
	return e
}

// engineProblem returns an error if the engine failed and not the function. The engines have
// no better sign than a status that a function may use too, with a line of their own. If such a
// status comes without one, the function ended with it, and the *ExitError says so.
func (c *Container) engineProblem(out Output, err error) error {
	var exit *ExitError
	if !errors.As(err, &exit) {
		return nil
	}
	isEngineStatus := exit.Code >= statusEngine && exit.Code <= statusNotFound
	if len(out.Stdout) == 0 && hasEngineLine(out.Stderr) &&
		(isEngineStatus || c.Engine.Name == "nerdctl" && exit.Code == 1) {
		return c.failed(exit.Code, bytes.TrimSpace(out.Stderr))
	}
	if isEngineStatus {
		exit.Engine = c.Engine.Name
	}
	return nil
}

// failed returns the error for an engine that ended with a status of its own.
func (c *Container) failed(code int, stderr []byte) error {
	why := c.Engine.Name + " failed"
	if code == statusExecutable || code == statusNotFound {
		why += ", or the program that the image names is missing, is not executable, or is for " +
			"another kind of machine"
	}
	e := Refuse(EngineFailed, "%s could not start image %s: %s", c.Engine.Name, c.Image, stderr)
	e.Advice = fmt.Sprintf("the function did not run: %s; check with: %s run --rm %s", why,
		c.Engine.Name, c.Image)
	return e
}

// The statuses with which docker and podman end if they fail themselves, if the program of the
// image cannot be executed, and if it does not exist.
const (
	statusEngine     = 125
	statusExecutable = 126
	statusNotFound   = 127
)

// hasEngineLine reports whether a line is one that an engine writes about its own failure.
func hasEngineLine(stderr []byte) bool {
	for line := range bytes.Lines(stderr) {
		for _, prefix := range []string{"docker: ", "podman: ", "nerdctl: ", "Error: "} {
			if bytes.HasPrefix(line, []byte(prefix)) {
				return true
			}
		}
		if bytes.HasPrefix(line, []byte("time=")) && bytes.Contains(line, []byte("level=fatal")) {
			return true
		}
	}
	return false
}

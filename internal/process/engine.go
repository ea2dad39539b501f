package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Engine is the command line of a container engine.
type Engine struct {
	Name string // docker, podman or nerdctl
	Path string
}

// EngineNames returns the engines that are known, in the order in which they are tried.
func EngineNames() []string { return []string{"docker", "podman", "nerdctl"} }

// engineDelay is how long an engine may take to answer.
const engineDelay = 10 * time.Second

// FindEngine returns the engine of the given name, or the first one on PATH that answers. The error
// says what was tried.
func FindEngine(ctx context.Context, name string) (Engine, error) {
	names := EngineNames()
	if name != "" {
		if !slices.Contains(names, name) {
			return Engine{}, fmt.Errorf("unknown container engine %q: %s are supported", name,
				strings.Join(names, ", "))
		}
		names = []string{name}
	}
	var tried []string
	for _, n := range names {
		path, err := exec.LookPath(n)
		if err != nil {
			tried = append(tried, n+" is not on PATH")
			continue
		}
		e := Engine{n, path}
		if err := e.answers(ctx); err != nil {
			tried = append(tried, fmt.Sprintf("%s does not answer: %v", n, err))
			continue
		}
		return e, nil
	}
	return Engine{}, Refuse(NoEngine, "no container engine answers: %s", strings.Join(tried, "; "))
}

// answers returns an error if the engine, or the daemon that it talks to, does not answer.
func (e Engine) answers(ctx context.Context) error {
	_, err := e.ask(ctx, engineDelay, "version")
	return err
}

// ask runs a command of the engine other than run. The error is the last line of what it wrote to
// its standard error.
func (e Engine) ask(ctx context.Context, limit time.Duration, args ...string) (Output, error) {
	p := &process{path: e.Path, args: args, call: &Call{
		Function: e.Name + " " + args[0],
		Limits:   Limits{Time: limit, Output: 1 << 24},
	}}
	out, err := p.run(ctx)
	if exit, ok := errors.AsType[*ExitError](err); ok {
		err = errors.New(cmp.Or(lastLine(out.Stderr), fmt.Sprintf("exit status %d", exit.Code)))
	}
	return out, err
}

// lastLine returns the last line of text that is not empty.
func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

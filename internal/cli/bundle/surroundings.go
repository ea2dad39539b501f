package bundle

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/source"
)

// surroundings are others than those of the user, in which a plugin that is a program has to return
// the same: environment variables, and a working directory without files.
type surroundings struct {
	app *command.App
	dir string // a temporary directory with home, tmp, bin and work; "" before it is needed
}

// make makes the directory, once.
func (s *surroundings) make() error {
	if s.dir != "" {
		return nil
	}
	dir, err := os.MkdirTemp("", "fctl-plugin-test-")
	if err != nil {
		return err
	}
	s.dir = dir
	for _, name := range []string{"home", "tmp", "bin", "work"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			return err
		}
	}
	return nil
}

func (s *surroundings) remove() {
	if s.dir != "" {
		_ = os.RemoveAll(s.dir) // a temporary directory
	}
}

// variables returns the environment variables that are different. A program still starts: PATH
// only gets one more directory.
func (s *surroundings) variables() []string {
	lang := "C"
	if now := s.app.Streams.Getenv("LANG"); now == "" || now == "C" || now == "POSIX" {
		lang = "en_US.UTF-8"
	}
	list := []string{
		"HOME=" + filepath.Join(s.dir, "home"), "LANG=" + lang,
		"TMPDIR=" + filepath.Join(s.dir, "tmp"), "TZ=FCTL-11",
	}
	if path := s.app.Streams.Getenv("PATH"); path != "" {
		list = append(list, "PATH="+path+string(os.PathListSeparator)+filepath.Join(s.dir, "bin"))
	}
	return list
}

// variations returns how a program runs with all differences, and with each of them.
func (s *surroundings) variations(ctx context.Context, executors *krm.Executors, d *krm.Declared,
) ([]bundle.Variation, error) {
	if err := s.make(); err != nil {
		return nil, err
	}
	variables := s.variables()
	moves := executors.Sandbox == nil // which hides files below /tmp
	var list []bundle.Variation
	add := func(what string, away bool, variables ...string) error {
		called := *d
		called.Envs = append(slices.Clone(variables), bundle.CallVariable+"=process")
		if away && moves {
			root := executors.Root
			defer func() { executors.Root = root }()
			executors.Root, called.Args = filepath.Join(s.dir, "work"), s.args(d.Args)
		}
		step, _, err := executors.Resolve(ctx, &called, "")
		list = append(list, bundle.Variation{What: what, Step: step})
		return err
	}
	err := add("environment or working directory", true, variables...)
	for _, variable := range variables {
		if err == nil {
			name, _, _ := strings.Cut(variable, "=")
			err = add(name, false, variable)
		}
	}
	if err == nil && moves {
		err = add("working directory", true)
	}
	return list, err
}

// args returns the arguments of a program with the files among them as absolute paths, so that an
// interpreter finds its script from everywhere.
func (s *surroundings) args(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		path := source.InDirectory(s.app.Dir, arg)
		if _, err := os.Stat(path); err != nil || arg == "" {
			continue
		}
		if full, err := filepath.Abs(path); err == nil {
			args[i] = full
		}
	}
	return args
}

package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
)

// ProjectFile is the name of a project's settings file.
const ProjectFile = ".fctl.yaml"

// Size limits in bytes. The OpenAPI document of a whole cluster has a few megabytes.
const (
	maxSettings = 1 << 20
	maxNamed    = 64 << 20
)

var (
	errOutside = errors.New("the path leads outside the directory of " + ProjectFile)
	errGit     = errors.New("the path leads into .git")
)

// project is the directory of a project's settings file. Its content is controlled by the authors
// of the repository. So only regular files below the directory are read, and links out of it are
// not followed, even if the directory changes meanwhile.
type project struct {
	dir  string // without symbolic links
	root *os.Root
}

// findProject finds the settings file for dir: the nearest in dir and the directories above it, up
// to the top of the git repository or the home directory, whichever comes first. Outside of both
// only dir itself is searched. Files that belong to somebody else are ignored, with a note.
func findProject(dir, from string) (*project, []api.Note, *api.Failure) {
	var notes []api.Note
	for _, at := range projectDirs(dir) {
		path := filepath.Join(at, ProjectFile)
		info, err := os.Lstat(path)
		if err != nil || info.IsDir() {
			continue
		}
		if other := files.UntrustedPart(at, ProjectFile, info); other != "" {
			notes = append(notes, api.Note{
				Pos: api.Position{File: shown(path, from)},
				Message: fmt.Sprintf("this file is ignored: %s %s; --config %s uses it as your "+
					"own settings",
					other, files.NotTrusted, diag.FileName(shown(path, from))),
			})
			continue
		}
		root, err := os.OpenRoot(at)
		if err != nil {
			return nil, notes, unreadable(path, from, err)
		}
		return &project{dir: at, root: root}, notes, nil
	}
	return nil, notes, nil
}

// projectDirs returns the directories where a project's file may be, the nearest first.
func projectDirs(dir string) []string {
	dirs, bounded := files.Above(dir)
	if !bounded {
		return dirs[:1]
	}
	return dirs
}

// inside returns path relative to the directory, after following links.
func (p *project) inside(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	rel, outside := filepath.Rel(p.dir, real)
	if outside != nil || !filepath.IsLocal(rel) {
		return "", errOutside
	}
	// .git is not of the project: its config may have a token of the CI system
	if files.HasGit(filepath.ToSlash(rel)) {
		return "", errGit
	}
	return rel, err
}

// settings reads the settings file. It checks the owner of the open file, because the path may have
// changed since it was found.
func (p *project) settings() ([]byte, error) {
	return p.read(filepath.Join(p.dir, ProjectFile), maxSettings, func(info fs.FileInfo) error {
		if !files.IsTrusted(info) {
			return errors.New("it " + files.NotTrusted)
		}
		return nil
	})
}

// read reads a regular file below the directory, unless admit rejects it. most is the limit in
// bytes.
func (p *project) read(path string, most int64, admit func(fs.FileInfo) error) ([]byte, error) {
	rel, err := p.inside(path)
	if err != nil {
		return nil, err
	}
	if info, err := p.root.Lstat(rel); err == nil && info.Mode().Type()&^fs.ModeSymlink != 0 {
		return nil, files.CheckRegular(info) // opening a device can have side effects
	}
	return files.ReadRegular(p.root, rel, most, admit)
}

// shown returns the name of a file in messages: relative to the directory from, if that is shorter.
func shown(path, from string) string {
	if rel, err := filepath.Rel(files.RealPath(from), path); err == nil && len(rel) < len(path) {
		return diag.FileName(rel)
	}
	return path
}

// unreadable returns the problem of a settings file that cannot be read.
func unreadable(path, from string, err error) *api.Failure {
	f := diag.Usage("%w", files.WithoutPath(err))
	f.Pos = api.Position{File: shown(path, from)}
	if filepath.Base(path) == ProjectFile {
		f.Hint = "--no-project-settings ignores it"
	}
	return f
}

// NamedPath is a file or a directory that a setting names.
type NamedPath struct {
	Path string
	// By is the position in the settings file that names it, zero for flags and the environment.
	By api.Position

	project *project // nil if the user named it
	origin  string   // the flag or variable that names it, if no file does
}

// OfProject reports whether a project's settings file names it.
func (f NamedPath) OfProject() bool { return f.project != nil }

// Asked reports whether a flag names it, rather than the environment or a settings file.
func (f NamedPath) Asked() bool { return strings.HasPrefix(f.origin, "--") }

// Read reads path, which is the file or a file found in it, if a project's settings file names it.
// The error is an *api.Failure.
func (f NamedPath) Read(path string) ([]byte, error) {
	text, err := f.project.named(path)
	if err != nil {
		return nil, f.Locate(err)
	}
	return text, nil
}

// ReadNamed reads a file that the content of f names, which a project's settings file names. It
// must be below the directory of that file as well. The error is an *api.Failure.
func (f NamedPath) ReadNamed(path string) ([]byte, error) {
	switch path {
	case "":
		return nil, diag.UsageHint("file:PATH is the content of the file at PATH",
			"the name of the file is empty")
	case "-":
		return nil, diag.Usage("file:-: a policy that %s names does not read the standard input",
			ProjectFile)
	}
	text, err := f.project.named(path)
	if err == nil {
		return text, nil
	}
	if errors.Is(err, errOutside) || errors.Is(err, errGit) {
		err.Class = api.FailureUsage
		err.Hint = f.By.String() + " names this policy, which can only read files below there"
	}
	return nil, err
}

// named reads a file that the project names.
func (p *project) named(path string) ([]byte, *api.Failure) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	text, err := p.read(path, maxNamed, nil)
	if err == nil {
		return text, nil
	}
	here, _ := os.Getwd()
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("no such file")
	}
	return nil, diag.Input(shown(path, here), "", files.WithoutPath(err))
}

// Locate adds to a problem with the file a hint at the settings file that names it.
func (f NamedPath) Locate(err error) error {
	if failure, ok := errors.AsType[*api.Failure](err); ok && failure.Hint == "" &&
		f.By.File != "" {
		failure.Hint = f.By.String() + " names this file"
	}
	return err
}

// isOutside reports whether a path in a project's settings file is outside its directory, or in
// .git.
func (p *project) isOutside(path string) bool {
	_, err := p.inside(path)
	return errors.Is(err, errOutside) || errors.Is(err, errGit)
}

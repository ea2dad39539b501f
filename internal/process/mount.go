package process

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Mount is a mount of a container, as a declaration or --mount has it.
type Mount struct {
	Type      string // bind, volume or tmpfs
	Source    string
	Target    string
	ReadWrite bool
}

// ParseMount parses the words of --mount: type=bind,source=DIR,target=DIR,rw=true. src, dst and
// destination are other names of source and target.
func ParseMount(text string) (Mount, error) {
	m := Mount{Type: "bind"}
	for word := range strings.SplitSeq(text, ",") {
		key, value, hasValue := strings.Cut(word, "=")
		switch key {
		case "type":
			m.Type = value
		case "source", "src":
			m.Source = value
		case "target", "dst", "destination":
			m.Target = value
		case "rw":
			m.ReadWrite = !hasValue || value == "true"
		case "readonly", "ro":
			m.ReadWrite = hasValue && value == "false"
		default:
			return Mount{}, fmt.Errorf("mount %q: unknown key %q", text, key)
		}
	}
	return m, m.check()
}

func (m Mount) check() error {
	problem := ""
	switch {
	case !slices.Contains([]string{"bind", "volume", "tmpfs"}, m.Type):
		problem = fmt.Sprintf("its type is %q; bind, volume or tmpfs is expected", m.Type)
	case m.Type != "tmpfs" && m.Source == "":
		problem = "it has no source"
	case m.Type == "volume" && strings.ContainsAny(m.Source, `/\:`):
		problem = "it is the path of a directory, not the name of a volume" // nerdctl mounts it
	case !strings.HasPrefix(m.Target, "/"):
		problem = fmt.Sprintf("its target %q is not absolute", m.Target)
	case strings.ContainsAny(m.Source+m.Target, ",\n\x00"):
		problem = "a path with a comma or line break cannot be mounted"
	}
	if problem != "" {
		return fmt.Errorf("mount of %q: %s", m.Source, problem)
	}
	return nil
}

// Resolve returns the mount with its bind source made absolute, relative to dir, symbolic links
// resolved. Unless outside is set, the source must be below root (E3). It is never in .git.
func (m Mount) Resolve(dir, root string, outside bool) (Mount, error) {
	if err := m.check(); err != nil || m.Type != "bind" {
		return m, err
	}
	if !filepath.IsAbs(m.Source) {
		m.Source = filepath.Join(dir, m.Source)
	}
	var err error
	if m.Source, err = filepath.Abs(m.Source); err != nil {
		return m, err
	}
	if !outside {
		if err := checkBelow(m.Source, root); err != nil {
			return m, fmt.Errorf("mount: %w", err)
		}
	}
	return m.withoutGit()
}

// ResolveDeclared is Resolve for a mount that a file of a repository declares. Unless allowed is
// set, the function cannot write to it, and it is not a volume, which may be of another project.
func (m Mount) ResolveDeclared(dir, root string, outside, allowed bool) (Mount, error) {
	switch {
	case allowed:
	case m.Type == "volume":
		return m, mountProblem(m.Source, "it is a volume")
	case m.ReadWrite && m.Type != "tmpfs":
		return m, mountProblem(m.Source, "the function could write to it")
	}
	return m.Resolve(dir, root, outside)
}

// withoutGit returns the mount with symbolic links in its bind source resolved. Nothing in .git is
// mounted, whoever asks for it, and nothing that has one so that the function could write to it.
func (m Mount) withoutGit() (Mount, error) {
	real, err := filepath.EvalSymlinks(m.Source)
	if err != nil {
		return m, fmt.Errorf("mount: %w", err)
	}
	if slices.ContainsFunc(strings.Split(real, string(filepath.Separator)), isGit) {
		return m, fmt.Errorf("mount of %q: it is in .git, which is never mounted", m.Source)
	}
	m.Source = real
	if !m.ReadWrite {
		return m, nil
	}
	found, err := gitBelow(real)
	switch {
	case err != nil:
		return m, fmt.Errorf("mount: %w", err)
	case len(found) > 0:
		return m, fmt.Errorf("mount of %q: the function could write to %s, which is never "+
			"mounted", m.Source, filepath.Join(m.Source, found[0].path))
	}
	return m, nil
}

// hidden returns the mounts that put an empty directory over each directory .git of the source.
func (m Mount) hidden() ([]Mount, error) {
	if m.Type != "bind" {
		return nil, nil
	}
	found, err := gitBelow(m.Source)
	if err != nil {
		return nil, err
	}
	var all []Mount
	for _, g := range found {
		if g.isDir {
			target := path.Join(m.Target, filepath.ToSlash(g.path))
			all = append(all, Mount{Type: "tmpfs", Source: "", Target: target})
		}
	}
	return all, nil
}

// mountProblem returns the error for a declared mount that the user has to allow.
func mountProblem(source, why string) error {
	e := Refuse(NotPossible, "mount of %q: %s, and the user has to allow that", source, why)
	e.Advice = "--allow-mount allows it"
	return e
}

// gitPath is a .git below a directory: a directory, or the file of a worktree or submodule.
type gitPath struct {
	path  string
	isDir bool
}

// gitBelow returns each .git below a directory.
func gitBelow(dir string) ([]gitPath, error) {
	var found []gitPath
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrPermission) && path != dir:
			return fs.SkipDir // the function cannot read it either
		case errors.Is(err, fs.ErrNotExist):
			return nil // the engine says so
		case err != nil:
			return err
		case path == dir || !isGit(d.Name()):
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		found = append(found, gitPath{rel, d.IsDir()})
		if err == nil && d.IsDir() {
			err = fs.SkipDir
		}
		return err
	})
	return found, err
}

func isGit(name string) bool { return strings.EqualFold(name, ".git") }

// option returns the value of the engine's --mount.
func (m Mount) option() string {
	words := []string{"type=" + m.Type}
	if m.Source != "" {
		words = append(words, "source="+m.Source)
	}
	words = append(words, "target="+m.Target)
	if !m.ReadWrite && m.Type != "tmpfs" {
		words = append(words, "readonly")
	}
	return strings.Join(words, ",")
}

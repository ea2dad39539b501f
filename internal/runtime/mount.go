package runtime

import (
	"fmt"
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

// Resolve returns the mount with its bind source made absolute, relative to dir. Unless outside is
// set, the source must be below root, symbolic links resolved (E3).
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
	if outside {
		return m, nil
	}
	if err := checkBelow(m.Source, root); err != nil {
		return m, fmt.Errorf("mount: %w", err)
	}
	return m, nil
}

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

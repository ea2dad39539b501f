package krm

import (
	"path"
	"strings"
)

// PathPattern is a pattern for the paths of generated items: %n is the name, %k the kind, %s the
// namespace, all in lower case where names are.
type PathPattern string

// Path returns the path of an item below dir.
func (p PathPattern) Path(dir string, item *Item) string {
	h, _ := item.Doc.Header()
	name := h.Name
	if name == "" {
		name = strings.TrimRight(h.GenerateName, "-")
	}
	file := strings.NewReplacer("%n", safe(name), "%k", safe(strings.ToLower(h.Kind)),
		"%s", safe(h.Namespace)).Replace(string(p))
	return path.Join(dir, file)
}

// DefaultPath returns where a generated item goes below dir: a file named by kind and name, in a
// directory of its namespace.
func DefaultPath(dir string, item *Item) string {
	pattern := PathPattern("%k_%n.yaml")
	if h, _ := item.Doc.Header(); h.Namespace != "" {
		pattern = "%s/%k_%n.yaml"
	}
	return pattern.Path(dir, item)
}

// RootPath returns where a generated item goes below the root.
func RootPath(item *Item) string { return DefaultPath("", item) }

// safe returns a name without what would make it several path segments.
func safe(name string) string {
	name = strings.NewReplacer("/", "_", "\\", "_", ":", "_", "\x00", "_").Replace(name)
	if name == "." || name == ".." {
		return "_"
	}
	return name
}

// below reports whether a slash-separated path is dir or below it. The directory "." has
// everything.
func below(path, dir string) bool {
	return dir == "." || dir == "" || path == dir || strings.HasPrefix(path, dir+"/")
}

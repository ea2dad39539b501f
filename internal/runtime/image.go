package runtime

import (
	"fmt"
	"regexp"
	"strings"
)

// DefaultPrefix is the repository of images that are named without one (E6).
const DefaultPrefix = "ghcr.io/kptdev/krm-functions-catalog"

// Image is the name of a container image in its parts.
type Image struct {
	Repository string // registry and path before the base name, "" for none
	Base       string
	Tag        string // without the colon
	Digest     string // without the @
}

// ParseImage splits the name of an image: [registry[:port]/][path/]base[:tag][@digest].
func ParseImage(name string) (Image, error) {
	var i Image
	rest, digest, pinned := strings.Cut(name, "@")
	i.Digest = digest
	if slash := strings.LastIndexByte(rest, '/'); slash >= 0 {
		i.Repository, rest = rest[:slash], rest[slash+1:]
		if i.Repository == "" {
			return Image{}, imageProblem(name, "it begins with a slash")
		}
	}
	base, tag, tagged := strings.Cut(rest, ":")
	i.Base, i.Tag = base, tag
	component := regexp.MustCompile(`^[a-z0-9]+([._-]+[a-z0-9]+)*$`)
	if !component.MatchString(base) {
		return Image{}, imageProblem(name, fmt.Sprintf("%q is not a name", base))
	}
	if tagged && !regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`).MatchString(tag) {
		return Image{}, imageProblem(name, fmt.Sprintf("%q is not a tag", tag))
	}
	if pinned && !regexp.MustCompile(`^sha256:[0-9a-f]{64}$`).MatchString(digest) {
		return Image{}, imageProblem(name, fmt.Sprintf("%q is not a digest", digest))
	}
	if i.Repository == "" {
		return i, nil
	}
	path := strings.Split(i.Repository, "/")
	if isRegistry(path[0]) {
		host := regexp.MustCompile(`^[A-Za-z0-9.-]+(:[0-9]+)?$`)
		if !host.MatchString(path[0]) {
			return Image{}, imageProblem(name, fmt.Sprintf("%q is not a registry", path[0]))
		}
		path = path[1:]
	}
	for _, p := range path {
		if !component.MatchString(p) {
			return Image{}, imageProblem(name, fmt.Sprintf("%q is not a name", p))
		}
	}
	return i, nil
}

func imageProblem(name, why string) error {
	return fmt.Errorf("%q is not the name of an image: %s", name, why)
}

// isRegistry reports whether the first part of a name is a registry and not a path.
func isRegistry(part string) bool {
	return strings.ContainsAny(part, ".:") || part == "localhost"
}

// FullImage returns the name of an image with the prefix if it has no repository. An empty prefix
// is the default. Tags are not added, because engines take latest themselves.
func FullImage(name, prefix string) string {
	if strings.Contains(name, "/") || name == "" {
		return name
	}
	if prefix == "" {
		prefix = DefaultPrefix
	}
	return strings.TrimSuffix(prefix, "/") + "/" + name
}

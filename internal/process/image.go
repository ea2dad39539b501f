package process

import (
	"fmt"
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

// ParseImage splits the name of an image: [registry[:port]/][path/]base[:tag][@digest]. The tag
// follows the last colon after the last slash, so localhost:5000/set-labels has none.
func ParseImage(name string) (Image, error) {
	var i Image
	if len(name) > maxImageName {
		return Image{}, fmt.Errorf("the name of an image has %d bytes, more than the limit of %d",
			len(name), maxImageName)
	}
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
	if !IsImageBase(base) {
		return Image{}, imageProblem(name, fmt.Sprintf("%q is not a name", base))
	}
	if tagged && !IsTag(tag) {
		return Image{}, imageProblem(name, fmt.Sprintf("%q is not a tag", tag))
	}
	if pinned && !isDigest(digest) {
		return Image{}, imageProblem(name, fmt.Sprintf("%q is not a digest", digest))
	}
	if i.Repository == "" {
		return i, nil
	}
	if err := CheckRepository(i.Repository); err != nil {
		return Image{}, imageProblem(name, err.Error())
	}
	return i, nil
}

// String returns the name of the image.
func (i Image) String() string {
	name := i.Base
	if i.Repository != "" {
		name = i.Repository + "/" + name
	}
	if i.Tag != "" {
		name += ":" + i.Tag
	}
	if i.Digest != "" {
		name += "@" + i.Digest
	}
	return name
}

// maxImageName is more than registries accept: 255 bytes for a repository, 128 for a tag.
const maxImageName = 1024

// CheckRepository returns an error for a text that cannot be the registry and path of an image.
func CheckRepository(repository string) error {
	first := true
	for part := range strings.SplitSeq(repository, "/") {
		if first && isRegistry(part) {
			if !isHost(part) {
				return fmt.Errorf("%q is not a registry", part)
			}
		} else if !IsImageBase(part) {
			return fmt.Errorf("%q is not a name", part)
		}
		first = false
	}
	return nil
}

// IsImageBase reports whether a text can be one part of the path of an image: groups of lower-case
// letters and digits, separated by ".", "_" and "-".
func IsImageBase(text string) bool {
	for i := range len(text) {
		c := text[i]
		edge := i == 0 || i == len(text)-1
		if !isLower(c) && (edge || c != '.' && c != '_' && c != '-') {
			return false
		}
	}
	return text != ""
}

// IsTag reports whether a text can be the tag of an image.
func IsTag(text string) bool {
	for i := range len(text) {
		c := text[i]
		if !isLower(c) && (c < 'A' || c > 'Z') && c != '_' && (i == 0 || c != '.' && c != '-') {
			return false
		}
	}
	return text != "" && len(text) <= 128
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

func isDigest(text string) bool {
	hex, ok := strings.CutPrefix(text, "sha256:")
	return ok && len(hex) == 64 && strings.Trim(hex, "0123456789abcdef") == ""
}

// isHost reports whether a text is the name of a host, with a port or without.
func isHost(text string) bool {
	host, port, hasPort := strings.Cut(text, ":")
	if hasPort && (port == "" || strings.Trim(port, "0123456789") != "") {
		return false
	}
	for i := range len(host) {
		c := host[i]
		if !isLower(c) && (c < 'A' || c > 'Z') && c != '.' && c != '-' {
			return false
		}
	}
	return host != ""
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

package configkit

import "strings"

// Image is the name of an image taken apart. Each part but Repository may be empty.
type Image struct {
	Registry, Repository, Tag, Digest string // without the separators
}

// SplitImage takes the name of an image apart. The first part of its path is a registry if it has a
// dot or a port or is localhost.
func SplitImage(text string) Image {
	rest, digest, _ := strings.Cut(text, "@")
	i := Image{Repository: rest, Digest: digest}
	if first, path, more := strings.Cut(rest, "/"); more &&
		(first == "localhost" || strings.ContainsAny(first, ".:")) {
		i.Registry, i.Repository = first, path
	}
	base := strings.LastIndexByte(i.Repository, '/') + 1
	if colon := strings.IndexByte(i.Repository[base:], ':'); colon >= 0 {
		i.Repository, i.Tag = i.Repository[:base+colon], i.Repository[base+colon+1:]
	}
	return i
}

// FullRepository returns the repository with its registry.
func (i Image) FullRepository() string {
	if i.Registry == "" {
		return i.Repository
	}
	return i.Registry + "/" + i.Repository
}

// Reference returns the tag and the digest with their separators.
func (i Image) Reference() string {
	text := ""
	if i.Tag != "" {
		text = ":" + i.Tag
	}
	if i.Digest != "" {
		text += "@" + i.Digest
	}
	return text
}

// MergeImages merges two changes of an image: registry, repository, and tag with digest are values
// of their own. ok is false if both sides changed one of them differently.
func MergeImages(base, ours, theirs string) (merged string, ok bool) {
	b, o, t := SplitImage(base), SplitImage(ours), SplitImage(theirs)
	pick := func(base, ours, theirs string) string {
		switch {
		case theirs == base || ours == theirs:
			return ours
		case ours == base:
			return theirs
		}
		ok = false
		return ""
	}
	ok = true
	m := Image{
		Registry:   pick(b.Registry, o.Registry, t.Registry),
		Repository: pick(b.Repository, o.Repository, t.Repository),
	}
	reference := pick(b.Reference(), o.Reference(), t.Reference())
	return m.FullRepository() + reference, ok && m.Repository != ""
}

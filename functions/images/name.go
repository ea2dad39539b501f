package images

import (
	"regexp"
	"strings"
	"sync"
)

// imageName is an image taken apart. Each part but the repository may be "".
type imageName struct {
	repository  string // with its registry
	tag, digest string // without : and @
	// short is the repository without its registry, if that is in another field and the default one.
	short string
	// partial says that fields of their own hold the tag and the digest, or that they are unknown.
	partial bool
}

// imageNameOf takes an image apart.
func imageNameOf(text string) imageName {
	rest, digest, _ := strings.Cut(text, "@")
	n := imageName{repository: rest, digest: digest}
	base := strings.LastIndexByte(rest, '/') + 1
	if colon := strings.IndexByte(rest[base:], ':'); colon >= 0 {
		n.repository, n.tag = rest[:base+colon], rest[base+colon+1:]
	}
	return n
}

// reference returns the tag and the digest with their separators.
func (n imageName) reference() string {
	text := ""
	if n.tag != "" {
		text = ":" + n.tag
	}
	if n.digest != "" {
		text += "@" + n.digest
	}
	return text
}

func (n imageName) String() string { return n.repository + n.reference() }

// canonicalRepository returns a repository with its registry: nginx is docker.io/library/nginx.
func canonicalRepository(repository string) string {
	if !hasRegistry(repository) {
		repository = defaultRegistry + "/" + repository
	}
	repository = strings.TrimPrefix(repository, "index.")
	if path, ok := strings.CutPrefix(repository, defaultRegistry+"/"); ok &&
		!strings.Contains(path, "/") {
		repository = defaultRegistry + "/library/" + path
	}
	return repository
}

// hasRegistry reports whether the first part of an image's path is a registry.
func hasRegistry(image string) bool {
	first, _, more := strings.Cut(image, "/")
	return more && (first == "localhost" || strings.ContainsAny(first, ".:"))
}

// asRegistry returns a registry, with or without a path, as the prefix of the images in it.
func asRegistry(text string) string { return strings.TrimSuffix(text, "/") + "/" }

// isImage reports whether a text is an image, perhaps with variables, rather than an action of a
// template or other text.
func isImage(text string) bool {
	if strings.Contains(text, "{{") {
		return false
	}
	if strings.Contains(text, "${") || strings.Contains(text, "$(") {
		return !strings.ContainsAny(text, " \t\r\n") && !strings.Contains(text, "://")
	}
	return wholeImagePattern().MatchString(text)
}

var wholeImagePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + registryHost + `/)?` + repositoryPath + `(?:` + imageTag +
		`)?(?:` + imageDigest + `)?$`)
})

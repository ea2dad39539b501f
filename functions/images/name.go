package images

import (
	"regexp"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/configkit"
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
	i := configkit.SplitImage(text)
	return imageName{repository: i.FullRepository(), tag: i.Tag, digest: i.Digest}
}

// reference returns the tag and the digest with their separators.
func (n imageName) reference() string {
	return configkit.Image{Tag: n.tag, Digest: n.digest}.Reference()
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
func hasRegistry(image string) bool { return configkit.SplitImage(image).Registry != "" }

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

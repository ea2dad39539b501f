package images

import (
	"cmp"
	"errors"
	"regexp"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// The parts of an image: [registry[:port]/]path, followed by :tag, @algorithm:digest or both. The
// registry may be an IPv6 address in brackets.
const (
	registryHost   = `(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::[0-9]+)?`
	repositoryPath = `[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*)*`
	imageTag       = `:\w[\w.-]{0,127}`
	imageDigest    = `@[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,}`
	imageReference = `(?:` + imageTag + `(?:` + imageDigest + `)?|` + imageDigest + `)`
	// withVariable matches a text with a variable, ${NAME}, that is substituted later. Its value is
	// unknown.
	withVariable = `[^\s{}]*(?:\$\{[^\s{}]+\}[^\s{}]*)+`
)

// defaultRegistry is the registry of images that do not name one.
const defaultRegistry = "docker.io"

// wholeImage returns the pattern of an argument that is a part of an image or contains a variable.
func wholeImage(part string) string { return `^(?:` + part + `|` + withVariable + `)$` }

const (
	attributeContainerImage api.AttributeName = "container-image"
	attributeRepository     api.AttributeName = "image-repository"
	attributeRegistry       api.AttributeName = "image-registry"
	attributeImageName      api.AttributeName = "image-name"
	attributeOverride       api.AttributeName = "image-override"
	attributeHelmValues     api.AttributeName = "helm-values"
	attributeImageLines     api.AttributeName = "image-lines"
	// including repositories whose tag is in another field
	attributeImages api.AttributeName = "images"
	// everything that decides which images run
	attributeImageSources api.AttributeName = "image-sources"

	parameterRepositoryURI  = "repository-uri"
	parameterImageReference = "image-reference"
	parameterRegistry       = "registry"
	parameterNewRegistry    = "new-registry"
	parameterContainerName  = "container-name"
	parameterAnySpelling    = "any-spelling"
	parameterDigests        = "digests"
)

func setImageRegistryFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	const registry = registryHost + `(?:/` + repositoryPath + `)?`
	unqualified := sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^` + repositoryPath + `(?:` + imageReference + `)?$`)
	})
	name := optional(generic.ParameterOf(provider, attributeContainerImage, parameterContainerName))
	name.Description += "; if not given, all"
	r := handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-image-registry-by-registry",
			Parameters: []api.FunctionParameter{
				textParameter(parameterRegistry, "docker.io",
					"registry of the images, with what of their path is to be replaced as well; "+
						"'' for images that name none",
					wholeImage(`(?:`+registry+`)?`)),
				textParameter(parameterNewRegistry, "mirror.example.com:5000/docker",
					"registry to take its place, with a path or without", wholeImage(registry)),
				name,
			},
			Description:   "Replace the registry of images by another one",
			AttributeName: attributeImages,
			Examples: []string{
				"set-image-registry-by-registry docker.io mirror.example.com",
				"set-image-registry-by-registry '' docker.io/library web",
			},
		},
		PerDocument: true,
		CheckArguments: func(args []api.FunctionArgument) error {
			return checkRegistry(handler.Arguments(args).String(parameterNewRegistry))
		},
	}, func(c *handler.Call) (int, error) {
		from, to := c.Args.String(parameterRegistry), c.Args.String(parameterNewRegistry)
		hidden := false // whether an image comes from the registry without naming it
		images, err := editImages(c.Docs, provider.AttributePaths(attributeImages), provider,
			cmp.Or(c.Args.String(parameterContainerName), "*"), func(text string) (string, bool) {
				namesNone := !hasRegistry(text) && unqualified().MatchString(text)
				if from == "" {
					return to + "/" + text, namesNone
				}
				hidden = hidden || namesNone && strings.HasPrefix(from+"/", defaultRegistry+"/")
				path, ok := strings.CutPrefix(text, from+"/")
				if ok && strings.HasPrefix(to, from+"/") && strings.HasPrefix(text, to+"/") {
					return text, true // already replaced
				}
				return to + "/" + path, ok
			})
		registries, problem := editImages(c.Docs, provider.AttributePaths(attributeRegistry),
			provider, "*", func(text string) (string, bool) {
				path, ok := strings.CutPrefix(text+"/", from+"/")
				return strings.TrimSuffix(to+"/"+path, "/"), from != "" && ok &&
					!strings.HasPrefix(text+"/", to+"/")
			})
		if hidden {
			c.NoteOnce("images that name no registry come from " + defaultRegistry +
				" but are left alone: give '' as the registry for those")
		}
		return images + registries, errors.Join(err, problem)
	})
	r.Idempotent = false // example.com/a/a/web may lose one a per run
	return r
}

// checkRegistry returns an error if the value of new-registry would not be read as a registry.
func checkRegistry(text string) error {
	if hasRegistry(text+"/") || strings.Contains(text, "${") {
		return nil
	}
	return handler.InvalidArgument(parameterNewRegistry,
		"%s would be read as a part of the path of images", configkit.Abbreviate(text)).
		WithHint("a registry has a dot or a port or is localhost")
}

// editImages applies replace to the images of the containers with this name, or of all containers
// with *. It returns the number of images for which replace returned true.
func editImages(
	docs gaby.Container, images configkit.PathSource, provider configkit.ResourceProvider,
	containers string, replace func(string) (string, bool),
) (int, error) {
	keys := []any{yamlpath.Escape(containers)}
	wanted := yamlkit.EditOptions{Wanted: func(p *yamlkit.Match) bool {
		text, ok := p.Value.Data().(string)
		if ok {
			_, ok = replace(text)
		}
		return ok
	}}
	return yamlkit.EditPaths(docs, images, keys, provider, wanted, func(p *yamlkit.Match) error {
		image, _ := replace(p.Value.Text())
		_, err := p.Doc.Set(image, p.Segments...)
		return err
	})
}

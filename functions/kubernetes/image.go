package kubernetes

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
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
	// including repositories whose tag is in another field
	attributeImages api.AttributeName = "images"
	// everything that decides which images run
	attributeImageSources api.AttributeName = "image-sources"

	parameterRepositoryURI  = "repository-uri"
	parameterImageReference = "image-reference"
)

func setImageReferenceByURIFunction(
	provider configkit.ResourceProvider,
) handler.FunctionRegistration {
	repository := parameterOf(provider, "container-repository-uri", parameterRepositoryURI)
	repository.Description = "repository of the images, as they are written"
	reference := parameterOf(provider, "container-image-reference", parameterImageReference)
	isReference := referenceMatcher(reference)
	r := imageReferenceSignature(repository, reference)
	r.FunctionType, r.AttributeName = api.FunctionTypePathVisitor, attributeContainerImage
	return handler.Editing(r,
		func(c *handler.Call) (int, error) {
			uri := c.Args.String(parameterRepositoryURI)
			image := uri + c.Args.String(parameterImageReference)
			matches, err := editImages(c.Docs, provider.AttributePaths(attributeContainerImage),
				provider, "*", func(text string) (string, bool) {
					rest, ok := strings.CutPrefix(text, uri)
					return image, ok && (rest == "" || isReference(rest))
				})
			b := newImageBump(c, uri, c.Args.String(parameterImageReference), isReference)
			problems := []error{
				err, b.helmReleases(c.Docs, provider), b.overrides(c.Docs, provider),
			}
			for _, doc := range c.Docs {
				t, err := provider.ResourceTypeGetter(doc)
				if path := kustomizationImages(t); err == nil && path != nil && doc.Check() == nil {
					b.kustomization(doc, path)
					problems = append(problems, b.apply(doc))
				}
			}
			problems = append(problems, noteRepositories(c, provider, uri))
			return matches + b.matches, errors.Join(problems...)
		})
}

// imageReferenceSignature returns the registration of set-image-reference-by-uri without what it
// does.
func imageReferenceSignature(
	repository, reference api.FunctionParameter,
) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-image-reference-by-uri",
			Parameters:   []api.FunctionParameter{repository, reference},
			Description: "Set the tag and the digest of all images of a repository: of " +
				"containers, in kustomizations and in the values of HelmReleases",
			Examples: []string{"set-image-reference-by-uri nginx :1.27"},
		},
		PerDocument: true,
	}
}

// referenceMatcher returns what reports whether a text is the reference of an image.
func referenceMatcher(reference api.FunctionParameter) func(string) bool {
	compiled := sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(reference.Regexp)
	})
	return func(text string) bool { return compiled().MatchString(text) }
}

// noteRepositories reports matching repositories whose tag is in another field: nothing is known
// about that field.
func noteRepositories(
	c *handler.Call, provider configkit.ResourceProvider, uri string,
) error {
	_, err := yamlkit.VisitPaths(c.Docs, provider.AttributePaths(attributeRepository), []any{"*"},
		nil, provider,
		func(_ *gaby.YamlDoc, _ any, at yamlkit.VisitorContext, text string) (any, error) {
			if text == uri && !strings.HasSuffix(string(at.Path), ".newName") {
				c.Note(at.Position,
					fmt.Sprintf(
						"%s: %s is this repository, but its tag is in another field and left alone",
						at.ResourceInfo, at.Path))
			}
			return nil, nil
		})
	return err
}

func setImageRegistryFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	const registryParameter, newRegistryParameter = "registry", "new-registry"
	const registry = registryHost + `(?:/` + repositoryPath + `)?`
	unqualified := sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^` + repositoryPath + `(?:` + imageReference + `)?$`)
	})
	name := optional(containerNameParameter(provider))
	name.Description += "; if not given, all"
	r := handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-image-registry-by-registry",
			Parameters: []api.FunctionParameter{
				textParameter(registryParameter, "docker.io",
					"registry of the images, with what of their path is to be replaced as well; "+
						"'' for images that name none",
					wholeImage(`(?:`+registry+`)?`)),
				textParameter(newRegistryParameter, "mirror.example.com:5000/docker",
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
			text := handler.Arguments(args).String(newRegistryParameter)
			if hasRegistry(text+"/") || strings.Contains(text, "${") {
				return nil
			}
			return argumentError(newRegistryParameter, text,
				"a registry has a dot or a port or is localhost",
				"%s would be read as a part of the path of images", configkit.Abbreviate(text))
		},
	}, func(c *handler.Call) (int, error) {
		from, to := c.Args.String(registryParameter), c.Args.String(newRegistryParameter)
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

// hasRegistry reports whether the first part of an image's path is a registry.
func hasRegistry(image string) bool {
	first, _, more := strings.Cut(image, "/")
	return more && (first == "localhost" || strings.ContainsAny(first, ".:"))
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

package images

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

// RegisterFunctions registers the functions for images wherever they are written.
func RegisterFunctions(fh handler.FunctionRegistry, provider configkit.ResourceProvider) error {
	return handler.Register(fh, everywhere(provider)...)
}

// KubernetesFunctions returns the functions for the images of resources.
func KubernetesFunctions(provider configkit.ResourceProvider) []handler.FunctionRegistration {
	return append(everywhere(provider), setImageRegistryFunction(provider),
		vetImagesFunction(provider))
}

// everywhere returns the functions for images wherever they are written.
func everywhere(provider configkit.ResourceProvider) []handler.FunctionRegistration {
	return []handler.FunctionRegistration{
		getImagesFunction(provider), setImageReferenceByURIFunction(provider),
		pinImagesFunction(provider), moveImagesFunction(provider),
	}
}

// getImagesFunction returns get-images.
func getImagesFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	r := handler.Getting(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName:  "get-images",
			AttributeName: attributeImageSources,
			Description: "Get all images, wherever they are written, each as a whole: its " +
				"registry, tag and digest may be in other fields",
			Examples: []string{"get-images"},
		},
		Nameless: true,
	}, "image", "the images", func(c *handler.Call) (api.AttributeValueList, error) {
		rows := api.AttributeValueList{}
		e := &imageEditor{call: c}
		e.visit = func(at imageField, image imageName) (imageName, bool) {
			row := api.AttributeValue{Value: image.String()}
			row.ResourceInfo, row.Path = *e.match.Resource, e.pathOf(at)
			row.AttributeName, row.DataType = attributeImageSources, api.DataTypeString
			row.Comment = at.value.Comments().Line
			pos := at.position()
			if e.embedded { // positions in the text are not those of the file
				pos = e.match.Value.Position()
			}
			if pos.Line > 0 {
				row.Position = &pos
			}
			rows = append(rows, row)
			return image, false
		}
		err := e.run(provider)
		return yamlkit.SortRows(rows), err
	})
	return r
}

func setImageReferenceByURIFunction(
	provider configkit.ResourceProvider,
) handler.FunctionRegistration {
	repository := generic.ParameterOf(provider, "container-repository-uri", parameterRepositoryURI)
	repository.Description = "repository of the images, as they are written"
	reference := generic.ParameterOf(provider, "container-image-reference", parameterImageReference)
	if provider.ToolchainType() != api.ToolchainKubernetesYAML {
		repository = textParameter(parameterRepositoryURI, "nginx", repository.Description, "")
		reference = textParameter(parameterImageReference, ":1.27",
			"new reference: :tag, @digest or both", `^(?:`+imageReference+`)$`)
	}
	anySpelling := handler.Optional(parameterAnySpelling, api.DataTypeBool, "true",
		"whether nginx, docker.io/nginx and docker.io/library/nginx are one repository; if not "+
			"given, they are three")
	isReference := referenceMatcher(reference)
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-image-reference-by-uri",
			Parameters:   []api.FunctionParameter{repository, reference, anySpelling},
			FunctionType: api.FunctionTypePathVisitor, AttributeName: attributeImageSources,
			Description: "Set the tag and the digest of all images of a repository, wherever " +
				"they are written: in containers, in kustomizations and in the values of charts",
			Examples: []string{
				"set-image-reference-by-uri nginx :1.27",
				"set-image-reference-by-uri nginx :1.27 --any-spelling=true",
			},
		},
		PerDocument: true, KeepsNames: true, Nameless: true,
		ValueParameter: parameterImageReference,
	}, func(c *handler.Call) (int, error) {
		uri := c.Args.String(parameterRepositoryURI)
		to := imageNameOf(uri + c.Args.String(parameterImageReference))
		canonical := ""
		if c.Args.Bool(parameterAnySpelling) {
			canonical = canonicalRepository(uri)
		}
		e := &imageEditor{call: c}
		e.elsewhere = func(at imageField) {
			c.Note(at.position(), fmt.Sprintf(
				"%s: %s is this repository, but its tag is in another field and left alone",
				e.match.Resource, e.pathOf(at)))
		}
		e.visit = func(_ imageField, image imageName) (imageName, bool) {
			same := image.repository == uri || image.short == uri ||
				canonical != "" && canonicalRepository(image.repository) == canonical
			old := image.reference()
			image.tag, image.digest = to.tag, to.digest
			return image, same && (old == "" || image.partial || isReference(old))
		}
		err := e.run(provider)
		return e.matches, err
	})
}

// referenceMatcher returns what reports whether a text is the reference of an image.
func referenceMatcher(reference api.FunctionParameter) func(string) bool {
	compiled := sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(reference.Regexp)
	})
	return func(text string) bool { return compiled().MatchString(text) }
}

// pinImagesFunction returns pin-images.
func pinImagesFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "pin-images",
			Parameters: []api.FunctionParameter{textParameter(parameterDigests,
				"nginx:1.26@sha256:"+strings.Repeat("0f", 32),
				"lines of IMAGE:TAG@DIGEST or IMAGE:TAG DIGEST, or the table that 'docker images "+
					"--digests' prints; # begins a comment", "")},
			AttributeName: attributeImageSources,
			Description: "Add to all images their digests, which a list has for their " +
				"repositories and tags",
			Examples: []string{"pin-images nginx:1.26@sha256:" + strings.Repeat("0f", 32)},
		},
		PerDocument: true, KeepsNames: true, Nameless: true,
		CheckArguments: handler.Parses(digestsOf),
	}, func(c *handler.Call) (int, error) {
		digests, err := digestsOf(c.Args)
		if err != nil {
			return 0, err
		}
		left := map[string]bool{}
		e := &imageEditor{call: c, elsewhere: func(imageField) {}}
		e.visit = func(_ imageField, image imageName) (imageName, bool) {
			tag := image.tag
			if tag == "" && !image.partial {
				tag = "latest"
			}
			digest := digests[canonicalRepository(image.repository)+":"+tag]
			if digest == "" {
				if image.digest == "" {
					left[image.String()] = true
				}
				return image, false
			}
			image.digest = digest
			return image, true
		}
		err = e.run(provider)
		if len(left) > 0 {
			var names []string
			for name := range left {
				names = append(names, name)
			}
			slices.Sort(names)
			c.NoteNames("images without a digest, which the list does not have", names...)
		}
		return e.matches, err
	})
}

// digestsOf returns the digests in the arguments of pin-images, by repository and tag.
func digestsOf(args handler.Arguments) (map[string]string, error) {
	digests, line := map[string]string{}, 0
	for text := range strings.Lines(args.String(parameterDigests)) {
		line++
		text, _, _ = strings.Cut(text, "#")
		fields := strings.Fields(text)
		if len(fields) == 0 || slices.Equal(fields[:min(3, len(fields))],
			[]string{"REPOSITORY", "TAG", "DIGEST"}) || slices.Contains(fields, "<none>") {
			continue
		}
		var image imageName
		switch {
		case len(fields) == 1:
			image = imageNameOf(fields[0])
		case len(fields) == 2:
			image = imageNameOf(fields[0])
			image.digest = fields[1][strings.IndexByte(fields[1], '@')+1:]
		default:
			image = imageName{repository: fields[0], tag: fields[1], digest: fields[2]}
		}
		if image.digest == "" || !wholeImagePattern().MatchString(image.String()) {
			return nil, handler.InvalidArgument(parameterDigests, "line %d: %q is not an image "+
				"with its digest", line, configkit.Abbreviate(strings.TrimSpace(text))).
				WithHint("as in nginx:1.27@sha256:0f1e..., or nginx:1.27 sha256:0f1e...")
		}
		key := canonicalRepository(image.repository) + ":" + cmp.Or(image.tag, "latest")
		if other := digests[key]; other != "" && other != image.digest {
			return nil, handler.InvalidArgument(parameterDigests,
				"line %d: %s has another digest in a line above", line, key)
		}
		digests[key] = image.digest
	}
	return digests, nil
}

// moveImagesFunction returns move-images.
func moveImagesFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	const registry = registryHost + `(?:/` + repositoryPath + `)?`
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "move-images",
			Parameters: []api.FunctionParameter{
				textParameter(parameterNewRegistry, "mirror.example.com:5000/docker",
					"registry to which the images move, with a path or without",
					`^(?:`+registry+`)$`),
				optional(textParameter(parameterRegistry, "docker.io",
					"registry of the images that move, with what of their path is to be replaced as "+
						"well; if not given, all images move", `^(?:`+registry+`)$`)),
			},
			AttributeName: attributeImageSources,
			Description: "Replace the registry of all images, wherever they are written; images " +
				"that name none are those of docker.io",
			Examples: []string{
				"move-images mirror.example.com:5000",
				"move-images mirror.example.com/docker docker.io",
			},
		},
		PerDocument: true, KeepsNames: true, Nameless: true,
		CheckArguments: func(args []api.FunctionArgument) error {
			return checkRegistry(handler.Arguments(args).String(parameterNewRegistry))
		},
	}, func(c *handler.Call) (int, error) {
		to, from := c.Args.String(parameterNewRegistry)+"/", c.Args.String(parameterRegistry)
		e := &imageEditor{call: c, registry: func(whole string) (string, bool) {
			replaced := from
			if from == "" {
				replaced, _, _ = strings.Cut(whole, "/")
			}
			path, moves := strings.CutPrefix(whole+"/", replaced+"/")
			return strings.TrimSuffix(to+path, "/"), moves && hasRegistry(whole+"/") &&
				!strings.Contains(whole, "$") && !strings.HasPrefix(whole+"/", to)
		}}
		e.visit = func(_ imageField, image imageName) (imageName, bool) {
			moved, ok := e.registry(canonicalRepository(image.repository))
			if ok {
				image.repository = moved
			}
			return image, ok
		}
		err := e.run(provider)
		if len(e.renamed) > 0 {
			slices.Sort(e.renamed)
			c.NoteNames("entries of kustomizations keep their name and get a newName; if their "+
				"bases move as well, set name to the new one", slices.Compact(e.renamed)...)
		}
		return e.matches, err
	})
}

package kubernetes

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/knowledge/semantics"
)

func vetSemanticsFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	library := libraryOf(provider)
	return handler.Checking(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "vet-semantics",
			Parameters: []api.FunctionParameter{
				optional(textParameter(parameterKubernetesVersion, "1.35",
					"release of the API server, the newest known one unless it is given; "+
						"before 1.36, names of Services begin with a letter", "")),
			},
			Description: "Check what an API server refuses although the schema allows it: " +
				"numbers out of range, bad names, duplicate names, selectors that do not match, " +
				"mounts without a volume",
			Examples: []string{"vet-semantics", "vet-semantics 1.35"},
		},
		CheckArguments: func(args []api.FunctionArgument) error {
			_, err := releaseName(library, args)
			return err
		},
	}, "whether an API server would accept the resources, and what it would refuse",
		func(c *handler.Call) (api.ValidationResult, error) {
			result := api.ValidationResult{Passed: true}
			release, err := releaseName(library, c.Args)
			if err != nil {
				return result, err
			}
			if library.IsListedPatch(handler.InputFile(c.FunctionContext)) {
				return result, nil // vet-schemas checks the values it has
			}
			resources, known := 0, semantics.Identities{}
			err = yamlkit.EachDocument(c.Docs, provider,
				func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
					if isPatch(doc) {
						c.Skipped(doc.Value().Position(),
							"the document is a patch, which is not a whole resource")
						return nil
					}
					resources++
					problems := semantics.Check(string(info.ResourceType), doc.Value(), release)
					problems = slices.DeleteFunc(problems, func(p jsonschema.Violation) bool {
						return othersComplete(library, c, info, p)
					})
					problems = append(problems, known.Add(info, doc.Value())...)
					schemas.AddProblems(&result, provider, doc, info, problems)
					return nil
				})
			c.Matched(resources)
			return result, err
		})
}

// othersComplete reports whether other files of the input settle a problem: kustomize sets a
// namespace, or a server of its own decides about names of a type.
func othersComplete(
	library *schemas.Library, c *handler.Call, info *api.ResourceInfo, p jsonschema.Violation,
) bool {
	switch p.Keyword {
	case "required":
		return p.Property == "namespace" && library.GetsNamespace(handler.InputFile(c.FunctionContext))
	case "name":
		return slices.Equal(p.Path, []string{"metadata", "name"}) &&
			library.IsAggregated(info.ResourceType)
	}
	return false
}

// releaseName returns the release that a function's arguments select, such as 1.35, or "" for the
// newest.
func releaseName(library *schemas.Library, args handler.Arguments) (string, error) {
	version := args.String(parameterKubernetesVersion)
	if version == "" {
		return "", nil
	}
	release, err := library.Release(version)
	if err != nil {
		return "", unknownRelease(version, err)
	}
	return release.Name, nil
}

// isPatch reports whether a document is a strategic merge patch: it has a directive such as $patch.
func isPatch(doc *gaby.YamlDoc) bool {
	directives := []string{
		"$patch", "$retainKeys", "$setElementOrder/", "$deleteFromPrimitiveList/",
	}
	if !slices.ContainsFunc(directives, doc.MayContain) {
		return false
	}
	found := false
	yamlkit.Walk(doc.Value(), nil, func(w *yamlkit.Cursor) bool {
		found = found || slices.ContainsFunc(directives, func(directive string) bool {
			return w.Value.Key() == directive ||
				strings.HasSuffix(directive, "/") && strings.HasPrefix(w.Value.Key(), directive)
		})
		return !found
	})
	return found
}

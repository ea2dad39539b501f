package kubernetes

import (
	"errors"
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/knowledge/migration"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
)

// releaseParameter is a release of Kubernetes whose removed APIs count.
func releaseParameter() api.FunctionParameter {
	return optional(textParameter(parameterKubernetesVersion, "1.25",
		"release of Kubernetes whose removals count, and those of earlier ones; by default the "+
			"newest", ""))
}

// releaseOf returns the release in the arguments. The error is a *handler.ArgumentError.
func releaseOf(args handler.Arguments) (migration.Release, error) {
	text := args.String(parameterKubernetesVersion)
	if text == "" {
		return migration.Newest(), nil
	}
	release, err := migration.ParseRelease(text)
	if err == nil && release > migration.Newest() {
		err = fmt.Errorf("removals are known up to Kubernetes %s, not of %s", migration.Newest(), release)
	}
	if err != nil {
		return 0, handler.InvalidArgument(parameterKubernetesVersion, "%w", err)
	}
	return release, nil
}

func migrateAPIFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "migrate-api",
			Parameters:   []api.FunctionParameter{releaseParameter()},
			Description: "Migrate resources of APIs that a release of Kubernetes has removed to " +
				"their successors: apiVersion, moved fields, selectors, and defaults that differ; " +
				"apiVersions in references follow. A note names each resource that needs a person",
			Examples: []string{"migrate-api", "migrate-api 1.25"},
		},
		PerDocument:    true,
		CheckArguments: handler.Parses(releaseOf),
	}, func(c *handler.Call) (int, error) {
		release, err := releaseOf(c.Args)
		if err != nil {
			return 0, err
		}
		matches := 0
		err = yamlkit.EachDocument(c.Docs, provider,
			func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
				if of := migration.Of(info.ResourceType); of != nil && of.Removed <= release {
					matches++
					if err := migrate(c, doc, info, of); err != nil {
						return err
					}
				}
				n, err := migrateReferences(doc, release)
				matches += n
				return err
			})
		return matches, err
	})
}

// migrate makes a resource one of the successor, or notes why that is not possible.
func migrate(c *handler.Call, doc *gaby.YamlDoc, info *api.ResourceInfo, of *migration.API) error {
	if of.To == "" {
		c.Skipped(doc.Value().Get("apiVersion").Position(),
			fmt.Sprintf("%s is not migrated: %s", info, of.Why))
		return nil
	}
	err := of.Apply(doc)
	if incomplete, ok := errors.AsType[*migration.IncompleteError](err); ok {
		c.Skipped(incomplete.Pos, fmt.Sprintf("%s is not migrated: in %s, %v", info, of.To, incomplete))
		return nil
	}
	return err
}

// migrateReferences changes the apiVersion in references to resources of removed APIs, such as the
// scaleTargetRef of a HorizontalPodAutoscaler.
func migrateReferences(doc *gaby.YamlDoc, release migration.Release) (matches int, err error) {
	if !doc.MayContain("alpha") && !doc.MayContain("beta") || doc.Check() != nil {
		return 0, nil
	}
	var found []gaby.Value
	yamlkit.Walk(doc.Value(), nil, func(w *yamlkit.Cursor) bool {
		v := w.Value
		if v.Kind() == gaby.Map && v.Get("name").Exists() && !v.Get("metadata").Exists() &&
			v.Get("kind").Kind() == gaby.Scalar && v.Get("apiVersion").Kind() == gaby.Scalar {
			found = append(found, v)
		}
		return true
	})
	for _, v := range found {
		version := v.Get("apiVersion")
		of := migration.Of(api.ResourceType(version.Text() + "/" + v.Get("kind").Text()))
		if of != nil && of.To != "" && of.Removed <= release {
			matches++
			err = errors.Join(err, version.Set(of.To))
		}
	}
	return matches, err
}

func vetAPIFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Checking(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "vet-api",
			Parameters:   []api.FunctionParameter{releaseParameter()},
			Description: "Check that a release of Kubernetes still serves the APIs of resources: an API " +
				"that it or an earlier release has removed is a finding. vet-schemas checks that, too, " +
				"for the releases whose schemas are built in",
			Examples: []string{"vet-api", "vet-api 1.25"},
		},
		CheckArguments: handler.Parses(releaseOf),
	}, "whether no resource has a removed API, and the resources that have one",
		func(c *handler.Call) (api.ValidationResult, error) {
			result := api.ValidationResult{Passed: true}
			release, err := releaseOf(c.Args)
			if err != nil {
				return result, err
			}
			matches := 0
			err = yamlkit.EachDocument(c.Docs, provider,
				func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
					matches++
					of := migration.Of(info.ResourceType)
					if of == nil || of.Removed > release {
						return nil
					}
					schemas.AddProblems(&result, provider, doc, info, []jsonschema.Violation{{
						Property: "apiVersion", Pos: doc.Value().Get("apiVersion").Position(),
						Message: fmt.Sprintf("Kubernetes %s removed %s", of.Removed, info.ResourceType),
						Hint:    of.Advice(),
					}})
					return nil
				})
			c.Matched(matches)
			return result, err
		})
}

package generic

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// Placeholders are used for values that are not known yet. There is none for booleans.
const (
	PlaceholderString = configkit.PlaceholderString
	PlaceholderInt    = configkit.PlaceholderInt
)

// originalName is the context field with the former name of a resource. A placeholder in it is not
// a missing value.
const originalName = "OriginalName"

// getPlaceholdersFunction returns get-placeholders.
func getPlaceholdersFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "get-placeholders",
			OutputInfo: handler.Output(api.OutputTypeAttributeValueList, "placeholder",
				"the strings, then the numbers, that are placeholders for values not known yet"),
			Hermetic: true, Idempotent: true,
			Description: "Get the values that are placeholders: strings with " +
				"confighubplaceholder in them, and the number 999999999",
			Examples: []string{"get-placeholders"},
		},
		Function: handler.Reads(func(c *handler.Call) (any, error) {
			rows, err := findPlaceholders(c.Docs, provider)
			return rows, err // matches are not counted: finding none is good news
		}),
	}
}

// vetPlaceholdersFunction returns vet-placeholders.
func vetPlaceholdersFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Checking(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "vet-placeholders",
			Description:  "Check that no value is a placeholder (see get-placeholders)",
			Examples:     []string{"vet-placeholders"},
		},
		DeprecatedAliases: []string{"no-placeholders"},
	}, "whether the resources have no placeholders, and the placeholders found",
		func(c *handler.Call) (api.ValidationResult, error) {
			rows, err := findPlaceholders(c.Docs, provider)
			resources := 0
			err = errors.Join(err, yamlkit.EachResource(c.Docs, provider,
				func(int, api.ResourceInfo) { resources++ }))
			c.Matched(resources)
			return handler.Verdict(rows), err
		})
}

// findPlaceholders returns the rows of string placeholders, followed by those of number
// placeholders, each sorted. Their paths have indexes, because a merge key may be a placeholder
// itself.
func findPlaceholders(
	docs gaby.Container, provider configkit.ResourceProvider,
) (api.AttributeValueList, error) {
	var texts, numbers api.AttributeValueList
	notLookedAt := provider.ContextPath(originalName)
	err := yamlkit.EachDocument(docs, provider,
		func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
			if !mayHavePlaceholder(doc) {
				return nil
			}
			yamlkit.Walk(doc.Value(), nil, func(w *yamlkit.Cursor) bool {
				rows := &texts
				if text, ok := stringValue(w.Value); ok {
					if !strings.Contains(text, PlaceholderString) {
						return false
					}
				} else if w.Value.Kind() != gaby.Scalar {
					return true
				} else if w.Value.Tag() == "!!int" && w.Value.Data() == PlaceholderInt {
					rows = &numbers
				} else {
					return false
				}
				if path := w.IndexPath(); path != notLookedAt {
					*rows = append(
						*rows,
						w.Row(
							info, path, yamlkit.RegisteredName(provider, info.ResourceType, path),
						),
					)
				}
				return false
			})
			return nil
		})
	return append(yamlkit.SortRows(texts), yamlkit.SortRows(numbers)...), err
}

// mayHavePlaceholder looks at the raw text, so that most documents without placeholders need not be
// scanned. It must not miss one. In YAML a string contains the word itself unless something is
// escaped, but a number may have underscores, a base prefix, or be octal.
func mayHavePlaceholder(doc *gaby.YamlDoc) bool {
	if doc.Native() != nil {
		return true
	}
	spellings := []string{
		PlaceholderString, strconv.Itoa(PlaceholderInt), `\`, "9_", "0x", "0X", "0o", "0O", "0b",
		"0B", strconv.FormatInt(PlaceholderInt, 8),
	}
	return slices.ContainsFunc(spellings, doc.MayContain)
}

// setDefaultNamesFunction returns set-default-names, which sets the names derived from the unit's
// name.
func setDefaultNamesFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-default-names",
			Parameters: []api.FunctionParameter{{
				ParameterName: "name", DataType: api.DataTypeString,
				Example: "template:{{.UnitSlug | normalizeName}}",
				Default: "template:{{.UnitSlug | normalizeName}}-{{.SpaceSlug | " +
					"normalizeName}}",
				Description:      "name to set, usually a template",
				ValueConstraints: api.ValueConstraints{Regexp: `^[^\s/]+$`},
			}},
			Description:   "Set the names that are placeholders, and the labels that repeat them",
			AttributeName: attributeDefaultName,
			Examples: []string{
				"set-default-names", "set-default-names 'template:{{.UnitSlug | normalizeName}}'",
			},
		},
		ValueParameter: "name",
		PerDocument:    true,
	}, func(c *handler.Call) (int, error) {
		name, matches := c.Args.String("name"), 0
		err := yamlkit.UpdateStringPathsFunction(c.Docs,
			provider.AttributePaths(attributeDefaultName), nil, provider,
			func(current string) string {
				if !strings.Contains(current, PlaceholderString) {
					return current
				}
				matches++
				return name
			}, false)
		return matches, err
	})
}

const attributeDefaultName = "default-name"

package generic

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

const (
	parameterSearch  = "search-value"
	parameterReplace = "replace-value"
)

// searchReplaceFunction returns search-replace.
func searchReplaceFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "search-replace",
			Parameters: []api.FunctionParameter{
				{
					ParameterName: parameterSearch, Required: true, DataType: api.DataTypeString,
					Example:          "staging.example.com",
					Description:      "text to search for, or a regular expression (RE2)",
					ValueConstraints: api.ValueConstraints{Regexp: `(?s)^.`},
				},
				handler.Required(parameterReplace, api.DataTypeString, "example.com",
					"replacement text; with regexp, $1 and ${name} are groups and $$ is $"),
				handler.Optional("regexp", api.DataTypeBool, "true",
					"treat search-value as a regular expression"),
				handler.Optional(parameterPath, api.DataTypeString,
					"spec.template.spec.containers.*.image", "search only at and below this path"),
				handler.Optional(parameterResourceType, api.DataTypeString, "apps/v1/Deployment",
					"search only resources of this type"),
				handler.Optional("resource-name", api.DataTypeString, "shop/web",
					"search only resources of this name, of any namespace if it has no slash"),
			},
			Mutating: true, Hermetic: true,
			Description: "Search and replace text in string values, everywhere or at a path; " +
				"keys do not change",
			Examples: []string{
				"search-replace staging.example.com example.com",
				`search-replace 'v1\.([0-9]+)\.[0-9]+' 'v1.${1}.0' true`,
				"search-replace nginx apache --path='spec.template.spec.containers.*.image' " +
					"--resource-name=web",
			},
		},
		ValueParameter: parameterReplace,
		PerDocument:    true,
		CheckArguments: func(args []api.FunctionArgument) error {
			_, err := newReplacer(args)
			if _, ok := handler.Arguments(args).Lookup(parameterPath); ok {
				err = errors.Join(err, checkWholePath(provider)(args))
			}
			return err
		},
		Function: handler.Edits(func(c *handler.Call) (int, error) {
			replace, err := newReplacer(c.Args)
			if err != nil {
				return 0, err
			}
			searched, unreadable := searchedDocuments(c.Docs, provider, c.Args)
			matches := 0
			if _, ok := c.Args.Lookup(parameterPath); ok {
				_, err = yamlkit.EditPaths(searched, queryOf(provider, c.Args), nil, provider,
					yamlkit.EditOptions{}, func(p *yamlkit.Match) error {
						n, err := replaceStrings(p.Doc, p.Value, p.Segments, replace)
						matches += n
						return err
					})
			} else {
				_, err = yamlkit.VisitResources(searched, nil, provider,
					func(doc *gaby.YamlDoc, output any, _ int, _ *api.ResourceInfo) (any, []error) {
						n, err := replaceStrings(doc, doc.Value(), nil, replace)
						matches += n
						return output, []error{err}
					})
			}
			return matches, errors.Join(unreadable, err)
		}),
	}
}

// searchedDocuments returns the documents with the type and the name in the arguments, or all
// documents if there are none.
func searchedDocuments(
	docs gaby.Container, provider configkit.ResourceProvider, args []api.FunctionArgument,
) (gaby.Container, error) {
	t, name := resourceTypeOf(args),
		api.ResourceName(handler.Arguments(args).String("resource-name"))
	if t == api.ResourceTypeAny && name == "" {
		return docs, nil
	}
	var searched gaby.Container
	err := yamlkit.EachResource(docs, provider, func(i int, info api.ResourceInfo) {
		if t != api.ResourceTypeAny && info.ResourceType != t {
			return
		}
		if name == "" || info.ResourceName == name || info.ResourceNameWithoutScope == name {
			searched = append(searched, docs[i])
		}
	})
	return searched, err
}

// replacer replaces text and reports whether the searched text occurs in it.
type replacer func(text string) (string, bool)

// newReplacer returns the replacer for the arguments of search-replace. The error is a
// *handler.ArgumentError.
func newReplacer(args []api.FunctionArgument) (replacer, error) {
	a := handler.Arguments(args)
	search, replacement := a.String(parameterSearch), a.String(parameterReplace)
	if !a.Bool("regexp") {
		return func(text string) (string, bool) {
			return strings.ReplaceAll(text, search, replacement), strings.Contains(text, search)
		}, nil
	}
	re, err := regexp.Compile(search)
	if err != nil {
		return nil, handler.InvalidArgument(parameterSearch, "%w", err).
			WithHint("without regexp, the text is searched for as it is")
	}
	if err := checkExpansion(replacement, re); err != nil {
		return nil, handler.InvalidArgument(parameterReplace, "%w", err).
			WithHint("write ${1}x for group 1 followed by x, and $$ for a dollar sign")
	}
	return func(text string) (string, bool) {
		return re.ReplaceAllString(text, replacement), re.MatchString(text)
	}, nil
}

// expansion matches what ReplaceAllString expands, see regexp.Expand.
var expansion = regexp.MustCompile(`\$(?:\$|\{(\w+)\}|(\w+))`)

// checkExpansion returns an error if the replacement refers to a group that the expression does not
// have. regexp would silently replace it by nothing; the usual mistake is "$1x" for "${1}x".
func checkExpansion(replacement string, re *regexp.Regexp) error {
	for _, m := range expansion.FindAllStringSubmatch(replacement, -1) {
		name := m[1] + m[2]
		number, err := strconv.Atoi(name)
		isNumber := err == nil && number <= re.NumSubexp()
		if name != "" && !isNumber && re.SubexpIndex(name) < 0 {
			return fmt.Errorf("the expression has no group %s", name)
		}
	}
	return nil
}

// replaceStrings replaces in the strings at and below a path of a document. A value repeated by an
// alias or << is edited at its anchor, if the anchor is searched too. If the whole document is
// searched, block names are skipped.
func replaceStrings(
	doc *gaby.YamlDoc, root gaby.Value, path []string, replace replacer,
) (matches int, err error) {
	type edit struct {
		segments []string
		text     string
	}
	var edits []edit
	search := func(v gaby.Value, segments []string) {
		if text, ok := stringValue(v); ok {
			if replaced, found := replaceText(doc, text, replace); found {
				matches++
				if replaced != text {
					edits = append(edits, edit{slices.Concat(path, segments), replaced})
				}
			}
		}
	}
	search(root, nil)
	yamlkit.Walk(root, nil, func(w *yamlkit.Cursor) bool {
		if w.Value.IsAliased() && !root.IsAliased() || len(path) == 0 && isName(doc, w.Segments) {
			return false
		}
		search(w.Value, w.Segments)
		return true
	})
	var problems []error
	for _, e := range edits {
		if _, err := doc.Set(e.text, e.segments...); err != nil {
			problems = append(problems, err)
		}
	}
	return matches, errors.Join(problems...)
}

// isName reports whether a path of a document is part of the name of a block. Like keys, names are
// referred to by expressions, and since expressions are not searched, a replaced name would break
// them.
func isName(doc *gaby.YamlDoc, path []string) bool {
	language, ok := doc.Native().(interface{ IsName(path []string) bool })
	return ok && language.IsName(path)
}

// replaceText replaces in text but not in the expressions in it. It reports false if the
// replacement would change an expression.
func replaceText(doc *gaby.YamlDoc, text string, replace replacer) (replaced string, found bool) {
	language, ok := doc.Native().(interface {
		Expressions(text string) []string
		ReplaceLiterals(text string, replace func(string) string) string
	})
	replaced, found = replace(text)
	if !ok || !found || slices.Equal(language.Expressions(text), language.Expressions(replaced)) {
		return replaced, found
	}
	found = false
	replaced = language.ReplaceLiterals(text, func(literal string) string {
		with, ok := replace(literal)
		found = found || ok
		return with
	})
	return replaced,
		found && slices.Equal(language.Expressions(text), language.Expressions(replaced))
}

// stringValue returns the text of a string. Timestamps count as strings, as they do in Kubernetes.
func stringValue(v gaby.Value) (string, bool) {
	if v.Kind() != gaby.Scalar {
		return "", false
	}
	switch v.Tag() {
	case "!!null", "!!bool", "!!int", "!!float":
		return "", false
	}
	return v.Text(), true
}

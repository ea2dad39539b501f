package generic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
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
			_, err := newReplacer(context.Background(), args)
			if _, ok := handler.Arguments(args).Lookup(parameterPath); ok {
				err = errors.Join(err, checkWholePath(provider)(args))
			}
			return err
		},
		Function: handler.Edits(func(c *handler.Call) (int, error) {
			replace, err := newReplacer(c.Context(), c.Args)
			if err != nil {
				return 0, err
			}
			searched, unreadable := searchedDocuments(c.Docs, provider, c.Args)
			matches := 0
			if _, ok := c.Args.Lookup(parameterPath); ok {
				_, err = yamlkit.EditPaths(searched, queryOf(provider, c.Args), nil, provider,
					yamlkit.EditOptions{}, func(p *yamlkit.Match) error {
						if expression.At(c.Context(), p.Doc, p.Resource) {
							return nil
						}
						n, err := replaceStrings(p.Doc, p.Value, p.Segments, replace)
						matches += n
						return err
					})
			} else {
				err = yamlkit.EachDocument(searched, provider,
					func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
						if expression.At(c.Context(), doc, info) {
							return nil
						}
						n, err := replaceStrings(doc, doc.Value(), nil, replace)
						matches += n
						return err
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

// replacer replaces text and reports whether the searched text occurs in it. It fails if the new
// text would be too long.
type replacer func(text string) (string, bool, error)

// newReplacer returns the replacer for the arguments of search-replace. The error is a
// *handler.ArgumentError.
func newReplacer(ctx context.Context, args []api.FunctionArgument) (replacer, error) {
	a := handler.Arguments(args)
	search, replacement := a.String(parameterSearch), a.String(parameterReplace)
	account := limit.Of(ctx)
	made := func(result, text string) (string, bool, error) {
		return result, true, limit.Grow(ctx, int64(len(result)-len(text)))
	}
	if !a.Bool("regexp") {
		return func(text string) (string, bool, error) {
			n := strings.Count(text, search)
			if n == 0 {
				return text, false, nil
			}
			err := account.Check(replaced, int64(len(text))+
				int64(n)*int64(len(replacement)-len(search)))
			if err != nil {
				return "", false, err
			}
			return made(strings.ReplaceAll(text, search, replacement), text)
		}, nil
	}
	re, err := pattern.Compile(search)
	if err != nil {
		return nil, handler.InvalidArgument(parameterSearch, "%w", err).
			WithHint("without regexp, the text is searched for as it is")
	}
	if err := checkExpansion(replacement, re); err != nil {
		return nil, handler.InvalidArgument(parameterReplace, "%w", err).
			WithHint("write ${1}x for group 1 followed by x, and $$ for a dollar sign")
	}
	references := int64(strings.Count(replacement, "$"))
	return func(text string) (string, bool, error) {
		if !re.MatchString(text) {
			return text, false, nil
		}
		// A match is no longer than the text, and a group no longer than its match. So texts are
		// only counted if there can be much.
		most := (int64(len(text)) + 1) * (int64(len(replacement)) + 1 + references)
		if account.Check(replaced, most) != nil {
			most = int64(len(text))
			re.ReplaceAllStringFunc(text, func(match string) string {
				most += int64(len(replacement)) + references*int64(len(match))
				return ""
			})
			if err := account.Check(replaced, most); err != nil {
				return "", false, err
			}
		}
		return made(re.ReplaceAllString(text, replacement), text)
	}, nil
}

// replaced names the result in errors.
const replaced = "replaced text"

// expansion matches what ReplaceAllString expands, see regexp.Expand.
var expansion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$(?:\$|\{(\w+)\}|(\w+))`)
})

// checkExpansion returns an error if the replacement refers to a group that the expression does not
// have. regexp would silently replace it by nothing; the usual mistake is "$1x" for "${1}x".
func checkExpansion(replacement string, re *regexp.Regexp) error {
	for _, m := range expansion().FindAllStringSubmatch(replacement, -1) {
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
		text, ok := stringValue(v)
		if !ok || err != nil {
			return
		}
		replaced, found, problem := replaceText(doc, text, replace)
		if err = problem; found {
			matches++
			if replaced != text {
				edits = append(edits, edit{slices.Concat(path, segments), replaced})
			}
		}
	}
	search(root, nil)
	yamlkit.Walk(root, nil, func(w *yamlkit.Cursor) bool {
		if err != nil || w.Value.IsAliased() && !root.IsAliased() ||
			len(path) == 0 && isName(doc, w.Segments) {
			return false
		}
		search(w.Value, w.Segments)
		return true
	})
	if err != nil {
		return 0, expression.FailureIn(doc, err)
	}
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
func replaceText(
	doc *gaby.YamlDoc, text string, replace replacer,
) (replaced string, found bool, err error) {
	language, ok := doc.Native().(interface {
		Expressions(text string) []string
		ReplaceLiterals(text string, replace func(string) string) string
	})
	replaced, found, err = replace(text)
	if !ok || !found || slices.Equal(language.Expressions(text), language.Expressions(replaced)) {
		return replaced, found, err
	}
	found = false
	replaced = language.ReplaceLiterals(text, func(literal string) string {
		with, ok, problem := replace(literal)
		found, err = found || ok, cmp.Or(err, problem)
		return with
	})
	return replaced,
		found && slices.Equal(language.Expressions(text), language.Expressions(replaced)), err
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

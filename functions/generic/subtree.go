package generic

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

const (
	parameterSubtree = "value"
	parameterComment = "comment"
)

// getSubtreeFunction returns get-path, which reads any value at a path.
func getSubtreeFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Getting(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "get-path",
			Parameters: []api.FunctionParameter{
				pathParameter("path of the values within the resources"),
			},
			Description: "Get the values at a path of resources of any type, maps and lists " +
				"as YAML",
			Examples: []string{
				"get-path spec.replicas", "get-path 'spec.template.spec.containers.*.ports'",
			},
		},
		CheckArguments: CheckPathArgument(provider),
	}, "value", "the values found at the path, maps and lists as YAML",
		func(c *handler.Call) (api.AttributeValueList, error) {
			rows, err := yamlkit.GetPathsAnyType(
				c.Docs, queryOf(provider, c.Args), nil, provider, api.DataTypeNone,
			)
			nearest(c, len(rows), queryOf(provider, c.Args), nil, provider)
			return rows, err
		})
}

// setSubtreeFunction returns set-path, which writes YAML at a path.
func setSubtreeFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-path",
			Parameters: []api.FunctionParameter{
				pathParameter(
					"path of the values within the resources; a last segment ?key=value finds or " +
						"appends a list element; . merges a map into the whole resource, as patch does",
				),
				handler.Required(parameterSubtree, api.DataTypeYAML, "{cpu: 250m}",
					"new value, in YAML or JSON; a number or boolean replaces a string as text, "+
						"unless it has a tag: !!int 5"),
			},
			Description: "Set the values at a path of resources of any type to any YAML, " +
				"creating missing values",
			Examples: []string{
				"set-path spec.strategy '{type: Recreate}'",
				"set-path 'spec.template.spec.containers.?name=web.env.?name=MODE' '{name: MODE, " +
					"value: fast}'",
				"set-path . '{spec: {paused: true}, metadata: {labels: {tier: front}}}'",
			},
		},
		ValueParameter: parameterSubtree,
		PerDocument:    true,
		Surveys: func(args []api.FunctionArgument) func(api.ResourceType) bool {
			if isWhole(args) {
				return SurveysAll(args)
			}
			return SurveysPath(provider)(args)
		},
		CheckArguments: func(args []api.FunctionArgument) error {
			if !isWhole(args) {
				return errors.Join(CheckPathArgument(provider)(args), checkSubtree(args))
			}
			value, err := parseSubtree(handler.Arguments(args).String(parameterSubtree))
			if err == nil && !value.IsMap() {
				err = errors.New("only a map can be merged into a resource")
			}
			if err != nil {
				return handler.InvalidArgument(parameterSubtree, "%w", err)
			}
			if root := value.Value(); root.Get("kind").Exists() &&
				root.Get("metadata").Get("name").Exists() {
				return handler.InvalidArgument(parameterSubtree, "it has the kind and the name of "+
					"one resource, which all resources would get").
					WithHint("patch merges it into that resource")
			}
			return nil
		},
	}, func(c *handler.Call) (int, error) {
		value, err := parseSubtree(c.Args.String(parameterSubtree))
		if err != nil {
			return 0, err
		}
		if isWhole(c.Args) {
			return mergeWhole(c, provider, value)
		}
		create := creationOfPath(provider)(c)
		if strings.Contains(c.Args.String(parameterPath), "#") {
			partless := 0
			matches, err := setPart(c.Docs, queryOf(provider, c.Args), provider, value, create,
				func(*yamlkit.Match) { partless++ })
			if partless > 0 {
				c.NoteSum("skipped ", partless, "value", " without that part: a text has a format "+
					"if its key has the extension of one or if it is JSON or YAML")
			}
			return create.end(c, provider, matches, err)
		}
		matches, err := setSubtrees(
			c.Docs, api.ResourceTypeAny,
			api.UnresolvedPath(c.Args.String(parameterPath)), provider, value, create,
		)
		return create.end(c, provider, matches, err)
	})
}

// deletePathFunction returns delete-path.
func deletePathFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "delete-path",
			Parameters: []api.FunctionParameter{
				resourceTypeParameter(),
				pathParameter("path to delete: a key of a map or an element of a list"),
			},
			Mutating: true, Hermetic: true,
			Description: "Delete the value at a path of resources of a type, with its comments",
			Examples: []string{
				"delete-path apps/v1/Deployment spec.strategy",
				"delete-path '*' metadata.labels.app",
			},
		},
		PerDocument:    true,
		CheckArguments: checkWholePath(provider),
		Function: handler.Edits(func(c *handler.Call) (int, error) {
			matches, err := yamlkit.DeletePaths(c.Docs, queryOf(provider, c.Args), nil, provider)
			nearest(c, matches, queryOf(provider, c.Args), nil, provider)
			return matches, err
		}),
	}
}

// setPathCommentFunction returns set-path-comment.
func setPathCommentFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-path-comment",
			Parameters: append(pathParameters(), api.FunctionParameter{
				ParameterName: parameterComment, Required: true, DataType: api.DataTypeString,
				Example: "set by the autoscaler",
				Description: "text of the comment, without #; an empty one removes the " +
					"comment",
				ValueConstraints: api.ValueConstraints{Regexp: `^[^\r\n\x{85}\x{2028}\x{2029}]*$`},
			}),
			Description: "Set the comment of the value at a path of resources of a type: on its " +
				"line, or above it in formats without such comments",
			Examples: []string{
				"set-path-comment apps/v1/Deployment spec.replicas 'see the capacity sheet'",
			},
		},
		ValueParameter: parameterComment,
		PerDocument:    true,
		CheckArguments: checkWholePath(provider),
	}, func(c *handler.Call) (int, error) {
		text := strings.TrimSpace(c.Args.String(parameterComment))
		matches, err := yamlkit.EditPaths(c.Docs, queryOf(provider, c.Args), nil, provider,
			yamlkit.EditOptions{}, func(p *yamlkit.Match) error {
				return p.Doc.SetComment(text, string(yamlpath.Join(p.Segments)))
			})
		nearest(c, matches, queryOf(provider, c.Args), nil, provider)
		return matches, err
	})
}

// checkWholePath is like CheckPathArgument, for functions that cannot work on part of a value.
func checkWholePath(provider configkit.ResourceProvider) func([]api.FunctionArgument) error {
	return func(args []api.FunctionArgument) error {
		if err := checkPathParameter(provider, args, parameterPath); err != nil {
			return err
		}
		text := handler.Arguments(args).String(parameterPath)
		if _, part, ok := strings.Cut(text, "#"); ok {
			return handler.InvalidArgument(parameterPath,
				"path %s: #%s is a part of a value, and the function works on whole ones",
				configkit.Abbreviate(text), configkit.Abbreviate(part)).
				WithHint("set-path replaces parts of values")
		}
		return nil
	}
}

// checkSubtree checks the YAML value in the arguments of set-path. The error is a
// *handler.ArgumentError.
func checkSubtree(args []api.FunctionArgument) error {
	text := handler.Arguments(args).String(parameterSubtree)
	hint := ""
	value, err := parseSubtree(text)
	if err == nil {
		err = checkElement(value, handler.Arguments(args).String(parameterPath))
	} else if text = strings.TrimSpace(text); text != "" && !strings.ContainsAny(text, "\n'") {
		hint = fmt.Sprintf(
			"the value is YAML, in which a text is quoted: '%s'; set-string-path takes it as it is",
			configkit.Quote(text),
		)
	}
	if err == nil {
		return nil
	}
	return handler.InvalidArgument(parameterSubtree, "%w", err).WithHint(hint)
}

// checkElement returns an error if value cannot be the list element that a path looks up.
func checkElement(value *gaby.YamlDoc, path string) error {
	parsed, err := yamlpath.Parse(path)
	if err != nil {
		return nil // the check of the path reports it
	}
	if _, key, text, ok := parsed.LastLookup(); ok {
		_, err = keyedElement(value, key, text)
	}
	return err
}

// parseSubtree parses the YAML in an argument. It returns an error if part of the text would be
// lost, such as what follows # in a color or in a git alias: such text was probably not meant as
// YAML.
func parseSubtree(text string) (*gaby.YamlDoc, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("no YAML value, write null or '\"\"'")
	}
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		return nil, err
	}
	if err := doc.Check(); err != nil {
		return nil, err
	}
	root := doc.Value()
	how := root.SourceStyle()
	if rest, ok := strings.CutPrefix(strings.TrimSpace(text), root.Text()); how.Empty ||
		how.Plain && ok && rest != "" {
		return nil, errors.New("the text after # is a comment and would be lost")
	}
	err = wouldBeLost(root)
	yamlkit.Walk(root, nil, func(w *yamlkit.Cursor) bool {
		err = cmp.Or(err, wouldBeLost(w.Value))
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	return withTags(doc)
}

// withTags makes the tags of scalars hold after the value is written, which is without them: the
// float 5 becomes 5.0. It returns an error for a text that the tag does not fit, such as !!int 5.5.
func withTags(doc *gaby.YamlDoc) (*gaby.YamlDoc, error) {
	var err error
	type whole struct {
		segments []string
		text     string
	}
	var floats []whole // whole numbers with the tag !!float
	check := func(v gaby.Value, segments []string) {
		if v.Kind() != gaby.Scalar {
			return
		}
		meant := map[string]string{
			"!!int": "a whole number", "!!float": "a number", "!!bool": "true or false",
		}
		plain, notYAML := gaby.ParseYAML([]byte(v.Text()))
		is := ""
		if notYAML == nil {
			is = plain.Value().Tag()
		}
		switch want := v.Tag(); {
		case meant[want] == "" || want == is:
		case want == "!!float" && is == "!!int":
			text := fmt.Sprint(plain.Value().Data()) // 0x1F is 31
			floats = append(floats, whole{slices.Clone(segments), text})
		case err == nil:
			err = fmt.Errorf("%s is not %s", configkit.Quote(v.Text()), meant[want])
		}
	}
	check(doc.Value(), nil)
	yamlkit.Walk(doc.Value(), nil, func(w *yamlkit.Cursor) bool {
		check(w.Value, w.Segments)
		return true
	})
	if err != nil {
		return nil, err
	}
	for _, f := range floats {
		float, err := gaby.ParseYAML([]byte("!!float " + f.text + ".0"))
		if err != nil {
			return nil, err
		}
		if len(f.segments) == 0 {
			return float, nil
		}
		// 5 and 5.0 are equal, so replacing one by the other is not an edit.
		if _, err = doc.Set(nil, f.segments...); err == nil {
			doc, err = gaby.ParseYAML([]byte(doc.String()))
		}
		if err == nil {
			_, err = doc.Set(float, f.segments...)
		}
		if err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// wouldBeLost returns an error if setting v, not counting its children, would lose part of it: a
// custom tag, or an entry whose key is repeated.
func wouldBeLost(v gaby.Value) error {
	if tag := v.Tag(); !strings.HasPrefix(tag, "!!") {
		return fmt.Errorf("%s is a tag and would be lost", tag)
	}
	if v.Kind() != gaby.Map {
		return nil
	}
	seen := make(map[string]bool, v.Len())
	for e := range v.Entries() {
		if seen[e.Key()] {
			return fmt.Errorf(
				"key %s appears twice, and one of its values would be lost",
				configkit.Abbreviate(e.Key()),
			)
		}
		seen[e.Key()] = true
	}
	return nil
}

// setSubtrees writes a value at all matches of a path. A path that ends in ?key=value replaces or
// appends a list element.
func setSubtrees(
	docs gaby.Container,
	t api.ResourceType,
	path api.UnresolvedPath,
	provider configkit.ResourceProvider,
	value *gaby.YamlDoc,
	create *creation,
) (int, error) {
	options := yamlkit.EditOptions{
		Upsert: true, Create: create.option(), Wanted: create.wanted(),
	}
	parsed, err := yamlpath.Parse(string(path))
	if err != nil {
		return 0, err
	}
	if parsed.EmbeddedPath() != "" {
		return setPart(docs, GetVisitorMapForPath(provider, t, path), provider, value, create, nil)
	}
	list, key, text, isLookup := parsed.LastLookup()
	if !isLookup {
		return yamlkit.EditPaths(docs, GetVisitorMapForPath(provider, t, path), nil, provider,
			options, func(p *yamlkit.Match) error {
				if text, ok := asText(provider, p, value); ok {
					_, err := p.Doc.Set(text, p.Segments...)
					return err
				}
				to, err := asFloat(provider, p, value)
				if err == nil {
					_, err = p.Doc.Set(to, p.Segments...)
				}
				return err
			})
	}
	element, err := keyedElement(value, key, text)
	if err != nil {
		return 0, err
	}
	if create != nil {
		create.element = yamlkit.LookupSegment(key, text)
	}
	declined := 0
	matches, err := yamlkit.EditPaths(docs, GetVisitorMapForPath(provider, t, list), nil, provider,
		options, func(p *yamlkit.Match) error {
			declines, err := putElement(p, element, key, text, create)
			if declines {
				declined++
			}
			return err
		})
	return matches - declined, err
}

// setPart writes a value at a path in texts. A scalar without quotes or a tag replaces a string as
// text.
func setPart(
	docs gaby.Container, paths configkit.PathSource, provider configkit.ResourceProvider,
	value *gaby.YamlDoc, create *creation, partless func(*yamlkit.Match),
) (int, error) {
	v := value.Value()
	return yamlkit.UpdatePaths(docs, paths, nil, provider, func(s string) string { return s },
		yamlkit.UpdateOptions{
			Wanted: create.wanted(), Partless: partless,
			Part: func(part any) (any, bool) {
				_, isText := part.(string)
				if isText && v.Kind() == gaby.Scalar && !v.IsNull() && v.SourceStyle().Plain {
					return v.Text(), true
				}
				return value, true
			},
		})
}

// asText returns the text of value if it is a scalar without quotes or a tag that replaces a
// string: 1.25 in place of "1.24" is a version, not a number. A new value is a string if the schema
// of the type says so. null is always null.
func asText(
	provider configkit.ResourceProvider, p *yamlkit.Match, value *gaby.YamlDoc,
) (string, bool) {
	v := value.Value()
	if v.Kind() != gaby.Scalar || v.Tag() == "!!str" || v.IsNull() || !v.SourceStyle().Plain {
		return "", false
	}
	if p.Value.Exists() && !p.Value.IsNull() {
		return v.Text(), p.Value.Kind() == gaby.Scalar && p.Value.Tag() == "!!str"
	}
	fields, ok := provider.(yamlpath.FieldProvider)
	return v.Text(), ok && fields.Field(p.Resource.ResourceType,
		yamlpath.Exactly(p.Segments)).Type == "string"
}

// asFloat returns value with a decimal point if it is a whole number without a tag that replaces a
// float in TOML, where 2 and 2.0 have different types. Elsewhere both are numbers.
func asFloat(
	provider configkit.ResourceProvider, p *yamlkit.Match, value *gaby.YamlDoc,
) (*gaby.YamlDoc, error) {
	v := value.Value()
	if provider.ToolchainType() != api.ToolchainAppConfigTOML || v.Kind() != gaby.Scalar ||
		!v.SourceStyle().Plain || v.Tag() != "!!int" || p.Value.Kind() != gaby.Scalar ||
		p.Value.Tag() != "!!float" {
		return value, nil
	}
	return parseSubtree("!!float " + v.Text())
}

// keyedElement returns value as a list element whose key is text. If the map does not have the key,
// it is added in front, as a number if it looks like one: such keys are usually ports, seldom
// names.
func keyedElement(value *gaby.YamlDoc, key, text string) (*gaby.YamlDoc, error) {
	if !value.IsMap() {
		return nil, fmt.Errorf("only a map can be the list element with %s %s", key, text)
	}
	if has := value.Value().Get(key); has.Exists() {
		if !has.EqualText(text) {
			return nil, fmt.Errorf(
				"the value has %s %s, but the path looks for %s", key, configkit.Quote(has.Text()),
				configkit.Quote(text),
			)
		}
		return value, nil
	}
	element, err := gaby.ParseYAML([]byte("{}\n"))
	if err != nil {
		return nil, err
	}
	var known any = text
	if n, err := strconv.Atoi(text); err == nil {
		known = n
	}
	if _, err := element.Set(known, key); err != nil {
		return nil, err
	}
	for _, c := range value.Value().All() {
		if _, err := element.Set(c, c.Key()); err != nil {
			return nil, err
		}
	}
	return element, nil
}

// putElement replaces the element with the key in the matched list, or appends it unless create
// declines that.
func putElement(
	p *yamlkit.Match, element *gaby.YamlDoc, key, text string, create *creation,
) (declines bool, err error) {
	path := string(yamlpath.Join(p.Segments))
	if kind := p.Value.Kind(); kind == gaby.Map || kind == gaby.Scalar && !p.Value.IsNull() {
		if create.leaves(p) {
			return true, nil
		}
		value := "(map)"
		if kind == gaby.Scalar {
			value = configkit.Quote(p.Value.Text())
		}
		return false, fmt.Errorf("value %s at path %s cannot be converted to list", value, p.Path())
	}
	for index, c := range p.Value.All() {
		if c.Get(key).EqualText(text) {
			return false, p.Doc.SetDocP(element, fmt.Sprintf("%s.%d", path, index))
		}
	}
	if p.Value.Exists() && !create.mayAppend(p) {
		return true, nil
	}
	if p.Value.Kind() == gaby.List {
		return false, p.Doc.SetDocP(element, path+".-")
	}
	list, err := gaby.ParseYAML([]byte("[]\n"))
	if err != nil {
		return false, err
	}
	if err := list.SetDocP(element, "-"); err != nil {
		return false, err
	}
	return false, p.Doc.SetDocP(list, path)
}

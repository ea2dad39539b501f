package generic

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// listParameter returns a required parameter for a list of attributes, usually the output of
// another function.
func listParameter(name, description string) api.FunctionParameter {
	return handler.Required(name, api.DataTypeAttributeValueList,
		`[{"ResourceName": "shop/web", "ResourceType": "apps/v1/Deployment", "Path": `+
			`"spec.replicas", "DataType": "int", "Value": 5}]`,
		description)
}

// setAttributesFunction returns set-attributes.
func setAttributesFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	const parameter = "attribute-list"
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-attributes",
			Parameters: []api.FunctionParameter{listParameter(parameter,
				"JSON list of ResourceType, ResourceName (empty for all resources of the type), "+
					"Path, DataType (string, int, bool or YAML) and Value")},
			Description: "Set the values of a list of attributes, creating missing values",
			Examples: []string{
				`set-attributes '[{"ResourceName": "", "ResourceType": "apps/v1/Deployment", ` +
					`"Path": "spec.replicas", "DataType": "int", "Value": 5}]'`,
			},
		},
		ValueParameter: parameter,
		PerDocument:    true,
		Surveys: func(args []api.FunctionArgument) func(api.ResourceType) bool {
			rows, _ := handler.DecodeAttributes(handler.Arguments(args).String(parameter))
			var paths []string
			for _, row := range rows {
				if row.ResourceType == api.ResourceTypeAny {
					paths = append(paths, string(row.Path))
				}
			}
			return surveys(provider, paths...)
		},
		CheckArguments: func(args []api.FunctionArgument) error {
			return checkRows(provider, args, parameter, true)
		},
	}, func(c *handler.Call) (int, error) {
		text := c.Args.String(parameter)
		rows, err := handler.DecodeAttributes(text)
		if err != nil {
			return 0, err
		}
		noteInfo(c, text)
		rows = withValues(c, rows)
		matches := 0
		type setter struct {
			set     func(gaby.Container) (int, error)
			create  *creation
			matches int
		}
		setters := map[*api.AttributeValue]*setter{}
		err = eachRow(c.Docs, rows, provider,
			func(about gaby.Container, row *api.AttributeValue) (err error) {
				s := setters[row]
				if s == nil {
					s = &setter{create: newCreation(c, provider,
						row.ResourceType, string(row.Path))}
					if s.set, err = rowSetter(provider, row, s.create); err != nil {
						return err
					}
					setters[row] = s
				}
				n, err := s.set(about)
				s.matches += n
				matches += n
				return err
			})
		for i := range rows {
			if s := setters[&rows[i]]; s != nil {
				s.create.report(s.matches, "")
				err = cmp.Or(err, s.create.check())
			}
		}
		return matches, err
	})
}

// getPathsFunction returns get-paths.
func getPathsFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	const parameter = "paths"
	return handler.Getting(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "get-paths",
			Parameters: []api.FunctionParameter{listParameter(parameter,
				"JSON list of ResourceType, ResourceName (empty for all resources of the type) "+
					"and Path")},
			Description: "Get the values of a list of attributes, with their details",
			Examples: []string{
				`get-paths '[{"ResourceName": "", "ResourceType": "apps/v1/Deployment", "Path": ` +
					`"spec.replicas"}]'`,
			},
		},
		ValueParameter: parameter, // too long for messages
		CheckArguments: func(args []api.FunctionArgument) error {
			return checkRows(provider, args, parameter, false)
		},
	}, "value", "the values found, with their details",
		func(c *handler.Call) (api.AttributeValueList, error) {
			text := c.Args.String(parameter)
			rows, err := handler.DecodeAttributes(text)
			if err != nil {
				return nil, err
			}
			noteInfo(c, text)
			found := api.AttributeValueList{}
			err = eachRow(c.Docs, rows, provider,
				func(about gaby.Container, of *api.AttributeValue) error {
					path := api.UnresolvedPath(of.Path)
					query := GetVisitorMapForPath(provider, of.ResourceType, path)
					values, err := yamlkit.VisitRows(about, query, nil, provider,
						func(p *yamlkit.Match, row *api.AttributeValue) bool {
							if info := provider.PathInfo(row.ResourceType, path); info != nil {
								row.Details = p.BoundDetails(info)
							}
							return true
						})
					found = append(found, values...)
					return err
				})
			return yamlkit.SortRows(found), err
		})
}

// infoField is the name that rows of ConfigHub's SDK use for Details.
const infoField = "Info"

// foreignFields returns the fields of rows that are accepted and ignored. Unit says to which of
// several units a row belongs; ConfigHub's SDK writes the others.
func foreignFields() []string {
	return []string{"Unit", infoField, "ResourceNameStableCore", "ResourceID"}
}

// noteInfo adds a note if a row has the field Info.
func noteInfo(c *handler.Call, text string) {
	if strings.Contains(text, `"`+infoField+`"`) &&
		unknownFields("", text, append(fieldsOf[api.AttributeValue](), "Unit")) != nil {
		c.NoteOnce(
			"the field " + infoField + " is deprecated and ignored, it is called Details now",
		)
	}
}

// checkRows checks a list of attributes, before any file is read. With values, the values are
// checked as well.
func checkRows(
	provider configkit.ResourceProvider, args []api.FunctionArgument, parameter string, values bool,
) error {
	text := handler.Arguments(args).String(parameter)
	rows, err := handler.DecodeAttributes(text)
	if err != nil {
		return handler.InvalidArgument(parameter, "%w", err)
	}
	if err := unknownFields(
		parameter, text, append(fieldsOf[api.AttributeValue](), foreignFields()...),
	); err != nil {
		return err
	}
	var problems []error
	for i := range rows {
		row := &rows[i]
		err := func() error {
			if row.ResourceType == "" {
				return errors.New("ResourceType is missing")
			}
			if !hasBracketKeys(provider.ToolchainType()) {
				if err := yamlpath.CheckSpelling(string(row.Path)); err != nil {
					return err
				}
			}
			err := checkPath(provider, row.ResourceType, string(row.Path))
			if err != nil && !isLiteral(provider, row) {
				return err
			}
			if !values {
				return nil
			}
			_, err = rowSetter(provider, row, nil)
			return err
		}()
		if err != nil {
			problems = append(problems, handler.InvalidArgument(parameter, "entry %d: %w", i+1,
				err))
		}
	}
	return errors.Join(problems...)
}

// eachRow calls f for each row with the documents it applies to. f gets one document at a time,
// except that blocks that form one resource are passed together. If there are as many rows with one
// path as there are blocks with that path, each row applies to the block it was read from.
// Documents are identified by their names before the first row, so that rows can rename them.
func eachRow(
	docs gaby.Container,
	rows api.AttributeValueList,
	provider configkit.ResourceProvider,
	f func(about gaby.Container, row *api.AttributeValue) error,
) error {
	type key struct {
		resourceType api.ResourceType
		name         api.ResourceName // "" for all names
	}
	about := map[key][]int{}
	for i := range rows {
		k := key{rows[i].ResourceType, rows[i].ResourceName}
		about[k] = append(about[k], i)
	}
	var problems []error
	groups, err := yamlkit.ResourceBlocks(docs, provider)
	if err != nil {
		problems = append(problems, err)
	}
	for _, group := range groups {
		info := group.Info
		var mine []int
		for _, k := range []key{
			{info.ResourceType, info.ResourceName},
			{info.ResourceType, ""},
			{api.ResourceTypeAny, info.ResourceName},
			{api.ResourceTypeAny, ""},
		} {
			for _, i := range about[k] {
				if c := rows[i].ResourceCategory; c == "" || c == info.ResourceCategory {
					mine = append(mine, i)
				}
			}
		}
		slices.Sort(mine)
		for _, i := range mine {
			literal, others := literally(rowBlocks(&group, rows, mine, i), &rows[i])
			if len(literal) > 0 {
				row := rows[i]
				path, err := literalPath(string(row.Path))
				if row.Path = api.ResolvedPath(path); err == nil {
					err = f(literal, &row)
				}
				problems = append(problems, err)
			}
			if len(others) > 0 {
				problems = append(problems, f(others, &rows[i]))
			}
		}
	}
	return errors.Join(problems...)
}

// withValues returns the rows that have a value. list-paths can list maps and lists without their
// values.
func withValues(c *handler.Call, rows api.AttributeValueList) api.AttributeValueList {
	some := slices.DeleteFunc(slices.Clone(rows), func(row api.AttributeValue) bool {
		return row.DataType == api.DataTypeYAML && row.Value == nil
	})
	if n := len(rows) - len(some); n > 0 {
		c.NoteOnce(fmt.Sprintf(
			"%d of %d entries have no value and set nothing: list-paths lists maps and lists "+
				"without values", n,
			len(rows),
		))
	}
	return some
}

// literally splits documents into those that have the row's path when each segment is taken as a
// literal key, and the others. Rows come from other functions, which do not escape keys such as *.
func literally(docs gaby.Container, row *api.AttributeValue) (literal, others gaby.Container) {
	path := string(row.Path)
	if literal, err := literalPath(path); err == nil && literal == path {
		return nil, docs
	}
	for _, doc := range docs {
		if doc.Search(gaby.DotPathToSlice(path)...) != nil {
			literal = append(literal, doc)
		} else {
			others = append(others, doc)
		}
	}
	return literal, others
}

// isLiteral reports whether the path of a row is valid once its segments are taken as literal keys.
func isLiteral(provider configkit.ResourceProvider, row *api.AttributeValue) bool {
	path, err := literalPath(string(row.Path))
	return err == nil && checkPath(provider, row.ResourceType, path) == nil
}

// literalPath escapes the segments of a path so that each is read as a literal key. It returns an
// error for keys that the path language cannot express.
func literalPath(path string) (string, error) {
	segments := strings.Split(path, ".")
	for i, s := range segments {
		if s == "" || !strings.Contains("*?@|", s[:1]) {
			continue
		}
		if strings.ContainsAny(s, ":#") {
			return "", fmt.Errorf(
				"path %s: the key %s, with : or #, cannot be written in a path", path, s,
			)
		}
		segments[i] = "@" + s + ":key"
	}
	return strings.Join(segments, "."), nil
}

// rowBlocks returns the blocks of a resource that row i applies to: the blocks that have its path,
// or all blocks if none has. If mine, the indexes of the rows about the resource, has as many rows
// with this path as there are blocks with it, row i applies only to the block at its index among
// them.
func rowBlocks(
	blocks *yamlkit.Blocks, rows api.AttributeValueList, mine []int, i int,
) gaby.Container {
	if len(blocks.Docs) == 1 {
		return blocks.Docs
	}
	nth, same := 0, 0
	for _, other := range mine {
		if rows[other].Path != rows[i].Path {
			continue
		}
		if other == i {
			nth = same
		}
		same++
	}
	switch have := blocksWith(blocks, &rows[i]); len(have) {
	case 0:
		return blocks.Docs
	case same:
		return have[nth : nth+1]
	default:
		return have
	}
}

// blocksWith returns the blocks that have the path of a row. If the row is a scalar, blocks with a
// scalar at the path are preferred.
func blocksWith(blocks *yamlkit.Blocks, row *api.AttributeValue) gaby.Container {
	path := gaby.DotPathToSlice(string(row.Path))
	have := blocks.At(path...)
	var scalars gaby.Container
	for _, doc := range have {
		if row.DataType != api.DataTypeYAML && doc.Search(path...).Value().Kind() == gaby.Scalar {
			scalars = append(scalars, doc)
		}
	}
	if len(scalars) > 0 {
		return scalars
	}
	return have
}

// rowSetter returns a function that writes the value of a row into documents and returns the number
// of matches. create decides about missing values.
func rowSetter(
	provider configkit.ResourceProvider, row *api.AttributeValue, create *creation,
) (func(gaby.Container) (int, error), error) {
	path := api.UnresolvedPath(row.Path)
	query := GetVisitorMapForPath(provider, row.ResourceType, path)
	dataType := row.DataType
	if dataType == api.DataTypeNone {
		dataType = typeOfJSON(row.Value)
	}
	var value any
	var fits bool
	switch dataType {
	case api.DataTypeString, api.DataTypeEnum:
		value, fits = row.Value.(string)
	case api.DataTypeBool:
		value, fits = row.Value.(bool)
	case api.DataTypeInt:
		number, isNumber := row.Value.(json.Number)
		n, err := integerOf(number)
		value, fits = n, isNumber && err == nil
	case api.DataTypeYAML, api.DataTypeJSON:
		if number, ok := row.Value.(json.Number); ok {
			return numberSetter(query, provider, number, create), nil
		}
		value, err := subtreeOfJSON(row.Value, dataType)
		if err == nil {
			err = checkElement(value, string(path))
		}
		if err != nil {
			return nil, fmt.Errorf("value of path %s: %w", row.Path, err)
		}
		return func(docs gaby.Container) (int, error) {
			return setSubtrees(docs, row.ResourceType, path, provider, value, create)
		}, nil
	default:
		return nil,
			fmt.Errorf("path %s: values of data type %s cannot be set", row.Path, row.DataType)
	}
	if !fits {
		return nil, wrongValue(provider, row)
	}
	return func(docs gaby.Container) (int, error) {
		return updateScalars(docs, query, nil, provider, value,
			yamlkit.UpdateOptions{Upsert: true, Create: create.option()})
	}, nil
}

// wrongValue returns the error for a value that is not of the data type of its row.
func wrongValue(provider configkit.ResourceProvider, row *api.AttributeValue) error {
	value := fmt.Sprint(row.Value)
	if text, ok := row.Value.(string); ok {
		value = configkit.Quote(text)
	}
	if provider.Sensitive(row.ResourceType, row.Path) == configkit.IsSensitive {
		value = sensitive.Mask
	}
	return fmt.Errorf("value %s of path %s is not of type %s", value, row.Path, row.DataType)
}

// integerOf returns a JSON number as an int, rounded, because JSON does not distinguish integers
// from other numbers.
func integerOf(number json.Number) (int, error) {
	if n, err := strconv.Atoi(number.String()); err == nil {
		return n, nil
	}
	f, err := number.Float64()
	if f = math.Round(f); err == nil && (f < math.MinInt64 || f >= math.MaxInt64) {
		err = strconv.ErrRange
	}
	return int(f), err
}

// numberSetter returns a function that writes a JSON number. An equal number keeps its spelling:
// 1e3 is 1000.
func numberSetter(
	query configkit.PathSource, provider configkit.ResourceProvider, number json.Number,
	create *creation,
) func(gaby.Container) (int, error) {
	return func(docs gaby.Container) (int, error) {
		return yamlkit.EditPaths(docs, query, nil, provider,
			yamlkit.EditOptions{Upsert: true, Create: create.option()},
			func(p *yamlkit.Match) error {
				if v, ok := p.Scalar(); ok && sameNumber(v, number) {
					return nil
				}
				value, err := parseSubtree(number.String())
				if err == nil {
					_, err = p.Doc.Set(value, p.Segments...)
				}
				return err
			})
	}
}

// sameNumber reports whether v, a value of a document, equals number.
func sameNumber(v any, number json.Number) bool {
	if f, ok := v.(float64); ok {
		other, err := number.Float64()
		return err == nil && f == other
	}
	return fmt.Sprint(v) == number.String()
}

// typeOfJSON returns the data type of a value in a row without a DataType.
func typeOfJSON(value any) api.DataType {
	switch v := value.(type) {
	case string:
		return api.DataTypeString
	case bool:
		return api.DataTypeBool
	case json.Number:
		if f, err := v.Float64(); err == nil && f == math.Trunc(f) {
			return api.DataTypeInt
		}
	}
	return api.DataTypeJSON
}

// subtreeOfJSON returns value as a document. YAML is a string in JSON; values of other types are
// encoded.
func subtreeOfJSON(value any, t api.DataType) (*gaby.YamlDoc, error) {
	if text, ok := value.(string); ok && t == api.DataTypeYAML {
		return parseSubtree(text)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return parseSubtree(string(text))
}

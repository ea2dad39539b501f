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
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
	"github.com/fctl-dev/fctl/internal/shellwords"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// PathFunctionOption modifies the functions that RegisterPathSetterAndGetter registers.
type PathFunctionOption func(getter, setter *handler.FunctionRegistration)

// WithPathFunctionAlias adds the aliases get-<suffix> and set-<suffix>.
func WithPathFunctionAlias(suffix string) PathFunctionOption {
	return func(getter, setter *handler.FunctionRegistration) {
		getter.Aliases = append(getter.Aliases, "get-"+suffix)
		setter.Aliases = append(setter.Aliases, "set-"+suffix)
	}
}

// WithDeprecatedPathFunctionAlias adds the deprecated aliases get-<suffix> and set-<suffix>, which
// keep working but are not advertised.
func WithDeprecatedPathFunctionAlias(suffix string) PathFunctionOption {
	return func(getter, setter *handler.FunctionRegistration) {
		getter.DeprecatedAliases = append(getter.DeprecatedAliases, "get-"+suffix)
		setter.DeprecatedAliases = append(setter.DeprecatedAliases, "set-"+suffix)
	}
}

// WithPathFunctionExamples adds examples, which are complete lines such as "set-replicas 5".
func WithPathFunctionExamples(get, set string) PathFunctionOption {
	return func(getter, setter *handler.FunctionRegistration) {
		getter.Examples = append(getter.Examples, get)
		setter.Examples = append(setter.Examples, set)
	}
}

// WithValueCheck checks the new value beyond what the constraints of its parameter can express.
func WithValueCheck(check func(value any) error) PathFunctionOption {
	return func(_, setter *handler.FunctionRegistration) {
		name := setter.Parameters[len(setter.Parameters)-1].ParameterName
		setter.CheckArguments = func(args []api.FunctionArgument) error {
			value, _ := handler.Arguments(args).Lookup(name)
			if err := check(value); err != nil {
				return handler.InvalidArgument(name, "%w", err)
			}
			return nil
		}
	}
}

// RegisterPathSetterAndGetter registers get-<suffix> and, with addSetter, set-<suffix>, which read
// and write the registered paths of an attribute. The last parameter is the value, of type string,
// int or bool; the parameters before it fill the %s of the paths. description is appended to "Get "
// and "Set ". With upsert, the setter creates missing values. The error is a
// *handler.RegistrationError, or the error of fh.
func RegisterPathSetterAndGetter(
	fh handler.FunctionRegistry, functionNameSuffix string, parameters []api.FunctionParameter,
	description string, attributeName api.AttributeName,
	resourceProvider configkit.ResourceProvider, addSetter, upsert bool,
	options ...PathFunctionOption,
) error {
	getter, setter, err := getterAndSetter(
		functionNameSuffix, parameters, description, attributeName, resourceProvider, upsert,
		options,
	)
	if err != nil {
		return err
	}
	if err := fh.RegisterFunction(getter); err != nil || !addSetter {
		return err
	}
	return fh.RegisterFunction(setter)
}

// RegisterAttribute registers the functions of a described attribute.
func RegisterAttribute(
	fh handler.FunctionRegistry, attribute configkit.AttributeDescription,
	provider configkit.ResourceProvider, options ...PathFunctionOption,
) error {
	functions := attribute.Functions
	if get, set, ok := lineExamples(functions, attribute.Parameters); ok {
		options = append(options, WithPathFunctionExamples(get, set))
	}
	if functions.FormerName != "" {
		options = append(options, WithDeprecatedPathFunctionAlias(functions.FormerName))
	}
	return RegisterPathSetterAndGetter(fh, functions.Name, attribute.Parameters,
		attribute.Description, attribute.Name, provider, !functions.ReadOnly, attribute.Upsert,
		options...)
}

// lineExamples builds examples of get-NAME and set-NAME from the examples of the parameters and,
// where one is missing, from values that any parameter of the type accepts. It reports false if it
// cannot know an acceptable value.
func lineExamples(
	functions configkit.AttributeFunctions, parameters []api.FunctionParameter,
) (get, set string, ok bool) {
	var words []string
	for i, p := range parameters {
		word, last := p.Example, i == len(parameters)-1
		if last {
			word = cmp.Or(functions.ExampleValue, word)
		}
		switch {
		case word != "":
		case p.DataType == api.DataTypeBool:
			word = "true"
		case p.DataType == api.DataTypeEnum:
			word = p.EnumValues[0]
		case p.DataType == api.DataTypeInt && p.Min != nil:
			word = strconv.Itoa(*p.Min)
		case p.DataType == api.DataTypeInt && p.Max == nil:
			word = "1"
		case !last && p.Regexp == "":
			word = "*" // * matches everything in a path
		default:
			return "", "", false
		}
		words = append(words, shellwords.Quote(word))
	}
	getter := append([]string{"get-" + functions.Name}, words[:len(words)-1]...)
	setter := append([]string{"set-" + functions.Name}, words...)
	return strings.Join(getter, " "), strings.Join(setter, " "), true
}

// getterAndSetter returns the registrations of the getter and the setter, with the options applied.
func getterAndSetter(
	suffix string, parameters []api.FunctionParameter, description string,
	attributeName api.AttributeName,
	resourceProvider configkit.ResourceProvider, upsert bool, options []PathFunctionOption,
) (getter, setter handler.FunctionRegistration, err error) {
	refuse := func(problem string) error {
		return &handler.RegistrationError{Function: "set-" + suffix, Problems: []string{problem}}
	}
	if len(parameters) == 0 {
		return getter, setter, refuse("it needs a parameter for the value")
	}
	value := parameters[len(parameters)-1]
	a := attributeFunctions{
		name: attributeName, value: value.ParameterName, dataType: value.DataType,
		keys: parameters[:len(parameters)-1], provider: resourceProvider, upsert: upsert,
	}
	switch value.DataType {
	case api.DataTypeString, api.DataTypeInt, api.DataTypeBool:
	case api.DataTypeEnum:
		a.dataType = api.DataTypeString
	default:
		return getter, setter, refuse(fmt.Sprintf(
			"parameter %s: values of type %s cannot be set at paths", value.ParameterName,
			value.DataType,
		))
	}
	getter = handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "get-" + suffix,
			Parameters:   a.keys,
			OutputInfo: handler.Output(api.OutputTypeAttributeValueList, value.ParameterName,
				value.Description),
			Hermetic: true, Idempotent: true,
			Description:   "Get " + description,
			FunctionType:  api.FunctionTypePathVisitor,
			AttributeName: attributeName,
		},
		Function:    handler.Rows(a.get),
		PerDocument: true,
		RowsSorted:  true,
	}
	setter = handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-" + suffix,
			Parameters:   parameters,
			Mutating:     true, Hermetic: true, Idempotent: true,
			Description:   "Set " + description,
			FunctionType:  api.FunctionTypePathVisitor,
			AttributeName: attributeName,
		},
		Function:    handler.Edits(a.set),
		PerDocument: true,
		KeepsNames: !slices.Contains(
			[]api.AttributeName{"metadata-name", "resource-name", "namespace-name-reference"},
			attributeName,
		),
	}
	for _, option := range options {
		option(&getter, &setter)
	}
	return getter, setter, nil
}

// attributeFunctions are the getter and the setter of an attribute. They read and write the values
// at each path as the path's own data type.
type attributeFunctions struct {
	name     api.AttributeName
	keys     []api.FunctionParameter // fill the %s of paths
	value    string                  // the parameter of the setter for the value
	dataType api.DataType            // of the value: string, int or bool
	provider configkit.ResourceProvider
	upsert   bool
}

// get implements the getter.
func (a *attributeFunctions) get(c *handler.Call) (api.AttributeValueList, error) {
	var lists []api.AttributeValueList
	keys := pathKeys(a.keys, c.Args)
	err := a.byType(func(t api.DataType, paths configkit.PathSource) error {
		rows, err := getScalars(c.Docs, paths, keys, a.provider, t)
		lists = append(lists, rows)
		return err
	})
	rows := lists[0]
	if len(lists) > 1 {
		rows = yamlkit.MergeRows(lists)
	}
	for i := range rows {
		rows[i].AttributeName = a.name
	}
	nearest(c, len(rows), a.provider.AttributePaths(a.name), keys, a.provider)
	return rows, err
}

// set implements the setter.
func (a *attributeFunctions) set(c *handler.Call) (int, error) {
	argument, _ := c.Args.Lookup(a.value)
	matches := 0
	keys := pathKeys(a.keys, c.Args)
	err := a.byType(func(t api.DataType, paths configkit.PathSource) error {
		n, err := a.update(c, t, paths, keys, argument)
		matches += n
		return err
	})
	nearest(c, matches, a.provider.AttributePaths(a.name), keys, a.provider)
	return matches, err
}

// update writes the argument at paths of data type t, and returns the number of matches.
func (a *attributeFunctions) update(
	c *handler.Call, t api.DataType, paths configkit.PathSource, keys []any, argument any,
) (int, error) {
	value := argument
	if t != a.dataType {
		var err error
		if value, err = resourcetypes.ConvertText(fmt.Sprint(argument), t); err != nil {
			return yamlkit.EditPaths(c.Docs, paths, keys, a.provider,
				yamlkit.EditOptions{Upsert: a.upsert},
				func(p *yamlkit.Match) error {
					return fmt.Errorf("argument %s: path %s: %w", a.value, p.Path(), err)
				})
		}
	}
	partless := 0
	matches, err := updateScalars(c.Docs, paths, keys, a.provider, value, yamlkit.UpdateOptions{
		Upsert: a.upsert, Partless: func(*yamlkit.Match) { partless++ },
	})
	if partless > 0 {
		c.NoteSum("skipped ", partless, "value", " without that part")
	}
	return matches, err
}

// byType calls f for each data type that paths of the attribute have, with those paths: first for
// the type of the functions, even without paths, then for those that the documents of the first
// call brought up.
func (a *attributeFunctions) byType(f func(api.DataType, configkit.PathSource) error) error {
	types := []api.DataType{a.dataType}
	var problems []error
	for i := 0; i < len(types); i++ {
		problems = append(problems, f(types[i], configkit.FilterPaths(
			a.provider.AttributePaths(a.name),
			func(_ api.ResourceType, info *api.PathVisitorInfo) bool {
				t := resourcetypes.ValueType(info, a.dataType)
				if !slices.Contains(types, t) {
					types = append(types, t)
				}
				return t == types[i]
			},
		)))
		slices.Sort(types[i+1:]) // whatever the order of documents
	}
	return errors.Join(problems...)
}

// pathKeys returns the arguments that fill the %s of paths, escaped as segments. An absent argument
// matches everything.
func pathKeys(parameters []api.FunctionParameter, args []api.FunctionArgument) []any {
	keys := make([]any, len(parameters))
	for i, p := range parameters {
		value, ok := handler.Arguments(args).Lookup(p.ParameterName)
		if !ok {
			value = "*"
		}
		keys[i] = yamlpath.Escape(fmt.Sprint(value))
	}
	return keys
}

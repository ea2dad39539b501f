package generic

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/functions/shellwords"
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
	getter, setter, err := pathFunctions(
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

// pathFunctions returns the registrations of the getter and the setter, with the options applied.
func pathFunctions(
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
	var get, set handler.FunctionImplementation
	pathParameters := parameters[:len(parameters)-1]
	value := parameters[len(parameters)-1]
	switch value.DataType {
	case api.DataTypeString, api.DataTypeEnum:
		get, set = attributeFunctions[string](attributeName, parameters, resourceProvider, upsert)
	case api.DataTypeInt:
		get, set = attributeFunctions[int](attributeName, parameters, resourceProvider, upsert)
	case api.DataTypeBool:
		get, set = attributeFunctions[bool](attributeName, parameters, resourceProvider, upsert)
	default:
		return getter, setter, refuse(fmt.Sprintf(
			"parameter %s: values of type %s cannot be set at paths", value.ParameterName,
			value.DataType,
		))
	}
	getter = handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "get-" + suffix,
			Parameters:   pathParameters,
			OutputInfo: handler.Output(api.OutputTypeAttributeValueList, value.ParameterName,
				value.Description),
			Hermetic: true, Idempotent: true,
			Description:   "Get " + description,
			FunctionType:  api.FunctionTypePathVisitor,
			AttributeName: attributeName,
		},
		Function:    get,
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
		Function:    set,
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

// attributeFunctions returns the implementations of the getter and the setter of an attribute with
// values of type T.
func attributeFunctions[T yamlkit.Scalar](
	name api.AttributeName, parameters []api.FunctionParameter, provider configkit.ResourceProvider,
	upsert bool,
) (get, set handler.FunctionImplementation) {
	paths, value := parameters[:len(parameters)-1], parameters[len(parameters)-1].ParameterName
	get = handler.Rows(func(c *handler.Call) (api.AttributeValueList, error) {
		rows, err := yamlkit.GetPaths[T](
			c.Docs, provider.AttributePaths(name), pathKeys(paths, c.Args), provider,
		)
		for i := range rows {
			rows[i].AttributeName = name
		}
		nearest(c.FunctionContext, len(rows), c.Docs, provider.AttributePaths(name),
			pathKeys(paths, c.Args), provider)
		return rows, err
	})
	set = handler.Edits(func(c *handler.Call) (int, error) {
		argument, _ := c.Args.Lookup(value)
		typed, ok := argument.(T)
		if !ok {
			return 0, fmt.Errorf("argument %s has the type %T", value, argument)
		}
		matches, err := yamlkit.UpdatePaths(
			c.Docs, provider.AttributePaths(name), pathKeys(paths, c.Args), provider,
			func(T) T { return typed }, yamlkit.UpdateOptions{Upsert: upsert})
		nearest(c.FunctionContext, matches, c.Docs, provider.AttributePaths(name),
			pathKeys(paths, c.Args), provider)
		return matches, err
	})
	return get, set
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

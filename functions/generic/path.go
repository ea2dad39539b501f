package generic

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// These are the parameters of the path functions.
const (
	parameterResourceType = "resource-type"
	parameterPath         = "path"
	parameterValue        = "attribute-value"
)

// pathQuery is the path in a function's arguments, for resources of one type or, with *, of all
// types.
type pathQuery struct {
	provider     configkit.ResourceProvider
	resourceType api.ResourceType
	path         api.UnresolvedPath
}

// GetVisitorMapForPath returns a source with a single path, for resources of the given type or,
// with *, of all types. The path has the attribute name and the embedded accessor that are
// registered for it.
func GetVisitorMapForPath(
	resourceProvider configkit.ResourceProvider,
	resourceType api.ResourceType,
	path api.UnresolvedPath,
) configkit.PathSource {
	return pathQuery{resourceProvider, resourceType, path}
}

// PathsOf returns the path, with what is registered for it in resources of type t.
func (q pathQuery) PathsOf(t api.ResourceType) []*api.PathVisitorInfo {
	if q.resourceType != t && q.resourceType != api.ResourceTypeAny {
		return nil
	}
	info := &api.PathVisitorInfo{AttributeName: api.AttributeNameNone}
	if registered := q.provider.PathInfo(t, q.path); registered != nil {
		copied := *registered
		info = &copied
	}
	info.Path = q.path
	return []*api.PathVisitorInfo{info}
}

// GenericFnGetStringPath implements get-string-path.
func GenericFnGetStringPath(
	resourceProvider configkit.ResourceProvider, fc *api.FunctionContext, docs gaby.Container,
	args []api.FunctionArgument, other []byte,
) (gaby.Container, any, error) {
	return handler.Rows(getPath(resourceProvider, api.DataTypeString))(fc, docs, args, other)
}

// GenericFnGetIntPath implements get-int-path.
func GenericFnGetIntPath(
	resourceProvider configkit.ResourceProvider, fc *api.FunctionContext, docs gaby.Container,
	args []api.FunctionArgument, other []byte,
) (gaby.Container, any, error) {
	return handler.Rows(getPath(resourceProvider, api.DataTypeInt))(fc, docs, args, other)
}

// GenericFnGetBoolPath implements get-bool-path.
func GenericFnGetBoolPath(
	resourceProvider configkit.ResourceProvider, fc *api.FunctionContext, docs gaby.Container,
	args []api.FunctionArgument, other []byte,
) (gaby.Container, any, error) {
	return handler.Rows(getPath(resourceProvider, api.DataTypeBool))(fc, docs, args, other)
}

// GenericFnSetStringPath implements set-string-path. It creates missing values unless upsert is
// false.
func GenericFnSetStringPath(
	resourceProvider configkit.ResourceProvider, fc *api.FunctionContext, docs gaby.Container,
	args []api.FunctionArgument, other []byte, upsert ...bool,
) (gaby.Container, any, error) {
	set := setPath(resourceProvider, api.DataTypeString, !slices.Contains(upsert, false), nil)
	return handler.Edits(set)(fc, docs, args, other)
}

// GenericFnSetIntPath implements set-int-path. It creates missing values unless upsert is
// false.
func GenericFnSetIntPath(
	resourceProvider configkit.ResourceProvider, fc *api.FunctionContext, docs gaby.Container,
	args []api.FunctionArgument, other []byte, upsert ...bool,
) (gaby.Container, any, error) {
	set := setPath(resourceProvider, api.DataTypeInt, !slices.Contains(upsert, false), nil)
	return handler.Edits(set)(fc, docs, args, other)
}

// GenericFnSetBoolPath implements set-bool-path. It creates missing values unless upsert is
// false.
func GenericFnSetBoolPath(
	resourceProvider configkit.ResourceProvider, fc *api.FunctionContext, docs gaby.Container,
	args []api.FunctionArgument, other []byte, upsert ...bool,
) (gaby.Container, any, error) {
	set := setPath(resourceProvider, api.DataTypeBool, !slices.Contains(upsert, false), nil)
	return handler.Edits(set)(fc, docs, args, other)
}

// queryOf returns the path in a function's arguments. Functions without a resource type parameter
// visit all resources.
func queryOf(
	provider configkit.ResourceProvider, args []api.FunctionArgument,
) configkit.PathSource {
	return GetVisitorMapForPath(
		provider, resourceTypeOf(args),
		api.UnresolvedPath(handler.Arguments(args).String(parameterPath)),
	)
}

// resourceTypeOf returns the resource type in a function's arguments, or the wildcard type
// without one.
func resourceTypeOf(args []api.FunctionArgument) api.ResourceType {
	if t, ok := handler.Arguments(args).Lookup(parameterResourceType); ok {
		return api.ResourceType(t.(string))
	}
	return api.ResourceTypeAny
}

// getPath implements the getters of paths.
func getPath(
	provider configkit.ResourceProvider, t api.DataType,
) func(c *handler.Call) (api.AttributeValueList, error) {
	return func(c *handler.Call) (api.AttributeValueList, error) {
		rows, err := getScalars(c.Docs, queryOf(provider, c.Args), nil, provider, t)
		nearest(c, len(rows), queryOf(provider, c.Args), nil, provider)
		return rows, err
	}
}

// setPath implements the setters of paths. With upsert it creates missing values; creationOf, if
// not nil, returns what decides which. Scalars of other types are replaced.
func setPath(
	provider configkit.ResourceProvider, t api.DataType, upsert bool,
	creationOf func(c *handler.Call) *creation,
) func(c *handler.Call) (int, error) {
	return func(c *handler.Call) (int, error) {
		value, _ := c.Args.Lookup(parameterValue)
		if goType := fmt.Sprintf("%T", value); goType != string(t) { // they have the same names
			return 0, fmt.Errorf("argument %s has the type %s", parameterValue, goType)
		}
		var create *creation
		if creationOf != nil {
			create = creationOf(c)
		}
		matches, err := updateScalars(c.Docs, queryOf(provider, c.Args), nil, provider, value,
			yamlkit.UpdateOptions{
				Upsert: upsert, Retype: true, Create: create.option(), Wanted: create.wanted(),
			})
		return create.end(c, provider, matches, err)
	}
}

// SetText sets the strings at the path in the arguments of resources of any type. It creates only
// missing values that the schema of the type has, and notes the resources that it skips. It returns
// the number of matches.
func SetText(c *handler.Call, provider configkit.ResourceProvider, text string) (int, error) {
	create := creationOfPath(provider)(c)
	matches, err := yamlkit.UpdatePaths(c.Docs, queryOf(provider, c.Args), nil, provider,
		func(string) string { return text },
		yamlkit.UpdateOptions{Upsert: true, Create: create.option(), Wanted: create.wanted()})
	return create.end(c, provider, matches, err)
}

// CheckPathArgument returns a function for CheckArguments of a registration. It checks the argument
// path before any file is read.
func CheckPathArgument(provider configkit.ResourceProvider) func([]api.FunctionArgument) error {
	return func(args []api.FunctionArgument) error {
		return checkPathParameter(provider, args, parameterPath)
	}
}

// checkPathParameter checks the argument of a path parameter. The error is a
// *handler.ArgumentError.
func checkPathParameter(
	provider configkit.ResourceProvider, args []api.FunctionArgument, parameter string,
) error {
	text := handler.Arguments(args).String(parameter)
	if !hasBracketKeys(provider.ToolchainType()) {
		if err := yamlpath.CheckSpelling(text); err != nil {
			return handler.InvalidArgument(parameter, "%w", err)
		}
	}
	if err := checkPath(provider, resourceTypeOf(args), text); err != nil {
		return handler.InvalidArgument(parameter, "%w", err)
	}
	return nil
}

// hasBracketKeys reports whether keys like servers[0] are usual in a format.
func hasBracketKeys(t api.ToolchainType) bool {
	return t == api.ToolchainAppConfigProperties || t == api.ToolchainAppConfigINI
}

// checkPath checks a path for resources of type t. It does not depend on the input.
func checkPath(provider configkit.ResourceProvider, t api.ResourceType, text string) error {
	path, err := yamlpath.Parse(text)
	if err != nil {
		return err
	}
	if path.Arguments() > 0 {
		return &yamlpath.Error{
			Path: text, Column: utf8.RuneCountInString(text[:strings.Index(text, "%s")]) + 1,
			Msg: "%s is an argument, which only registered paths have",
		}
	}
	if p, ok := provider.(partChecker); ok {
		return p.CheckPart(t, path)
	}
	return nil
}

// partChecker is implemented by providers that embed a resourcetypes.Registry.
type partChecker interface {
	CheckPart(t api.ResourceType, path *yamlpath.Path) error
}

// resourceTypeParameter returns the parameter for the type of the resources.
func resourceTypeParameter() api.FunctionParameter {
	p := handler.Required(parameterResourceType, api.DataTypeString, "apps/v1/Deployment",
		"type of the resources, or * for any")
	p.Any = true
	return p
}

// pathParameter returns the parameter for a path.
func pathParameter(description string) api.FunctionParameter {
	return handler.Required(parameterPath, api.DataTypeString,
		"spec.template.spec.containers.?name=web.image", description)
}

// pathParameters returns the parameters that all path functions share.
func pathParameters() []api.FunctionParameter {
	return []api.FunctionParameter{
		resourceTypeParameter(), pathParameter("path of the value within the resource"),
	}
}

// pathFunctions returns the getters and setters of paths: get-string-path, set-string-path and
// those of ints and bools.
func pathFunctions(provider configkit.ResourceProvider) (all []handler.FunctionRegistration) {
	for _, f := range []struct {
		t           api.DataType
		path, value string // of the examples
	}{
		{api.DataTypeString, "spec.template.spec.dnsPolicy", "ClusterFirst"},
		{api.DataTypeInt, "spec.replicas", "3"},
		{api.DataTypeBool, "spec.paused", "true"},
	} {
		get, set := fmt.Sprintf("get-%s-path", f.t), fmt.Sprintf("set-%s-path", f.t)
		all = append(all, handler.Getting(handler.FunctionRegistration{
			FunctionSignature: api.FunctionSignature{
				FunctionName: get,
				Parameters:   pathParameters(),
				Description: fmt.Sprintf("Get the %s values at a path of resources of a type",
					f.t),
				Examples: []string{get + " apps/v1/Deployment " + f.path},
			},
			CheckArguments: CheckPathArgument(provider),
		}, "attribute-value", fmt.Sprintf("the %s values found at the path", f.t),
			getPath(provider, f.t)), handler.Editing(handler.FunctionRegistration{
			FunctionSignature: api.FunctionSignature{
				FunctionName: set,
				Parameters: append(pathParameters(), handler.Required(parameterValue, f.t, f.value,
					"value to set")),
				Description: fmt.Sprintf("Set the %s value at a path of resources of a type, "+
					"creating missing values", f.t),
				Examples: []string{set + " apps/v1/Deployment " + f.path + " " + f.value},
			},
			PerDocument:    true,
			Surveys:        SurveysPath(provider),
			ValueParameter: parameterValue,
			CheckArguments: CheckPathArgument(provider),
		}, setPath(provider, f.t, true, creationOfPath(provider))))
	}
	return all
}

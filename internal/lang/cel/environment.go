package cel

import (
	"fmt"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/ext"
)

// environments hold the variables and functions that expressions can use.
type environments struct {
	functions   *cel.Env // without variables
	ofArguments *cel.Env
	ofResources *cel.Env
	ofUnits     *cel.Env
	guarded     map[string]guarded
}

// environment returns the environments, which all programs share.
//
//nolint:gochecknoglobals // made when the first expression is compiled, and never changed
var environment = sync.OnceValues(func() (environments, error) {
	all, err := newEnvironments()
	if err != nil {
		err = fmt.Errorf("the environment of CEL expressions: %w", err)
	}
	return all, err
})

func newEnvironments() (environments, error) {
	options := []cel.EnvOption{
		cel.CrossTypeNumericComparisons(true),
		cel.DefaultUTCTimeZone(true),
		cel.ASTValidators(cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(),
			patternLiterals{}),
		cel.OptionalTypes(),
		ext.Bindings(), ext.TwoVarComprehensions(),
		ext.Strings(), ext.Lists(), ext.Sets(), ext.Math(), ext.Encoders(), ext.Regex(),
		ext.Network(),
	}
	for _, library := range [][]cel.EnvOption{
		fixedTimeZones(), listFunctions(), regexFunctions(), urlFunctions(), quantityFunctions(),
		formatFunctions(), semverFunctions(),
	} {
		options = append(options, library...)
	}
	functions, err := cel.NewEnv(options...)
	if err != nil {
		return environments{}, err
	}
	all := environments{functions: functions}
	if all.guarded, err = guardedOf(functions); err != nil {
		return all, err
	}
	extend := func(env *cel.Env, variables ...cel.EnvOption) *cel.Env {
		if err == nil {
			env, err = env.Extend(variables...)
		}
		return env
	}
	context := cel.MapType(cel.StringType, cel.DynType)
	all.ofArguments = extend(functions, cel.Variable("params", context),
		cel.Variable("functionContext", context))
	all.ofResources = extend(all.ofArguments, cel.Variable("object", cel.DynType),
		cel.Variable("r", cel.DynType))
	all.ofUnits = extend(all.ofArguments, cel.Variable("resources", cel.ListType(cel.DynType)))
	return all, err
}

// fixedTimeZones restricts the time zones in timestamp functions to offsets such as +02:00. What a
// named time zone means depends on the machine.
func fixedTimeZones() []cel.EnvOption {
	var options []cel.EnvOption
	for _, f := range [][2]string{
		{overloads.TimeGetFullYear, overloads.TimestampToYearWithTz},
		{overloads.TimeGetMonth, overloads.TimestampToMonthWithTz},
		{overloads.TimeGetDayOfYear, overloads.TimestampToDayOfYearWithTz},
		{overloads.TimeGetDayOfMonth, overloads.TimestampToDayOfMonthZeroBasedWithTz},
		{overloads.TimeGetDate, overloads.TimestampToDayOfMonthOneBasedWithTz},
		{overloads.TimeGetDayOfWeek, overloads.TimestampToDayOfWeekWithTz},
		{overloads.TimeGetHours, overloads.TimestampToHoursWithTz},
		{overloads.TimeGetMinutes, overloads.TimestampToMinutesWithTz},
		{overloads.TimeGetSeconds, overloads.TimestampToSecondsWithTz},
		{overloads.TimeGetMilliseconds, overloads.TimestampToMillisecondsWithTz},
	} {
		name, overload := f[0], f[1]
		options = append(options,
			method(name, overload, []*cel.Type{cel.TimestampType, cel.StringType}, cel.IntType,
				func(args ...ref.Val) ref.Val {
					if text := string(args[1].(types.String)); len(text) != len("+02:00") ||
						text[3] != ':' {
						return types.NewErr(
							"the time zone %q is not an offset from UTC such as +02:00", text)
					}
					return args[0].(types.Timestamp).Receive(name, overload, args[1:])
				}))
	}
	return options
}

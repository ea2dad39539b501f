package handler_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/functions/handler"
)

func newHandler() *handler.FunctionHandler {
	return handler.New(api.ToolchainKubernetesYAML, k8skit.Converter{}, k8skit.New())
}

func nothing(
	_ *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte,
) (gaby.Container, any, error) {
	return docs, nil, nil
}

// described sets an output for r if it does not change anything, because a function with neither is
// refused.
func described(r handler.FunctionRegistration) handler.FunctionRegistration {
	t := api.OutputTypeOpaque
	if r.Validating {
		t = api.OutputTypeValidationResult
	}
	if !r.Mutating && r.OutputInfo == nil {
		r.OutputInfo = &api.FunctionOutput{
			ResultName: "result", Description: "what comes out", OutputType: t,
		}
	}
	return r
}

func number(n int) *int { return &n }

// sampler returns a registration with a parameter of every kind.
func sampler() handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "sample-things",
			Description:  "Take samples",
			Parameters: []api.FunctionParameter{
				{
					ParameterName: "word", Description: "a word", Required: true,
					DataType: api.DataTypeString, Example: "abc",
					ValueConstraints: api.ValueConstraints{Regexp: "^[a-z]+$"},
				},
				{
					ParameterName: "count", Description: "a number", Required: true,
					DataType:         api.DataTypeInt,
					ValueConstraints: api.ValueConstraints{Min: number(1), Max: number(9)},
				},
				{ParameterName: "flag", Description: "a switch", DataType: api.DataTypeBool},
				{
					ParameterName: "form", Description: "a choice", DataType: api.DataTypeEnum,
					ValueConstraints: api.ValueConstraints{EnumValues: []string{"yaml", "json"}},
				},
			},
			RequiredParameters: 2,
			Mutating:           true,
			Examples: []string{
				"sample-things abc 3 true json", "sample-things --count=3 --word=abc",
			},
		},
		Function: nothing,
		Aliases:  []string{"sample"},
	}
}

func variadic() handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-many", Description: "Set many",
			Parameters: []api.FunctionParameter{
				{
					ParameterName: "name", Description: "a name", Required: true,
					DataType: api.DataTypeString,
				},
				{
					ParameterName: "pair", Description: "a pair", Required: true,
					DataType: api.DataTypeString,
				},
			},
			RequiredParameters: 2, VarArgs: true,
			Mutating: true,
		},
		Function: nothing,
	}
}

func TestRegistrationIsValidated(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*handler.FunctionRegistration)
		says   string
	}{
		{"good", func(*handler.FunctionRegistration) {}, ""},
		{
			"name", func(r *handler.FunctionRegistration) { r.FunctionName = "Sample_Things" },
			`name "Sample_Things" is not kebab-case`,
		},
		{
			"alias", func(r *handler.FunctionRegistration) { r.Aliases = []string{"sample-"} },
			`name "sample-" is not kebab-case`,
		},
		{
			"alias twice",
			func(r *handler.FunctionRegistration) { r.Aliases = []string{"sample-things"} },
			"it has the name sample-things twice",
		},
		{
			"description", func(r *handler.FunctionRegistration) { r.Description = " " },
			"it has no description",
		},
		{
			"implementation", func(r *handler.FunctionRegistration) { r.Function = nil },
			"it has no implementation",
		},
		{
			"parameter name",
			func(r *handler.FunctionRegistration) { r.Parameters[0].ParameterName = "" },
			`parameter name "" is not kebab-case`,
		},
		{
			"parameter description",
			func(r *handler.FunctionRegistration) { r.Parameters[1].Description = "" },
			"parameter count has no description",
		},
		{
			"parameter twice",
			func(r *handler.FunctionRegistration) { r.Parameters[1].ParameterName = "word" },
			"parameter word appears twice",
		},
		{
			"required after optional",
			func(r *handler.FunctionRegistration) {
				r.Parameters[3].Required = true
				r.RequiredParameters = 3
			},
			"required parameter form follows optional parameter flag",
		},
		{
			"count of required", func(r *handler.FunctionRegistration) { r.RequiredParameters = 1 },
			"it says that 1 parameters are required, but marks 2",
		},
		{
			"regexp", func(r *handler.FunctionRegistration) { r.Parameters[0].Regexp = "(" },
			"missing closing",
		},
		{
			"range", func(r *handler.FunctionRegistration) { r.Parameters[1].Min = number(10) },
			"the minimum 10 is greater than the maximum 9",
		},
		{
			"enum", func(r *handler.FunctionRegistration) { r.Parameters[3].EnumValues = nil },
			"enum values and the data type enum belong together",
		},
		{
			"varargs without parameters",
			func(r *handler.FunctionRegistration) {
				r.Parameters, r.RequiredParameters, r.VarArgs = nil, 0, true
			}, "varargs need a last parameter",
		},
		{
			"example",
			func(r *handler.FunctionRegistration) { r.Examples = []string{"sample-things abc 12"} },
			"example 1: argument count: 12 is out of range, it must be from 1 to 9",
		},
		{
			"example of another",
			func(r *handler.FunctionRegistration) { r.Examples = []string{"other abc 1"} },
			"does not start with the function's name",
		},
		{
			"example with a quote",
			func(r *handler.FunctionRegistration) { r.Examples = []string{"sample-things 'abc 1"} },
			"unclosed '",
		},
		{
			"name too long",
			func(r *handler.FunctionRegistration) {
				r.FunctionName = strings.Repeat("a", 129)
				r.Examples = nil
			}, "is longer than 128 letters",
		},
		{
			"name then", func(r *handler.FunctionRegistration) { r.Aliases = []string{"then"} },
			"the name then is the word between",
		},
		{
			"deprecated alias",
			func(r *handler.FunctionRegistration) { r.DeprecatedAliases = []string{"Sample"} },
			`name "Sample" is not kebab-case`,
		},
		{
			"alias of", func(r *handler.FunctionRegistration) { r.AliasOf = "other" },
			"other names are given as aliases",
		},
		{
			"mutating and validating",
			func(r *handler.FunctionRegistration) { r.Mutating, r.Validating = true, true },
			"cannot be both",
		},
		{
			"enum value",
			func(r *handler.FunctionRegistration) {
				r.Parameters[3].EnumValues = []string{"a", " "}
			}, "parameter form: enum value 2 is empty",
		},
		{
			"enum value twice",
			func(r *handler.FunctionRegistration) {
				r.Parameters[3].EnumValues = []string{"yaml", "yaml"}
			}, "enum value yaml appears twice",
		},
		{
			"enum type",
			func(r *handler.FunctionRegistration) { r.Parameters[3].DataType = api.DataTypeString },
			"enum values and the data type enum belong together",
		},
		{
			"data type", func(r *handler.FunctionRegistration) { r.Parameters[2].DataType = "" },
			"parameter flag: it has no data type",
		},
		{
			"regexp of a number",
			func(r *handler.FunctionRegistration) { r.Parameters[1].Regexp = "1" },
			"only a string can have a regular expression",
		},
		{
			"range of a string",
			func(r *handler.FunctionRegistration) { r.Parameters[0].Min = number(1) },
			"only an int can have a minimum or maximum",
		},
		{
			"example of a parameter",
			func(r *handler.FunctionRegistration) { r.Parameters[0].Example = "12" },
			"the example of parameter word: argument word: \"12\"",
		},
		{
			"example with too many words",
			func(r *handler.FunctionRegistration) {
				r.Examples = []string{"sample-things abc 1 true json x"}
			}, "example 1: too many arguments",
		},
		{
			"example that is empty",
			func(r *handler.FunctionRegistration) { r.Examples = []string{" "} },
			"example 1: a function is missing",
		},
		{"output", func(r *handler.FunctionRegistration) {
			r.OutputInfo = &api.FunctionOutput{ResultName: "x", Description: "y"}
		}, "its output has no type"},
		{
			"output of a validating function", func(r *handler.FunctionRegistration) {
				r.Mutating, r.Validating = false, true
				r.OutputInfo = &api.FunctionOutput{
					ResultName: "x", Description: "y", OutputType: api.OutputTypeJSON,
				}
			}, "validating functions, and only they, have validation results as output",
		},
		{"output type", func(r *handler.FunctionRegistration) {
			r.OutputInfo = &api.FunctionOutput{
				ResultName: "x", Description: "y", OutputType: "AttributeValuList",
			}
		}, "unknown output type AttributeValuList, did you mean AttributeValueList?"},
		{
			"validating without an output",
			func(r *handler.FunctionRegistration) { r.Mutating, r.Validating = false, true },
			"it is validating, but does not describe its output",
		},
		{
			"of no use", func(r *handler.FunctionRegistration) { r.Mutating = false },
			"it neither changes the configuration nor returns anything",
		},
		{
			"function type", func(r *handler.FunctionRegistration) { r.FunctionType = "Nope" },
			"unknown function type Nope, only Custom, PathVisitor",
		},
		{
			"unknown data type",
			func(r *handler.FunctionRegistration) { r.Parameters[2].DataType = "integer" },
			"parameter flag: unknown data type integer, ",
		},
		{"data type with a schema", func(r *handler.FunctionRegistration) {
			r.Parameters[2].DataType, r.Parameters[2].Schema = "Flags", "{}"
			r.Examples = nil
		}, ""},
		{
			"other data",
			func(r *handler.FunctionRegistration) { r.OtherDataExpected = []string{""} },
			"a source of other data has no name",
		},
		{
			"resource types",
			func(r *handler.FunctionRegistration) {
				r.AffectedResourceTypes = []api.ResourceType{""}
			}, "an affected resource type is empty",
		},
		{
			"value parameter", func(r *handler.FunctionRegistration) { r.ValueParameter = "vlaue" },
			"the parameter for the value, vlaue, is not one",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := sampler()
			c.change(&r)
			err := newHandler().RegisterFunction(r)
			if c.says == "" {
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
				}
				return
			}
			if _, ok := errors.AsType[*handler.RegistrationError](err); !ok ||
				!strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, want %s", c.name, err, c.says)
			}
			// A function that was registered unchecked is found by Check, unless the problem is a
			// name that is taken.
			h := newHandler()
			if err := h.TrustedRegistry().RegisterFunction(r); err != nil {
				if !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s: unchecked: %v, want %s", c.name, err, c.says)
				}
			} else if err := h.Check(); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: checked later: %v, want %s", c.name, err, c.says)
			}
		})
	}
	h := newHandler()
	if err := h.RegisterFunction(sampler()); err != nil {
		t.Fatal(err)
	}
	if err := h.Check(); err != nil {
		t.Error(err)
	}
	if err := h.RegisterFunction(sampler()); err == nil ||
		!strings.Contains(err.Error(), "the name sample is taken") {
		t.Errorf("registered twice: %v", err)
	}
}

func args(values ...any) []api.FunctionArgument {
	var list []api.FunctionArgument
	for _, v := range values {
		list = append(list, api.FunctionArgument{Value: v})
	}
	return list
}

func named(pairs ...any) []api.FunctionArgument {
	var list []api.FunctionArgument
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, api.FunctionArgument{
			ParameterName: pairs[i].(string), Value: pairs[i+1],
		})
	}
	return list
}

// example matches the hint with the first example of a function.
var example = regexp.MustCompile(` \((as in|word|count|flag|form|pair): .*? says more\)\)`)

func TestArgumentsAreValidated(t *testing.T) {
	h := newHandler()
	none := handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "take-nothing", Description: "Take nothing", Mutating: true,
		}, Function: nothing,
	}
	for _, r := range []handler.FunctionRegistration{sampler(), variadic(), none} {
		if err := h.RegisterFunction(r); err != nil {
			t.Fatal(err)
		}
	}
	const all = "word, count, [flag], [form]"
	for _, c := range []struct {
		function string
		args     []api.FunctionArgument
		want     []api.FunctionArgument
		says     string
	}{
		{"sample", args("abc", "3"), named("word", "abc", "count", 3), ""},
		{
			"sample", args("abc", 3.7, "T", "json"),
			named("word", "abc", "count", 3, "flag", true, "form", "json"), "",
		},
		{
			"sample", named("form", "yaml", "count", 3, "word", "abc"),
			named("word", "abc", "count", 3, "form", "yaml"), "",
		},
		{
			"sample", append(args("abc"), named("count", "3")...), named("word", "abc", "count", 3),
			"",
		},
		{
			"sample", append(args("abc"), named("form", "json", "count", 3)...),
			named("word", "abc", "count", 3, "form", "json"), "",
		},
		{
			"sample", append(args("abc", 3), named("form", "json")...),
			named("word", "abc", "count", 3, "form", "json"), "",
		},
		{
			"sample", append(args("abc"), named("form", "json")...), nil,
			"argument count is missing: a number",
		},
		{
			"sample", append(args("abc"), append(named("form", "json"), args(3)...)...), nil,
			"mix of out-of-order named and unnamed arguments for function sample (arguments " +
				"without a name come first, in the order of the parameters)",
		},
		{
			"sample", named("wrod", "abc", "form", "jsno", "count", 0), nil,
			"argument wrod is not a valid parameter of function sample (did you mean word?); " +
				"argument count: 0 is out of range, it must be from 1 to 9; argument form: " +
				"\"jsno\" is not one of yaml, json (did you mean json?)",
		},
		{
			"sample", args("ABC", 1, true, "json", "more", "and more"), nil,
			"too many arguments: got 6, expected 4: " + all +
				"; argument word: \"ABC\" does not match ^[a-z]+$",
		},
		{
			"sample",
			[]api.FunctionArgument{
				{Value: "{{", Evaluator: "template"},
				{Value: 3, Evaluator: "template"},
				{Value: "1 +", Evaluator: "cel"},
				{Value: "x", Evaluator: "lisp"},
			},
			nil,
			"argument word: template: column 1: unclosed action; argument count: an expression " +
				"must be a string; argument flag: CEL: column 4: the expression ends too early; " +
				"argument form: unknown evaluator \"lisp\"",
		},
		{"take-nothing", args("abc"), nil, "too many arguments: got 1, expected none"},
		{"sample", args("abc"), nil, "argument count is missing: a number"},
		{
			"sample", args("abc", 1, true, "json", "more"), nil,
			"too many arguments: got 5, expected 4: " + all,
		},
		{
			"sample", named("word", "abc", "cuont", 1), nil,
			"argument cuont is not a valid parameter of function sample (did you mean count?)",
		},
		{
			"sample", named("word", "abc", "count", 1, "word", "abc"), nil,
			"argument word appears multiple times but function sample is not varargs",
		},
		{
			"sample", append(named("count", 1), args("abc")...), nil,
			"mix of out-of-order named and unnamed arguments for function sample (arguments " +
				"without a name come first, in the order of the parameters)",
		},
		{
			"sample", named("form", "json", "word", "abc"), nil,
			"argument count is missing: a number",
		},
		{"sample", args("abc", "x"), nil, `argument count: value "x" is not an integer`},
		{
			"sample", args("abc", "99999999999999999999"), nil,
			"argument count: value 99999999999999999999 is out of range",
		},
		{"sample", args("abc", true), nil, "argument count: data type bool is not of type int"},
		{"sample", args("abc", 10), nil, "argument count: 10 is out of range, it must be from 1 to 9"},
		{
			"sample", args("ABC", 1), nil,
			"argument word: \"ABC\" does not match ^[a-z]+$",
		},
		{
			"sample", args("abc", 1, "maybe"), nil,
			`argument flag: value "maybe" is neither true nor false`,
		},
		{
			"sample", args("abc", 1, true, "jsno"), nil,
			"argument form: \"jsno\" is not one of yaml, json (did you mean json?)",
		},
		{"sample", args(7, 1), nil, "argument word: data type int is not of type string"},
		{
			"sample", args("ABC", 0), nil,
			"argument word: \"ABC\" does not match ^[a-z]+$; " +
				"argument count: 0 is out of range, it must be from 1 to 9",
		},
		{"sample", args(strings.Repeat("A", 1000000), 1), nil, `argument word: "` +
			strings.Repeat("A", 80) + `"… (1000000 characters) does not match ^[a-z]+$`},
		{
			"sample", args("abc", strings.Repeat("x", 1000)), nil,
			`argument count: value "` + strings.Repeat("x", 80) +
				`"… (1000 characters) is not an integer`,
		},
		// Values read from files end in a newline.
		{
			"sample", args("abc\n", "3\r\n", "true\n", "json\n"),
			named("word", "abc", "count", 3, "flag", true, "form", "json"), "",
		},
		{
			"sample", args("abc\n\n", "3\n\n"), nil,
			`argument word: "abc\n\n" does not match ^[a-z]+$; ` +
				`argument count: value "3\n\n" is not an integer`,
		},
		{"set-many", args("a\n", "b\n"), named("name", "a\n", "pair", "b\n"), ""},
		{"set-many", args("a", "\xff"), nil, `argument pair: "\xff" is not UTF-8`},
		{
			"set-many", args("a", "b", "c", "d"),
			named("name", "a", "pair", "b", "pair", "c", "pair", "d"), "",
		},
		{
			"set-many", named("name", "a", "pair", "b", "pair", "c"),
			named("name", "a", "pair", "b", "pair", "c"), "",
		},
		{
			"set-many", named("name", "a", "name", "b", "pair", "c"), nil,
			"argument name appears multiple times but is not the last argument of function " +
				"set-many",
		},
	} {
		t.Run(fmt.Sprint(c.function, " ", c.args), func(t *testing.T) {
			t.Run(c.function, func(t *testing.T) {
				got, err := h.ValidateInvocation(api.FunctionInvocation{
					FunctionName: c.function, Arguments: c.args,
				})
				text := example.ReplaceAllString(problems(err), "")
				if text != c.says {
					t.Errorf("%s %v:\n%s\nwant:\n%s", c.function, c.args, text, c.says)
					return
				}
				if err == nil && !slices.Equal(got.Arguments, c.want) {
					t.Errorf("%s %v: %v, want %v", c.function, c.args, got.Arguments, c.want)
				}
			})
		})
	}
}

// problems formats argument errors with their hints. It fails the test on errors of other types.
func problems(err error) string {
	if err == nil {
		return ""
	}
	list := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	}
	var texts []string
	for _, err := range list {
		e, ok := errors.AsType[*handler.ArgumentError](err)
		if !ok {
			return "not an ArgumentError: " + err.Error()
		}
		text := e.Error()
		if hint := e.Hint(); hint != "" {
			text += " (" + hint + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

func TestUnknownFunction(t *testing.T) {
	h := newHandler()
	for _, r := range []handler.FunctionRegistration{sampler(), variadic()} {
		if err := h.RegisterFunction(r); err != nil {
			t.Fatal(err)
		}
	}
	_, err := h.ValidateInvocation(api.FunctionInvocation{FunctionName: "set-mnay"})
	e, ok := errors.AsType[*handler.UnknownFunctionError](err)
	if !ok || e.Name != "set-mnay" || !slices.Equal(e.Suggestions, []string{"set-many"}) {
		t.Errorf("%#v", err)
	}
}

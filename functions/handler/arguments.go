package handler

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
)

// normalize names, converts, checks and orders arguments. It reports all problems, not just the
// first. The steps depend on each other: an argument must have its parameter before defaults show
// which parameters are missing, and values are converted last, with the type of that parameter.
func (f *function) normalize(args []api.FunctionArgument) ([]api.FunctionArgument, error) {
	if len(args) > api.MaxArguments {
		return nil, f.problem("", "function %s has %d arguments, at most %d are allowed", f.name,
			len(args), api.MaxArguments)
	}
	named, problems := f.assignNames(f.withCurrentNames(args))
	named = f.withDefaults(named)
	for i := range named {
		if err := f.convert(&named[i], f.parameterIndex(named[i].ParameterName)); err != nil {
			problems = append(problems, err)
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return named, nil
}

// problem returns an error about an argument, or about the arguments if parameter is empty.
func (f *function) problem(parameter, format string, values ...any) *ArgumentError {
	return &ArgumentError{
		Function: f.name, Parameter: parameter, Message: fmt.Sprintf(format, values...),
	}
}

// assignNames gives every argument the name of its parameter and sorts the arguments by parameter.
// An argument without a name belongs to the parameter at its position; none may follow a named
// argument that is out of order. Arguments that belong to no parameter are reported and dropped.
func (f *function) assignNames(
	args []api.FunctionArgument,
) (named []api.FunctionArgument, problems []error) {
	params := f.Parameters
	problems, outOfOrder, mixed := f.checkNames(args)
	unknown := len(problems)
	fail := func(err *ArgumentError) { problems = append(problems, err) }
	if mixed {
		err := f.problem("", "mix of out-of-order named and unnamed arguments for function %s",
			f.name)
		err.HintText = "arguments without a name come first, in the order of the parameters"
		fail(err)
		return nil, problems // it is unknown which parameters the unnamed ones mean
	}
	// An argument with an unknown name may be meant for the missing parameter, so that is not
	// reported as well.
	tooFew := !outOfOrder && unknown == 0 && len(args) < f.RequiredParameters
	if tooFew {
		err := f.missing(params[len(args):f.RequiredParameters])
		err.HintText = cmp.Or(f.twoInOne(args), f.example())
		fail(err)
	}

	// From here on every argument has a parameter, by position if it has no name. Arguments beyond
	// the last parameter belong to it if the function is varargs.
	counts := make([]int, len(params))
	surplus := false
	for i, arg := range args {
		if arg.ParameterName == "" {
			if i >= len(params) && !f.VarArgs {
				surplus = true
				continue
			}
			arg.ParameterName = params[min(i, len(params)-1)].ParameterName
		}
		index := f.parameterIndex(arg.ParameterName)
		if index < 0 {
			continue
		}
		counts[index]++
		switch name := arg.ParameterName; {
		case counts[index] == 2 && !f.VarArgs:
			fail(f.problem(name,
				"argument %s appears multiple times but function %s is not varargs", name, f.name))
		case counts[index] == 2 && index != len(params)-1:
			fail(f.problem(name,
				"argument %s appears multiple times but is not the last argument of function %s",
				name, f.name))
		}
		named = append(named, arg)
	}
	if surplus {
		err := f.problem("", "too many arguments: got %d, expected %s", len(args),
			f.parameterList())
		err.HintText = f.example()
		fail(err)
	}
	// One missing argument is one message: "too few" says it already, and an unknown name probably
	// is the missing one, misspelled.
	for i, p := range params {
		if p.Required && counts[i] == 0 && !tooFew && unknown == 0 {
			err := f.missing(params[i : i+1])
			err.HintText = f.example()
			fail(err)
		}
	}
	slices.SortStableFunc(named, func(a, b api.FunctionArgument) int {
		return f.parameterIndex(a.ParameterName) - f.parameterIndex(b.ParameterName)
	})
	return named, problems
}

// checkNames returns the problems of names that no parameter has, and reports whether named
// arguments are out of order, and whether arguments without a name follow such ones.
func (f *function) checkNames(
	args []api.FunctionArgument,
) (problems []error, outOfOrder, mixed bool) {
	for i, arg := range args {
		if arg.ParameterName == "" {
			mixed = mixed || outOfOrder
			continue
		}
		switch index := f.parameterIndex(arg.ParameterName); {
		case index < 0:
			err := f.problem(arg.ParameterName,
				"argument %s is not a valid parameter of function %s", arg.ParameterName, f.name)
			err.Suggestions = configkit.Suggest(arg.ParameterName, f.parameterNames())
			problems = append(problems, err)
		case index != min(i, len(f.Parameters)-1):
			outOfOrder = true
		}
	}
	return problems, outOfOrder, mixed
}

// twoInOne returns a hint if the last argument is KEY=value although KEY and value are two
// parameters, and "" otherwise.
func (f *function) twoInOne(args []api.FunctionArgument) string {
	last := len(args) - 1
	if last < 0 {
		return ""
	}
	p := &f.Parameters[last]
	text, _ := args[last].Value.(string)
	key, _, found := strings.Cut(text, "=")
	if !found || p.Regexp == "" || f.matches(p.Regexp, text) ||
		!f.matches(p.Regexp, key) {
		return ""
	}
	return fmt.Sprintf("%s and %s are two arguments, separated by a blank instead of =",
		p.ParameterName, f.Parameters[last+1].ParameterName)
}

// example returns a hint with the first example of the function, if it has one.
func (f *function) example() string {
	if len(f.Examples) == 0 {
		return ""
	}
	return "as in: " + f.Examples[0] + " ('fctl explain " + f.FunctionName + "' says more)"
}

// about returns a hint at what an argument is.
func (f *function) about(p *api.FunctionParameter) string {
	text := p.ParameterName + ": " + p.Description
	if p.Example != "" {
		text += ", for example " + p.Example
	}
	return text + " ('fctl explain " + f.FunctionName + "' says more)"
}

// maxPatternShown is the length of the longest regular expression that messages quote. Longer ones
// do not help anybody.
const maxPatternShown = 60

// convert gives an argument's value the type of its parameter and checks the constraints.
// Expressions are converted once they have a value. A value read from a file may end in a newline;
// if that alone makes it invalid, the newline is dropped.
func (f *function) convert(arg *api.FunctionArgument, index int) error {
	err := f.convertAsIs(arg, index)
	text, isText := arg.Value.(string)
	line := withoutLineEnd(text)
	if err == nil || arg.Evaluator != "" || !isText || line == text {
		return err
	}
	// Retrying decides what the newline is: whether it belongs to the value is only known from the
	// type, pattern or enum of the parameter.
	retried := *arg
	retried.Value = line
	if f.convertAsIs(&retried, index) != nil {
		return err
	}
	*arg = retried
	return nil
}

// withoutLineEnd returns text without its final line end, if it has one.
func withoutLineEnd(text string) string {
	line, _ := strings.CutSuffix(text, "\n")
	if line != text {
		line, _ = strings.CutSuffix(line, "\r")
	}
	return line
}

// convertAsIs is convert without the retry for values that end in a newline.
func (f *function) convertAsIs(arg *api.FunctionArgument, index int) error {
	p := &f.Parameters[index]
	fail := func(format string, values ...any) *ArgumentError {
		return &ArgumentError{
			Function: f.name, Parameter: p.ParameterName, Value: arg.Value,
			Message: fmt.Sprintf(format, values...), HintText: f.about(p),
		}
	}
	switch arg.Evaluator {
	case "":
	case api.EvaluatorTemplate, api.EvaluatorCEL:
		text, ok := arg.Value.(string)
		if !ok {
			return f.problem(p.ParameterName, "argument %s: an expression must be a string",
				p.ParameterName)
		}
		if _, err := f.programs[arg.Evaluator].Get(text); err != nil {
			return f.expressionError(arg, err)
		}
		return nil
	default:
		return f.problem(p.ParameterName, "argument %s: unknown evaluator %q", p.ParameterName,
			arg.Evaluator)
	}
	switch p.DataType {
	case api.DataTypeInt:
		n, err := toInt(arg.Value)
		if err != nil {
			return fail("argument %s: %v", p.ParameterName, err)
		}
		arg.Value = n
		if (p.Min != nil && n < *p.Min) || (p.Max != nil && n > *p.Max) {
			return fail("argument %s: %d is out of range%s", p.ParameterName, n, intRange(p))
		}
	case api.DataTypeBool:
		b, err := toBool(arg.Value)
		if err != nil {
			return fail("argument %s: %v", p.ParameterName, err)
		}
		arg.Value = b
	default:
		s, ok := arg.Value.(string)
		if !ok {
			return fail("argument %s: data type %s is not of type %s", p.ParameterName,
				typeName(arg.Value), p.DataType)
		}
		if !utf8.ValidString(s) {
			return fail("argument %s: %s is not UTF-8", p.ParameterName, configkit.Quote(s))
		}
		if len(p.EnumValues) > 0 && !slices.Contains(p.EnumValues, s) {
			err := fail("argument %s: %s is not one of %s", p.ParameterName,
				configkit.Quote(s), strings.Join(p.EnumValues, ", "))
			err.Suggestions = configkit.Suggest(s, p.EnumValues)
			return err
		}
		if p.Regexp != "" && !f.matches(p.Regexp, s) {
			if s == "" {
				return fail("argument %s is empty", p.ParameterName)
			}
			pattern := p.Regexp
			if len(pattern) > maxPatternShown {
				pattern = "its pattern"
			}
			err := fail("argument %s: %s does not match %s", p.ParameterName, configkit.Quote(s),
				pattern)
			for _, mark := range []string{":", "@"} { // of a tag and of a digest
				if f.matches(p.Regexp, mark+s) {
					err.Suggestions = append(err.Suggestions, mark+s)
				}
			}
			return err
		}
	}
	return nil
}

// toInt converts a value from JSON or a command line to an int. Fractions are truncated.
func toInt(value any) (int, error) {
	switch v := value.(type) {
	case int:
		return v, nil
	case int64:
		return int(v), nil
	case float64:
		if math.IsNaN(v) || v < math.MinInt64 || v >= math.MaxInt64 {
			return 0, fmt.Errorf("value %v is out of range", v)
		}
		return int(v), nil // JSON has only one type of number
	case string:
		n, err := strconv.Atoi(v)
		if errors.Is(err, strconv.ErrRange) {
			return 0, fmt.Errorf("value %s is out of range", configkit.Abbreviate(v))
		}
		if err != nil {
			return 0, fmt.Errorf("value %s is not an integer", configkit.Quote(v))
		}
		return n, nil
	}
	return 0, fmt.Errorf("data type %s is not of type int", typeName(value))
}

// toBool converts a value from JSON or a command line to a bool, with the spellings of
// strconv.ParseBool.
func toBool(value any) (bool, error) {
	switch v := value.(type) {
	case bool:
		return v, nil
	case string:
		b, err := strconv.ParseBool(v)
		if err != nil {
			return false, fmt.Errorf("value %s is neither true nor false", configkit.Quote(v))
		}
		return b, nil
	}
	return false, fmt.Errorf("data type %s is not of type bool", typeName(value))
}

// typeName returns the name of a value's type as messages show it.
func typeName(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "map"
	case []any:
		return "list"
	}
	return fmt.Sprintf("%T", value)
}

// intRange returns the end of an out-of-range message: the range.
func intRange(p *api.FunctionParameter) string {
	switch {
	case p.Max == nil:
		return fmt.Sprintf(", it must be at least %d", *p.Min)
	case p.Min == nil:
		return fmt.Sprintf(", it must be at most %d", *p.Max)
	}
	return fmt.Sprintf(", it must be from %d to %d", *p.Min, *p.Max)
}

func (f *function) parameterIndex(name string) int { return ParameterIndex(f.Parameters, name) }

// ParameterIndex returns the index of the parameter with this name, current or deprecated, or -1.
func ParameterIndex(parameters []api.FunctionParameter, name string) int {
	return slices.IndexFunc(parameters, func(p api.FunctionParameter) bool {
		return p.ParameterName == name || slices.Contains(p.DeprecatedNames, name)
	})
}

// withCurrentNames returns a copy of args in which deprecated parameter names are replaced by
// current ones.
func (f *function) withCurrentNames(args []api.FunctionArgument) []api.FunctionArgument {
	args = slices.Clone(args)
	for i := range args {
		if index := f.parameterIndex(args[i].ParameterName); index >= 0 {
			args[i].ParameterName = f.Parameters[index].ParameterName
		}
	}
	return args
}

// DeprecatedParameters returns a note for each deprecated parameter name that args uses.
func DeprecatedParameters(s api.FunctionSignature, args []api.FunctionArgument) []api.Note {
	var notes []api.Note
	for _, arg := range args {
		index := ParameterIndex(s.Parameters, arg.ParameterName)
		if index < 0 || s.Parameters[index].ParameterName == arg.ParameterName {
			continue
		}
		note := api.Note{
			Function: s.FunctionName,
			Message: fmt.Sprintf("the parameter name %s is deprecated, it is called %s now",
				arg.ParameterName, s.Parameters[index].ParameterName),
		}
		if !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	return notes
}

// withDefaults inserts the defaults of the parameters that have no argument.
func (f *function) withDefaults(args []api.FunctionArgument) []api.FunctionArgument {
	for i, p := range f.Parameters {
		given := slices.ContainsFunc(args, func(a api.FunctionArgument) bool {
			return a.ParameterName == p.ParameterName
		})
		if p.Default == "" || given {
			continue
		}
		arg := api.FunctionArgument{ParameterName: p.ParameterName}
		arg.Value, arg.Evaluator = ParseValue(p.Default)
		at := slices.IndexFunc(args, func(a api.FunctionArgument) bool {
			return f.parameterIndex(a.ParameterName) > i
		})
		if at < 0 {
			at = len(args)
		}
		args = slices.Insert(args, at, arg)
	}
	return args
}

func (f *function) parameterNames() []string {
	names := make([]string, len(f.Parameters))
	for i, p := range f.Parameters {
		names[i] = p.ParameterName
	}
	return names
}

// parameterList returns how many arguments the function takes, and the names of its parameters. Those
// that may be left out are in brackets.
func (f *function) parameterList() string {
	if len(f.Parameters) == 0 {
		return "none"
	}
	names := f.parameterNames()
	for i, p := range f.Parameters {
		if !p.Required {
			names[i] = "[" + names[i] + "]"
		}
	}
	return fmt.Sprintf("%d: %s", len(names), strings.Join(names, ", "))
}

// missing returns the error about arguments that are missing, with what each of them is.
func (f *function) missing(params []api.FunctionParameter) *ArgumentError {
	if len(params) == 1 {
		p := params[0]
		return f.problem(p.ParameterName, "argument %s is missing: %s", p.ParameterName, p.Description)
	}
	list := make([]string, len(params))
	for i, p := range params {
		list[i] = p.ParameterName + " (" + p.Description + ")"
	}
	return f.problem("", "%d arguments are missing: %s", len(params), strings.Join(list, ", "))
}

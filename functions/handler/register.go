package handler

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
)

// RegisterFunction checks a registration and adds it. The error is a *RegistrationError that lists
// all problems.
func (h *FunctionHandler) RegisterFunction(registration FunctionRegistration) error {
	registration.complete()
	problems := append(registration.problems(), h.clashes(&registration)...)
	if len(problems) > 0 {
		return &RegistrationError{Function: registration.FunctionName, Problems: problems}
	}
	h.add(registration)
	return nil
}

// TrustedRegistry returns a registry for functions that a test verifies with Check. It only checks
// that their names are not taken.
func (h *FunctionHandler) TrustedRegistry() FunctionRegistry { return trustedRegistry{h} }

// trustedRegistry adds functions without checking them. Checking compiles every pattern and parses
// every example, which takes time at every start of the program; a test does it instead.
type trustedRegistry struct{ handler *FunctionHandler }

// RegisterFunction implements FunctionRegistry.
func (u trustedRegistry) RegisterFunction(registration FunctionRegistration) error {
	registration.complete()
	if clashes := u.handler.clashes(&registration); len(clashes) > 0 {
		return &RegistrationError{Function: registration.FunctionName, Problems: clashes}
	}
	u.handler.add(registration)
	return nil
}

// problemList is a list of problems of a registration.
type problemList []string

func (l *problemList) add(format string, args ...any) {
	*l = append(*l, fmt.Sprintf(format, args...))
}

// complete fills in what follows from other fields: the number of required parameters and the type
// of the function.
func (r *FunctionRegistration) complete() {
	r.FunctionType = cmp.Or(r.FunctionType, api.FunctionTypeCustom)
	if r.RequiredParameters == 0 {
		r.RequiredParameters = len(slices.DeleteFunc(slices.Clone(r.Parameters),
			func(p api.FunctionParameter) bool { return !p.Required }))
	}
}

// Check checks the registrations of all functions, including those that were registered unchecked.
// The errors are *RegistrationError, joined.
func (h *FunctionHandler) Check() error {
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(h.functions)) {
		f := h.functions[name]
		if f.name != f.FunctionName {
			continue
		}
		if problems := f.problems(); len(problems) > 0 {
			wrong = append(wrong, &RegistrationError{Function: name, Problems: problems})
		}
	}
	return errors.Join(wrong...)
}

// add enters a registration under all of its names.
func (h *FunctionHandler) add(registration FunctionRegistration) {
	for i, name := range registration.names() {
		h.functions[name] = &function{
			FunctionRegistration: &registration, name: name, patterns: h.patterns,
			programs:   h.programs,
			deprecated: i > len(registration.Aliases),
		}
	}
}

// clashes returns a problem for each name of a registration that another function has.
func (h *FunctionHandler) clashes(r *FunctionRegistration) []string {
	var problems problemList
	names := r.names()
	// Three different mistakes, each with the name that helps to find it.
	for i, name := range names {
		switch other, taken := h.functions[name]; {
		case taken && other.FunctionName != name:
			problems.add("the name %s is taken, by another name of %s", name, other.FunctionName)
		case taken:
			problems.add("the name %s is taken", name)
		case slices.Contains(names[:i], name):
			problems.add("it has the name %s twice", name)
		}
	}
	return problems
}

// problems returns the problems of the registration itself.
func (r *FunctionRegistration) problems() []string {
	var problems problemList

	for _, name := range r.names() {
		switch {
		case !isKebabCase(name):
			problems.add("name %q is not kebab-case", name)
		case len(name) > api.MaxFunctionNameLength:
			problems.add("name %s is longer than %d letters", name, api.MaxFunctionNameLength)
		case name == "then":
			problems.add("the name then is the word between the functions of a chain")
		}
	}
	if strings.TrimSpace(r.Description) == "" {
		problems.add("it has no description")
	}
	if r.Function == nil {
		problems.add("it has no implementation")
	}
	if r.AliasOf != "" {
		problems.add("other names are given as aliases of the registration, not in the signature")
	}
	if r.Mutating && r.Validating {
		problems.add("it cannot be both mutating and validating")
	}
	if !slices.Contains(api.FunctionTypes(), r.FunctionType) {
		problems.add("%s", unknownType("function", r.FunctionType, api.FunctionTypes()))
	}
	problems = append(problems, r.outputProblems()...)
	problems = append(problems, r.parameterProblems()...)
	if r.ValueParameter != "" &&
		!slices.ContainsFunc(r.Parameters,
			func(p api.FunctionParameter) bool { return p.ParameterName == r.ValueParameter }) {
		problems.add("the parameter for the value, %s, is not one of its parameters",
			r.ValueParameter)
	}
	if slices.Contains(r.OtherDataExpected, "") {
		problems.add("a source of other data has no name")
	}
	if slices.Contains(r.AffectedResourceTypes, "") {
		problems.add("an affected resource type is empty")
	}
	if len(problems) > 0 {
		return problems
	}
	// Examples can only be checked if everything else is valid: they are parsed and converted by
	// the same code as arguments of a user, which relies on well-formed parameters.
	f := &function{
		FunctionRegistration: r, name: r.FunctionName, patterns: newPatterns(),
		programs: newPrograms(),
	}
	for i, p := range r.Parameters {
		for _, word := range []struct{ what, text string }{
			{"example", p.Example}, {"default", p.Default},
		} {
			if word.text == "" {
				continue
			}
			arg := api.FunctionArgument{ParameterName: p.ParameterName}
			arg.Value, arg.Evaluator = ParseValue(word.text)
			if err := f.convert(&arg, i); err != nil {
				problems.add("the %s of parameter %s: %v", word.what, p.ParameterName, err)
			}
		}
	}
	for i, example := range r.Examples {
		if err := f.checkExample(example); err != nil {
			problems.add("example %d: %v", i+1, err)
		}
	}
	return problems
}

// outputProblems returns the problems of the declared output.
func (r *FunctionRegistration) outputProblems() []string {
	switch {
	case r.OutputInfo != nil:
	case r.Validating:
		return []string{"it is validating, but does not describe its output"}
	case !r.Mutating:
		return []string{"it neither changes the configuration nor returns anything: it must be " +
			"mutating or describe its output"}
	default:
		return nil
	}
	var problems problemList
	for _, field := range []struct{ name, value string }{
		{"result name", r.OutputInfo.ResultName},
		{"description", r.OutputInfo.Description},
		{"type", string(r.OutputInfo.OutputType)},
	} {
		if strings.TrimSpace(field.value) == "" {
			problems.add("its output has no %s", field.name)
		}
	}
	if t := r.OutputInfo.OutputType; t != "" && !slices.Contains(api.OutputTypes(), t) {
		problems.add("%s", unknownType("output", t, api.OutputTypes()))
	}
	// Callers decide by Validating whether an output is a verdict, so both must agree.
	validates := r.OutputInfo.OutputType == api.OutputTypeValidationResult ||
		r.OutputInfo.OutputType == api.OutputTypeValidationResultList
	if validates != r.Validating {
		problems.add("validating functions, and only they, have validation results as output")
	}
	return problems
}

// unknownType returns a message that a type does not exist and which one may be meant.
func unknownType[T ~string](kind string, name T, types []T) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	problem := fmt.Sprintf("unknown %s type %s", kind, name)
	if hint := configkit.DidYouMean("", configkit.Suggest(string(name), names)); hint != "" {
		return problem + ", " + hint
	}
	return problem + ", only " + strings.Join(names, ", ")
}

// parameterProblems returns the problems of the parameters.
func (r *FunctionRegistration) parameterProblems() []string {
	var problems problemList
	if r.VarArgs && len(r.Parameters) == 0 {
		problems.add("varargs need a last parameter")
	}
	// Arguments are matched by position, so required parameters must precede optional ones.
	required, optionalSeen, seen := 0, "", map[string]bool{}
	for _, p := range r.Parameters {
		if !isKebabCase(p.ParameterName) {
			problems.add("parameter name %q is not kebab-case", p.ParameterName)
		}
		for _, name := range append([]string{p.ParameterName}, p.DeprecatedNames...) {
			if seen[name] {
				problems.add("parameter %s appears twice", name)
			}
			seen[name] = true
		}
		if p.Required && p.Default != "" {
			problems.add("parameter %s is required and has a default", p.ParameterName)
		}
		if strings.TrimSpace(p.Description) == "" {
			problems.add("parameter %s has no description", p.ParameterName)
		}
		if p.Required {
			required++
			if optionalSeen != "" {
				problems.add("required parameter %s follows optional parameter %s", p.ParameterName,
					optionalSeen)
			}
		} else {
			optionalSeen = p.ParameterName
		}
		for _, problem := range constraintProblems(p) {
			problems.add("parameter %s: %s", p.ParameterName, problem)
		}
	}
	if r.RequiredParameters != required {
		problems.add("it says that %d parameters are required, but marks %d", r.RequiredParameters,
			required)
	}
	return problems
}

// constraintProblems returns the problems of a parameter's type and constraints.
func constraintProblems(p api.FunctionParameter) []string {
	var problems problemList
	switch {
	case p.DataType == api.DataTypeNone:
		problems.add("it has no data type")
	// a parameter with a schema may have a type of its own, which is JSON
	case p.Schema == "" && !slices.Contains(api.DataTypes(), p.DataType):
		problems.add("%s", unknownType("data", p.DataType, api.DataTypes()))
	}
	if (p.DataType == api.DataTypeEnum) != (len(p.EnumValues) > 0) {
		problems.add("enum values and the data type enum belong together")
	}
	for i, value := range p.EnumValues {
		switch {
		case strings.TrimSpace(value) == "":
			problems.add("enum value %d is empty", i+1)
		case slices.Contains(p.EnumValues[:i], value):
			problems.add("enum value %s appears twice", value)
		}
	}
	if (p.Min != nil || p.Max != nil) && p.DataType != api.DataTypeInt {
		problems.add("only an int can have a minimum or maximum")
	}
	if p.Min != nil && p.Max != nil && *p.Min > *p.Max {
		problems.add("the minimum %d is greater than the maximum %d", *p.Min, *p.Max)
	}
	if p.Regexp != "" {
		if p.DataType != api.DataTypeString {
			problems.add("only a string can have a regular expression")
		}
		if _, err := pattern.Compile(p.Regexp); err != nil {
			problems.add("%v", err)
		}
	}
	return problems
}

// checkExample parses an example like a command line and validates its arguments.
func (f *function) checkExample(example string) error {
	chain, err := ParseChain(example)
	if err != nil {
		return err
	}
	if !slices.Contains(f.names(), chain[0].FunctionName) {
		return fmt.Errorf("%q does not start with the function's name", example)
	}
	args := chain[0].Arguments
	for i := range args {
		if text, ok := args[i].Value.(string); ok && strings.HasPrefix(text, "file:") {
			// the value is only known when the function runs, like that of an expression
			args[i].Evaluator = api.EvaluatorTemplate
		}
	}
	_, err = f.validate(args)
	return err
}

// isKebabCase reports whether s consists of words of a-z and 0-9 joined by single dashes, beginning
// with a letter.
func isKebabCase(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9' && i > 0:
		case c == '-' && i > 0 && i < len(s)-1 && s[i-1] != '-':
		default:
			return false
		}
	}
	return s != ""
}

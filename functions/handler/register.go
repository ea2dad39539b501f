package handler

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/functions/api"
)

// RegisterFunction checks a registration and adds it. The error is a *RegistrationError naming everything that is wrong.
func (h *FunctionHandler) RegisterFunction(registration FunctionRegistration) error {
	problems := registration.problems()
	names := append([]string{registration.FunctionName}, registration.Aliases...)
	seen := map[string]bool{}
	for _, name := range names {
		if _, taken := h.functions[name]; taken || seen[name] {
			problems = append(problems, fmt.Sprintf("the name %s is taken", name))
		}
		seen[name] = true
	}
	f := &function{FunctionRegistration: registration, name: registration.FunctionName}
	if len(problems) == 0 {
		f.regexps = make([]func() *regexp.Regexp, len(registration.Parameters))
		for i, p := range registration.Parameters {
			if p.Regexp != "" {
				f.regexps[i] = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(p.Regexp) })
			}
		}
		for i, example := range registration.Examples {
			if err := f.checkExample(names, example); err != nil {
				problems = append(problems, fmt.Sprintf("example %d: %v", i+1, err))
			}
		}
	}
	if len(problems) > 0 {
		return &RegistrationError{Function: registration.FunctionName, Problems: problems}
	}
	for _, name := range names {
		alias := *f
		alias.name = name
		h.functions[name] = &alias
	}
	return nil
}

// problems lists what is wrong with a registration by itself.
func (r *FunctionRegistration) problems() []string {
	var problems []string
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }

	for _, name := range append([]string{r.FunctionName}, r.Aliases...) {
		if !isKebabCase(name) {
			add("name %q is not kebab-case", name)
		}
	}
	if strings.TrimSpace(r.Description) == "" {
		add("it has no description")
	}
	if r.Function == nil {
		add("it has no implementation")
	}
	if r.Mutating && r.Validating {
		add("it cannot be both mutating and validating")
	}
	if r.PerDocument && r.Validating {
		add("a validating function cannot be marked as working per document")
	}
	if r.VarArgs && len(r.Parameters) == 0 {
		add("varargs need a last parameter")
	}
	required, optionalSeen, seen := 0, "", map[string]bool{}
	for _, p := range r.Parameters {
		switch {
		case !isKebabCase(p.ParameterName):
			add("parameter name %q is not kebab-case", p.ParameterName)
		case seen[p.ParameterName]:
			add("parameter %s appears twice", p.ParameterName)
		}
		seen[p.ParameterName] = true
		if strings.TrimSpace(p.Description) == "" {
			add("parameter %s has no description", p.ParameterName)
		}
		if p.Required {
			required++
			if optionalSeen != "" {
				add("required parameter %s follows optional parameter %s", p.ParameterName, optionalSeen)
			}
		} else {
			optionalSeen = p.ParameterName
		}
		problems = append(problems, constraintProblems(p)...)
	}
	if r.RequiredParameters != required {
		add("it says that %d parameters are required, but marks %d", r.RequiredParameters, required)
	}
	return problems
}

func constraintProblems(p api.FunctionParameter) []string {
	var problems []string
	add := func(format string, args ...any) {
		problems = append(problems, fmt.Sprintf("parameter %s: %s", p.ParameterName, fmt.Sprintf(format, args...)))
	}
	if p.DataType == api.DataTypeNone {
		add("it has no data type")
	}
	if (p.DataType == api.DataTypeEnum) != (len(p.EnumValues) > 0) {
		add("enum values and the data type enum belong together")
	}
	if (p.Min != nil || p.Max != nil) && p.DataType != api.DataTypeInt {
		add("only an int can have a minimum or maximum")
	}
	if p.Min != nil && p.Max != nil && *p.Min > *p.Max {
		add("the minimum %d is greater than the maximum %d", *p.Min, *p.Max)
	}
	if p.Regexp != "" {
		if p.DataType != api.DataTypeString {
			add("only a string can have a regular expression")
		}
		if _, err := regexp.Compile(p.Regexp); err != nil {
			add("%v", err)
		}
	}
	return problems
}

// checkExample parses an example the way a command line does and validates its arguments.
func (f *function) checkExample(names []string, example string) error {
	words, err := SplitWords(example)
	if err != nil {
		return err
	}
	if len(words) == 0 {
		return fmt.Errorf("it is empty")
	}
	known := false
	for _, name := range names {
		known = known || name == words[0]
	}
	if !known {
		return fmt.Errorf("%q does not start with the function's name", example)
	}
	args := make([]api.FunctionArgument, 0, len(words)-1)
	for _, word := range words[1:] {
		arg := api.FunctionArgument{Value: word}
		if name, value, ok := strings.Cut(strings.TrimPrefix(word, "--"), "="); ok && strings.HasPrefix(word, "--") {
			arg = api.FunctionArgument{ParameterName: name, Value: value}
		}
		for _, evaluator := range []string{api.EvaluatorTemplate, api.EvaluatorCEL} {
			if text, ok := strings.CutPrefix(arg.Value.(string), evaluator+":"); ok {
				arg.Value, arg.Evaluator = text, evaluator
			}
		}
		args = append(args, arg)
	}
	normalized, err := f.normalize(args)
	if err != nil {
		return err
	}
	if f.CheckArguments != nil {
		return f.CheckArguments(normalized)
	}
	return nil
}

// SplitWords splits a line into words as a POSIX shell does, without expanding anything.
func SplitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch c {
		case ' ', '\t', '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
			continue
		case '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				return nil, fmt.Errorf("a ' is not closed")
			}
			word.WriteString(line[i+1 : i+1+end])
			i += end + 1
		case '"':
			i++
			for ; i < len(line) && line[i] != '"'; i++ {
				if line[i] == '\\' && i+1 < len(line) && strings.IndexByte("\"\\$`", line[i+1]) >= 0 {
					i++
				}
				word.WriteByte(line[i])
			}
			if i == len(line) {
				return nil, fmt.Errorf("a \" is not closed")
			}
		case '\\':
			if i++; i < len(line) {
				word.WriteByte(line[i])
			}
		default:
			word.WriteByte(c)
		}
		inWord = true
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

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

package handler

import (
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

// ParseChain parses a line such as "set-replicas 5 then set-image web nginx:1.27" like a command
// line: words are quoted as for a POSIX shell, --param=value names an argument, template: and cel:
// mark expressions, and text: takes the rest of the word literally. It does not know flags or
// files.
func ParseChain(line string) (api.FunctionInvocationList, error) {
	words, err := shellwords.Split(line)
	if err != nil {
		return nil, err
	}
	var chain api.FunctionInvocationList
	starts := true
	for _, word := range append(words, "then") {
		switch {
		case word == "then" && starts:
			return nil, fmt.Errorf("a function is missing")
		case word == "then":
			starts = true
		case starts:
			chain, starts = append(chain, api.FunctionInvocation{FunctionName: word}), false
		default:
			last := &chain[len(chain)-1]
			last.Arguments = append(last.Arguments, parseArgument(word))
		}
	}
	return chain, nil
}

// parseArgument parses one word: a value, or --param=value.
func parseArgument(word string) api.FunctionArgument {
	var arg api.FunctionArgument
	value := word
	if named, ok := strings.CutPrefix(word, "--"); ok {
		if name, v, ok := strings.Cut(named, "="); ok {
			arg.ParameterName, value = name, v
		}
	}
	arg.Value, arg.Evaluator = ParseValue(value)
	return arg
}

// ParseValue returns the value of a word and the evaluator it is an expression for: template: and
// cel: begin an expression, text: a literal value.
func ParseValue(word string) (value, evaluator string) {
	switch prefix, rest, found := strings.Cut(word, ":"); {
	case !found:
	case prefix == "text":
		return rest, ""
	case prefix == api.EvaluatorTemplate, prefix == api.EvaluatorCEL:
		return rest, prefix
	}
	return word, ""
}

package kubernetes

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

const parameterPair = "key-value"

// assignment is what is to become of one key.
type assignment struct {
	name, value string
	remove      bool
}

// assignmentParameter is the repeated parameter that assignments are read from; what is a noun with its article.
func assignmentParameter(what, example, deprecatedName string) api.FunctionParameter {
	return api.FunctionParameter{
		ParameterName: parameterPair, Required: true, DataType: api.DataTypeString, Example: example, DeprecatedNames: []string{deprecatedName},
		Description: fmt.Sprintf(`KEY=value sets %s, KEY="" sets it to nothing, KEY= and KEY- remove it`, what),
	}
}

// assignments reads all pairs of the arguments. Every malformed one is an error, and so is every one that check says something
// about: what is wrong, as it follows the pair in a sentence.
func assignments(args []api.FunctionArgument, check func(*assignment) string) ([]assignment, error) {
	var all []assignment
	var problems []error
	for _, arg := range args {
		if arg.ParameterName != parameterPair {
			continue
		}
		text := fmt.Sprint(arg.Value)
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			name, ok = strings.CutSuffix(text, "-")
		}
		a := assignment{name: name, value: value, remove: value == ""}
		if value == `""` {
			a.value = ""
		}
		problem := ""
		if !ok || name == "" {
			problem = "is not KEY=value, KEY= or KEY-"
		} else {
			problem = check(&a)
		}
		if problem != "" {
			problems = append(problems, &handler.ArgumentError{
				Parameter: parameterPair, Value: text, Message: fmt.Sprintf("argument %s: %s %s", parameterPair, configkit.Quoted(text), problem),
			})
			continue
		}
		all = append(all, a)
	}
	return all, errors.Join(problems...)
}

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

// assignment says what happens to one key: it gets a value or is removed.
type assignment struct {
	name, value string
	remove      bool
	emptied     bool // written as KEY=, with which earlier versions removed the key
}

// noteEmptied notes that a key gets the empty text if it has a value now, as the user may have
// meant to remove it.
func (a *assignment) noteEmptied(c *handler.Call, hasValue bool) {
	if a.emptied && hasValue {
		c.NoteNames("KEY= replaces the value by the empty text; KEY- removes the key", a.name)
	}
}

// assignmentParameter returns the repeated parameter that assignments are parsed from. what is a
// noun with its article.
func assignmentParameter(what, example, deprecatedName string) api.FunctionParameter {
	return api.FunctionParameter{
		ParameterName: parameterPair, Required: true, DataType: api.DataTypeString,
		Example: example, DeprecatedNames: []string{deprecatedName},
		Description: fmt.Sprintf(
			`KEY=value sets %s, KEY= sets it to the empty text, KEY- removes it`, what),
	}
}

// assignments parses all KEY=value arguments. It reports every malformed one, and every one for
// which check returns a problem, phrased to follow the pair in a sentence.
func assignments(
	args []api.FunctionArgument, check func(*assignment) string,
) ([]assignment, error) {
	var all []assignment
	var problems []error
	for _, arg := range args {
		if arg.ParameterName != parameterPair {
			continue
		}
		text := fmt.Sprint(arg.Value)
		name, value, sets := strings.Cut(text, "=")
		removes := false
		if !sets {
			name, removes = strings.CutSuffix(text, "-")
		}
		a := assignment{
			name: name, value: value, remove: removes, emptied: sets && value == "",
		}
		if value == `""` { // the spelling of KEY= in chains that were written for earlier versions
			a.value = ""
		}
		problem := ""
		if !sets && !removes || name == "" {
			problem = "is not KEY=value, KEY= or KEY-"
		} else {
			problem = check(&a)
		}
		if problem != "" {
			problems = append(problems, argumentError(parameterPair, text, "", "%s %s",
				configkit.Quote(text), problem))
			continue
		}
		all = append(all, a)
	}
	return all, errors.Join(problems...)
}

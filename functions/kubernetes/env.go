package kubernetes

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

const (
	attributeEnvValue api.AttributeName = "env-value"

	parameterEnvVar   = "env-var"
	parameterEnvValue = "env-value"
)

// envName matches the names of variables that Kubernetes accepts and that do not look like an
// instruction of set-env: those contain "=" or end in "-".
const envName = `^[^\s=]*[^\s=-]$`

func setEnvVarFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	variable := generic.ParameterOf(provider, attributeEnvValue, parameterEnvVar)
	variable.Regexp = envName
	variable.Description += ", or * for all that have a value"
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-env-var",
			Parameters: []api.FunctionParameter{
				containerNameParameter(provider), variable,
				generic.ParameterOf(provider, attributeEnvValue, parameterEnvValue),
			},
			Description: "Set the value of an environment variable of containers, adding the " +
				"variable where it is missing; * means every existing variable",
			FunctionType:  api.FunctionTypePathVisitor,
			AttributeName: attributeEnvValue,
			Examples:      []string{"set-env-var web LOG_LEVEL debug"},
		},
		PerDocument: true,
	}, func(c *handler.Call) (int, error) {
		name, variable := c.Args.String(parameterContainerName), assignment{
			name: c.Args.String(parameterEnvVar), value: c.Args.String(parameterEnvValue),
		}
		if variable.name == "*" {
			return setAllVariables(c.Docs, provider, name, variable.value)
		}
		return editContainers(c.Docs, provider, name, func(in *container) error {
			return variable.setIn(c, in)
		})
	})
}

// setAllVariables sets and counts the environment variables that have a literal value, not a
// valueFrom.
func setAllVariables(
	docs gaby.Container, provider configkit.ResourceProvider, name, value string,
) (matches int, err error) {
	_, err = editContainers(docs, provider, name, func(c *container) error {
		for index, e := range c.value.Get("env").All() {
			if !e.Get("value").Exists() || e.Get("valueFrom").Exists() {
				continue
			}
			matches++
			if _, err := c.doc.Set(value,
				c.at("env", strconv.Itoa(index), "value")...); err != nil {
				return err
			}
		}
		return nil
	})
	return matches, err
}

func setEnvFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-env",
			Parameters: []api.FunctionParameter{
				containerNameParameter(provider),
				assignmentParameter("a variable", "LOG_LEVEL=debug", "env-key-value"),
			},
			VarArgs:     true,
			Description: "Set and remove environment variables of containers",
			Examples: []string{
				"set-env web LOG_LEVEL=debug GREETING-", `set-env '*' 'MOTTO=""'`,
			},
		},
		ValueParameter: parameterPair,
		PerDocument:    true,
		Paths:          inContainers(provider, "env"),
		CheckArguments: handler.Parses(envAssignments),
	}, func(call *handler.Call) (int, error) {
		variables, err := envAssignments(call.Args)
		if err != nil {
			return 0, err
		}
		touched := 0
		n, err := editContainers(call.Docs, provider, call.Args.String(parameterContainerName),
			func(c *container) error {
				var problems []error
				for i := range variables {
					if !variables[i].remove || c.variable(variables[i].name) != nil {
						touched++
					}
					variables[i].noteEmptied(call, c.hasVariable(variables[i].name))
					problems = append(problems, variables[i].setIn(call, c))
				}
				return errors.Join(problems...)
			})
		return min(n, touched), err // what is only removed must be there
	})
}

// envAssignments parses the KEY=value arguments.
func envAssignments(args []api.FunctionArgument) ([]assignment, error) {
	return assignments(args, func(a *assignment) string {
		if strings.ContainsAny(a.name, " \t\r\n") {
			return "has a blank in the name of the variable"
		}
		return ""
	})
}

// hasVariable reports whether the container has an environment variable that is not empty.
func (c *container) hasVariable(name string) bool {
	for _, e := range c.value.Get("env").All() {
		if e.Get("name").EqualText(name) &&
			(e.Get("value").Text() != "" || e.Get("valueFrom").Exists()) {
			return true
		}
	}
	return false
}

// variable returns the indexes of an environment variable of the container.
func (c *container) variable(name string) (found []int) {
	for index, e := range c.value.Get("env").All() {
		if e.Get("name").EqualText(name) {
			found = append(found, index)
		}
	}
	return found
}

// setIn sets or removes an environment variable of a container. If the container has several of
// this name, all are edited: it is not up to this function to decide which of them counts.
func (a *assignment) setIn(call *handler.Call, c *container) error {
	found := c.variable(a.name)
	for _, i := range slices.Backward(found) {
		if err := a.setAt(call, c, strconv.Itoa(i)); err != nil {
			return err
		}
	}
	if len(found) > 0 || a.remove {
		return nil
	}
	return appendTo(c.doc, map[string]any{"name": a.name, "value": a.value}, c.at("env")...)
}

// setAt sets or removes the variable at an index of env.
func (a *assignment) setAt(call *handler.Call, c *container, index string) error {
	if a.remove {
		return c.doc.Delete(c.at("env", index)...)
	}
	if _, err := c.doc.Set(a.value, c.at("env", index, "value")...); err != nil {
		return err
	}
	// Kubernetes does not allow both a value and a valueFrom.
	if from := c.at("env", index, "valueFrom"); c.doc.Exists(from...) {
		call.NoteNames("a value replaces valueFrom", a.name)
		return c.doc.Delete(from...)
	}
	return nil
}

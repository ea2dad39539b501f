package kubernetes

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
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

func registerEnvFunctions(fh handler.FunctionRegistry, provider configkit.ResourceProvider) error {
	return handler.Register(fh, setEnvVarFunction(provider), setEnvFunction(provider))
}

func setEnvVarFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	variable := parameterOf(provider, attributeEnvValue, parameterEnvVar)
	variable.Regexp = envName
	variable.Description += ", or * for all that have a value"
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-env-var",
			Parameters: []api.FunctionParameter{
				containerNameParameter(provider), variable,
				parameterOf(provider, attributeEnvValue, parameterEnvValue),
			},
			RequiredParameters: 3,
			Mutating:           true, Hermetic: true, Idempotent: true,
			Description:   "Set the value of an environment variable of containers, adding the variable where it is missing; * is every one there is",
			FunctionType:  api.FunctionTypePathVisitor,
			AttributeName: attributeEnvValue,
			Examples:      []string{"set-env-var web LOG_LEVEL debug"},
		},
		PerDocument: true,
		Function: func(
			fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			a := handler.Arguments(args)
			variable := assignment{
				name: a.String(parameterEnvVar), value: a.String(parameterEnvValue),
			}
			if variable.name == "*" {
				matches, err := setAllVariables(docs, provider, a.String(parameterContainerName),
					variable.value)
				fc.Matched(matches)
				return docs, nil, err
			}
			matches, err := editContainers(docs, provider, a.String(parameterContainerName),
				func(c *container) error {
					return setVariable(c, &variable)
				})
			fc.Matched(matches)
			return docs, nil, err
		},
	}
}

// setAllVariables sets and counts the environment variables that have a literal value, not a
// valueFrom.
func setAllVariables(
	docs gaby.Container, provider configkit.ResourceProvider, name, value string,
) (matches int, err error) {
	_, err = editContainers(docs, provider, name, func(c *container) error {
		index := -1
		for e := c.value.Get("env").First(); e.Exists(); e = e.Next() {
			index++
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
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-env",
			Parameters: []api.FunctionParameter{
				containerNameParameter(provider),
				assignmentParameter("a variable", "LOG_LEVEL=debug", "env-key-value"),
			},
			RequiredParameters: 2,
			VarArgs:            true,
			Mutating:           true, Hermetic: true, Idempotent: true,
			Description:  "Set and remove environment variables of containers",
			FunctionType: api.FunctionTypeCustom,
			Examples: []string{
				"set-env web LOG_LEVEL=debug GREETING-", `set-env '*' 'MOTTO=""'`,
			},
		},
		ValueParameter: parameterPair,
		PerDocument:    true,
		Paths:          inContainers(provider, "env"),
		CheckArguments: func(args []api.FunctionArgument) error {
			_, err := envAssignments(args)
			return err
		},
		Function: func(
			fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			variables, err := envAssignments(args)
			if err != nil {
				return nil, nil, err
			}
			matches, err := editContainers(docs, provider,
				handler.Arguments(args).String(parameterContainerName), func(c *container) error {
					var problems []error
					for i := range variables {
						problems = append(problems, setVariable(c, &variables[i]))
					}
					return errors.Join(problems...)
				})
			fc.Matched(matches)
			return docs, nil, err
		},
	}
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

// setVariable edits an environment variable of a container. If the container has several of this
// name, all are edited: it is not up to this function to decide which of them counts.
func setVariable(c *container, a *assignment) error {
	var found []int
	index := 0
	for e := c.value.Get("env").First(); e.Exists(); e = e.Next() {
		if e.Get("name").TextIs(a.name) {
			found = append(found, index)
		}
		index++
	}
	for _, i := range slices.Backward(found) {
		if err := setVariableAt(c, strconv.Itoa(i), a); err != nil {
			return err
		}
	}
	if len(found) > 0 || a.remove {
		return nil
	}
	return appendTo(c.doc, map[string]any{"name": a.name, "value": a.value}, c.at("env")...)
}

// setVariableAt sets or removes the variable at an index of env.
func setVariableAt(c *container, index string, a *assignment) error {
	if a.remove {
		return c.doc.Delete(c.at("env", index)...)
	}
	if _, err := c.doc.Set(a.value, c.at("env", index, "value")...); err != nil {
		return err
	}
	// Kubernetes does not allow both a value and a valueFrom.
	if from := c.at("env", index, "valueFrom"); c.doc.Exists(from...) {
		return c.doc.Delete(from...)
	}
	return nil
}

package kubernetes

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/quantity"
)

const (
	parameterOperation   = "operation"
	parameterCPU         = "cpu"
	parameterMemory      = "memory"
	parameterLimitFactor = "limit-factor"

	// The operations of set-container-resources.
	operationAll   = "all"   // set all amounts
	operationCap   = "cap"   // lower those that are higher
	operationFloor = "floor" // raise those that are lower
)

func setResourcesFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-container-resources",
			Parameters: []api.FunctionParameter{
				containerNameParameter(provider),
				enumParameter(parameterOperation, operationAll,
					"all sets the amounts, cap lowers those that are higher (no limit is higher "+
						"than any), "+
						"floor raises those that are lower (no request is lower than any)",
					operationAll, operationCap, operationFloor),
				textParameter(parameterCPU, "500m",
					"CPU to request, in CPUs or with m in thousandths; '' leaves CPU alone", ""),
				textParameter(parameterMemory, "256Mi",
					"memory to request, in bytes or with a suffix; '' leaves memory alone", ""),
				intParameter(parameterLimitFactor, "2",
					"limits are the requests times this; 0 removes them", 0),
			},
			Description: "Set the CPU and memory requests and limits of containers, adding those " +
				"that are missing",
			Examples: []string{
				"set-container-resources web all 500m 256Mi 2",
				"set-container-resources '*' cap '' 1Gi 1",
			},
		},
		ValueParameter: parameterOperation,
		PerDocument:    true,
		Paths:          inContainers(provider, "resources"),
		CheckArguments: handler.Parses(resourceSettings),
	}, func(call *handler.Call) (int, error) {
		settings, err := resourceSettings(call.Args)
		if err != nil {
			return 0, err
		}
		name, matches := call.Args.String(parameterContainerName), 0
		_, err = editContainers(call.Docs, provider, name, func(c *container) error {
			if slices.Contains(c.segments, "ephemeralContainers") {
				// Kubernetes does not allow resources there.
				if name != "*" {
					call.Note(c.value.Position(),
						fmt.Sprintf("ephemeral container %s cannot have resources", name))
				}
				return nil
			}
			matches++
			return c.setResources(settings)
		})
		return matches, err
	})
}

// resourceSetting says what happens to the request or the limit of one resource.
type resourceSetting struct {
	section   string // requests or limits
	resource  string
	operation string
	amount    quantity.Quantity
	text      string // the amount as written, or "" to remove it
}

// resourceSettings parses the arguments. It returns requests first, in the order of the parameters.
func resourceSettings(a handler.Arguments) ([]resourceSetting, error) {
	var requests, limits []resourceSetting
	var problems []error
	fail := func(parameter, text, format string, values ...any) {
		problems = append(problems, argumentError(parameter, text, "", format, values...))
	}
	for _, resource := range []string{parameterCPU, parameterMemory} {
		text := a.String(resource)
		if text == "" {
			continue
		}
		amount, ok := quantity.Parse(text)
		switch {
		case !ok:
			fail(resource, text, "%s is not a quantity such as 0.5, 500m, 1e3, 256M or 2Gi",
				configkit.Quote(text))
			continue
		case amount.Sign() < 0:
			fail(resource, text, "%s is negative", configkit.Abbreviate(text))
			continue
		case resource == parameterCPU && !amount.Times(1000).IsWhole():
			fail(resource, text, "%s is finer than a thousandth of a CPU",
				configkit.Abbreviate(text))
			continue
		case resource == parameterMemory && !amount.IsWhole():
			fail(resource, text, "%s is not a whole number of bytes", configkit.Abbreviate(text))
			continue
		}
		operation := a.String(parameterOperation)
		requests = append(requests, resourceSetting{"requests", resource, operation, amount, text})
		limit := resourceSetting{section: "limits", resource: resource, operation: operation}
		if factor := a.Int(parameterLimitFactor); factor > 0 {
			limit.amount = amount.Times(factor)
			limit.text = limit.amount.String()
		}
		limits = append(limits, limit)
	}
	if len(requests) == 0 && len(problems) == 0 {
		fail(parameterCPU, "", "%s and %s are both empty", parameterCPU, parameterMemory)
	}
	return append(requests, limits...), errors.Join(problems...)
}

// setResources edits the resources of a container as the operation requires.
func (c *container) setResources(settings []resourceSetting) error {
	for i := range settings {
		s := &settings[i]
		segments := c.at("resources", s.section, s.resource)
		current := c.doc.Search(segments...).Value()
		if current.Doc().IsNull() {
			current = gaby.Value{}
		}
		if s.text == "" {
			if err := c.removeLimit(s.resource); err != nil {
				return err
			}
			continue
		}
		wanted, err := s.isWanted(current)
		if err != nil {
			return editError(current, segments, "", "%v", err)
		}
		if wanted {
			if _, err := c.doc.Set(s.text, segments...); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeLimit removes a limit. The map of limits is removed with the last one.
func (c *container) removeLimit(resource string) error {
	limits := c.doc.Search(c.at("resources", "limits")...).Value()
	switch {
	case !limits.Get(resource).Exists():
		return nil
	case limits.Len() == 1:
		return c.doc.Delete(c.at("resources", "limits")...)
	default:
		return c.doc.Delete(c.at("resources", "limits", resource)...)
	}
}

// isWanted reports whether the current amount, which may be missing, is to be replaced. Different
// spellings of one amount are equal.
func (s *resourceSetting) isWanted(current gaby.Value) (bool, error) {
	if !current.Exists() {
		switch s.operation {
		case operationCap:
			return s.section == "limits", nil
		case operationFloor:
			return s.section == "requests", nil
		}
		return true, nil
	}
	amount, ok := quantity.Parse(current.Text())
	if !ok {
		if s.operation == operationAll {
			return true, nil
		}
		return false, fmt.Errorf("%q is not a quantity", current.Text())
	}
	switch c := amount.Compare(s.amount); s.operation {
	case operationCap:
		return c > 0, nil
	case operationFloor:
		return c < 0, nil
	default:
		return c != 0, nil
	}
}

package remote

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/lang/expression"
)

// problem is an error.
type problem struct{ Failures []failure }

// failure is an [api.Failure], without its cause.
type failure struct {
	Failure api.Failure
	// Program is the cause if it is an error of an expression.
	Program *expression.Error
	// Panic is the cause if it is a panic.
	Panic *handler.PanicError
}

func newProblem(err error) *problem {
	return &problem{newFailures(diag.Failures(err, api.FailureFunction))}
}

// err returns the error.
func (p *problem) err() error { return diag.List(failuresOf(p.Failures)) }

func newFailures(failures []*api.Failure) []failure {
	all := make([]failure, len(failures))
	for i, f := range failures {
		all[i].Failure = *f
		all[i].Failure.Err = nil
		if e, ok := errors.AsType[*expression.Error](f.Err); ok {
			program := *e
			program.Err = nil
			all[i].Program = &program
		}
		if e, ok := errors.AsType[*handler.PanicError](f.Err); ok {
			all[i].Panic = &handler.PanicError{
				Function: e.Function, Value: (&handler.PanicError{Value: e.Value}).Error(), Stack: e.Stack,
			}
		}
	}
	return all
}

func failuresOf(all []failure) []*api.Failure {
	failures := make([]*api.Failure, len(all))
	for i, f := range all {
		failure := f.Failure
		switch {
		case f.Panic != nil:
			failure.Err = f.Panic
		case f.Program != nil:
			failure.Err = f.Program
		}
		failures[i] = &failure
	}
	return failures
}

// newResult returns a result for the client.
func newResult(r *handler.Result) callResult {
	response := r.FunctionInvocationResponse
	response.Outputs = make(api.OutputList, len(r.Outputs))
	for i, o := range r.Outputs {
		response.Outputs[i] = api.Output{OutputType: o.OutputType, Value: sent(o.Value)}
	}
	if !r.Changed {
		response.ConfigData = nil // the client has it
	}
	return callResult{
		Response: response, Failures: newFailures(r.Failures), Notes: r.Notes, Functions: r.Functions,
		Resources: r.Resources, Changes: r.Changes, Steps: r.Steps, Lines: r.Lines,
		ValidationFailed: r.ValidationFailed,
	}
}

// sent returns the value of an output in a form that can be sent.
func sent(value any) any {
	switch value := value.(type) {
	case api.AttributeValueList:
		return sentAttributes(value)
	case api.ValidationResult:
		value.FailedAttributes = sentAttributes(value.FailedAttributes)
		return value
	case api.ValidationResultList:
		all := make(api.ValidationResultList, len(value))
		for i, r := range value {
			all[i] = sent(r).(api.ValidationResult) //nolint:forcetypeassert // the case above
		}
		return all
	case api.ResourceInfoList, api.ResourceList, api.ResourceMutationList, api.MutationConflictList,
		api.PatchMap, api.YAMLPayload, json.RawMessage:
		return value
	}
	return jsonOf(value)
}

func sentAttributes(list api.AttributeValueList) api.AttributeValueList {
	all := make(api.AttributeValueList, len(list))
	for i, a := range list {
		switch a.Value.(type) {
		case nil, string, bool, int, int64, float64:
		default:
			a.Value = jsonOf(a.Value)
		}
		all[i] = a
	}
	return all
}

// jsonOf returns a value as JSON, or as its text if it has none.
func jsonOf(value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return jsonValue(text)
}

// result returns the result of a request.
func (r *callResult) result(request *api.FunctionInvocationRequest) (*handler.Result, error) {
	for i, o := range r.Response.Outputs {
		value, err := received(o.Value)
		if err != nil {
			return nil, err
		}
		r.Response.Outputs[i].Value = value
	}
	if !r.Response.Changed {
		r.Response.ConfigData = request.ConfigData
	}
	all := &handler.Result{
		FunctionInvocationResponse: r.Response, Parts: [][]byte{r.Response.ConfigData},
		Failures: failuresOf(r.Failures), Notes: r.Notes, Functions: r.Functions, Resources: r.Resources,
		Changes: r.Changes, Steps: r.Steps, Lines: r.Lines, ValidationFailed: r.ValidationFailed,
	}
	return all, nil
}

// received returns the value that was sent. An empty list is not nil.
func received(value any) (any, error) {
	switch value := value.(type) {
	case jsonValue:
		return value.value()
	case api.AttributeValueList:
		return listed(value), receivedAttributes(value)
	case api.ValidationResult:
		return value, receivedAttributes(value.FailedAttributes)
	case api.ValidationResultList:
		for _, r := range value {
			if err := receivedAttributes(r.FailedAttributes); err != nil {
				return nil, err
			}
		}
		return listed(value), nil
	case api.ResourceInfoList:
		return listed(value), nil
	case api.ResourceList:
		return listed(value), nil
	case api.ResourceMutationList:
		return listed(value), nil
	case api.MutationConflictList:
		return listed(value), nil
	}
	return value, nil
}

func listed[L ~[]E, E any](list L) L {
	if list == nil {
		return L{}
	}
	return list
}

func receivedAttributes(list api.AttributeValueList) (err error) {
	for i := range list {
		if text, ok := list[i].Value.(jsonValue); ok {
			if list[i].Value, err = text.value(); err != nil {
				return err
			}
		}
	}
	return nil
}

// value decodes the value. Numbers keep their digits.
func (v jsonValue) value() (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(v))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return value, err
}

package handler

import (
	"context"

	"github.com/fctl-dev/fctl/api"
)

type inputKey struct{}

// InputFile returns the file that the function's resources were read from, with the names they have
// there. It is "" if the file is unknown, or if a preceding function may have changed names or the
// set of resources in this file or in others.
func InputFile(fc *api.FunctionContext) string {
	file, _ := fc.Context().Value(inputKey{}).(string)
	return file
}

// setInput sets the input file of the steps, up to and including the first one that may change
// names or the set of resources.
func setInput(steps []step, file string) {
	for i := range steps {
		s := &steps[i]
		s.input = file
		if s.f == nil || s.f.Mutating && !s.f.KeepsNames {
			return
		}
	}
}

// withInput returns a context with the value that InputFile returns.
func (s *step) withInput(fc *api.FunctionContext) *api.FunctionContext {
	if s.input == "" {
		return fc
	}
	return fc.WithContext(context.WithValue(fc.Context(), inputKey{}, s.input))
}

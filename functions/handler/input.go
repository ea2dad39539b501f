package handler

import (
	"context"

	"github.com/fctl-dev/fctl/api"
)

type inputKey struct{}

// InputFile is the file that a function sees the resources of with the names that were read. It is empty when that is not known, and
// when a function before it may have changed names, or which resources there are, in this file or in others.
func InputFile(fc *api.FunctionContext) string {
	file, _ := fc.Context().Value(inputKey{}).(string)
	return file
}

// tellInput tells which file resources are of, up to the first step that may change names or which resources there are.
func tellInput(steps []step, file string) {
	for i := range steps {
		s := &steps[i]
		s.input = file
		if s.f == nil || s.f.Mutating && !s.f.KeepsNames {
			return
		}
	}
}

// withInput puts what InputFile returns into the context of a step.
func (s *step) withInput(fc *api.FunctionContext) *api.FunctionContext {
	if s.input == "" {
		return fc
	}
	return fc.WithContext(context.WithValue(fc.Context(), inputKey{}, s.input))
}

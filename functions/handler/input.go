package handler

import (
	"context"

	"github.com/fctl-dev/fctl/api"
)

type inputKey struct{}

// InputFile is the file that a function sees the resources of as they were read. It is empty when that is not known, and when a function
// before it may have changed resources, of this file or of others.
func InputFile(fc *api.FunctionContext) string {
	file, _ := fc.Context().Value(inputKey{}).(string)
	return file
}

// tellInput tells the steps up to the first that may change resources which file these are of.
func tellInput(steps []step, file string) {
	for i := range steps {
		s := &steps[i]
		s.input = file
		if s.f == nil || s.f.Mutating {
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

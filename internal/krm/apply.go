package krm

import "context"

// Apply runs a function of this process on the text of a ResourceList, as an orchestrator runs a
// program. The list is never nil after the text was parsed: a function that fails may have results,
// and a panic is an error. An error of Parse means that the function did not run.
func Apply(ctx context.Context, f Function, text []byte) (*ResourceList, error) {
	list, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return list, callFunction(ctx, f, list)
}

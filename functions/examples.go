package functions

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

// These are examples of the generic functions for formats other than Kubernetes, one per line. A
// test runs all of them.
var (
	//go:embed examples/appconfig.txt
	appConfigExamples string
	//go:embed examples/env.txt
	envExamples string
	//go:embed examples/text.txt
	textExamples string
	//go:embed examples/opentofu.txt
	openTofuExamples string
)

// exampleRegistry replaces the examples of the functions registered with it, which are for
// Kubernetes, by those of another toolchain. Functions without an example there are of little use
// in that toolchain.
type exampleRegistry struct {
	handler.FunctionRegistry
	examples map[string][]string // by function name
}

// newExampleRegistry parses the examples in text, one per line.
func newExampleRegistry(registry handler.FunctionRegistry, text string) *exampleRegistry {
	r := &exampleRegistry{registry, map[string][]string{}}
	for line := range strings.Lines(text) {
		function, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		r.examples[function] = append(r.examples[function], strings.TrimSuffix(line, "\n"))
	}
	return r
}

// RegisterFunction implements handler.FunctionRegistry.
func (e *exampleRegistry) RegisterFunction(r handler.FunctionRegistration) error {
	r.Examples = e.examples[r.FunctionName]
	r.Parameters = slices.Clone(r.Parameters)
	for i := range r.Parameters {
		r.Parameters[i].Example = ""
	}
	for _, example := range r.Examples {
		setArguments(r.Parameters, example)
	}
	return e.FunctionRegistry.RegisterFunction(r)
}

// setArguments uses the arguments of an example as examples of the parameters that have none.
func setArguments(parameters []api.FunctionParameter, example string) {
	words, err := shellwords.Split(example)
	if err != nil {
		return // registration reports the error
	}
	at := 0
	for _, word := range words[1:] {
		name, value, named := strings.Cut(word, "=")
		p := slices.IndexFunc(parameters, func(p api.FunctionParameter) bool {
			return named && name == "--"+p.ParameterName
		})
		if p < 0 {
			p, value = at, word
			at++
		}
		if p < len(parameters) && parameters[p].Example == "" {
			parameters[p].Example = value
		}
	}
}

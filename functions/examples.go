package functions

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/functions/shellwords"
)

// The examples of the functions for configuration that is not Kubernetes', a line each. A test runs them all.
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

// exampleRegistry registers functions, whose own examples are for Kubernetes, with those of another toolchain. What has none
// there has little use there.
type exampleRegistry struct {
	handler.FunctionRegistry
	examples map[string][]string // by function
}

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

// setArguments makes the arguments in an example the examples of those parameters that have none.
func setArguments(parameters []api.FunctionParameter, example string) {
	words, err := shellwords.Split(example)
	if err != nil {
		return // registering it says what is wrong
	}
	at := 0
	for _, word := range words[1:] {
		name, value, named := strings.Cut(word, "=")
		p := slices.IndexFunc(parameters, func(p api.FunctionParameter) bool { return named && name == "--"+p.ParameterName })
		if p < 0 {
			p, value = at, word
			at++
		}
		if p < len(parameters) && parameters[p].Example == "" {
			parameters[p].Example = value
		}
	}
}

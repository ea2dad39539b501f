package program

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/starlark"
)

// starlarkFunctions returns get-starlark, set-starlark and vet-starlark.
func starlarkFunctions(provider configkit.ResourceProvider) []handler.FunctionRegistration {
	return functionsOf(&programLanguage{
		Name: "starlark",
		Program: handler.Required("program", api.DataTypeString, "file:program.star",
			"Starlark program ('fctl help starlark')"),
		Compile: compileStarlark,
		// SetData makes edits only where the new data differs.
		Writer: func(*api.FunctionContext) valueWriter {
			return valueWriter{
				Write: func(doc *gaby.YamlDoc, _ *api.ResourceInfo, value any) error {
					return doc.SetData(value)
				},
			}
		},
		GetDescription: "Get values that a Starlark program finds: its function extract(r) " +
			"returns a list of rows for a resource",
		SetDescription: "Change resources with a Starlark program, which runs on each and " +
			"calls it r",
		VetDescription: "Check every resource with a Starlark program: its function validate(r) " +
			"returns True, False or a map",
		GetExamples: []string{
			`get-starlark 'def extract(r): return [{"Path": "metadata.name", "Value": ` +
				`r["metadata"]["name"].upper()}]'`,
			`get-starlark 'def extract(r): return [{"Path": "kind", "Value": r["kind"]}] if ` +
				`r["kind"] in params["kinds"].split(",") else []' kinds=Service,Ingress`,
		},
		SetExamples: []string{
			`set-starlark 'r["metadata"].setdefault("labels", {})["zone"] = params["zone"]' ` +
				`zone=eu`,
			`set-starlark 'for c in r.get("spec", {}).get("template", {}).get("spec", ` +
				`{}).get("containers", []): c["imagePullPolicy"] = params["policy"]' policy=Always`,
		},
		VetExamples: []string{
			`vet-starlark 'def validate(r): return re.match("^[a-z-]+$", r["metadata"]["name"]) ` +
				`!= None'`,
			`vet-starlark 'def validate(r): return len(r["metadata"]["name"]) <= ` +
				`int(params["most"])' most=20`,
		},
	}, provider)
}

// compileStarlark compiles a program. To get and to check, it must define extract or validate.
func compileStarlark(text string, use purpose) (func(*expression.Scope) (runFunc, error), error) {
	function := ""
	switch use {
	case forGet:
		function = "extract"
	case forVet:
		function = "validate"
	}
	program, err := starlark.Compile(text, function)
	if err != nil {
		return nil, err
	}
	return func(scope *expression.Scope) (runFunc, error) { return program.Bind(scope) }, nil
}

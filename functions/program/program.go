package program

import (
	"context"
	"errors"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/limit"
)

const parameterParam = "param"

// purpose is the purpose of a program.
type purpose int

// These are the purposes of programs.
const (
	forGet purpose = iota // returns a list of rows
	forVet                // returns a verdict: true, false or a map
	forSet                // returns a value for Language.Write
)

// runFunc runs a program on one resource. It is not safe for concurrent use. The error is an
// *[expression.Error].
type runFunc func(ctx context.Context, resource gaby.Value) (any, error)

// programLanguage is a language for programs that see one resource at a time.
type programLanguage struct {
	// Name is the name of the language. The functions are called get-Name, set-Name and vet-Name.
	Name string
	// Program is the parameter for the program.
	Program api.FunctionParameter
	// Compile compiles a program for a use. The returned function binds the program to the scope of
	// a call. Compile is called once per program, however many units and resources the program is
	// run on. The error is one or several (joined) *[expression.Error].
	Compile func(text string, use purpose) (bind func(*expression.Scope) (runFunc, error), err error)
	// Writer returns what writes the values that a program for set-Name returns in one call of the
	// function.
	Writer func(fc *api.FunctionContext) valueWriter
	// Surveys is that of the registration of set-Name.
	Surveys func([]api.FunctionArgument) func(api.ResourceType) bool

	// GetDescription, SetDescription and VetDescription describe the three functions. GetExamples,
	// SetExamples and VetExamples are their examples.
	GetDescription, SetDescription, VetDescription string
	GetExamples, SetExamples, VetExamples          []string
}

// valueWriter writes values into resources.
type valueWriter struct {
	// Write writes the value that a program returned for a document.
	Write func(doc *gaby.YamlDoc, info *api.ResourceInfo, value any) error
	// Report, if not nil, makes the notes about all documents.
	Report func()
}

// functionsOf returns the functions get-, set- and vet- for programs in a language.
func functionsOf(
	language *programLanguage, provider configkit.ResourceProvider,
) []handler.FunctionRegistration {
	return []handler.FunctionRegistration{
		getProgramFunction(language, provider), setProgramFunction(language, provider),
		vetProgramFunction(language, provider),
	}
}

// getProgramFunction returns the function that gets rows from programs.
func getProgramFunction(
	language *programLanguage, provider configkit.ResourceProvider,
) handler.FunctionRegistration {
	r := language.function("get-"+language.Name, forGet,
		func(c *handler.Call, run runFunc) (any, error) {
			rows := api.AttributeValueList{}
			_, err := eachProgramResource(c, provider, run,
				func(doc *gaby.YamlDoc, info *api.ResourceInfo, value any) error {
					found, err := rowsOf(value, doc, info, provider)
					rows = append(rows, found...)
					return err
				})
			c.Matched(len(rows))
			return yamlkit.SortRows(rows), err
		})
	r.OutputInfo = handler.Output(api.OutputTypeAttributeValueList, "value",
		"the rows that the program returns")
	r.Idempotent, r.RowsSorted = true, true
	r.Description, r.Examples = language.GetDescription, language.GetExamples
	return r
}

// setProgramFunction returns the function that sets values with programs.
func setProgramFunction(
	language *programLanguage, provider configkit.ResourceProvider,
) handler.FunctionRegistration {
	r := language.function("set-"+language.Name, forSet,
		func(c *handler.Call, run runFunc) (any, error) {
			writer := language.Writer(c.FunctionContext)
			resources, err := eachProgramResource(c, provider, run, writer.Write)
			c.Matched(resources)
			if writer.Report != nil {
				writer.Report()
			}
			return nil, err
		})
	r.Mutating, r.Surveys = true, language.Surveys
	r.Description, r.Examples = language.SetDescription, language.SetExamples
	return r
}

// vetProgramFunction returns the function that checks resources with programs.
func vetProgramFunction(
	language *programLanguage, provider configkit.ResourceProvider,
) handler.FunctionRegistration {
	r := language.function("vet-"+language.Name, forVet,
		func(c *handler.Call, run runFunc) (any, error) {
			result := api.ValidationResult{Passed: true}
			resources, err := eachProgramResource(c, provider, run,
				func(doc *gaby.YamlDoc, info *api.ResourceInfo, value any) error {
					text := c.Args.String(language.Program.ParameterName)
					return judge(&result, value, doc, info, provider, text)
				})
			c.Matched(resources)
			return result, err
		})
	r.OutputInfo = handler.Output(api.OutputTypeValidationResult, "passed",
		"whether every resource passed, and the findings of the program")
	r.Validating, r.Idempotent = true, true
	r.Description, r.Examples = language.VetDescription, language.VetExamples
	return r
}

// function returns what the three registrations have in common. body gets the program, bound to the
// scope of the call.
func (l *programLanguage) function(name string, use purpose,
	body func(c *handler.Call, run runFunc) (any, error),
) handler.FunctionRegistration {
	programs := expression.NewPrograms(
		l.Name,
		func(text string) (func(*expression.Scope) (runFunc, error), error) {
			return l.Compile(text, use)
		},
	)
	program := l.Program.ParameterName
	r := handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: name,
			Parameters:   []api.FunctionParameter{l.Program, paramParameter(`params["KEY"]`)},
			VarArgs:      true,
			Hermetic:     true,
		},
		PerDocument:    true,
		ValueParameter: program,
		CheckArguments: func(args []api.FunctionArgument) error {
			_, _, err := programOf(programs, program, args)
			return err
		},
	}
	r.Function = handler.Reads(func(c *handler.Call) (any, error) {
		bind, params, err := programOf(programs, program, c.Args)
		if err != nil {
			return nil, err
		}
		run, err := bind(&expression.Scope{
			Params: params, Context: expression.Context(c.FunctionContext),
			Print: func(text string) {
				c.Note(api.Position{}, text)
			},
		})
		if err != nil {
			return nil, err
		}
		return body(c, run)
	})
	return r
}

// eachProgramResource runs a program on every resource and passes the results to use. It returns
// the number of resources.
func eachProgramResource(
	c *handler.Call, provider configkit.ResourceProvider, run runFunc,
	use func(doc *gaby.YamlDoc, info *api.ResourceInfo, value any) error,
) (int, error) {
	return eachResource(c, provider,
		func(ctx context.Context, doc *gaby.YamlDoc, info *api.ResourceInfo) error {
			value, err := run(ctx, doc.Value())
			if err != nil {
				return err
			}
			return use(doc, info, value)
		})
}

// eachResource calls visit for every resource, with the context of an evaluation, and returns the
// number of resources. An error in one resource does not stop the others, unless the program
// reached its limit of memory or time.
func eachResource(
	c *handler.Call, provider configkit.ResourceProvider,
	visit func(ctx context.Context, doc *gaby.YamlDoc, info *api.ResourceInfo) error,
) (int, error) {
	resources, limited := 0, false
	err := yamlkit.EachDocument(c.Docs, provider,
		func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
			resources++
			if limited || c.Context().Err() != nil {
				return nil // the call was ended
			}
			if err := visit(expression.In(c.Context(), doc, info), doc, info); err != nil {
				_, limited = errors.AsType[*limit.Error](err)
				return expression.FailureIn(doc, err)
			}
			return nil
		})
	return resources, err
}

// programOf compiles the program in the arguments and parses its parameters. The errors are
// *handler.ArgumentError, joined.
func programOf[P any](
	programs *expression.Programs[P], parameter string, args []api.FunctionArgument,
) (program P, params map[string]any, err error) {
	var problems []error
	program, err = programs.Get(handler.Arguments(args).String(parameter))
	if err != nil {
		problems = append(problems, handler.ArgumentErrors(parameter, err))
	}
	var words []string
	for _, arg := range args {
		if arg.ParameterName == parameterParam {
			words = append(words, arg.Value.(string))
		}
	}
	params, err = expression.Params(words)
	if err != nil {
		problems = append(problems, handler.ArgumentErrors(parameterParam, err))
	}
	return program, params, errors.Join(problems...)
}

// paramParameter returns the parameter for the parameters of a program. called is how the program
// refers to them.
func paramParameter(called string) api.FunctionParameter {
	return handler.Optional(parameterParam, api.DataTypeString, "zone=eu",
		"parameters of the program as KEY=VALUE; the program calls the value "+called)
}

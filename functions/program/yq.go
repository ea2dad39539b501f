package program

import (
	"context"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/yq"
)

const parameterYQ = "yq-expression"

// getYQFunction returns get-yq.
func getYQFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	r := yqFunction("get-yq",
		func(c *handler.Call, run *yq.Run) (any, error) {
			var payload strings.Builder
			found := 0
			_, err := eachResource(c, provider,
				func(ctx context.Context, doc *gaby.YamlDoc, _ *api.ResourceInfo) error {
					text, err := run.Get(ctx, doc)
					if err != nil || text == "" {
						return err
					}
					if found > 0 && !strings.HasPrefix(text, "---\n") {
						payload.WriteString("---\n")
					}
					payload.WriteString(text)
					found++
					return nil
				})
			c.Matched(found)
			if found == 0 || err != nil {
				return nil, err
			}
			return api.YAMLPayload{Payload: payload.String()}, nil
		})
	r.OutputInfo = handler.Output(api.OutputTypeYAML, "result", "what yq prints")
	r.Idempotent = true
	r.Description = "Evaluate a yq expression for each resource and print the results like yq"
	r.DeprecatedAliases = []string{"yq"}
	r.Examples = []string{
		"get-yq .spec.replicas", `get-yq '.metadata.name + " in " + $params.zone' zone=eu`,
	}
	return r
}

// setYQFunction returns set-yq.
func setYQFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	r := yqFunction("set-yq",
		func(c *handler.Call, run *yq.Run) (any, error) {
			instead := map[*gaby.YamlDoc]gaby.Container{}
			_, err := eachResource(c, provider,
				func(ctx context.Context, doc *gaby.YamlDoc, _ *api.ResourceInfo) error {
					made, complete, err := run.Set(ctx, doc)
					if err != nil {
						return err
					}
					if !complete {
						pos := doc.Position()
						text := "of an item of a list only values are set: comments, styles and " +
							"the order of keys stay as they are"
						if doc.Native() != nil {
							text = "in this format only values and the comments after them are " +
								"set: the order of keys does not change"
						}
						c.Note(pos, text)
					}
					if len(made) == 1 && made[0] != doc {
						c.Note(doc.Position(), "yq prints this resource in a layout of its own: edits "+
							"cannot express the change")
					}
					instead[doc] = made
					return nil
				})
			if err != nil {
				return nil, err
			}
			c.Matched(len(instead))
			docs := c.Docs.Delete(func(doc *gaby.YamlDoc) bool {
				made, ok := instead[doc]
				return ok && len(made) == 0
			})
			c.Docs = make(gaby.Container, 0, len(docs))
			for _, doc := range docs {
				if made, ok := instead[doc]; ok {
					c.Docs = append(c.Docs, made...)
				} else {
					c.Docs = append(c.Docs, doc)
				}
			}
			return nil, nil
		})
	r.Mutating = true
	r.Description = "Replace each resource by the result of a yq expression; bytes that the " +
		"expression does not change are preserved"
	r.DeprecatedAliases = []string{"yq-i"}
	r.Examples = []string{
		"set-yq '.spec.replicas += 1'", `set-yq '.metadata.labels.zone = $params.zone' zone=eu`,
	}
	return r
}

// yqFunction returns what both registrations have in common. body gets the expression, bound to its
// parameters.
func yqFunction(
	name string,
	body func(c *handler.Call, run *yq.Run) (any, error),
) handler.FunctionRegistration {
	programs := expression.NewPrograms(yq.Language, yq.Compile)
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: name,
			Parameters: []api.FunctionParameter{
				handler.Required(parameterYQ, api.DataTypeString, ".spec.replicas",
					"expression of yq 4, evaluated for each resource by itself; operators that "+
						"use files, the environment, the time or programs are not allowed"),
				paramParameter("$params.KEY"),
			},
			VarArgs:  true,
			Hermetic: true,
		},
		PerDocument:    true,
		ValueParameter: parameterYQ,
		CheckArguments: func(args []api.FunctionArgument) error {
			_, _, err := programOf(programs, parameterYQ, args)
			return err
		},
		Function: handler.Reads(func(c *handler.Call) (any, error) {
			program, params, err := programOf(programs, parameterYQ, c.Args)
			if err != nil {
				return nil, err
			}
			run, err := program.Bind(params)
			if err != nil {
				return nil, err
			}
			return body(c, run)
		}),
	}
}

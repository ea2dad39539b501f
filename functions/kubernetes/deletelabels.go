package kubernetes

import (
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// deleteEntryFunction returns the function that deletes entries of the map in which an attribute
// is, such as a label. The attribute has one parameter, the key.
func deleteEntryFunction(
	provider configkit.ResourceProvider, attribute api.AttributeName, name, key, description string,
	examples ...string,
) handler.FunctionRegistration {
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName:  name,
			Parameters:    []api.FunctionParameter{generic.ParameterOf(provider, attribute, key)},
			VarArgs:       true,
			Description:   description,
			FunctionType:  api.FunctionTypePathVisitor,
			AttributeName: attribute,
			Examples:      examples,
		},
		PerDocument: true,
	}, func(c *handler.Call) (int, error) {
		matches := 0
		for _, argument := range c.Args {
			n, err := yamlkit.EditPaths(c.Docs, provider.AttributePaths(attribute),
				[]any{yamlpath.Escape(fmt.Sprint(argument.Value))}, provider, yamlkit.EditOptions{},
				deleteEntry)
			if err != nil {
				return matches, err
			}
			matches += n
		}
		return matches, nil
	})
}

// deleteEntry deletes an entry of a map. The map is deleted with its last entry.
func deleteEntry(p *yamlkit.Match) error {
	if parent := p.Segments[:len(p.Segments)-1]; p.Doc.Search(parent...).Value().Len() == 1 {
		return p.Doc.Delete(parent...)
	}
	return p.Doc.Delete(p.Segments...)
}

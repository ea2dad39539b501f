package generic

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// contextHash is the context field that holds a hash.
const contextHash = "Hash"

// hashDigits is the number of hexadecimal digits of the SHA-256 hash that are used.
const hashDigits = 10

// hashParameters returns the parameters that get-hash and set-hash share.
func hashParameters() []api.FunctionParameter {
	p := pathParameter("path of the values to hash within the resource")
	p.Example = "data"
	return []api.FunctionParameter{p}
}

// getHashFunction returns get-hash.
func getHashFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Getting(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "get-hash",
			Parameters:   hashParameters(),
			Description: "Get a hash of the values at a path; comments and the order of " +
				"resources do not matter",
			Examples: []string{
				"get-hash data", "get-hash 'spec.template.spec.containers.*.image'",
			},
		},
		CheckArguments: CheckPathArgument(provider),
	}, "hash", "a hash of the values of each resource that has any",
		func(c *handler.Call) (api.AttributeValueList, error) {
			rows := api.AttributeValueList{}
			err := eachHash(c.Docs, provider, c.Args, "",
				func(_ *gaby.YamlDoc, row api.AttributeValue) error {
					rows = append(rows, row)
					return nil
				})
			return yamlkit.SortRows(rows), err
		})
}

// setHashFunction returns set-hash.
func setHashFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	stored := string(provider.ContextPath(contextHash))
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-hash",
			Parameters:   hashParameters(),
			Mutating:     true, Hermetic: true, Idempotent: true,
			Description: "Set " + stored +
				" of each resource to the hash of its values at a path (see get-hash)",
			Examples: []string{"set-hash data"},
		},
		PerDocument:    true,
		CheckArguments: CheckPathArgument(provider),
		Function: handler.Edits(func(c *handler.Call) (int, error) {
			matches := 0
			err := eachHash(c.Docs, provider, c.Args, stored,
				func(doc *gaby.YamlDoc, row api.AttributeValue) error {
					matches++
					_, err := doc.SetP(row.Value, stored)
					return err
				})
			return matches, err
		}),
	}
}

// eachHash calls f with the hash of each document that has values at the path in the arguments.
// kept is the path at which the hash will be stored, or "". It is an error if the hashed values
// include it.
func eachHash(
	docs gaby.Container, provider configkit.ResourceProvider, args []api.FunctionArgument,
	kept string,
	f func(*gaby.YamlDoc, api.AttributeValue) error,
) error {
	paths := queryOf(provider, args)
	err := yamlkit.EachDocument(docs, provider,
		func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
			values, err := yamlkit.GetPathsAnyType(
				gaby.Container{doc}, paths, nil, provider, api.DataTypeNone,
			)
			if err != nil || len(values) == 0 {
				return err
			}
			for i := range values {
				if path := string(values[i].Path); path == kept ||
					strings.HasPrefix(kept, path+".") {
					return hashOfItselfError(&values[i], kept)
				}
			}
			row := api.AttributeValue{Position: values[0].Position}
			row.ResourceInfo, row.DataType = *info, api.DataTypeString
			row.Path = api.ResolvedPath(handler.Arguments(args).String(parameterPath))
			if row.Value, err = hashOf(values); err == nil {
				err = f(doc, row)
			}
			return err
		})
	return err
}

// hashOfItselfError returns the error for a value that contains the path its hash is stored at.
func hashOfItselfError(value *api.AttributeValue, kept string) error {
	f := &api.Failure{
		Class: api.FailureFunction, Path: string(value.Path),
		Message: fmt.Sprintf(
			"path %s: the hashed values include %s, where the hash is stored", value.Path, kept,
		),
		Hint: "hash a part without it, such as data or spec",
	}
	if value.Position != nil {
		f.Pos = *value.Position
	}
	return f
}

// hashOf returns the hash of values, which must be sorted by path.
func hashOf(values api.AttributeValueList) (string, error) {
	h := sha256.New()
	for i := range values {
		text := fmt.Sprint(values[i].Value)
		if values[i].DataType == api.DataTypeYAML {
			var err error
			if text, err = plainYAML(text); err != nil {
				return "", err
			}
		}
		h.Write([]byte(text))
	}
	return hex.EncodeToString(h.Sum(nil))[:hashDigits], nil
}

// plainYAML returns the text of a map or list in a normal form: without comments and blank lines
// and with uniform indentation.
func plainYAML(text string) (string, error) {
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		return "", err
	}
	plain, err := gaby.ParseYAML([]byte("null\n"))
	if err == nil {
		err = plain.SetDocP(doc, "")
	}
	return strings.TrimSuffix(plain.String(), "\n"), err
}

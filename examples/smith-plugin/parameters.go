package main

import (
	"github.com/fctl-dev/fctl/smith/plugin"
	"github.com/fctl-dev/fctl/smith/plugin/filter"
)

// defaultPrefix is the prefix of the keys that the team's services read.
const defaultPrefix = "SHOP_"

const specSchema = `
type: object
properties:
  prefix: {type: string, minLength: 1}
additionalProperties: false
`

// parameters makes a ServiceInstance as the plugin filter does.
type parameters struct{ filter plugin.Plugin }

func newParameters() (plugin.Plugin, error) {
	f, err := filter.New()
	return parameters{f}, err
}

// Describe returns the name parameters, and the type that filter makes.
func (p parameters) Describe() *plugin.Description {
	return &plugin.Description{
		Name: "parameters", GVK: p.filter.Describe().GVK, SpecSchema: []byte(specSchema),
	}
}

// Process calls filter with the prefix of the spec, or with the default.
func (p parameters) Process(spec map[string]any, ctx *plugin.Context) plugin.ProcessResult {
	prefix, ok := spec["prefix"].(string)
	if !ok {
		prefix = defaultPrefix
	}
	return p.filter.Process(map[string]any{"filterByPrefix": prefix}, ctx)
}

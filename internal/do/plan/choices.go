package plan

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/strict"
)

// functionNames returns the functions that an invocation may name.
func (r *Resolver) functionNames() (c strict.Choice) {
	for _, s := range r.Functions.Signatures(r.Toolchain) {
		if !s.Deprecated {
			c.Names, c.About = append(c.Names, s.FunctionName), append(c.About, s.Description)
		}
	}
	return c
}

// parameterNames returns the names of a function's parameters.
func parameterNames(s api.FunctionSignature) strict.Choice {
	c := strict.Choice{Keys: true}
	for _, p := range s.Parameters {
		c.Names, c.About = append(c.Names, p.ParameterName), append(c.About, p.Description)
	}
	return c
}

// offerValues adds the values that a parameter allows to the problem of an argument.
func offerValues(f *api.Failure, s api.FunctionSignature) {
	i := slices.IndexFunc(s.Parameters, func(p api.FunctionParameter) bool {
		return p.ParameterName == f.Argument
	})
	switch {
	case i < 0:
	case s.Parameters[i].DataType == api.DataTypeBool:
		f.Err = &strict.Choice{Names: []string{"true", "false"}, Err: f.Err}
	case len(s.Parameters[i].EnumValues) > 0:
		f.Err = &strict.Choice{Names: s.Parameters[i].EnumValues, Err: f.Err}
	}
}

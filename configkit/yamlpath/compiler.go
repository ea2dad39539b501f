package yamlpath

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
)

// Compiler compiles paths and accessors. Providers that keep what they have compiled implement it.
type Compiler interface {
	CompilePath(text string) (*Path, error)
	CompileAccessor(t api.EmbeddedAccessorType, config string) (Accessor, error)
}

// CompilerOf returns the provider if it is a Compiler, else one that keeps nothing.
func CompilerOf(provider configkit.ResourceProvider) Compiler {
	if c, ok := provider.(Compiler); ok {
		return c
	}
	return uncached{}
}

type uncached struct{}

func (uncached) CompilePath(text string) (*Path, error) { return Parse(text) }

func (uncached) CompileAccessor(t api.EmbeddedAccessorType, config string) (Accessor, error) {
	return NewAccessor(t, config)
}

package yamlpath

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
)

// Compiler compiles paths and accessors. Providers that cache the results implement it.
type Compiler interface {
	CompilePath(text string) (*Path, error)
	CompileAccessor(t api.EmbeddedAccessorType, config string) (Accessor, error)
}

// CompilerOf returns the provider if it is a Compiler, else a Compiler without a cache.
func CompilerOf(provider configkit.ResourceProvider) Compiler {
	if n, ok := provider.(configkit.Nameless); ok {
		provider = n.ResourceProvider
	}
	if c, ok := provider.(Compiler); ok {
		return c
	}
	return uncached{}
}

// uncached compiles on each call.
type uncached struct{}

func (uncached) CompilePath(text string) (*Path, error) { return Parse(text) }

func (uncached) CompileAccessor(t api.EmbeddedAccessorType, config string) (Accessor, error) {
	return NewAccessor(t, config)
}

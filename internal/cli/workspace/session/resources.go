package session

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/where"
)

// hasResource reports whether data has a resource that a stored filter asks for.
func hasResource(
	executor *functions.Executor, t api.ToolchainType, data []byte, f *entity.Filter,
) (bool, error) {
	converter, err := executor.Converter(t)
	if err != nil {
		return false, err
	}
	docs, err := Documents(converter, data)
	if err != nil {
		return false, err
	}
	expr, err := where.Parse(f.WhereData)
	if err != nil {
		return false, err
	}
	of := f.ResourceType
	if of == "" {
		of = api.ResourceTypeAny
	}
	matching, _, err := expr.Filter(executor.ResourceProvider(t), docs, of)
	return len(matching) > 0, err
}

package generic

import (
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// getScalars returns the rows of the scalars of a data type, string, int or bool, at paths.
func getScalars(
	docs gaby.Container, paths configkit.PathSource, keys []any,
	provider configkit.ResourceProvider, t api.DataType,
) (api.AttributeValueList, error) {
	switch t {
	case api.DataTypeInt:
		return yamlkit.GetPaths[int](docs, paths, keys, provider)
	case api.DataTypeBool:
		return yamlkit.GetPaths[bool](docs, paths, keys, provider)
	}
	return yamlkit.GetPaths[string](docs, paths, keys, provider)
}

// updateScalars sets the scalars at paths to a string, an int or a bool. It returns the number of
// matches.
func updateScalars(
	docs gaby.Container, paths configkit.PathSource, keys []any,
	provider configkit.ResourceProvider, value any, options yamlkit.UpdateOptions,
) (int, error) {
	switch value := value.(type) {
	case string:
		return yamlkit.UpdatePaths(docs, paths, keys, provider,
			func(string) string { return value }, options)
	case int:
		return yamlkit.UpdatePaths(docs, paths, keys, provider,
			func(int) int { return value }, options)
	case bool:
		return yamlkit.UpdatePaths(docs, paths, keys, provider,
			func(bool) bool { return value }, options)
	}
	return 0, fmt.Errorf("a value of type %T cannot be set", value)
}

package krm

import (
	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
)

// FunctionConfigs returns the FunctionConfigs among items, and all problems of them.
func FunctionConfigs(items []*Item) ([]*functionconfig.Config, []functionconfig.ConfigProblem) {
	var configs []*functionconfig.Config
	var problems []functionconfig.ConfigProblem
	for _, item := range items {
		h, err := item.Doc.Header()
		if err != nil || !functionconfig.IsMeant(h.APIVersion, h.Kind) {
			continue
		}
		config, found := functionconfig.Decode(item.Doc, item.fileName())
		problems = append(problems, found...)
		if config != nil {
			configs = append(configs, config)
		}
	}
	return configs, problems
}

// Package workerapi is for ported code: it has the toolchain names under the import path such code expects. They live in
// functions/api; nothing else belongs here.
package workerapi

import "github.com/fctl-dev/fctl/functions/api"

// ToolchainType is api.ToolchainType.
type ToolchainType = api.ToolchainType

// The toolchains, as in functions/api.
const (
	ToolchainKubernetesYAML      = api.ToolchainKubernetesYAML
	ToolchainAppConfigProperties = api.ToolchainAppConfigProperties
	ToolchainAppConfigEnv        = api.ToolchainAppConfigEnv
	ToolchainAppConfigINI        = api.ToolchainAppConfigINI
	ToolchainAppConfigTOML       = api.ToolchainAppConfigTOML
	ToolchainAppConfigJSON       = api.ToolchainAppConfigJSON
	ToolchainAppConfigYAML       = api.ToolchainAppConfigYAML
	ToolchainAppConfigText       = api.ToolchainAppConfigText
	ToolchainOpenTofuHCL         = api.ToolchainOpenTofuHCL
)

package api

import "strings"

// ToolchainType names a configuration format together with the meaning of its resources.
type ToolchainType string

// The toolchains this module knows by name. An executor can run those that are registered with it.
const (
	ToolchainKubernetesYAML      ToolchainType = "Kubernetes/YAML"
	ToolchainAppConfigProperties ToolchainType = "AppConfig/Properties"
	ToolchainAppConfigEnv        ToolchainType = "AppConfig/Env"
	ToolchainAppConfigINI        ToolchainType = "AppConfig/INI"
	ToolchainAppConfigTOML       ToolchainType = "AppConfig/TOML"
	ToolchainAppConfigJSON       ToolchainType = "AppConfig/JSON"
	ToolchainAppConfigYAML       ToolchainType = "AppConfig/YAML"
	ToolchainAppConfigText       ToolchainType = "AppConfig/Text"
	ToolchainOpenTofuHCL         ToolchainType = "OpenTofu/HCL"
)

// Segment returns the name of the toolchain in the addresses of a server, such as appconfig-toml.
// The three oldest ones have short names: kubernetes, properties and opentofu.
func (t ToolchainType) Segment() string {
	switch t {
	case ToolchainKubernetesYAML:
		return "kubernetes"
	case ToolchainAppConfigProperties:
		return "properties"
	case ToolchainOpenTofuHCL:
		return "opentofu"
	}
	return strings.ToLower(strings.ReplaceAll(string(t), "/", "-"))
}

// DataType is the type of a parameter or of an attribute's value.
type DataType string

// The data types.
const (
	DataTypeNone                 DataType = ""
	DataTypeString               DataType = "string"
	DataTypeInt                  DataType = "int"
	DataTypeBool                 DataType = "bool"
	DataTypeEnum                 DataType = "enum"
	DataTypeJSON                 DataType = "JSON"
	DataTypeYAML                 DataType = "YAML"
	DataTypeTOML                 DataType = "TOML"
	DataTypeINI                  DataType = "INI"
	DataTypeEnv                  DataType = "Env"
	DataTypeProperties           DataType = "Properties"
	DataTypeHCL                  DataType = "HCL"
	DataTypeText                 DataType = "Text"
	DataTypeCEL                  DataType = "CEL"
	DataTypeAttributeValueList   DataType = "AttributeValueList"
	DataTypePatchMap             DataType = "PatchMap"
	DataTypeResourceMutationList DataType = "ResourceMutationList"
	DataTypeResourceList         DataType = "ResourceList"
	DataTypeStringList           DataType = "[]string"
)

// DataTypes returns all data types. A parameter with a schema may have a type of its own, which is
// JSON.
func DataTypes() []DataType {
	return []DataType{
		DataTypeString, DataTypeInt, DataTypeBool, DataTypeEnum, DataTypeJSON, DataTypeYAML,
		DataTypeTOML, DataTypeINI, DataTypeEnv,
		DataTypeProperties, DataTypeHCL, DataTypeText, DataTypeCEL, DataTypeAttributeValueList,
		DataTypePatchMap,
		DataTypeResourceMutationList, DataTypeResourceList, DataTypeStringList,
	}
}

// OutputType is the type of a function's output.
type OutputType string

// The output types.
const (
	OutputTypeValidationResult     OutputType = "ValidationResult"
	OutputTypeValidationResultList OutputType = "ValidationResultList"
	OutputTypeAttributeValueList   OutputType = "AttributeValueList"
	OutputTypeResourceInfoList     OutputType = "ResourceInfoList"
	OutputTypeResourceList         OutputType = "ResourceList"
	OutputTypePatchMap             OutputType = "PatchMap"
	OutputTypeJSON                 OutputType = "JSON"
	OutputTypeYAML                 OutputType = "YAML"
	OutputTypeOpaque               OutputType = "Opaque"
	OutputTypeResourceMutationList OutputType = "ResourceMutationList"
	OutputTypeMutationConflictList OutputType = "MutationConflictList"
)

// OutputTypeCustomJSON is OutputTypeJSON under the name used by functions written for ConfigHub's
// SDK.
const OutputTypeCustomJSON = OutputTypeJSON

// OutputTypes returns all output types. An output that no other type describes is JSON or Opaque.
func OutputTypes() []OutputType {
	return []OutputType{
		OutputTypeValidationResult, OutputTypeValidationResultList, OutputTypeAttributeValueList,
		OutputTypeResourceInfoList,
		OutputTypeResourceList, OutputTypePatchMap, OutputTypeJSON, OutputTypeYAML,
		OutputTypeOpaque, OutputTypeResourceMutationList,
		OutputTypeMutationConflictList,
	}
}

package handler

// formerFunction returns what to use instead of a function of ConfigHub's SDK that the toolchain
// does not have, or "" if that is unknown.
func formerFunction(name string) string {
	switch name {
	case "get-attributes", "get-details":
		return "list-paths --attributes-only=true lists the values at registered paths"
	case "get-needed-namespaces":
		return "get-needed lists all that is still to be filled in, namespaces included"
	case "generate-kubecontext":
		return "fctl works without a cluster; kubectl config set-context makes a context"
	case "validate", "vet-schemas":
		return "vet-jsonschema checks values with a JSON Schema, vet-format how they are written"
	case "vet-cel", "cel-validate":
		return "vet-celexpr and vet-starlark check every resource"
	case "get-cel":
		return "get-starlark and get-yq compute values"
	case "set-cel":
		return "set-starlark and set-yq change resources"
	}
	return ""
}

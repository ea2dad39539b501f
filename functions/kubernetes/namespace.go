package kubernetes

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

const (
	attributeNamespace    api.AttributeName = "namespace-name-reference"
	attributeResourceName api.AttributeName = "resource-name"

	parameterNamespace     = "namespace-name"
	parameterOldNamespace  = "old-namespace"
	parameterClusterScoped = "cluster-scoped-types"

	namespacePath = "metadata.namespace"
)

// dnsLabel is what Kubernetes wants namespaces and volumes to be named.
const dnsLabel = `^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$`

func registerNamespaceFunctions(fh handler.FunctionRegistry, provider configkit.ResourceProvider) error {
	for _, registration := range []handler.FunctionRegistration{
		getNamespaceFunction(provider), setNamespaceFunction(provider), ensureNamespacesFunction(provider),
	} {
		if err := fh.RegisterFunction(registration); err != nil {
			return err
		}
	}
	return nil
}

func clusterScopedParameter() api.FunctionParameter {
	return api.FunctionParameter{
		ParameterName: parameterClusterScoped, DataType: api.DataTypeString, Example: "example.com/v1/Tenant,example.com/v1/Region",
		Description: "resource types that have no namespace besides those of Kubernetes, with commas between them",
	}
}

func getNamespaceFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "get-namespace",
			OutputInfo: &api.FunctionOutput{
				ResultName: parameterNamespace, Description: "the names of namespaces, wherever resources have them", OutputType: api.OutputTypeAttributeValueList,
			},
			Hermetic: true, Idempotent: true,
			Description:   "Get the namespaces of resources and those they refer to",
			FunctionType:  api.FunctionTypePathVisitor,
			AttributeName: attributeNamespace,
			Examples:      []string{"get-namespace"},
		},
		PerDocument: true,
		RowsSorted:  true,
		Function: func(fc *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte) (gaby.Container, any, error) {
			rows, err := yamlkit.GetStringPaths(docs, provider.AttributePaths(attributeNamespace), nil, provider)
			for i := range rows {
				rows[i].AttributeName = attributeResourceName // every one of them is the name of a v1/Namespace
			}
			fc.Matched(len(rows))
			return docs, rows, err
		},
	}
}

func setNamespaceFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-namespace",
			Parameters: []api.FunctionParameter{
				{
					ParameterName: parameterNamespace, Required: true, DataType: api.DataTypeString, Example: "shop-staging",
					Description: "name of the namespace", ValueConstraints: api.ValueConstraints{Regexp: dnsLabel},
				},
				{
					ParameterName: parameterOldNamespace, DataType: api.DataTypeString, Example: "shop",
					Description: "namespace to replace in DNS names (SERVICE.NAMESPACE.svc) in command, args and env of containers; if not given, the one the resource had",
				},
				clusterScopedParameter(),
			},
			RequiredParameters: 1,
			Mutating:           true, Hermetic: true, Idempotent: true,
			Description:   "Set the namespace wherever resources name one: metadata, references, DNS names of services in containers",
			FunctionType:  api.FunctionTypePathVisitor,
			AttributeName: attributeNamespace,
			Examples:      []string{"set-namespace shop-staging", "set-namespace shop-staging --old-namespace=shop"},
		},
		ValueParameter: parameterNamespace,
		PerDocument:    true,
		CheckArguments: checkClusterScoped,
		Function: func(fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte) (gaby.Container, any, error) {
			a := handler.Arguments(args)
			name := a.String(parameterNamespace)
			names := inContainers(provider, "command.*", "args.*", "env.*.value")
			// First the names of services, as long as the resources still are in the namespace to replace there.
			renamed, err := renameInServiceNames(docs, names, provider, a.String(parameterOldNamespace), name)
			matches, err2 := yamlkit.UpdatePaths(docs, newNamespacePaths(provider, args), nil, provider,
				func(string) string { return name }, yamlkit.UpdateOptions{Upsert: true})
			fc.Matched(matches + renamed)
			return docs, nil, errors.Join(err2, err)
		},
	}
}

func ensureNamespacesFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "ensure-namespaces",
			Parameters:   []api.FunctionParameter{clusterScopedParameter()},
			Mutating:     true, Hermetic: true, Idempotent: true,
			Description:  "Give resources without a namespace the placeholder " + generic.PlaceholderString + " for one, unless their type has none",
			FunctionType: api.FunctionTypeCustom,
			Examples:     []string{"ensure-namespaces"},
		},
		PerDocument:    true,
		Places:         &namespacePaths{registered: provider.AttributePaths(attributeNamespace), own: true},
		CheckArguments: checkClusterScoped,
		Function: func(fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte) (gaby.Container, any, error) {
			paths := newNamespacePaths(provider, args)
			paths.own = true
			var without gaby.Container // only these are looked into
			matches := 0
			for _, doc := range docs {
				info, err := provider.ResourceInfo(doc)
				switch {
				case err == nil && len(paths.PathsOf(info.ResourceType)) == 0:
				case err == nil && info.ResourceName != "/"+info.ResourceNameWithoutScope:
					matches++
				default: // UpdatePaths tells what is wrong with documents that cannot be read
					without = append(without, doc)
				}
			}
			n, err := yamlkit.UpdatePaths(without, paths, nil, provider, func(current string) string {
				if current == "" {
					return generic.PlaceholderString
				}
				return current
			}, yamlkit.UpdateOptions{Upsert: true})
			fc.Matched(matches + n)
			return docs, nil, err
		},
	}
}

// namespacePaths are where resources of a type name namespaces.
type namespacePaths struct {
	registered    configkit.PathSource
	clusterScoped map[api.ResourceType]bool // besides those the registry knows
	own           bool                      // only that of the resource itself
}

func newNamespacePaths(provider configkit.ResourceProvider, args []api.FunctionArgument) *namespacePaths {
	n := &namespacePaths{registered: provider.AttributePaths(attributeNamespace), clusterScoped: map[api.ResourceType]bool{}}
	for _, t := range clusterScopedTypes(args) {
		n.clusterScoped[api.ResourceType(t)] = true
	}
	return n
}

// PathsOf are the paths for a type.
func (n *namespacePaths) PathsOf(t api.ResourceType) []*api.PathVisitorInfo {
	infos := n.registered.PathsOf(t)
	if !n.own && !n.clusterScoped[t] {
		return infos
	}
	var kept []*api.PathVisitorInfo
	for _, info := range infos {
		if isOwn := info.Path == namespacePath; isOwn && !n.clusterScoped[t] || !isOwn && !n.own {
			kept = append(kept, info)
		}
	}
	return kept
}

func clusterScopedTypes(args []api.FunctionArgument) []string {
	text := handler.Arguments(args).String(parameterClusterScoped)
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// checkClusterScoped finds types that no resource can have.
func checkClusterScoped(args []api.FunctionArgument) error {
	var problems []error
	for _, t := range clusterScopedTypes(args) {
		if n := strings.Count(t, "/"); n < 1 || n > 2 {
			problems = append(problems, &handler.ArgumentError{
				Parameter: parameterClusterScoped, Value: t, Message: fmt.Sprintf("argument %s: %s is no resource type", parameterClusterScoped, configkit.Shown(t)),
				HintText: "a resource type is apiVersion/kind, example.com/v1/Tenant for instance",
			})
		}
	}
	return errors.Join(problems...)
}

// mayNameService is false when the text of a document cannot have a name of a service in it. Escapes may hide one.
func mayNameService(doc *gaby.YamlDoc) bool {
	if !doc.IsDocument() || doc.Changed() {
		return true
	}
	text := gaby.Container{doc}.Text()
	return bytes.Contains(text, []byte(".svc")) || bytes.IndexByte(text, '\\') >= 0
}

// renameInServiceNames replaces a namespace, the one given or else that of the resource, in the DNS names of services and returns in
// how many strings it did.
func renameInServiceNames(docs gaby.Container, names containerPaths, provider configkit.ResourceProvider, from, to string) (int, error) {
	renamed := func(resource *api.ResourceInfo, text string) string {
		former := from
		if former == "" {
			former, _, _ = strings.Cut(string(resource.ResourceName), "/")
		}
		if former == "" {
			return text
		}
		return renameNamespace(text, former, to)
	}
	named := yamlkit.EditOptions{Wanted: func(resource *api.ResourceInfo, v gaby.Value) bool {
		text := v.Text()
		return renamed(resource, text) != text
	}}
	var may gaby.Container // the others need not be looked into
	for _, doc := range docs {
		if mayNameService(doc) {
			may = append(may, doc)
		}
	}
	return yamlkit.EditPaths(may, names, nil, provider, named, func(p *yamlkit.Place) error {
		_, err := p.Doc.Set(renamed(p.Resource, p.Value.Text()), p.Segments...)
		return err
	})
}

// renameNamespace replaces the namespace in SERVICE.NAMESPACE.svc and what may follow it: .cluster.local, a port, a path. Of
// what stands in front nothing is asked, it may be a host of a headless service, a variable, or nothing at all, as in a list
// of domains.
func renameNamespace(text, from, to string) string {
	suffix := "." + from + ".svc"
	if !strings.Contains(text, suffix) {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, suffix)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if after != "" && isLabelByte(after[0]) { // .svcx
			b.WriteString(suffix)
		} else {
			b.WriteString("." + to + ".svc")
		}
		text = after
	}
}

func isLabelByte(c byte) bool {
	return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

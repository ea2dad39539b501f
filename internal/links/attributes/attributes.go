// Package attributes reads which paths of resource types need and provide values, as users state it
// in files.
//
// Layer: systems.
package attributes

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/strict"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// File is a YAML text that says which paths of resource types need and provide values of
// an attribute:
//
//	attribute: subnet-id
//	dataType: string
//	provided:
//	- resourceType: ec2.services.k8s.aws/v1alpha1/Subnet
//	  path: status.subnetID
//	  properties: {Zone: "path:spec.availabilityZone"}
//	needed:
//	- resourceType: eks.services.k8s.aws/v1alpha1/Cluster
//	  path: spec.resourcesVPCConfig.subnetIDs.*
//	  required: {Zone: eu-west-1a}
//	  preferred: {Tier: private}
//
// A need is bound to a provision of the same attribute that has all required properties, and of
// several to the one with the most preferred ones. A property that begins with path: is read from
// the resource.
type File struct {
	Name string // for messages
	Text []byte
}

// Register registers the attributes of files with an executor, before its first use. The
// error is an entity.Errors with all problems.
func Register(x *functions.Executor, files []File) error {
	provider := x.ResourceProvider(api.ToolchainKubernetesYAML)
	var problems entity.Errors
	for _, f := range files {
		r := &strict.Reader{File: f.Name}
		for _, v := range r.Documents(f.Text) {
			register(v, provider)
		}
		problems = append(problems, entity.Problems(r)...)
	}
	return problems.Err()
}

// register reads and registers one attribute.
func register(v strict.Value, provider configkit.ResourceProvider) {
	var name api.AttributeName
	var t api.DataType
	if !v.Object("an attribute",
		strict.Need(strict.Text("attribute", &name)),
		strict.To("dataType", &t, dataType),
		strict.Field{Name: "needed"}, strict.Field{Name: "provided"}) {
		return
	}
	for _, side := range []string{"needed", "provided"} {
		for entry := range v.Get(side).List() {
			path(entry, side, name, t, provider)
		}
	}
}

func dataType(v strict.Value) api.DataType {
	known := []string{
		string(api.DataTypeString), string(api.DataTypeInt), string(api.DataTypeBool),
	}
	text := v.Text()
	if text != string(api.DataTypeNone) && !slices.Contains(known, text) {
		v.Must(strict.Or(known), "").Code = string(entity.CodeDataType)
	}
	return api.DataType(text)
}

// path reads and registers one path of an attribute.
func path(
	v strict.Value, side string, name api.AttributeName, t api.DataType,
	provider configkit.ResourceProvider,
) {
	var resourceType api.ResourceType
	var at api.UnresolvedPath
	d := &api.AttributeDetails{IsNeeded: side == "needed", IsProvided: side == "provided"}
	fields := []strict.Field{
		strict.Need(strict.Text("resourceType", &resourceType)),
		strict.Need(strict.Text("path", &at)),
	}
	if d.IsNeeded {
		fields = append(fields, strict.Map("required", &d.NeededRequired, property),
			strict.Map("preferred", &d.NeededPreferred, property))
	} else {
		fields = append(fields, strict.Map("properties", &d.ProvidedProperties, property))
	}
	if !v.Object("an entry of "+side, fields...) {
		return
	}
	if _, err := yamlpath.Parse(string(at)); err != nil {
		v.Get("path").Fail("", "%w", err)
		return
	}
	err := resourcetypes.RegisterPathsByAttributeName(provider, name, resourceType,
		api.PathToVisitorInfoType{at: {
			Path: at, AttributeName: name, DataType: t, Details: d,
		}}, nil, nil, false)
	if err != nil {
		v.Fail("", "%w", err)
	}
}

func property(v strict.Value) string { return strings.TrimSpace(v.Scalar()) }

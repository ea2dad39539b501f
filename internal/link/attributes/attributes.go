// Package attributes reads which paths of resource types need and provide values, as users state it
// in files.
package attributes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/resourcetypes"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
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
		r := reader{file: f.Name}
		docs, err := gaby.ParseAll(f.Text)
		if err == nil {
			for _, doc := range docs {
				if err = doc.Check(); err != nil {
					break
				}
				r.attribute(doc.Value(), provider)
			}
		}
		if err != nil {
			r.problems = append(r.problems, &entity.Error{
				Code: entity.CodeParse, Pos: api.Position{File: f.Name}, Message: err.Error(),
				Err: err,
			})
		}
		problems = append(problems, r.problems...)
	}
	return problems.Err()
}

// reader reads one file.
type reader struct {
	file     string
	problems entity.Errors
}

func (r *reader) problem(
	at gaby.Value, code entity.Code, format string, args ...any,
) *entity.Error {
	pos := at.Position()
	if key := at.KeyPosition(); key.Line > 0 {
		pos = key
	}
	pos.File = r.file
	e := &entity.Error{Code: code, Pos: pos, Message: fmt.Sprintf(format, args...)}
	r.problems = append(r.problems, e)
	return e
}

// fields reports fields of a map that are not known, and those that are missing. It reports whether
// the map can be read.
func (r *reader) fields(v gaby.Value, what string, required, optional []string) bool {
	if v.Kind() != gaby.Map {
		_ = r.problem(v, entity.CodeFieldType, "%s must be a map", what)
		return false
	}
	known := slices.Concat(required, optional)
	for e := v.First(); e.Exists(); e = e.Next() {
		if !slices.Contains(known, e.Key()) {
			p := r.problem(e, entity.CodeUnknownField, "%s has no field %q", what, e.Key())
			p.Hint = configkit.DidYouMean("", configkit.Suggest(e.Key(), known))
		}
	}
	complete := true
	for _, key := range required {
		if v.Get(key).Text() == "" {
			_ = r.problem(v, entity.CodeFieldValue, "%s lacks the field %s", what, key)
			complete = false
		}
	}
	return complete
}

// attribute reads and registers one attribute.
func (r *reader) attribute(v gaby.Value, provider configkit.ResourceProvider) {
	if !r.fields(v, "an attribute", []string{"attribute"},
		[]string{"dataType", "needed", "provided"}) {
		return
	}
	dataType := api.DataType(v.Get("dataType").Text())
	switch dataType {
	case api.DataTypeNone, api.DataTypeString, api.DataTypeInt, api.DataTypeBool:
	default:
		r.problem(
			v.Get("dataType"), entity.CodeDataType, "unknown data type %q", dataType,
		).Hint = "there are string, int and bool"
	}
	name := api.AttributeName(v.Get("attribute").Text())
	for _, side := range []string{"needed", "provided"} {
		list := v.Get(side)
		if list.Exists() && list.Kind() != gaby.List {
			_ = r.problem(list, entity.CodeFieldType, "%s must be a list", side)
		}
		for e := list.First(); e.Exists(); e = e.Next() {
			r.path(e, side, name, dataType, provider)
		}
	}
}

// path reads and registers one path of an attribute.
func (r *reader) path(
	v gaby.Value, side string, name api.AttributeName, t api.DataType,
	provider configkit.ResourceProvider,
) {
	optional := []string{"properties"}
	if side == "needed" {
		optional = []string{"required", "preferred"}
	}
	if !r.fields(v, "an entry of "+side, []string{"resourceType", "path"}, optional) {
		return
	}
	path := v.Get("path").Text()
	if _, err := yamlpath.Parse(path); err != nil {
		_ = r.problem(v.Get("path"), entity.CodePathNotFound, "%v", err)
		return
	}
	details := &api.AttributeDetails{
		IsNeeded: side == "needed", IsProvided: side == "provided",
		NeededRequired: r.texts(v.Get("required")), NeededPreferred: r.texts(v.Get("preferred")),
		ProvidedProperties: r.texts(v.Get("properties")),
	}
	err := resourcetypes.RegisterPathsByAttributeName(
		provider, name, api.ResourceType(v.Get("resourceType").Text()),
		api.PathToVisitorInfoType{api.UnresolvedPath(path): {
			Path: api.UnresolvedPath(path), AttributeName: name, DataType: t, Details: details,
		}}, nil, nil, false,
	)
	if err != nil {
		_ = r.problem(v, entity.CodeFieldValue, "%v", err)
	}
}

// texts returns a map of texts.
func (r *reader) texts(v gaby.Value) map[string]string {
	if !v.Exists() {
		return nil
	}
	if v.Kind() != gaby.Map {
		_ = r.problem(v, entity.CodeFieldType, "properties must be a map of texts")
		return nil
	}
	texts := map[string]string{}
	for e := v.First(); e.Exists(); e = e.Next() {
		if e.Kind() != gaby.Scalar {
			_ = r.problem(e, entity.CodeFieldType, "the property %s must be a text", e.Key())
		}
		texts[e.Key()] = strings.TrimSpace(e.Text())
	}
	return texts
}

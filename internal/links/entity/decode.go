package entity

import (
	"bytes"
	"encoding/base64"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/merge/gitfiles"
	"github.com/fctl-dev/fctl/internal/strict"
)

// Decode reads the definition of an entity into an empty one. The error is of the type Errors and has
// everything that is wrong with the text.
func Decode(text Text, e Entity) error {
	r := newReader(text)
	noun, fields := r.of(e)
	return r.read(noun, fields)
}

// DecodeUnitBody reads a unit that a user gives. Unlike a definition it may have the data, in
// base64; has reports whether it does.
func DecodeUnitBody(text Text) (u *Unit, data []byte, has bool, err error) {
	u = &Unit{}
	r := newReader(text)
	noun, fields := r.of(u)
	err = r.read(noun, append(fields, strict.Field{Name: "Data", Read: func(v strict.Value) {
		var wrong error
		if data, wrong = base64.StdEncoding.DecodeString(v.Text()); wrong != nil {
			v.Fail("leave it out, and name a file with the data", "Data is not base64")
		}
		has = wrong == nil
	}}))
	return u, data, has, err
}

// IDField returns the name of the field with the ID of an entity.
func IDField(kind Kind) string { return strings.ToUpper(string(kind[:1])) + string(kind[1:]) + "ID" }

// of returns what messages call an entity, and its fields.
func (r *definitionReader) of(e Entity) (noun string, fields []strict.Field) {
	kind := string(e.Kind())
	noun = "a " + kind
	if e.Kind() == KindInvocation {
		noun = "an " + kind
	}
	c, id := e.Base(), IDField(e.Kind())
	fields = []strict.Field{
		strict.Text("Slug", &c.Slug),
		strict.Text("DisplayName", &c.DisplayName),
		strict.Map("Labels", &c.Labels, strict.Value.Text),
		strict.Map("Annotations", &c.Annotations, strict.Value.Text),
		strict.Map("DeleteGates", &c.DeleteGates, strict.Value.Bool),
		strict.Text(id, e.Ident()),
		{Name: "Version", Read: func(v strict.Value) {
			r.refuse(v)
			c.Version = int64(v.Int())
		}},
	}
	fields = append(fields, r.recorded("SpaceSlug", "CreatedAt", "UpdatedAt")...)
	if id != "SpaceID" {
		fields = append(fields, r.recorded("SpaceID")...)
	}
	return noun, append(fields, e.fields(r)...)
}

func (s *Space) fields(*definitionReader) []strict.Field {
	return []strict.Field{strict.Map("TargetFacts", &s.TargetFacts, strict.Value.Text)}
}

func (u *Unit) fields(r *definitionReader) []strict.Field {
	return append(r.recorded("HeadRevisionNum", "HeadMutationNum", "HeadUnitActionNum", "DataHash",
		"UpstreamUnitID", "UpstreamSpaceID", "UpstreamRevisionNum", "NeededPaths", "ProvidedPaths",
		"MutationSources", "Conflicts", "LastChangeDescription", "SelfBindings",
		"ExternalRevisionNum"), strict.Text("ToolchainType", &u.ToolchainType))
}

func (i *Invocation) fields(*definitionReader) []strict.Field {
	return []strict.Field{
		strict.Text("ToolchainType", &i.ToolchainType),
		strict.Text("FunctionName", &i.FunctionName),
		strict.List("Arguments", &i.Arguments, argument),
		strict.Text("WhereResource", &i.WhereResource),
		strict.Text("BridgeWorkerID", &i.BridgeWorkerID),
	}
}

func (f *Filter) fields(*definitionReader) []strict.Field {
	return []strict.Field{
		strict.Text("From", &f.From),
		strict.Text("FromSpace", &f.FromSpace),
		strict.Text("Where", &f.Where),
		strict.Text("WhereData", &f.WhereData),
		strict.Text("ResourceType", &f.ResourceType),
	}
}

func (l *Link) fields(r *definitionReader) []strict.Field {
	return append(r.recorded(
		"Hash", "UpstreamLastMergedRevisionNum", "MergeBaseRevisionNum", "MergedHash", "MergedBlob",
		"DownstreamLastMergedRevisionNum", "MergeMutationNum", "ResolvedHash", "MadeCurrent",
		"BaseUnknown", "TransformHash", "WrittenHash", "Outputs", "LastError", "Stale",
		"StaleReasons"),
		strict.Field{Name: "AutoUpdate", Read: func(v strict.Value) {
			l.Stated, l.AutoUpdate = true, v.Bool()
		}},
		strict.Text("FromUnit", &l.FromUnit), strict.Text("FromUnitID", &l.FromUnitID),
		strict.Text("ToUnit", &l.ToUnit), strict.Text("ToUnitID", &l.ToUnitID),
		strict.Text("ToSpace", &l.ToSpace), strict.Text("ToSpaceID", &l.ToSpaceID),
		strict.Text("UpdateType", &l.UpdateType),
		strict.Bool("UseLiveState", &l.UseLiveState),
		strict.Text("WhereMutation", &l.WhereMutation),
		strict.Text("WhereResource", &l.WhereResource),
		strict.Bool("MergeDisableSubtraction", &l.MergeDisableSubtraction),
		strict.Bool("OriginOnly", &l.OriginOnly),
		strict.List("Bindings", &l.Bindings, r.binding),
		strict.Text("TransformInvocation", &l.TransformInvocation),
		strict.Text("TransformInvocationID", &l.TransformInvocationID),
		strict.List("UpstreamPaths", &l.UpstreamPaths, namedPath),
		strict.List("UpstreamGetters", &l.UpstreamGetters, getter),
		strict.List("DownstreamPaths", &l.DownstreamPaths, pathExpression),
		strict.List("DownstreamSetters", &l.DownstreamSetters, setter),
		strict.Bool("InsertStripMetadata", &l.InsertStripMetadata),
		strict.Field{Name: "Merged", Read: func(v strict.Value) {
			if l.Merged = v.Text(); l.Merged != "" && !gitfiles.IsHash(l.Merged) {
				v.Fail("'fctl link update --patch LINK --make-current' writes the present one",
					"Merged is not a hash of git")
			}
		}})
}

func (r *definitionReader) binding(v strict.Value) Binding {
	var b Binding
	v.Object("a binding",
		strict.Text("AttributeName", &b.AttributeName),
		strict.Text("DataType", &b.DataType),
		strict.To("ProvidedResource", &b.ProvidedResource, resourceInfo),
		strict.Text("ProvidedPath", &b.ProvidedPath),
		strict.Bool("InLiveState", &b.InLiveState),
		strict.To("NeededResource", &b.NeededResource, resourceInfo),
		strict.Text("NeededPath", &b.NeededPath),
		r.auto(&b.AutoUpdate),
		strict.To("OriginalValue", &b.OriginalValue, scalar),
		strict.To("LastValue", &b.LastValue, scalar),
		strict.Bool("Overridden", &b.Overridden))
	return b
}

// auto reads AutoUpdate of a binding. A binding that resolving made is recorded, not defined: it
// would be lost.
func (r *definitionReader) auto(to *bool) strict.Field {
	return strict.Field{Name: "AutoUpdate", Read: func(v strict.Value) {
		if *to = v.Bool(); *to && !r.text.Body {
			v.Fail("remove the binding", "AutoUpdate is for bindings that resolving makes; fctl "+
				"records them itself").Code = string(CodeBindingInvalid)
			*to = false // so that the rest of the binding is checked like that of a user
		}
	}}
}

func resourceInfo(v strict.Value) *api.ResourceInfo {
	info := &api.ResourceInfo{}
	v.Object("a resource",
		strict.Text("ResourceCategory", &info.ResourceCategory),
		strict.Text("ResourceType", &info.ResourceType),
		strict.Text("ResourceName", &info.ResourceName),
		strict.Text("ResourceNameWithoutScope", &info.ResourceNameWithoutScope),
		strict.Text("ResourceMergeID", &info.ResourceMergeID),
		strict.Field{Name: "ResourceNameStableCore"})
	return info
}

func reference(v strict.Value) ResourceReference {
	info := resourceInfo(v)
	return ResourceReference{info.ResourceCategory, info.ResourceType, info.ResourceName}
}

func namedPath(v strict.Value) NamedPath {
	var p NamedPath
	v.Object("an upstream path",
		strict.Text("Name", &p.Name), strict.To("Resource", &p.Resource, reference), strict.Text("Path", &p.Path))
	return p
}

func getter(v strict.Value) NamedFunctionResult {
	var g NamedFunctionResult
	v.Object("an upstream getter",
		strict.Text("Name", &g.Name), strict.To("FunctionInvocation", &g.FunctionInvocation, invocation))
	return g
}

func pathExpression(v strict.Value) PathExpression {
	var p PathExpression
	v.Object("a downstream path",
		strict.Text("Key", &p.Key),
		strict.To("Resource", &p.Resource, reference),
		strict.Text("Path", &p.Path),
		strict.Text("Expression", &p.Expression),
		strict.Text("Evaluator", &p.Evaluator),
		strict.List("Parameters", &p.Parameters, strict.Value.Text),
		strict.Text("DataType", &p.DataType))
	return p
}

func setter(v strict.Value) ParameterizedFunction {
	var s ParameterizedFunction
	v.Object("a downstream setter",
		strict.Text("Key", &s.Key),
		strict.To("FunctionInvocation", &s.FunctionInvocation, invocation),
		strict.List("Parameters", &s.Parameters, strict.Value.Text))
	return s
}

func invocation(v strict.Value) api.FunctionInvocation {
	var i api.FunctionInvocation
	v.Object("a function invocation",
		strict.Text("FunctionName", &i.FunctionName),
		strict.List("Arguments", &i.Arguments, argument),
		strict.Text("WhereResource", &i.WhereResource))
	return i
}

func argument(v strict.Value) api.FunctionArgument {
	var a api.FunctionArgument
	v.Object("an argument",
		strict.Text("ParameterName", &a.ParameterName), strict.To("Value", &a.Value, scalar),
		strict.Text("Evaluator", &a.Evaluator))
	if n, ok := a.Value.(int64); ok {
		a.Value = int(n) // as functions expect it
	}
	return a
}

// DecodeWorkspace reads the marker of a workspace. An empty marker has all defaults.
func DecodeWorkspace(text Text) (w *Workspace, err error) {
	w = &Workspace{}
	if len(bytes.TrimSpace(text.Bytes)) > 0 {
		auto := true
		err = newReader(text).read("a workspace", []strict.Field{
			strict.Text("WorkspaceID", &w.WorkspaceID),
			strict.Text("DefaultSpace", &w.DefaultSpace),
			strict.Bool("AutoUpdate", &auto),
			strict.Bool("Lock", &w.Lock),
			strict.List("ConflictSeverity", &w.ConflictSeverity, conflictRule),
			strict.OneOf("History", &w.History, "bases", "git"),
			strict.OneOf("Layout", &w.Layout, "small"),
		})
		w.NoAutoUpdate = !auto
	}
	if w.DefaultSpace == "" {
		w.DefaultSpace = "default"
	}
	return w, err
}

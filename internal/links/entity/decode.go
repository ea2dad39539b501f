package entity

import (
	"bytes"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/strict"
)

// DecodeSpace reads the definition of a space. The error is of the type Errors and has everything
// that is wrong with the text, like those of the other Decode functions.
func DecodeSpace(text Text) (*Space, error) {
	s := &Space{}
	r := newReader(text)
	return s, r.read("a space", append(r.common("SpaceID", &s.SpaceID, &s.Common),
		strict.Map("TargetFacts", &s.TargetFacts, strict.Value.Text))...)
}

// DecodeUnit reads the definition of a unit.
func DecodeUnit(text Text) (*Unit, error) {
	u := &Unit{}
	r := newReader(text)
	return u, r.read("a unit", r.unit(u)...)
}

// unit returns the fields of a unit.
func (r *reader) unit(u *Unit) []strict.Field {
	return append(append(r.common("UnitID", &u.UnitID, &u.Common),
		strict.Text("ToolchainType", &u.ToolchainType)), r.recorded(
		"HeadRevisionNum", "HeadMutationNum", "HeadUnitActionNum", "DataHash", "UpstreamUnitID",
		"UpstreamSpaceID", "UpstreamRevisionNum", "NeededPaths", "ProvidedPaths",
		"MutationSources", "Conflicts", "LastChangeDescription", "SelfBindings",
		"ExternalRevisionNum")...)
}

// DecodeInvocation reads the definition of a stored invocation.
func DecodeInvocation(text Text) (*Invocation, error) {
	i := &Invocation{}
	r := newReader(text)
	return i, r.read("an invocation",
		append(r.common("InvocationID", &i.InvocationID, &i.Common),
			strict.Text("ToolchainType", &i.ToolchainType),
			strict.Text("FunctionName", &i.FunctionName),
			strict.List("Arguments", &i.Arguments, argument),
			strict.Text("WhereResource", &i.WhereResource),
			strict.Text("BridgeWorkerID", &i.BridgeWorkerID))...)
}

// DecodeFilter reads the definition of a stored filter.
func DecodeFilter(text Text) (*Filter, error) {
	f := &Filter{}
	r := newReader(text)
	return f, r.read("a filter", append(r.common("FilterID", &f.FilterID, &f.Common),
		strict.Text("From", &f.From),
		strict.Text("FromSpace", &f.FromSpace),
		strict.Text("Where", &f.Where),
		strict.Text("WhereData", &f.WhereData),
		strict.Text("ResourceType", &f.ResourceType))...)
}

// common returns the fields that every entity has.
func (r *reader) common(idName string, id *string, c *Common) []strict.Field {
	fields := []strict.Field{
		strict.Text("Slug", &c.Slug),
		strict.Text("DisplayName", &c.DisplayName),
		strict.Map("Labels", &c.Labels, strict.Value.Text),
		strict.Map("Annotations", &c.Annotations, strict.Value.Text),
		strict.Map("DeleteGates", &c.DeleteGates, strict.Value.Bool),
		strict.Text(idName, id),
		{Name: "Version", Read: func(v strict.Value) {
			r.refuse(v)
			c.Version = int64(v.Int())
		}},
	}
	fields = append(fields, r.recorded("SpaceSlug", "CreatedAt", "UpdatedAt")...)
	if idName != "SpaceID" {
		fields = append(fields, r.recorded("SpaceID")...)
	}
	return fields
}

// DecodeLink reads the definition of a link. stated reports whether AutoUpdate was given.
func DecodeLink(text Text) (l *Link, stated bool, err error) {
	l = &Link{}
	r := newReader(text)
	fields := append(r.common("LinkID", &l.LinkID, &l.Common),
		strict.Field{Name: "AutoUpdate", Read: func(v strict.Value) {
			stated = true
			l.AutoUpdate = v.Bool()
		}},
		strict.Text("FromUnit", &l.FromUnit), strict.Text("FromUnitID", &l.FromUnitID),
		strict.Text("ToUnit", &l.ToUnit), strict.Text("ToUnitID", &l.ToUnitID),
		strict.Text("ToSpace", &l.ToSpace), strict.Text("ToSpaceID", &l.ToSpaceID),
		strict.Text("UpdateType", &l.UpdateType),
		strict.Bool("UseLiveState", &l.UseLiveState),
		strict.Text("WhereMutation", &l.WhereMutation),
		strict.Text("WhereResource", &l.WhereResource),
		strict.Bool("MergeDisableSubtraction", &l.MergeDisableSubtraction),
		strict.List("Bindings", &l.Bindings, r.binding),
		strict.Text("TransformInvocation", &l.TransformInvocation),
		strict.Text("TransformInvocationID", &l.TransformInvocationID),
		strict.List("UpstreamPaths", &l.UpstreamPaths, namedPath),
		strict.List("UpstreamGetters", &l.UpstreamGetters, getter),
		strict.List("DownstreamPaths", &l.DownstreamPaths, pathExpression),
		strict.List("DownstreamSetters", &l.DownstreamSetters, setter),
		strict.Bool("InsertStripMetadata", &l.InsertStripMetadata),
	)
	err = r.read("a link", append(fields, r.recorded(
		"Hash", "UpstreamLastMergedRevisionNum", "MergeBaseRevisionNum",
		"MergedHash", "DownstreamLastMergedRevisionNum", "MergeMutationNum", "ResolvedHash",
		"MadeCurrent", "BaseUnknown",
		"TransformHash", "WrittenHash", "Outputs", "LastError", "Stale", "StaleReasons")...)...)
	return l, stated, err
}

func (r *reader) binding(v strict.Value) Binding {
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
func (r *reader) auto(to *bool) strict.Field {
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
		err = newReader(text).read("a workspace",
			strict.Text("WorkspaceID", &w.WorkspaceID),
			strict.Text("DefaultSpace", &w.DefaultSpace),
			strict.Bool("AutoUpdate", &auto),
			strict.Bool("Lock", &w.Lock),
			strict.List("ConflictSeverity", &w.ConflictSeverity, conflictRule),
			strict.OneOf("History", &w.History, "bases", "git"))
		w.NoAutoUpdate = !auto
	}
	if w.DefaultSpace == "" {
		w.DefaultSpace = "default"
	}
	return w, err
}

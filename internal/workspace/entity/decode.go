package entity

import (
	"bytes"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// DecodeSpace reads the definition of a space. The error is of the type Errors and has everything
// that is wrong with the text, like those of the other Decode functions.
func DecodeSpace(text Text) (*Space, error) {
	s := &Space{}
	r := &reader{text: text}
	r.object(r.document(), "", "a space", append(r.common("SpaceID", &s.SpaceID, &s.Common),
		textMaps(r, "TargetFacts", &s.TargetFacts)))
	return s, r.errs.Err()
}

// DecodeUnit reads the definition of a unit.
func DecodeUnit(text Text) (*Unit, error) {
	u := &Unit{}
	r := &reader{text: text}
	r.object(r.document(), "", "a unit", r.unit(u))
	return u, r.errs.Err()
}

// unit returns the fields of a unit.
func (r *reader) unit(u *Unit) []field {
	fields := append(r.common("UnitID", &u.UnitID, &u.Common),
		texts(r, "ToolchainType", &u.ToolchainType))
	for _, name := range []string{
		"HeadRevisionNum", "HeadMutationNum", "HeadUnitActionNum", "DataHash", "UpstreamUnitID",
		"UpstreamSpaceID", "UpstreamRevisionNum", "NeededPaths", "ProvidedPaths",
		"MutationSources", "Conflicts", "LastChangeDescription", "SelfBindings",
		"ExternalRevisionNum",
	} {
		fields = append(fields, record(name))
	}
	return fields
}

// DecodeInvocation reads the definition of a stored invocation.
func DecodeInvocation(text Text) (*Invocation, error) {
	i := &Invocation{}
	r := &reader{text: text}
	r.object(r.document(), "", "an invocation",
		append(r.common("InvocationID", &i.InvocationID, &i.Common),
			texts(r, "ToolchainType", &i.ToolchainType),
			texts(r, "FunctionName", &i.FunctionName),
			lists(r, "Arguments", &i.Arguments, r.argument),
			texts(r, "WhereResource", &i.WhereResource),
			texts(r, "BridgeWorkerID", &i.BridgeWorkerID)))
	return i, r.errs.Err()
}

// DecodeFilter reads the definition of a stored filter.
func DecodeFilter(text Text) (*Filter, error) {
	f := &Filter{}
	r := &reader{text: text}
	r.object(r.document(), "", "a filter", append(r.common("FilterID", &f.FilterID, &f.Common),
		texts(r, "From", &f.From),
		texts(r, "FromSpace", &f.FromSpace),
		texts(r, "Where", &f.Where),
		texts(r, "WhereData", &f.WhereData),
		texts(r, "ResourceType", &f.ResourceType)))
	return f, r.errs.Err()
}

// common returns the fields that every entity has.
func (r *reader) common(idName string, id *string, c *Common) []field {
	fields := []field{
		texts(r, "Slug", &c.Slug),
		texts(r, "DisplayName", &c.DisplayName),
		textMaps(r, "Labels", &c.Labels),
		textMaps(r, "Annotations", &c.Annotations),
		boolMaps(r, "DeleteGates", &c.DeleteGates),
		texts(r, idName, id),
		record("SpaceSlug"), record("CreatedAt"), record("UpdatedAt"),
	}
	version := numbers(r, "Version", &c.Version)
	version.recorded = true
	fields = append(fields, version)
	if idName != "SpaceID" {
		fields = append(fields, record("SpaceID"))
	}
	return fields
}

// DecodeLink reads the definition of a link. stated reports whether AutoUpdate was given.
func DecodeLink(text Text) (l *Link, stated bool, err error) {
	l = &Link{}
	r := &reader{text: text}
	auto := bools(r, "AutoUpdate", &l.AutoUpdate)
	readAuto := auto.read
	auto.read = func(v gaby.Value, path string) {
		stated = true
		readAuto(v, path)
	}
	fields := append(r.common("LinkID", &l.LinkID, &l.Common), auto,
		texts(r, "FromUnit", &l.FromUnit), texts(r, "FromUnitID", &l.FromUnitID),
		texts(r, "ToUnit", &l.ToUnit), texts(r, "ToUnitID", &l.ToUnitID),
		texts(r, "ToSpace", &l.ToSpace), texts(r, "ToSpaceID", &l.ToSpaceID),
		texts(r, "UpdateType", &l.UpdateType),
		bools(r, "UseLiveState", &l.UseLiveState),
		texts(r, "WhereMutation", &l.WhereMutation),
		texts(r, "WhereResource", &l.WhereResource),
		bools(r, "MergeDisableSubtraction", &l.MergeDisableSubtraction),
		lists(r, "Bindings", &l.Bindings, r.binding),
		texts(r, "TransformInvocation", &l.TransformInvocation),
		texts(r, "TransformInvocationID", &l.TransformInvocationID),
		lists(r, "UpstreamPaths", &l.UpstreamPaths, r.namedPath),
		lists(r, "UpstreamGetters", &l.UpstreamGetters, r.getter),
		lists(r, "DownstreamPaths", &l.DownstreamPaths, r.pathExpression),
		lists(r, "DownstreamSetters", &l.DownstreamSetters, r.setter),
		bools(r, "InsertStripMetadata", &l.InsertStripMetadata),
	)
	for _, name := range []string{
		"Hash", "UpstreamLastMergedRevisionNum", "MergeBaseRevisionNum",
		"MergedHash", "DownstreamLastMergedRevisionNum", "MergeMutationNum", "ResolvedHash",
		"MadeCurrent", "BaseUnknown",
		"TransformHash", "WrittenHash", "Outputs", "LastError", "Stale", "StaleReasons",
	} {
		fields = append(fields, record(name))
	}
	r.object(r.document(), "", "a link", fields)
	return l, stated, r.errs.Err()
}

func (r *reader) binding(v gaby.Value, path string) Binding {
	var b Binding
	info := func(name string, to **api.ResourceInfo) field {
		return field{name: name, read: func(v gaby.Value, path string) {
			*to = r.resourceInfo(v, path)
		}}
	}
	r.object(v, path, "a binding", []field{
		texts(r, "AttributeName", &b.AttributeName),
		texts(r, "DataType", &b.DataType),
		info("ProvidedResource", &b.ProvidedResource),
		texts(r, "ProvidedPath", &b.ProvidedPath),
		bools(r, "InLiveState", &b.InLiveState),
		info("NeededResource", &b.NeededResource),
		texts(r, "NeededPath", &b.NeededPath),
		r.auto(&b.AutoUpdate),
		{name: "OriginalValue", read: func(v gaby.Value, path string) {
			b.OriginalValue = r.scalar(v, path)
		}},
		{name: "LastValue", read: func(v gaby.Value, path string) {
			b.LastValue = r.scalar(v, path)
		}},
		bools(r, "Overridden", &b.Overridden),
	})
	return b
}

// auto reads AutoUpdate of a binding. A binding that resolving made is recorded, not defined: it
// would be lost.
func (r *reader) auto(to *bool) field {
	auto := bools(r, "AutoUpdate", to)
	read := auto.read
	auto.read = func(v gaby.Value, path string) {
		if read(v, path); *to && !r.text.Body {
			r.fail(v.Position(), CodeBindingInvalid, path, "remove the binding",
				"AutoUpdate is for bindings that resolving makes; fctl records them itself")
			*to = false // so that the rest of the binding is checked like that of a user
		}
	}
	return auto
}

func (r *reader) resourceInfo(v gaby.Value, path string) *api.ResourceInfo {
	info := &api.ResourceInfo{}
	r.object(v, path, "a resource", []field{
		texts(r, "ResourceCategory", &info.ResourceCategory),
		texts(r, "ResourceType", &info.ResourceType),
		texts(r, "ResourceName", &info.ResourceName),
		texts(r, "ResourceNameWithoutScope", &info.ResourceNameWithoutScope),
		texts(r, "ResourceMergeID", &info.ResourceMergeID),
		{name: "ResourceNameStableCore"},
	})
	return info
}

func (r *reader) reference(to *ResourceReference) field {
	return field{name: "Resource", read: func(v gaby.Value, path string) {
		info := r.resourceInfo(v, path)
		*to = ResourceReference{info.ResourceCategory, info.ResourceType, info.ResourceName}
	}}
}

func (r *reader) namedPath(v gaby.Value, path string) NamedPath {
	var p NamedPath
	r.object(v, path, "an upstream path", []field{
		texts(r, "Name", &p.Name), r.reference(&p.Resource), texts(r, "Path", &p.Path),
	})
	return p
}

func (r *reader) getter(v gaby.Value, path string) NamedFunctionResult {
	var g NamedFunctionResult
	r.object(v, path, "an upstream getter", []field{
		texts(r, "Name", &g.Name), r.invocation(&g.FunctionInvocation),
	})
	return g
}

func (r *reader) pathExpression(v gaby.Value, path string) PathExpression {
	var p PathExpression
	r.object(v, path, "a downstream path", []field{
		texts(r, "Key", &p.Key),
		r.reference(&p.Resource),
		texts(r, "Path", &p.Path),
		texts(r, "Expression", &p.Expression),
		texts(r, "Evaluator", &p.Evaluator),
		lists(r, "Parameters", &p.Parameters, r.string),
		texts(r, "DataType", &p.DataType),
	})
	return p
}

func (r *reader) setter(v gaby.Value, path string) ParameterizedFunction {
	var s ParameterizedFunction
	r.object(v, path, "a downstream setter", []field{
		texts(r, "Key", &s.Key),
		r.invocation(&s.FunctionInvocation),
		lists(r, "Parameters", &s.Parameters, r.string),
	})
	return s
}

func (r *reader) invocation(to *api.FunctionInvocation) field {
	return field{name: "FunctionInvocation", read: func(v gaby.Value, path string) {
		r.object(v, path, "a function invocation", []field{
			texts(r, "FunctionName", &to.FunctionName),
			lists(r, "Arguments", &to.Arguments, r.argument),
			texts(r, "WhereResource", &to.WhereResource),
		})
	}}
}

func (r *reader) argument(v gaby.Value, path string) api.FunctionArgument {
	var a api.FunctionArgument
	r.object(v, path, "an argument", []field{
		texts(r, "ParameterName", &a.ParameterName),
		{name: "Value", read: func(v gaby.Value, path string) {
			a.Value = r.scalar(v, path)
			if n, ok := a.Value.(int64); ok {
				a.Value = int(n) // as functions expect it
			}
		}},
		texts(r, "Evaluator", &a.Evaluator),
	})
	return a
}

// DecodeWorkspace reads the marker of a workspace. An empty marker has all defaults.
func DecodeWorkspace(text Text) (*Workspace, error) {
	w := &Workspace{}
	r := &reader{text: text}
	if len(bytes.TrimSpace(text.Bytes)) > 0 {
		auto := true
		r.object(r.document(), "", "a workspace", []field{
			texts(r, "WorkspaceID", &w.WorkspaceID),
			texts(r, "DefaultSpace", &w.DefaultSpace),
			bools(r, "AutoUpdate", &auto),
			bools(r, "Lock", &w.Lock),
			lists(r, "ConflictSeverity", &w.ConflictSeverity, r.conflictRule),
			{name: "History", read: func(v gaby.Value, path string) {
				if w.History = r.string(v, path); !slices.Contains(
					[]string{"", "bases", "git"}, w.History) {
					r.fail(v.Position(), CodeFieldValue, path, "",
						"History is bases or git, not %q", w.History)
				}
			}},
		})
		w.NoAutoUpdate = !auto
	}
	if w.DefaultSpace == "" {
		w.DefaultSpace = "default"
	}
	return w, r.errs.Err()
}

package entity

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/pack"
)

// PackDefinition writes or reads the fields of the unit's definition, see Definition.
func (u *Unit) PackDefinition(c *pack.Codec) {
	pack.Text(c, &u.UnitID)
	u.Common.pack(c)
	pack.Text(c, &u.ToolchainType)
}

// Pack writes or reads the state of a unit.
func (s *UnitStateFile) Pack(c *pack.Codec) {
	pack.Text(c, &s.UnitID)
	s.Recorded.pack(c)
	pack.Text(c, &s.ToolchainType)
	pack.Number(c, &s.HeadRevisionNum)
	pack.Number(c, &s.HeadMutationNum)
	pack.Number(c, &s.HeadUnitActionNum)
	pack.Text(c, &s.DataHash)
	pack.Text(c, &s.UpstreamUnitID)
	pack.Text(c, &s.UpstreamSpaceID)
	pack.Number(c, &s.UpstreamRevisionNum)
	pack.Text(c, &s.LastChangeDescription)
	packBindings(c, &s.SelfBindings)
	pack.Number(c, &s.ExternalRevisionNum)
}

// PackDefinition writes or reads the fields of the link's definition, see Definition.
func (l *Link) PackDefinition(c *pack.Codec) {
	pack.Text(c, &l.LinkID)
	l.Common.pack(c)
	pack.Text(c, &l.FromUnit)
	pack.Text(c, &l.FromUnitID)
	pack.Text(c, &l.ToUnit)
	pack.Text(c, &l.ToUnitID)
	pack.Text(c, &l.ToSpace)
	pack.Text(c, &l.ToSpaceID)
	pack.Text(c, &l.UpdateType)
	pack.Bool(c, &l.AutoUpdate)
	pack.Bool(c, &l.UseLiveState)
	pack.Text(c, &l.WhereMutation)
	pack.Text(c, &l.WhereResource)
	pack.Bool(c, &l.MergeDisableSubtraction)
	packBindings(c, &l.Bindings)
	pack.Text(c, &l.TransformInvocation)
	pack.Text(c, &l.TransformInvocationID)
	pack.List(c, &l.UpstreamPaths, func(p *NamedPath) {
		pack.Text(c, &p.Name)
		p.Resource.pack(c)
		pack.Text(c, &p.Path)
	})
	pack.List(c, &l.UpstreamGetters, func(g *NamedFunctionResult) {
		pack.Text(c, &g.Name)
		packInvocation(c, &g.FunctionInvocation)
	})
	pack.List(c, &l.DownstreamPaths, func(p *PathExpression) {
		pack.Text(c, &p.Key)
		p.Resource.pack(c)
		pack.Text(c, &p.Path)
		pack.Text(c, &p.Expression)
		pack.Text(c, &p.Evaluator)
		pack.Texts(c, &p.Parameters)
		pack.Text(c, &p.DataType)
	})
	pack.List(c, &l.DownstreamSetters, func(s *ParameterizedFunction) {
		pack.Text(c, &s.Key)
		packInvocation(c, &s.FunctionInvocation)
		pack.Texts(c, &s.Parameters)
	})
	pack.Bool(c, &l.InsertStripMetadata)
}

// Pack writes or reads the state of a link.
func (s *LinkStateFile) Pack(c *pack.Codec) {
	pack.Text(c, &s.LinkID)
	s.Recorded.pack(c)
	pack.Number(c, &s.UpstreamLastMergedRevisionNum)
	pack.Number(c, &s.MergeBaseRevisionNum)
	pack.Text(c, &s.MergedHash)
	pack.Number(c, &s.DownstreamLastMergedRevisionNum)
	pack.Number(c, &s.MergeMutationNum)
	pack.Text(c, &s.ResolvedHash)
	pack.Bool(c, &s.MadeCurrent)
	pack.Bool(c, &s.BaseUnknown)
	pack.Text(c, &s.TransformHash)
	pack.Text(c, &s.WrittenHash)
	pack.List(c, &s.Outputs, func(r *api.ResourceInfo) { packResource(c, r) })
	pack.Optional(c, &s.LastError, func(e *LastError) {
		pack.Text(c, &e.Code)
		pack.Text(c, &e.Message)
		pack.Time(c, &e.Time)
	})
	packBindings(c, &s.Bindings)
}

// pack writes or reads the fields that a definition has.
func (c *Common) pack(codec *pack.Codec) {
	pack.Text(codec, &c.Slug)
	pack.Text(codec, &c.DisplayName)
	pack.Map(codec, &c.Labels, func(v *string) { pack.Text(codec, v) })
	pack.Map(codec, &c.Annotations, func(v *string) { pack.Text(codec, v) })
	pack.Map(codec, &c.DeleteGates, func(v *bool) { pack.Bool(codec, v) })
}

func (r *Recorded) pack(c *pack.Codec) {
	pack.Time(c, &r.CreatedAt)
	pack.Time(c, &r.UpdatedAt)
	pack.Number(c, &r.Version)
}

func (r *ResourceReference) pack(c *pack.Codec) {
	pack.Text(c, &r.ResourceCategory)
	pack.Text(c, &r.ResourceType)
	pack.Text(c, &r.ResourceName)
}

func packBindings(c *pack.Codec, list *[]Binding) {
	pack.List(c, list, func(b *Binding) {
		pack.Text(c, &b.AttributeName)
		pack.Text(c, &b.DataType)
		pack.Optional(c, &b.ProvidedResource, func(r *api.ResourceInfo) { packResource(c, r) })
		pack.Text(c, &b.ProvidedPath)
		pack.Bool(c, &b.InLiveState)
		pack.Optional(c, &b.NeededResource, func(r *api.ResourceInfo) { packResource(c, r) })
		pack.Text(c, &b.NeededPath)
		pack.Bool(c, &b.AutoUpdate)
		pack.Scalar(c, &b.OriginalValue)
		pack.Scalar(c, &b.LastValue)
		pack.Bool(c, &b.Overridden)
	})
}

func packResource(c *pack.Codec, r *api.ResourceInfo) {
	pack.Text(c, &r.ResourceName)
	pack.Text(c, &r.ResourceNameWithoutScope)
	pack.Text(c, &r.ResourceType)
	pack.Text(c, &r.ResourceCategory)
	pack.Text(c, &r.ResourceMergeID)
}

// packInvocation writes or reads the fields of an invocation that JSON has.
func packInvocation(c *pack.Codec, f *api.FunctionInvocation) {
	pack.Text(c, &f.FunctionName)
	pack.List(c, &f.Arguments, func(a *api.FunctionArgument) {
		pack.Text(c, &a.ParameterName)
		pack.Scalar(c, &a.Value)
		pack.Text(c, &a.Evaluator)
	})
	pack.Text(c, &f.WhereResource)
	pack.Map(c, &f.Params, func(v *string) { pack.Text(c, v) })
}

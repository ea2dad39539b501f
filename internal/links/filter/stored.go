package filter

import (
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/where"
)

// InvocationSchema returns the attributes of stored invocations.
func InvocationSchema() where.Attributes {
	return with(kinds{
		where.Text: "ToolchainType FunctionName WhereResource",
		where.ID:   "InvocationID BridgeWorkerID",
		where.List: "Arguments",
	})
}

// OfInvocation returns the attributes of a stored invocation.
func OfInvocation(i *entity.Invocation) func(string) where.Value {
	return func(name string) where.Value {
		switch name {
		case "InvocationID":
			return textValue(i.InvocationID)
		case "ToolchainType":
			return textValue(string(i.ToolchainType))
		case "FunctionName":
			return textValue(i.FunctionName)
		case "Arguments":
			return numberValue(int64(len(i.Arguments)))
		case "WhereResource":
			return textValue(i.WhereResource)
		case "BridgeWorkerID":
			return textValue(i.BridgeWorkerID)
		}
		return commonValue(&i.Common, name)
	}
}

// FilterSchema returns the attributes of stored filters.
func FilterSchema() where.Attributes {
	return with(kinds{
		where.Text: "From FromSpace.Slug Where WhereData ResourceType",
		where.ID:   "FilterID",
	})
}

// OfFilter returns the attributes of a stored filter.
func OfFilter(f *entity.Filter) func(string) where.Value {
	return func(name string) where.Value {
		switch name {
		case "FilterID":
			return textValue(f.FilterID)
		case "From":
			return textValue(string(f.From))
		case "FromSpace.Slug":
			return textValue(f.FromSpace)
		case "Where":
			return textValue(f.Where)
		case "WhereData":
			return textValue(f.WhereData)
		case "ResourceType":
			return textValue(string(f.ResourceType))
		}
		return commonValue(&f.Common, name)
	}
}

// RevisionSchema returns the attributes of revisions.
func RevisionSchema() where.Attributes {
	return attributes(kinds{
		where.Text:   "DataHash Source Description CreatedAt",
		where.Number: "RevisionNum",
		where.ID:     "RevisionID UnitID",
	})
}

// OfRevision returns the attributes of a revision.
func OfRevision(r *entity.Revision) func(string) where.Value {
	return func(name string) where.Value {
		switch name {
		case "RevisionNum":
			return numberValue(r.RevisionNum)
		case "RevisionID":
			return textValue(r.RevisionID)
		case "UnitID":
			return textValue(r.UnitID)
		case "DataHash":
			return textValue(r.DataHash)
		case "Source":
			return textValue(string(r.Source))
		case "Description":
			return textValue(r.Description)
		case "CreatedAt":
			return textValue(stamp(r.CreatedAt))
		}
		return where.Value{}
	}
}

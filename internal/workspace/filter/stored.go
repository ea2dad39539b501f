package filter

import "github.com/fctl-dev/fctl/internal/workspace/entity"

// InvocationSchema returns the attributes of stored invocations.
func InvocationSchema() Schema {
	return with(common(), Schema{
		"InvocationID": ID, "ToolchainType": Text, "FunctionName": Text, "Arguments": List,
		"WhereResource": Text, "BridgeWorkerID": ID,
	})
}

// OfInvocation returns the attributes of a stored invocation.
func OfInvocation(i *entity.Invocation) func(string) Value {
	return func(name string) Value {
		switch name {
		case "InvocationID":
			return TextValue(i.InvocationID)
		case "ToolchainType":
			return TextValue(string(i.ToolchainType))
		case "FunctionName":
			return TextValue(i.FunctionName)
		case "Arguments":
			return NumberValue(int64(len(i.Arguments)))
		case "WhereResource":
			return TextValue(i.WhereResource)
		case "BridgeWorkerID":
			return TextValue(i.BridgeWorkerID)
		}
		return commonValue(&i.Common, name)
	}
}

// FilterSchema returns the attributes of stored filters.
func FilterSchema() Schema {
	return with(common(), Schema{
		"FilterID": ID, "From": Text, "FromSpace.Slug": Text, "Where": Text, "WhereData": Text,
		"ResourceType": Text,
	})
}

// OfFilter returns the attributes of a stored filter.
func OfFilter(f *entity.Filter) func(string) Value {
	return func(name string) Value {
		switch name {
		case "FilterID":
			return TextValue(f.FilterID)
		case "From":
			return TextValue(string(f.From))
		case "FromSpace.Slug":
			return TextValue(f.FromSpace)
		case "Where":
			return TextValue(f.Where)
		case "WhereData":
			return TextValue(f.WhereData)
		case "ResourceType":
			return TextValue(string(f.ResourceType))
		}
		return commonValue(&f.Common, name)
	}
}

// RevisionSchema returns the attributes of revisions.
func RevisionSchema() Schema {
	return Schema{
		"RevisionNum": Number, "RevisionID": ID, "UnitID": ID, "DataHash": Text, "Source": Text,
		"Description": Text, "CreatedAt": Text,
	}
}

// OfRevision returns the attributes of a revision.
func OfRevision(r *entity.Revision) func(string) Value {
	return func(name string) Value {
		switch name {
		case "RevisionNum":
			return NumberValue(r.RevisionNum)
		case "RevisionID":
			return TextValue(r.RevisionID)
		case "UnitID":
			return TextValue(r.UnitID)
		case "DataHash":
			return TextValue(r.DataHash)
		case "Source":
			return TextValue(string(r.Source))
		case "Description":
			return TextValue(r.Description)
		case "CreatedAt":
			return TextValue(stamp(r.CreatedAt))
		}
		return Value{}
	}
}

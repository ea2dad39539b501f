package resourcetypes

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/api"
)

// dataTypeOf returns the data type of the paths of an attribute that do not state one: the type in
// the description of the attribute, else string. The caller must hold r.mu.
func (r *Registry) dataTypeOf(name api.AttributeName) api.DataType {
	for _, d := range slices.Backward(r.documents) {
		if description := d.entry("attributes", string(name)); description.Exists() {
			return cmp.Or(api.DataType(description.Get("dataType").Text()), api.DataTypeString)
		}
	}
	return api.DataTypeString
}

// pathsType returns the data type of the functions of an attribute whose description states none:
// the type that all paths have, string if they differ.
func (r *Registry) pathsType(name api.AttributeName) api.DataType {
	var all []api.DataType
	r.rawPaths(name, false, func(_ string, t api.DataType) {
		all = append(all, cmp.Or(t, api.DataTypeString))
	})
	all = slices.Compact(all)
	if len(all) == 1 && (all[0] == api.DataTypeInt || all[0] == api.DataTypeBool) {
		return all[0]
	}
	return api.DataTypeString
}

// ValueType returns the data type as which the functions of an attribute read and write the values
// at a path: the type of the path if it is one of scalars, else that of the functions.
func ValueType(info *api.PathVisitorInfo, functions api.DataType) api.DataType {
	switch info.DataType {
	case api.DataTypeString, api.DataTypeInt, api.DataTypeBool:
		return info.DataType
	}
	return functions
}

// ConvertText converts text to a value of a data type of scalars.
func ConvertText(text string, t api.DataType) (any, error) {
	switch t {
	case api.DataTypeNone, api.DataTypeString:
		return text, nil
	case api.DataTypeInt:
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("%q is not an int", text)
		}
		return n, nil
	case api.DataTypeBool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, fmt.Errorf("%q is neither true nor false", text)
		}
		return b, nil
	}
	return nil, fmt.Errorf("%s is not a data type of values: there are string, int and bool", t)
}

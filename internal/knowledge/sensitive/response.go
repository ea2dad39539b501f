package sensitive

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
)

// Outputs masks the secret values in validation results. Values that functions were asked to return
// stay as they are.
func (v *Values) Outputs(outputs api.OutputList) {
	for i := range outputs {
		switch value := outputs[i].Value.(type) {
		case api.ValidationResultList:
			for k := range value {
				v.result(&value[k])
			}
		case api.ValidationResult:
			v.result(&value)
			outputs[i].Value = value
		}
	}
}

// Notes masks the secret values that notes quote.
func (v *Values) Notes(notes []api.Note) {
	for i := range notes {
		n := &notes[i]
		n.Message, n.Suggestion = v.Message(n.Message), v.Message(n.Suggestion)
	}
}

// Failures returns failures without the secret values they quote.
func (v *Values) Failures(failures []*api.Failure) []*api.Failure {
	if v == nil {
		return failures
	}
	masked := make([]*api.Failure, len(failures))
	for i, f := range failures {
		own := *f
		t, _, _ := strings.Cut(f.Resource, " ")
		own.Message = v.About(api.ResourceType(t), api.ResolvedPath(f.Path), f.Message)
		own.Hint = v.About(api.ResourceType(t), api.ResolvedPath(f.Path), f.Hint)
		masked[i] = &own
	}
	return masked
}

// result masks the secret values in a validation result.
func (v *Values) result(r *api.ValidationResult) {
	rows := slices.DeleteFunc(slices.Clone(r.FailedAttributes), func(row api.AttributeValue) bool {
		return row.Path == "" || !v.Has(row.ResourceInfo, row.Path)
	})
	for i, detail := range r.Details {
		// Each detail repeats what is wrong with an attribute. If all attributes are secret,
		// details and rows have the same order.
		of := func(row api.AttributeValue) bool {
			return strings.Contains(detail, string(row.Path))
		}
		row := i
		if len(rows) != len(r.Details) || !of(rows[i]) {
			row = slices.IndexFunc(rows, of)
		}
		if row < 0 {
			r.Details[i] = v.Message(detail)
		} else {
			r.Details[i] = v.About(rows[row].ResourceType, rows[row].Path, detail)
		}
	}
	r.Reason = v.Message(r.Reason)
	for i := range r.FailedAttributes {
		v.attribute(&r.FailedAttributes[i])
	}
}

// Returned returns an output as people see it: without secret values, even if the function
// was asked to return them.
func (v *Values) Returned(o api.Output) api.Output {
	if v == nil {
		return o
	}
	switch value := o.Value.(type) {
	case api.AttributeValueList:
		o.Value = v.Attributes(value)
	case api.ResourceList:
		value = slices.Clone(value)
		for i := range value {
			value[i].ResourceBody = v.body(value[i].ResourceInfo, value[i].ResourceBody)
		}
		o.Value = value
	case api.ResourceMutationList:
		o.Value = v.Mutations(value)
	case api.MutationConflictList:
		value = slices.Clone(value)
		for i := range value {
			value[i] = v.Conflict(value[i])
		}
		o.Value = value
	case api.YAMLPayload:
		value.Payload = v.maskWith(&v.own, true, value.Payload)
		o.Value = value
	}
	return o
}

// Attributes returns rows without secret values.
func (v *Values) Attributes(rows api.AttributeValueList) api.AttributeValueList {
	if v == nil {
		return rows
	}
	rows = slices.Clone(rows)
	for i := range rows {
		row := &rows[i]
		shown := func(text string) string {
			text = v.ofResource(row.ResourceInfo, v.Value(row.ResourceInfo, row.Path, text))
			return v.at(row.ResourceInfo, row.Path, text)
		}
		row.Comment = shown(row.Comment)
		if text, ok := row.Value.(string); ok {
			row.Value = shown(text)
		} else if text := textOf(row.Value); shown(text) != text {
			row.Value = Mask
		}
		row.Path = api.ResolvedPath(v.Copied(string(row.Path))) // a program may return anything
	}
	return rows
}

// textOf returns a value as JSON, nil as "".
func textOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil || value == nil {
		return ""
	}
	return string(text)
}

// attribute masks the secret values in a row.
func (v *Values) attribute(row *api.AttributeValue) {
	about := func(message string) string { return v.About(row.ResourceType, row.Path, message) }
	if v.Has(row.ResourceInfo, row.Path) {
		row.Value, row.Comment = maskOf(row.Value), maskOf(row.Comment)
	} else {
		row.Value, row.Comment = v.data(row.Value), v.Message(row.Comment)
	}
	row.Reason = about(row.Reason)
	for i := range row.Issues {
		row.Issues[i].Message = about(row.Issues[i].Message)
	}
}

// maskOf returns the mask, or value if it is nil or "".
func maskOf[V any](value V) V {
	if text, ok := any(value).(string); ok && text == "" || any(value) == nil {
		return value
	}
	return any(Mask).(V)
}

// AboutValue returns a value at a path of a type as people may see it.
func (v *Values) AboutValue(t api.ResourceType, path api.ResolvedPath, value any) any {
	switch {
	case v == nil || value == nil:
		return value
	case v.provider.Sensitive(t, path) == configkit.IsSensitive:
		return Mask
	}
	return v.data(value)
}

// data returns a JSON value with its secret values masked.
func (v *Values) data(value any) any {
	switch value := value.(type) {
	case string:
		return v.Message(value)
	case []any:
		masked := make([]any, len(value))
		for i := range value {
			masked[i] = v.data(value[i])
		}
		return masked
	case map[string]any:
		masked := make(map[string]any, len(value))
		for key := range value {
			masked[key] = v.data(value[key])
		}
		return masked
	case nil, bool:
		return value
	}
	if text := fmt.Sprint(value); v.Message(text) != text {
		return Mask
	}
	return value
}

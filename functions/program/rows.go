package program

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
	"github.com/fctl-dev/fctl/functions/expression"
)

// entriesOf are the entries of a map that a program gave.
func entriesOf(value any) (map[string]any, bool) {
	entries := map[string]any{}
	switch v := value.(type) {
	case map[string]any:
		return v, true
	case gaby.Entries:
		for _, e := range v {
			entries[e.Key] = e.Value
		}
		return entries, true
	case gaby.Value:
		if v.Kind() == gaby.Map {
			for c := v.First(); c.Exists(); c = c.Next() {
				entries[c.Key()] = valueOrData(c)
			}
			return entries, true
		}
	}
	return nil, false
}

// itemsOf are the items of a list that a program gave.
func itemsOf(value any) ([]any, bool) {
	switch v := value.(type) {
	case []any:
		return v, true
	case gaby.Value:
		if v.Kind() == gaby.List {
			items := []any{}
			for c := v.First(); c.Exists(); c = c.Next() {
				items = append(items, valueOrData(c))
			}
			return items, true
		}
	}
	return nil, false
}

// valueOrData is a value of a document, if it is a scalar as Go data.
func valueOrData(v gaby.Value) any {
	if v.Kind() == gaby.Scalar {
		return v.Data()
	}
	return v
}

// record reads the fields of a map that a program gave. The first field that is wrong is the error.
type record struct {
	what   string
	fields map[string]any
	err    error
}

// recordOf is the record of a map that has no other fields than those named.
func recordOf(what string, value any, names ...string) *record {
	fields, ok := entriesOf(value)
	if !ok {
		return &record{err: fmt.Errorf("%s is no map", what)}
	}
	r := &record{what: what, fields: fields}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(names, name) && r.err == nil {
			r.err = fmt.Errorf("%s has a field %s; its fields are %s", what, name, strings.Join(names, ", "))
			if meant := configkit.Suggest(name, names); len(meant) > 0 {
				r.err = fmt.Errorf("%s has a field %s; is %s meant?", what, name, meant[0])
			}
		}
	}
	return r
}

// text is a field that is a string, or absent.
func (r *record) text(name string) string {
	value, ok := r.fields[name]
	text, isText := value.(string)
	if ok && value != nil && !isText && r.err == nil {
		r.err = fmt.Errorf("%s: %s is no string", r.what, name)
	}
	return text
}

// items is a field that is a list, or absent.
func (r *record) items(name string) []any {
	value, ok := r.fields[name]
	if !ok || value == nil {
		return nil
	}
	items, isList := itemsOf(value)
	if !isList && r.err == nil {
		r.err = fmt.Errorf("%s: %s is no list", r.what, name)
	}
	return items
}

// rowsOf are the rows that a program gives about a resource: a list of maps.
func rowsOf(value any, doc *gaby.YamlDoc, info *api.ResourceInfo, provider configkit.ResourceProvider) (api.AttributeValueList, error) {
	items, ok := itemsOf(value)
	if !ok {
		return nil, errors.New("the program gives no list of rows")
	}
	rows := make(api.AttributeValueList, 0, len(items))
	for i, item := range items {
		row, err := rowOf(fmt.Sprintf("row %d", i), item, doc, info, provider)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// rowOf is one of them. What it does not say of the resource is that of the resource the program runs on.
func rowOf(what string, value any, doc *gaby.YamlDoc, info *api.ResourceInfo, provider configkit.ResourceProvider) (api.AttributeValue, error) {
	r := recordOf(what, value, "ResourceName", "ResourceType", "Path", "Value", "AttributeName", "DataType", "Comment", "Issues")
	row := api.AttributeValue{Comment: r.text("Comment")}
	row.ResourceInfo = *info
	if name := r.text("ResourceName"); name != "" && api.ResourceName(name) != info.ResourceName {
		row.ResourceName, row.ResourceNameWithoutScope = api.ResourceName(name), provider.RemoveScopeFromResourceName(api.ResourceName(name))
		row.ResourceMergeID, doc = "", nil
	}
	if t := r.text("ResourceType"); t != "" && api.ResourceType(t) != info.ResourceType {
		row.ResourceType, row.ResourceMergeID, doc = api.ResourceType(t), "", nil
	}
	row.Path = api.ResolvedPath(r.text("Path"))
	if r.err == nil && row.Path == "" {
		r.err = fmt.Errorf("%s: there is no Path", what)
	}
	row.AttributeName = api.AttributeName(r.text("AttributeName"))
	if row.AttributeName == "" {
		row.AttributeName = yamlkit.RegisteredName(provider, row.ResourceType, row.Path)
	}
	row.Value, row.DataType = rowValue(r.fields["Value"])
	if t := r.text("DataType"); t != "" {
		row.DataType = api.DataType(t)
	}
	for i, issue := range r.items("Issues") {
		of := recordOf(fmt.Sprintf("issue %d of %s", i, what), issue, "Identifier", "Message")
		row.Issues = append(row.Issues, api.Issue{Identifier: of.text("Identifier"), Message: of.text("Message")})
		if r.err == nil {
			r.err = of.err
		}
	}
	row.Position = positionOf(doc, row.Path)
	return row, r.err
}

// rowValue is the value of a row and its data type: a map or list is YAML text.
func rowValue(value any) (any, api.DataType) {
	switch v := value.(type) {
	case nil:
		return nil, api.DataTypeYAML
	case string:
		return v, api.DataTypeString
	case bool:
		return v, api.DataTypeBool
	case int:
		return v, api.DataTypeInt
	case gaby.Value:
		return v.YAML(), api.DataTypeYAML
	case float64: // JSON has not all of them
		if math.IsInf(v, 0) || math.IsNaN(v) {
			if text, err := expression.YAML(v); err == nil {
				return strings.TrimSpace(text), api.DataTypeYAML
			}
		}
	case map[string]any, gaby.Entries, []any:
		if text, err := expression.YAML(v); err == nil {
			return text, api.DataTypeYAML
		}
	}
	return value, api.DataTypeJSON
}

// positionOf is where a path leads first, nil when that is nowhere.
func positionOf(doc *gaby.YamlDoc, path api.ResolvedPath) *api.Position {
	if doc == nil {
		return nil
	}
	parsed, err := yamlpath.Parse(string(path))
	if err != nil {
		return nil
	}
	var found *api.Position
	_ = parsed.Resolve(doc.Value(), yamlpath.Options{NoArguments: true}, func(m *yamlpath.Match) error {
		if pos := m.Value.Position(); found == nil && pos.Line > 0 {
			found = &pos
		}
		return nil
	})
	return found
}

// judge adds what a program says about a resource to the result: true, false, or a map with passed, details and
// failed_attributes.
func judge(result *api.ValidationResult, value any, doc *gaby.YamlDoc, info *api.ResourceInfo, provider configkit.ResourceProvider, text string) error {
	switch verdict := value.(type) {
	case bool:
		if !verdict {
			fail(result, doc, info, failedExpression(info, text))
		}
		return nil
	case nil:
		return errors.New("the program gives nothing; it has to give true, false or a map")
	}
	r := recordOf("the verdict", value, "passed", "details", "failed_attributes")
	passed, ok := r.fields["passed"].(bool)
	if r.err == nil && !ok {
		r.err = errors.New("the verdict: passed is neither true nor false")
	}
	var details []string
	for _, detail := range r.items("details") {
		details = append(details, fmt.Sprint(detail))
	}
	var rows api.AttributeValueList
	for i, attribute := range r.items("failed_attributes") {
		row, err := rowOf(fmt.Sprintf("failed attribute %d", i), attribute, doc, info, provider)
		if r.err == nil {
			r.err = err
		}
		row.Reason = strings.Join(details, "; ")
		rows = append(rows, row)
	}
	if r.err != nil {
		return r.err
	}
	if passed {
		return nil
	}
	if len(details) == 0 && len(rows) == 0 {
		details = append(details, failedExpression(info, text))
	}
	fail(result, doc, info, details...)
	result.FailedAttributes = append(result.FailedAttributes, rows...)
	return nil
}

// failedExpression is the detail about a resource that an expression is not true of. A program of several lines is not repeated.
func failedExpression(info *api.ResourceInfo, text string) string {
	detail := fmt.Sprintf("resource %s failed validation", info.ResourceName)
	if text = strings.TrimSpace(text); strings.Contains(text, "\n") {
		return detail
	}
	return detail + " expression " + text
}

// fail records that a resource did not pass, with its place for every detail.
func fail(result *api.ValidationResult, doc *gaby.YamlDoc, info *api.ResourceInfo, details ...string) {
	pos := doc.Position()
	result.Passed = false
	for _, detail := range details {
		result.Details = append(result.Details, detail)
		result.Places = append(result.Places, api.Place{Resource: info.String(), Position: pos})
	}
}

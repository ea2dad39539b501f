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
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// entriesOf returns the entries of a map that a program returned. It reports false for other
// values.
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
			for _, c := range v.All() {
				entries[c.Key()] = valueOrData(c)
			}
			return entries, true
		}
	}
	return nil, false
}

// itemsOf returns the items of a list that a program returned. It reports false for other values.
func itemsOf(value any) ([]any, bool) {
	switch v := value.(type) {
	case []any:
		return v, true
	case gaby.Value:
		if v.Kind() == gaby.List {
			items := []any{}
			for _, c := range v.All() {
				items = append(items, valueOrData(c))
			}
			return items, true
		}
	}
	return nil, false
}

// valueOrData returns a scalar of a document as Go data, and maps and lists as they are.
func valueOrData(v gaby.Value) any {
	if v.Kind() == gaby.Scalar {
		return v.Data()
	}
	return v
}

// record reads the fields of a map that a program returned. It keeps the first error.
type record struct {
	what   string
	fields map[string]any
	err    error
}

// recordOf returns the record of a map. Fields other than names are an error.
func recordOf(what string, value any, names ...string) *record {
	fields, ok := entriesOf(value)
	if !ok {
		return &record{err: fmt.Errorf("%s is not a map", what)}
	}
	r := &record{what: what, fields: fields}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(names, name) && r.err == nil {
			r.err = fmt.Errorf(
				"%s has a field %s; its fields are %s", what, name, strings.Join(names, ", "),
			)
			if meant := configkit.Suggest(name, names); len(meant) > 0 {
				r.err = fmt.Errorf("%s has a field %s; is %s meant?", what, name, meant[0])
			}
		}
	}
	return r
}

// text returns a string field, or "" if it is absent.
func (r *record) text(name string) string {
	value, ok := r.fields[name]
	text, isText := value.(string)
	if ok && value != nil && !isText && r.err == nil {
		r.err = fmt.Errorf("%s: %s is not a string", r.what, name)
	}
	return text
}

// items returns a list field, or nil if it is absent.
func (r *record) items(name string) []any {
	value, ok := r.fields[name]
	if !ok || value == nil {
		return nil
	}
	items, isList := itemsOf(value)
	if !isList && r.err == nil {
		r.err = fmt.Errorf("%s: %s is not a list", r.what, name)
	}
	return items
}

// rowsOf converts the list of maps that a program returned for a resource.
func rowsOf(
	value any, doc *gaby.YamlDoc, info *api.ResourceInfo, provider configkit.ResourceProvider,
) (api.AttributeValueList, error) {
	items, ok := itemsOf(value)
	if !ok {
		return nil, errors.New("the program does not return a list of rows")
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

// rowOf converts one row. Where it does not identify a resource, it is about the resource the
// program ran on. Only rows about that resource get a position. what names the row in errors.
func rowOf(
	what string,
	value any,
	doc *gaby.YamlDoc,
	info *api.ResourceInfo,
	provider configkit.ResourceProvider,
) (api.AttributeValue, error) {
	r := recordOf(
		what, value, "ResourceName", "ResourceType", "Path", "Value", "AttributeName", "DataType",
		"Comment", "Issues",
	)
	row := api.AttributeValue{Comment: r.text("Comment")}
	row.ResourceInfo = *info
	if name := r.text("ResourceName"); name != "" && api.ResourceName(name) != info.ResourceName {
		row.ResourceName, row.ResourceNameWithoutScope = api.ResourceName(name),
			provider.RemoveScopeFromResourceName(api.ResourceName(name))
		row.ResourceMergeID, doc = "", nil
	}
	if t := r.text("ResourceType"); t != "" && api.ResourceType(t) != info.ResourceType {
		row.ResourceType, row.ResourceMergeID, doc = api.ResourceType(t), "", nil
	}
	row.Path = api.ResolvedPath(r.text("Path"))
	if r.err == nil && row.Path == "" {
		r.err = fmt.Errorf("%s: Path is missing", what)
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
		row.Issues = append(
			row.Issues, api.Issue{Identifier: of.text("Identifier"), Message: of.text("Message")},
		)
		if r.err == nil {
			r.err = of.err
		}
	}
	row.Position = positionOf(doc, row.Path)
	return row, r.err
}

// rowValue returns the value of a row with its data type. Maps and lists become YAML text.
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
	case float64: // JSON has no infinities and NaN
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

// positionOf returns the position of the first match of a path, or nil if there is none.
func positionOf(doc *gaby.YamlDoc, path api.ResolvedPath) *api.Position {
	if doc == nil {
		return nil
	}
	parsed, err := yamlpath.Parse(string(path))
	if err != nil {
		return nil
	}
	var found *api.Position
	_ = parsed.Resolve(doc.Value(), yamlpath.Options{NoArguments: true},
		func(m *yamlpath.Match) error {
			if pos := m.Value.Position(); found == nil && pos.Line > 0 {
				found = &pos
			}
			return nil
		})
	return found
}

// judge adds the verdict of a program about a resource to the result. A verdict is true, false, or
// a map with passed, details and failed_attributes. text is the program.
func judge(
	result *api.ValidationResult,
	value any,
	doc *gaby.YamlDoc,
	info *api.ResourceInfo,
	provider configkit.ResourceProvider,
	text string,
) error {
	switch verdict := value.(type) {
	case bool:
		if !verdict {
			fail(result, doc, info, failedExpression(info, text))
		}
		return nil
	case nil:
		return errors.New("the program returns nothing; it must return true, false or a map")
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

// failedExpression returns the detail for a resource for which an expression is false. It repeats
// the expression unless that has several lines.
func failedExpression(info *api.ResourceInfo, text string) string {
	detail := fmt.Sprintf("resource %s failed validation", info.ResourceName)
	if text = strings.TrimSpace(text); strings.Contains(text, "\n") {
		return detail
	}
	return detail + " expression " + text
}

// fail records that a resource did not pass. Each detail gets the position of the resource.
func fail(
	result *api.ValidationResult, doc *gaby.YamlDoc, info *api.ResourceInfo, details ...string,
) {
	pos := doc.Position()
	result.Passed = false
	for _, detail := range details {
		result.Details = append(result.Details, detail)
		result.Locations = append(result.Locations, api.Location{
			Resource: info.String(),
			Position: pos,
		})
	}
}

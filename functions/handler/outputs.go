package handler

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// outputs combines the outputs of a chain. Values of one type become one value, in the order in
// which the types first appeared.
type outputs struct {
	list api.OutputList
}

// add adds the output of a step. It returns false if the output cannot be combined with that of an
// earlier step.
func (o *outputs) add(s *step, value any) bool {
	if value == nil {
		return true
	}
	outputType := typeOfOutput(value, s.f.OutputInfo)
	value = label(value, s)
	for i := range o.list {
		if !combine(o.list[i].OutputType, outputType) {
			continue
		}
		merged, ok := appendOutput(o.list[i].Value, value)
		if ok {
			o.list[i].Value = merged
		}
		return ok
	}
	o.list = append(o.list, api.Output{OutputType: outputType, Value: value})
	return true
}

// combine reports whether outputs of two types are combined, which then have the first type. That
// is so for equal types, and for single validation results and lists of them.
func combine(a, b api.OutputType) bool {
	isResult := func(t api.OutputType) bool {
		return t == api.OutputTypeValidationResult || t == api.OutputTypeValidationResultList
	}
	return a == b || isResult(a) && isResult(b)
}

// label sets the position and the name of the function in its rows, and turns a single validation
// result into a list. If the function asks for sorted rows, they are sorted here, because only here
// all of them are together.
func label(value any, s *step) any {
	switch v := value.(type) {
	case api.AttributeValueList:
		rows := v
		if s.f.RowsSorted {
			rows = yamlkit.SortRows(v)
		}
		if rows == nil {
			rows = api.AttributeValueList{}
		}
		for i := range rows {
			rows[i].Index, rows[i].FunctionName = s.index, s.name
		}
		return rows
	case api.ValidationResult:
		return label(api.ValidationResultList{v}, s)
	case *api.ValidationResult:
		return label(api.ValidationResultList{*v}, s)
	case api.ValidationResultList:
		rows := v
		if rows == nil {
			rows = api.ValidationResultList{}
		}
		for i := range rows {
			rows[i].Index, rows[i].FunctionName = s.index, s.name
		}
		return rows
	case api.ResourceInfoList:
		if v == nil {
			return api.ResourceInfoList{}
		}
	case api.ResourceList:
		if v == nil {
			return api.ResourceList{}
		}
	}
	return value
}

// typeOfOutput returns the type of an output: the one its Go type implies, or else the one the
// signature declares.
func typeOfOutput(value any, info *api.FunctionOutput) api.OutputType {
	if t := typeOfValue(value); t != "" {
		return t
	}
	if info != nil && info.OutputType != "" {
		return info.OutputType
	}
	return api.OutputTypeOpaque
}

// mayBe reports whether value can be an output of type t. A JSON or opaque output can be anything.
func mayBe(t api.OutputType, value any) bool {
	return t == api.OutputTypeJSON || t == api.OutputTypeOpaque || combine(t, typeOfValue(value))
}

// typeOfValue returns the output type that the Go type of value implies, or "".
func typeOfValue(value any) api.OutputType {
	switch value.(type) {
	case api.AttributeValueList:
		return api.OutputTypeAttributeValueList
	case api.ValidationResult, *api.ValidationResult:
		return api.OutputTypeValidationResult
	case api.ValidationResultList:
		return api.OutputTypeValidationResultList
	case api.ResourceInfoList:
		return api.OutputTypeResourceInfoList
	case api.ResourceList:
		return api.OutputTypeResourceList
	case api.ResourceMutationList:
		return api.OutputTypeResourceMutationList
	case api.MutationConflictList:
		return api.OutputTypeMutationConflictList
	case api.PatchMap:
		return api.OutputTypePatchMap
	case api.YAMLPayload:
		return api.OutputTypeYAML
	}
	return ""
}

// appendOutput appends two values of one output type. It reports false if the type does not allow
// that.
func appendOutput(a, b any) (any, bool) {
	switch a := a.(type) {
	case api.AttributeValueList:
		b, ok := b.(api.AttributeValueList)
		return append(a, b...), ok
	case api.ValidationResultList:
		b, ok := b.(api.ValidationResultList)
		return append(a, b...), ok
	case api.ResourceInfoList:
		b, ok := b.(api.ResourceInfoList)
		return append(a, b...), ok
	case api.ResourceList:
		b, ok := b.(api.ResourceList)
		return append(a, b...), ok
	case api.MutationConflictList:
		b, ok := b.(api.MutationConflictList)
		return append(a, b...), ok
	case api.YAMLPayload:
		b, ok := b.(api.YAMLPayload)
		return joinPayloads(a, b), ok
	}
	return a, false
}

// mergeOutputs combines the outputs of one function for the parts of the documents. Sorted rows are
// merged.
func mergeOutputs(parts []any, sorted bool) any {
	if len(parts) == 0 {
		return nil
	}
	if lists, ok := allOf[api.AttributeValueList](parts); ok {
		if sorted {
			return yamlkit.MergeRows(lists)
		}
		return slices.Concat(lists...)
	}
	if lists, ok := allOf[api.ResourceList](parts); ok {
		return slices.Concat(lists...)
	}
	if result, ok := conjunction(parts, sorted); ok {
		return result
	}
	if payloads, ok := allOf[api.YAMLPayload](parts); ok {
		return joinPayloads(payloads...)
	}
	merged := parts[0]
	for _, part := range parts[1:] {
		next, ok := appendOutput(merged, part)
		if !ok {
			break // the first output wins, as it does between functions
		}
		merged = next
	}
	return merged
}

// allOf returns the parts as values of type T if all of them have that type.
func allOf[T any](parts []any) ([]T, bool) {
	typed := make([]T, len(parts))
	for i, part := range parts {
		var ok bool
		if typed[i], ok = part.(T); !ok {
			return nil, false
		}
	}
	return typed, true
}

// joinPayloads joins YAML texts with document separators.
func joinPayloads(payloads ...api.YAMLPayload) api.YAMLPayload {
	var b strings.Builder
	for i, p := range payloads {
		if i > 0 {
			b.WriteString("---\n")
			p.Payload = strings.TrimPrefix(p.Payload, "---\n")
		}
		b.WriteString(p.Payload)
		if i < len(payloads)-1 && !strings.HasSuffix(p.Payload, "\n") {
			b.WriteByte('\n')
		}
	}
	return api.YAMLPayload{Payload: b.String()}
}

// conjunction returns the one result of a validation whose parts were validated separately.
func conjunction(parts []any, sorted bool) (api.ValidationResult, bool) {
	results := make(api.ValidationResultList, len(parts))
	rows := make([]api.AttributeValueList, len(parts))
	for i, part := range parts {
		result, ok := part.(api.ValidationResult)
		if pointer, isPointer := part.(*api.ValidationResult); isPointer {
			result, ok = *pointer, true
		}
		if !ok {
			return api.ValidationResult{}, false
		}
		results[i], rows[i] = result, result.FailedAttributes
	}
	whole := CombineResults(results)
	if sorted {
		whole.FailedAttributes = yamlkit.MergeRows(rows)
	}
	return whole, true
}

// combineResults turns each list of validation results into one result.
func (o *outputs) combineResults() {
	for i := range o.list {
		if results, ok := o.list[i].Value.(api.ValidationResultList); ok {
			o.list[i] = api.Output{
				OutputType: api.OutputTypeValidationResult, Value: CombineResults(results),
			}
		}
	}
}

// CombineResults combines validation results into one. It passes if all of them do, and has all of
// their findings.
func CombineResults(results api.ValidationResultList) api.ValidationResult {
	whole := api.ValidationResult{Passed: true}
	for _, result := range results {
		whole.Passed = whole.Passed && result.Passed
		whole.Score = api.WorseScore(whole.Score, result.Score)
		whole.Details = append(whole.Details, result.Details...)
		whole.Locations = append(whole.Locations, result.Locations...)
		whole.FailedAttributes = append(whole.FailedAttributes, result.FailedAttributes...)
		whole.Unchecked = append(whole.Unchecked, result.Unchecked...)
	}
	return whole
}

// passed reports whether a validation passed. A list passes if all of its results do.
func passed(output any) bool {
	switch v := output.(type) {
	case api.ValidationResult:
		return v.Passed
	case *api.ValidationResult:
		return v.Passed
	case api.ValidationResultList:
		return !slices.ContainsFunc(v, func(r api.ValidationResult) bool { return !r.Passed })
	}
	return false
}

// isValidation reports whether an output has one of the types a validating function may return.
func isValidation(output any) bool {
	switch v := output.(type) {
	case api.ValidationResult, api.ValidationResultList:
		return true
	case *api.ValidationResult:
		return v != nil
	}
	return false
}

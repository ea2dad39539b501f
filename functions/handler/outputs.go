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
		if s.f.RowsSorted {
			v = yamlkit.SortRows(v)
		}
		for i := range v {
			v[i].Index, v[i].FunctionName = s.index, s.name
		}
		return notNil(v)
	case api.ValidationResult:
		return label(api.ValidationResultList{v}, s)
	case api.ValidationResultList:
		for i := range v {
			v[i].Index, v[i].FunctionName = s.index, s.name
		}
		return notNil(v)
	case api.ResourceInfoList:
		return notNil(v)
	case api.ResourceList:
		return notNil(v)
	}
	return value
}

// notNil returns the list, which JSON prints as [] if it is empty.
func notNil[S ~[]E, E any](list S) S {
	if list == nil {
		return S{}
	}
	return list
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
	case api.ValidationResult:
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
	if results, ok := allOf[api.ValidationResult](parts); ok {
		whole := CombineResults(results)
		if sorted {
			rows := make([]api.AttributeValueList, len(results))
			for i := range results {
				rows[i] = results[i].FailedAttributes
			}
			whole.FailedAttributes = yamlkit.MergeRows(rows)
		}
		return whole
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
		whole.Ignored += result.Ignored
	}
	return whole
}

// passed reports whether a validation passed. A list passes if all of its results do.
func passed(output any) bool {
	switch v := output.(type) {
	case api.ValidationResult:
		return v.Passed
	case api.ValidationResultList:
		return CombineResults(v).Passed
	}
	return false
}

// locate sets the file in the positions of outputs.
func locate(outputs api.OutputList, file string) {
	in := func(rows api.AttributeValueList) {
		for i := range rows {
			if rows[i].Position != nil {
				rows[i].Position.File = file
			}
		}
	}
	for _, o := range outputs {
		switch list := o.Value.(type) {
		case api.AttributeValueList:
			in(list)
		case api.ValidationResultList:
			for _, result := range list {
				in(result.FailedAttributes)
				for _, u := range result.Unchecked {
					if u.Position != nil {
						u.Position.File = file
					}
				}
				for i := range result.Locations {
					result.Locations[i].Position.File = file
				}
			}
		}
	}
}

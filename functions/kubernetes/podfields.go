package kubernetes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// checkFields returns an error if data, which is to be merged into the part, would create a field
// that such a part does not have.
func (p *podPart) checkFields(provider configkit.ResourceProvider, each string, data any) error {
	fields, ok := provider.(yamlpath.FieldProvider)
	if !ok {
		return nil
	}
	return p.eachLeaf(data, nil, func(path []string, value any) error {
		segments := p.segmentsOf(path)
		if value == nil || p.doc.Exists(segments...) {
			return nil
		}
		own := fields.Field(p.info.ResourceType, yamlpath.Exactly(segments))
		if own.Known && (own.Missing < 0 || p.doc.Exists(segments[:own.Missing+1]...)) ||
			!own.Known && each == eachPod { // the pods of operators have more fields
			return nil
		}
		of := fields.Field("v1/Pod", yamlpath.Exactly(slices.Concat(p.inPod, path)))
		if !own.Known && (!of.Known || of.Missing < 0) {
			return nil
		}
		return p.noField(each, path, &of)
	})
}

// noField returns the error for a path that the part does not have. field is the field of a Pod.
func (p *podPart) noField(each string, path []string, field *yamlpath.Field) error {
	failure := &api.Failure{
		Class: api.FailureFunction, Resource: p.info.String(),
		Pos: p.doc.Search(p.segments...).Value().Position(),
		Message: fmt.Sprintf("a %s has no field %s", strings.ReplaceAll(each, "-", " "),
			configkit.Abbreviate(string(yamlpath.Join(path)))),
	}
	at := field.Missing - len(p.inPod)
	switch {
	case each != eachPod && slices.Contains([]string{"metadata", "spec"}, path[0]):
		failure.Hint = "the expression is about each container, unless pod follows it"
		if each != eachContainer {
			failure.Hint = "the expression is about pods if pod follows it, not " + each
		}
	case at >= 0:
		failure.Hint = configkit.DidYouMean("", configkit.Suggest(path[at], field.Keys))
	}
	return failure
}

// eachLeaf calls use for the values in data, each with its path. Of maps with entries these are the
// values of the entries.
func (p *podPart) eachLeaf(
	data any, path []string, use func(path []string, value any) error,
) error {
	entries, isMap := entriesOf(data)
	if !isMap || len(entries) == 0 && len(path) > 0 {
		return use(path, data)
	}
	for _, e := range entries {
		if err := p.eachLeaf(e.Value, append(slices.Clip(path), e.Key), use); err != nil {
			return err
		}
	}
	return nil
}

// entriesOf returns the entries of a map that an expression gives.
func entriesOf(data any) (gaby.Entries, bool) {
	entries, isMap := data.(gaby.Entries)
	if m, ok := data.(map[string]any); ok {
		isMap = true
		for _, key := range sortedKeys(m) {
			entries = append(entries, gaby.Entry{Key: key, Value: m[key]})
		}
	}
	return entries, isMap
}

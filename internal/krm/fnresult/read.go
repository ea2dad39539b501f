package fnresult

import (
	"fmt"
	"strconv"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Read reads the results in any of the three dialects that functions write: a plain list, a
// map with items as published functions write it, and older field names. Deviations from the
// specification are returned as notes.
func Read(v gaby.Value) (results []Result, notes []string, err error) {
	missing := SeverityError
	list := v
	switch v.Kind() {
	case gaby.Missing:
		return nil, nil, nil
	case gaby.Map:
		notes = append(notes, "results is a map with items; the specification has a list")
		missing, list = SeverityInfo, v.Get("items")
	case gaby.Scalar:
		if v.IsNull() {
			return nil, nil, nil
		}
	}
	if !list.Exists() || list.IsNull() {
		return nil, notes, nil
	}
	if list.Kind() != gaby.List {
		return nil, notes, &gaby.SyntaxError{Pos: list.Position(), Msg: "results must be a list"}
	}
	results = make([]Result, 0, list.Len())
	for _, entry := range list.All() {
		r := resultReader{notes: &notes, missing: missing}
		result, err := r.result(entry)
		if err != nil {
			return results, notes, err
		}
		results = append(results, result)
	}
	return results, notes, nil
}

// resultReader reads one result.
type resultReader struct {
	notes   *[]string
	missing Severity // of a result that does not say
}

func (r *resultReader) note(v gaby.Value, text string) {
	if pos := v.Position(); pos.Line > 0 {
		text = pos.String() + ": " + text
	}
	*r.notes = append(*r.notes, text)
}

func (r *resultReader) result(v gaby.Value) (Result, error) {
	if v.Kind() != gaby.Map {
		return Result{}, &gaby.SyntaxError{Pos: v.Position(), Msg: "an entry of results must be a map"}
	}
	result := Result{Message: text(v.Get("message"))}
	if result.Message == "" {
		r.note(v, "a result has no message")
	}
	result.Severity = r.severity(v.Get("severity"))
	result.implied = text(v.Get("severity")) == ""
	result.ResourceRef = r.resource(v.Get("resourceRef"))
	result.Field = r.field(v.Get("field"), result.ResourceRef)
	result.File = r.file(v.Get("file"))
	for tag := range v.Get("tags").Entries() {
		if result.Tags == nil {
			result.Tags = map[string]string{}
		}
		result.Tags[tag.Key()] = text(tag)
	}
	return result, nil
}

func (r *resultReader) severity(v gaby.Value) Severity {
	switch s := Severity(text(v)); s {
	case SeverityError, SeverityWarning, SeverityInfo:
		return s
	case "":
		return r.missing
	default:
		r.note(v, "the severity "+strconv.Quote(string(s))+" counts as error")
		return SeverityError
	}
}

func (r *resultReader) resource(v gaby.Value) *ResourceRef {
	if v.Kind() != gaby.Map {
		return nil
	}
	ref := &ResourceRef{
		APIVersion: text(v.Get("apiVersion")), Kind: text(v.Get("kind")),
		Name: text(v.Get("name")), Namespace: text(v.Get("namespace")),
	}
	if meta := v.Get("metadata"); meta.Kind() == gaby.Map {
		r.note(meta, "resourceRef has metadata; the specification has name and namespace")
		ref.Name, ref.Namespace = text(meta.Get("name")), text(meta.Get("namespace"))
	}
	if *ref == (ResourceRef{}) {
		r.note(v, "resourceRef is empty")
		return nil
	}
	return ref
}

func (r *resultReader) field(v gaby.Value, ref *ResourceRef) *ResultField {
	if v.Kind() != gaby.Map {
		return nil
	}
	f := &ResultField{
		Path: text(v.Get("path")), CurrentValue: v.Get("currentValue").Data(),
		ProposedValue: v.Get("proposedValue").Data(),
	}
	if old := v.Get("suggestedValue"); old.Exists() && f.ProposedValue == nil {
		r.note(old, "suggestedValue is called proposedValue in the specification")
		f.ProposedValue = old.Data()
	}
	if f.Path == "" {
		r.note(v, "field has no path")
		return nil
	}
	if ref == nil {
		r.note(v, "field without resourceRef")
	}
	return f
}

func (r *resultReader) file(v gaby.Value) *FileRef {
	if v.Kind() != gaby.Map {
		return nil
	}
	f := &FileRef{Path: text(v.Get("path"))}
	if f.Path == "" {
		r.note(v, "file has no path")
		return nil
	}
	if index := text(v.Get("index")); index != "" {
		n, err := strconv.Atoi(index)
		if err != nil || n < 0 || n > maxIndex {
			r.note(v, "the index "+strconv.Quote(index)+" of file is not a number from 0 on")
			n = 0
		}
		f.Index = n
	}
	return f
}

// maxIndex is the highest index of a document.
const maxIndex = 1_000_000_000

// text returns the text of a scalar, "" for null and anything else.
func text(v gaby.Value) string {
	if v.Kind() != gaby.Scalar || v.IsNull() {
		return ""
	}
	return v.Text()
}

// AsKpt returns results as a FunctionResultList has them: field values are strings, and a severity
// is one that the function gave.
func AsKpt(results []Result) []Result {
	texts := make([]Result, len(results))
	for i, r := range results {
		if r.implied {
			r.Severity = ""
		}
		if r.Field != nil {
			f := *r.Field
			f.CurrentValue, f.ProposedValue = TextOf(f.CurrentValue), TextOf(f.ProposedValue)
			r.Field = &f
		}
		texts[i] = r
	}
	return texts
}

// TextOf returns a value as a string, nil for nil. Maps and lists are YAML.
func TextOf(value any) any {
	switch v := value.(type) {
	case nil, string:
		return v
	case map[string]any, []any:
		doc, err := gaby.ParseYAML([]byte("x: 0\n"))
		if err == nil {
			if set, err := doc.Set(v, "x"); err == nil {
				return set.Value().YAML()
			}
		}
	}
	return fmt.Sprint(value)
}

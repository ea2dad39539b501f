package entity

import (
	"math"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/strict"
)

// maxDefinition is the maximum size of a definition in bytes. Annotations may be large.
const maxDefinition = 8 << 20

// Text is the text of a definition, in YAML or JSON.
type Text struct {
	Bytes []byte
	File  string // its name in messages, see diag.FileName
	// Body says that the text is not a file of the workspace but a whole entity, as -o json prints
	// it. What fctl records is then accepted and ignored, except for Version, which is returned.
	Body bool
}

// definitionReader reads one definition.
type definitionReader struct {
	strict.Reader
	text Text
}

func newReader(text Text) *definitionReader {
	return &definitionReader{Reader: strict.Reader{File: text.File}, text: text}
}

// read reads the fields of the definition. The error has the type Errors.
func (r *definitionReader) read(noun string, fields []strict.Field) error {
	if v := r.document(); v.Exists() {
		v.Object(noun, fields...)
	}
	return Problems(&r.Reader).Err()
}

// document parses the text. The value is missing if the text is not YAML or is empty.
func (r *definitionReader) document() (one strict.Value) {
	if len(r.text.Bytes) > maxDefinition {
		r.Report(gaby.Position{}, "", "the definition has more than %d bytes",
			maxDefinition).Kind = strict.Syntax
		return one
	}
	for _, v := range r.Documents(r.text.Bytes) {
		if one.Exists() {
			r.Report(v.Position(), "write one file for each",
				"a second definition begins here").Kind = strict.Syntax
			return strict.Value{}
		}
		one = v
	}
	if !one.Exists() && r.Count() == 0 {
		r.Report(gaby.Position{}, "", "the definition is empty").Kind = strict.Syntax
	}
	return one
}

// Problems returns the problems of a definitionReader with their codes.
func Problems(r *strict.Reader) Errors {
	var all Errors
	for _, p := range r.Problems() {
		code := Code(p.Code)
		switch {
		case code != "":
		case p.Kind == strict.Syntax:
			code = CodeParse
		case p.Kind == strict.Unknown:
			code = CodeUnknownField
		case p.Kind == strict.Type:
			code = CodeFieldType
		default:
			code = CodeFieldValue
		}
		f := p.Failure
		all = append(all, &Error{
			Code: code, Pos: f.Pos, Path: f.Path, Message: f.Message, Hint: f.Hint, Err: f.Err,
		})
	}
	return all
}

// recorded returns fields that fctl records. They do not belong into a definition file. A body may
// have them.
func (r *definitionReader) recorded(names ...string) []strict.Field {
	fields, refuse := strict.Unread(names...), r.refuse
	for i := range fields {
		fields[i].Read, fields[i].Recorded = refuse, true
	}
	return fields
}

// refuse reports a recorded field in a definition file.
func (r *definitionReader) refuse(v strict.Value) {
	if !r.text.Body {
		v.FailKey("remove the line", "%s is recorded by fctl and does not belong into a definition",
			v.Path).Code = string(CodeFieldNotAllowed)
	}
}

// scalar returns a string, an int64 or a bool.
func scalar(v strict.Value) any {
	switch value := v.Data().(type) {
	case string, bool:
		return value
	case int:
		return int64(value)
	case float64:
		if value == math.Trunc(value) && math.Abs(value) < 1<<53 && v.Tag() == "!!int" {
			return int64(value)
		}
	}
	v.Must("a text, a whole number or true or false", "").Kind = strict.Type
	return nil
}

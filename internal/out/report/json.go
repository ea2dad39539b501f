package report

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/parallel"
)

// Marshal returns a value as JSON indented by two, with a final newline and without escaping <, >
// and &.
func Marshal(value any) ([]byte, error) {
	return MarshalMasked(value, func(text []byte) []byte { return text })
}

// MarshalMasked is Marshal of a value in which mask replaces secret values.
func MarshalMasked(value any, mask func(text []byte) []byte) ([]byte, error) {
	text, err := marshal(value)
	return bytes.Join(safeJSON(Chunks{mask(bytes.Join(text, nil))}), nil), err
}

// marshal is Marshal in chunks. The lists that may have a row for every resource of a large unit
// are written on all cores.
func marshal(value any) (Chunks, error) {
	var text Chunks
	var err error
	switch v := value.(type) {
	case api.AttributeValueList:
		text, err = marshalRows(v, "")
	case api.ResourceMutationList:
		text, err = marshalRows(v, "")
	}
	if len(text) > 0 || err != nil {
		return append(append(Chunks{[]byte("[")}, text...), []byte("\n]\n")), err
	}
	line, err := encode(value, "")
	return Chunks{append(line, '\n')}, err
}

// encode writes a value with encoding/json. Lines after the first begin with prefix.
func encode(value any, prefix string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, "  ")
	err := enc.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// rowsOf returns the items of a list as rows. A value that is not a list is the only item, or has
// no rows without a unit.
func rowsOf(value any, unit string) (Chunks, error) {
	switch v := value.(type) {
	case api.AttributeValueList:
		return marshalRows(v, unit)
	case api.ResourceMutationList:
		return marshalRows(v, unit)
	}
	text, err := encode(value, "")
	if err != nil {
		return nil, err
	}
	switch {
	case text[0] != '[' && unit == "":
		return nil, nil
	case text[0] != '[':
		item := struct {
			Unit  string
			Value any
		}{unit, value}
		return marshalRows([]any{item}, "")
	}
	var items []json.RawMessage
	if err := json.Unmarshal(text, &items); err != nil {
		return nil, err
	}
	return marshalRows(items, unit)
}

// chunkRows is the number of rows that are worth a goroutine, and typicalRow the size of a row in
// bytes.
const (
	chunkRows  = 512
	typicalRow = 640
)

// marshalRows writes the rows of a list with the commas between them, in chunks. Each row begins
// with a newline.
func marshalRows[T any](rows []T, unit string) (Chunks, error) {
	n := (len(rows) + chunkRows - 1) / chunkRows
	texts := make(Chunks, n)
	return texts, parallel.Each(context.Background(), n, parallel.Cores(), func(i int) error {
		w := rowWriter{b: make([]byte, 0, chunkRows*typicalRow)}
		for j := i * chunkRows; j < min((i+1)*chunkRows, len(rows)); j++ {
			if j > 0 {
				w.b = append(w.b, ',')
			}
			w.b = append(w.b, "\n  "...)
			if err := w.row(&rows[j], unit); err != nil {
				return err
			}
		}
		texts[i] = w.b
		return nil
	})
}

// rowWriter writes rows of a list.
type rowWriter struct {
	b    []byte
	keys []string // see sortedKeys
}

// row writes a row. Its first field is the unit, unless that is empty. An item that is not an
// object is the field Value.
func (w *rowWriter) row(item any, unit string) error {
	switch v := item.(type) {
	case *api.AttributeValue:
		return w.attribute(v, unit)
	case *api.ResourceMutation:
		return w.mutation(v, unit)
	}
	text, err := encode(item, "  ")
	if err != nil || unit == "" {
		w.b = append(w.b, text...)
		return err
	}
	w.b = append(w.b, '{')
	w.text(fieldIndent, "Unit", unit)
	switch fields, isObject := bytes.CutPrefix(text, []byte("{")); {
	case !isObject:
		w.field(fieldIndent, "Value")
		text, err = encode(item, "    ")
		w.b = append(append(w.b, text...), "\n  }"...)
	case string(fields) == "}":
		w.b = append(w.b, "\n  }"...)
	default:
		w.b = append(append(w.b, ','), fields...)
	}
	return err
}

// The line breaks and the indentation before a field of a row, and of an object in a row.
const (
	fieldIndent  = "\n    "
	nestedIndent = "\n      "
)

// attribute writes a row with the bytes of encoding/json, which is many times slower. The order and
// the omissions of the fields are those of package api; a test compares them.
func (w *rowWriter) attribute(row *api.AttributeValue, unit string) error {
	w.b = append(w.b, '{')
	w.optional(fieldIndent, "Unit", unit)
	w.text(fieldIndent, "ResourceName", string(row.ResourceName))
	w.text(fieldIndent, "ResourceNameWithoutScope", string(row.ResourceNameWithoutScope))
	w.text(fieldIndent, "ResourceType", string(row.ResourceType))
	w.text(fieldIndent, "ResourceCategory", string(row.ResourceCategory))
	w.optional(fieldIndent, "ResourceMergeID", row.ResourceMergeID)
	w.text(fieldIndent, "Path", string(row.Path))
	if row.InLiveState {
		w.field(fieldIndent, "InLiveState")
		w.b = append(w.b, "true"...)
	}
	w.text(fieldIndent, "AttributeName", string(row.AttributeName))
	w.text(fieldIndent, "DataType", string(row.DataType))
	if row.Details != nil {
		w.field(fieldIndent, "Details")
		text, err := encode(row.Details, "    ")
		if err != nil {
			return err
		}
		w.b = append(w.b, text...)
	}
	w.field(fieldIndent, "Value")
	if err := w.value(row.Value); err != nil {
		return err
	}
	w.optional(fieldIndent, "Comment", row.Comment)
	w.number(fieldIndent, "Index", row.Index)
	w.optional(fieldIndent, "FunctionName", row.FunctionName)
	w.optional(fieldIndent, "Score", row.Score)
	if len(row.Issues) > 0 {
		w.field(fieldIndent, "Issues")
		if err := w.value(row.Issues); err != nil {
			return err
		}
	}
	if row.Position != nil {
		w.open("Position")
		w.optional(nestedIndent, "File", row.Position.File)
		w.number(nestedIndent, "Line", row.Position.Line)
		w.number(nestedIndent, "Column", row.Position.Column)
		w.close(fieldIndent)
	}
	w.b = append(w.b, "\n  }"...)
	return nil
}

// field begins a field.
func (w *rowWriter) field(indent, name string) {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.b = append(w.b, indent...)
	w.quote(name)
	w.b = append(w.b, ": "...)
}

func (w *rowWriter) text(indent, name, value string) {
	w.field(indent, name)
	w.quote(value)
}

func (w *rowWriter) optional(indent, name, value string) {
	if value != "" {
		w.text(indent, name, value)
	}
}

func (w *rowWriter) number(indent, name string, value int) {
	w.field(indent, name)
	w.b = strconv.AppendInt(w.b, int64(value), 10)
}

// value writes any value. It leaves all but strings and numbers to encoding/json.
func (w *rowWriter) value(value any) error {
	switch v := value.(type) {
	case string:
		w.quote(v)
		return nil
	case int:
		w.b = strconv.AppendInt(w.b, int64(v), 10)
		return nil
	}
	text, err := encode(value, "    ")
	w.b = append(w.b, text...)
	return err
}

// quote writes a string.
func (w *rowWriter) quote(s string) {
	start := len(w.b)
	w.b = append(w.b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			w.b = append(w.b, '\\', c)
		case c == '\n':
			w.b = append(w.b, `\n`...)
		case c < ' ' || c >= utf8.RuneSelf:
			text, _ := encode(s, "") // never fails for a string
			w.b = append(w.b[:start], text...)
			return
		default:
			w.b = append(w.b, c)
		}
	}
	w.b = append(w.b, '"')
}

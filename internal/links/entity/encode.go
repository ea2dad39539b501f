package entity

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// JSON returns the JSON of an entity, indented by two, with a final newline.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// YAML returns the same fields as JSON, in the same order, as YAML.
func YAML(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	value, err := Ordered(text)
	if err != nil {
		return nil, err
	}
	return Block(value)
}

// Block returns a value as YAML in the block style.
func Block(value any) ([]byte, error) {
	doc, err := gaby.ParseYAML([]byte("null\n")) // a {} would keep its style
	if err == nil {
		err = doc.SetData(value)
	}
	if err != nil {
		return nil, err
	}
	return doc.BytesWithNewline(), nil
}

// Ordered returns the value of a JSON text. Maps are gaby.Entries, in the order of the text.
func Ordered(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := next(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the value")
	}
	return v, nil
}

// next reads one value. encoding/json limits the depth.
func next(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '[' {
			return items(d)
		}
		return entries(d)
	case json.Number:
		if n, err := t.Int64(); err == nil {
			return int(n), nil
		}
		return t.Float64()
	}
	return token, nil
}

func items(d *json.Decoder) (any, error) {
	list := []any{}
	for d.More() {
		v, err := next(d)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.Token()
	return list, err
}

func entries(d *json.Decoder) (any, error) {
	all := gaby.Entries{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := next(d)
		if err != nil {
			return nil, err
		}
		all = append(all, gaby.Entry{Key: fmt.Sprint(key), Value: v})
	}
	_, err := d.Token()
	return all, err
}

// UnmarshalJSON reads a binding. Whole numbers are int64.
func (b *Binding) UnmarshalJSON(text []byte) error {
	type plain Binding
	if err := json.Unmarshal(text, (*plain)(b)); err != nil {
		return err
	}
	b.OriginalValue, b.LastValue = whole(b.OriginalValue), whole(b.LastValue)
	return nil
}

// whole returns a number of JSON as an int64 if it is whole.
func whole(v any) any {
	if f, ok := v.(float64); ok && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int64(f)
	}
	return v
}

// Whole turns the numbers of arguments that were read from JSON into ints.
func Whole(arguments []api.FunctionArgument) {
	for i := range arguments {
		if n, ok := whole(arguments[i].Value).(int64); ok {
			arguments[i].Value = int(n)
		}
	}
}

package formatkit_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// lines is a format in which a line is a key, a blank and a value.
type lines struct{ formatkit.FlatEdits[lines] }

// Parse returns the keys and values of a text with their spans.
func (lines) Parse(text formatkit.Text) ([]*formatkit.Node, error) {
	var entries []*formatkit.Node
	for at := 0; at < len(text); at = text.NextLine(at) {
		end := text.LineEnd(at)
		blank := bytes.IndexByte(text[at:end], ' ')
		if blank < 0 {
			return nil, text.Fail(at, "no blank after the key", "a line is: key value")
		}
		n := &formatkit.Node{
			Kind:    gaby.Scalar,
			KeySpan: formatkit.NewSpan(at, at+blank),
			Span:    text.Trim(formatkit.NewSpan(at+blank, end)),
			Entry:   formatkit.NewSpan(at, text.NextLine(at)),
			Head:    at,
		}
		n.Key, n.Value = text.Raw(n.KeySpan), text.Raw(n.Span)
		entries = append(entries, n)
	}
	return []*formatkit.Node{formatkit.Nest(entries)}, nil
}

// Scalar returns the text that is read back for a value.
func (lines) Scalar(value any) (any, error) {
	text, ok := formatkit.Untyped(value)
	if !ok || strings.TrimSpace(text) != text || strings.Contains(text, "\n") {
		return nil, formatkit.Refuse("", "a value is one line of text")
	}
	return text, nil
}

// CheckValue returns an error for maps and lists that cannot be written.
func (lines) CheckValue(root gaby.Value, path []string) error {
	return formatkit.CheckFlat(root, path)
}

// Key, Value and Line spell a key, a value and a new line.
func (lines) Key(key string) string { return key }

func (lines) Value(_ *formatkit.Writer, _ *formatkit.Node, value any) string {
	return fmt.Sprint(value)
}

func (lines) Line(_ *formatkit.Writer, _ *formatkit.Node, key string, value any, _ string) string {
	return key + " " + fmt.Sprint(value)
}

// A language parses a text into nodes with spans and spells new values. The converter does the
// rest: bytes that no edit touches stay as they are.
func ExampleConverter() {
	converter := formatkit.Converter[lines]{}
	_, err := converter.NativeToDocuments([]byte("host   web.example.com\nport\t80\n"))
	if err != nil {
		fmt.Println(err)
	}
	docs, err := converter.NativeToDocuments([]byte("host   web.example.com\nport   80\n"))
	if err != nil {
		panic(err)
	}
	if _, err := docs[0].Set("8080", "port"); err != nil {
		panic(err)
	}
	if _, err := docs[0].Set("shop", "user"); err != nil {
		panic(err)
	}
	text, err := converter.DocumentsToNative(docs)
	if err != nil {
		panic(err)
	}
	fmt.Print(string(text))
	// Output:
	// 2:1: no blank after the key
	// host   web.example.com
	// port   8080
	// user shop
}

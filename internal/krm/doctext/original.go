package doctext

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// encoded begins every encoded text: it names the encoding, and none is read as a number.
const encoded = "v1."

// Encode returns the text of a document as a word for an annotation, in which functions that look
// for values find none.
func Encode(text []byte) string { return encoded + base64.RawURLEncoding.EncodeToString(text) }

// Decode returns the document in a word, or the items of a list that is its only document. The word
// is not trusted. A text with a second document is an error, and so is one in which readers of YAML
// see different lines or values, and a list with other fields than a kubectl List: no function has
// seen the rest of it.
func Decode(word string) (gaby.Container, error) {
	word, ok := strings.CutPrefix(word, encoded)
	text, err := base64.RawURLEncoding.DecodeString(word)
	switch {
	case err != nil || !ok:
		return nil, errors.New("its encoding is unknown")
	case InvalidByte(text) < len(text):
		return nil, errors.New("it is not UTF-8")
	case HasDirective(text, true):
		return nil, errors.New("it has directives")
	case bytes.ContainsAny(text, "\u0085\u2028\u2029") ||
		bytes.Count(text, []byte("\r")) != bytes.Count(text, []byte("\r\n")):
		return nil, errors.New("it has unusual line endings")
	}
	docs, err := gaby.ParseAll(text)
	if err != nil {
		return nil, err
	}
	whole, err := gaby.ParseYAML(text)
	switch {
	case err != nil || len(docs) == 0 || !whole.IsMap():
		return nil, errors.New("it is not one resource")
	case !docs[0].IsDocument():
		for _, field := range whole.Value().All() {
			if !slices.Contains([]string{"apiVersion", "kind", "metadata", "items"}, field.Key()) {
				return nil, fmt.Errorf("its list has a field %q", field.Key())
			}
		}
	}
	for _, doc := range docs {
		doc.DropPositions()
		if err := doc.Check(); err != nil {
			return nil, err
		}
	}
	return docs, UniqueKeys(whole.Value())
}

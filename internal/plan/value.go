package plan

import (
	"strings"

	"github.com/fctl-dev/fctl/functions/handler"
)

// value decides what a word says as a value.
func (w *Walk) value(word string) (value, evaluator string, err error) {
	if path, ok := strings.CutPrefix(word, "file:"); ok {
		text, err := w.ReadFile(path)
		return string(text), "", err
	}
	value, evaluator = handler.ParseValue(word)
	return value, evaluator, nil
}

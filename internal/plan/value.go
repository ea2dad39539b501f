package plan

import (
	"strings"

	"github.com/fctl-dev/fctl/functions/api"
)

// value decides what a word says as a value.
func (w *Walk) value(word string) (value, evaluator string, err error) {
	prefix, rest, ok := strings.Cut(word, ":")
	if !ok {
		return word, "", nil
	}
	switch prefix {
	case "text":
		return rest, "", nil
	case "template":
		return rest, api.EvaluatorTemplate, nil
	case "cel":
		return rest, api.EvaluatorCEL, nil
	case "file":
		text, err := w.ReadFile(rest)
		return string(text), "", err
	}
	return word, "", nil
}

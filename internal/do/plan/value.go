package plan

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/shellwords"
)

// FilePath returns the path of a word file:PATH. A URL, file://..., is not such a word but a value.
func FilePath(word string) (path string, ok bool) {
	path, ok = strings.CutPrefix(word, "file:")
	return path, ok && !strings.HasPrefix(path, "//")
}

// ReadFunc reads the file that a value file:PATH names; "-" is the standard input.
type ReadFunc func(path string) ([]byte, error)

// valueOf returns the value of a word. The paths of files are relative to dir.
func valueOf(word, dir string, read ReadFunc) (value, evaluator string, err error) {
	path, isFile := FilePath(word)
	if !isFile {
		value, evaluator = handler.ParseValue(word)
		return value, evaluator, nil
	}
	if path != "" && path != "-" && !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	text, err := read(path)
	if f, ok := errors.AsType[*api.Failure](err); ok && f.Hint == "" &&
		f.Class == api.FailureInput {
		f.Hint = "for the literal text, write " + shellwords.Quote("text:"+word)
	}
	return string(text), "", err
}

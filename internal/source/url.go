package source

import (
	"regexp"
	"strings"

	"github.com/fctl-dev/fctl/internal/diag"
)

// urlError is the error for a URL where a path is expected. It wraps the error of a missing file,
// if there was one.
type urlError struct{ error }

func (urlError) Error() string   { return "URLs are not supported; fctl never uses the network" }
func (e urlError) Unwrap() error { return e.error }

func isURL(path string) bool { return strings.Contains(path, "://") }

// addURL adds a URL, which is not read.
func (w *walker) addURL(url string) {
	w.add(url, diag.Input(url, "curl -fsSL "+url+" | fctl do -f - FUNCTION", urlError{}))
}

// urlOf returns the URL that the path of a missing file was made from, or "": the path was joined
// with a directory, and cleaned.
func urlOf(path string) string {
	// Compiled here, because every start would pay for a variable of the package.
	m := regexp.MustCompile(`(?:^|[/\\])(https?):[/\\]+([^/\\].*)$`).FindStringSubmatch(path)
	if m == nil {
		return ""
	}
	return m[1] + "://" + strings.ReplaceAll(m[2], `\`, "/")
}

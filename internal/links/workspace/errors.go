package workspace

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

func quote(s string) string { return strconv.Quote(s) }

func notFound(code entity.Code, what, name string, known []string) *entity.Error {
	meant := configkit.Suggest(name, known)
	if _, slug, ok := strings.Cut(name, "/"); ok && len(meant) == 0 {
		meant = configkit.Suggest(slug, known)
	}
	return &entity.Error{
		Code: code, Message: "no " + what + " " + quote(name),
		Hint: configkit.DidYouMean("", meant),
	}
}

// fail returns a problem at a position.
func fail(at api.Position, code entity.Code, format string, args ...any) *entity.Error {
	return &entity.Error{Code: code, Pos: at, Message: fmt.Sprintf(format, args...)}
}

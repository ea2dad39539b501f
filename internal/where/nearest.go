package where

import (
	"errors"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// maxNearest is the maximum number of documents that Nearest looks at.
const maxNearest = 20

// Nearest returns the first path of an expression that leads to nothing in the documents and that
// their types do not have, and the path that is probably meant. Both are "" without one.
func (w *Expr) Nearest(provider configkit.ResourceProvider, docs gaby.Container) (path,
	near string,
) {
	if w == nil || w.root == nil {
		return "", ""
	}
	return w.root.nearest(provider, docs[:min(len(docs), maxNearest)])
}

func (c *clause) nearest(
	provider configkit.ResourceProvider, docs gaby.Container,
) (path, near string) {
	for i := range c.of {
		if path, near = c.of[i].nearest(provider, docs); near != "" {
			return path, near
		}
	}
	if t := c.term; c.join == isTerm && t.field == pathField && t.path != nil && t.op != nullOp {
		return t.path.String(), t.nearest(provider, docs)
	}
	return "", ""
}

// nearest returns the path that is probably meant by that of a term, or "".
func (t *whereTerm) nearest(provider configkit.ResourceProvider, docs gaby.Container) string {
	best, most := "", -1
	for _, field := range resourceFields() {
		if strings.EqualFold(t.path.String(), field) {
			best, most = "ConfigHub."+field, len(field)
		}
	}
	for _, doc := range docs {
		of, err := provider.ResourceTypeGetter(doc)
		if err != nil || doc.Check() != nil {
			continue
		}
		err = t.path.Resolve(doc.Value(), yamlpath.Options{},
			func(*yamlpath.Match) error { return errFound })
		if errors.Is(err, errFound) {
			return ""
		}
		near, common := yamlpath.Nearest(t.path, doc.Value())
		if near == "" || common <= most {
			continue
		}
		if fields, ok := provider.(yamlpath.FieldProvider); ok {
			if f := fields.Field(of, t.path); f.Known && f.Missing < 0 {
				return ""
			}
		}
		best, most = near, common
	}
	return best
}

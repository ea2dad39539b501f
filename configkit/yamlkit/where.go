package yamlkit

import (
	"fmt"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/api"
)

// Where is a parsed where-expression. It is immutable and can be used concurrently.
type Where struct{ text string }

// WhereError tells what is wrong with a where-expression, and in which column (counted in runes from 1).
type WhereError struct {
	Text   string
	Column int
	Msg    string
	Hint   string
}

func (e *WhereError) Error() string {
	return fmt.Sprintf("where-expression: column %d: %s", e.Column, e.Msg)
}

// ParseWhere compiles an expression. The error is a *WhereError.
func ParseWhere(text string) (*Where, error) {
	return nil, &WhereError{Text: text, Column: 1, Msg: "where-expressions are being written"}
}

// String is the expression.
func (w *Where) String() string { return w.text }

// AndWhere is the conjunction of expressions; nil ones are left out, and of nothing it is nil.
func AndWhere(all ...*Where) *Where {
	for _, w := range all {
		if w != nil {
			return w
		}
	}
	return nil
}

// MatchResource tells whether a document satisfies every term. An expression about ConfigHub.* alone is decided without
// scanning the document. Documents that are not resources do not match. A nil expression matches every resource.
func (w *Where) MatchResource(provider configkit.ResourceProvider, doc *gaby.YamlDoc) (bool, error) {
	_, err := provider.ResourceInfo(doc)
	return err == nil, nil
}

// Filter is where-filter: it tells whether resources of a type (* for all) exist for which every term is true of at least one
// place it leads to, and which documents these are.
func (w *Where) Filter(provider configkit.ResourceProvider, docs gaby.Container, t api.ResourceType) (passed bool, matching []*gaby.YamlDoc, err error) {
	return false, nil, nil
}

// SelectorWhere are the selectors of kubectl. Empty fields select everything.
type SelectorWhere struct {
	Kind      string // one kind, or several with commas between them; case does not matter
	Name      string
	Namespace string
	Labels    string // a label selector: a=b,c!=d,e in (f,g),h notin (i),j,!k
}

// Where is the expression that selects the same, nil when everything is selected. The error is a *WhereError.
func (s SelectorWhere) Where() (*Where, error) { return nil, nil }

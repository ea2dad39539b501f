// Package where implements where-expressions, which select resources by their values, and kubectl's
// label selectors. Amounts are compared by package quantity; paths are those of package yamlpath.
// With [Attributes], expressions select something else than resources.
//
// Layer: knowledge.
package where

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/quantity"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Expr is a parsed where-expression:
//
//	Where   = [ Or ] .
//	Or      = And { WS "OR" WS And } .
//	And     = Operand { WS "AND" WS Operand } .
//	Operand = Term | "(" Or ")" .
//	Term    = WPath [ WS ] Op [ WS ] Value | WPath WS "IS" WS [ "NOT" WS ] "NULL" .
//	WPath   = a path, with at most one ".|"; or ConfigHub.Field .
//	Field   = "ResourceName" | "ResourceNameWithoutScope" | "ResourceType" | "ResourceCategory"
//	        | "ResourceNameStableCore" .
//	Op      = "=" | "!=" | "<" | "<=" | ">" | ">=" | "LIKE" | "NOT LIKE" | "ILIKE"
//	        | "NOT ILIKE" | "~~" | "!~~" | "~~*" | "!~~*" | "~" | "~*" | "!~" | "!~*"
//	        | "IN" | "NOT IN" .
//	Value   = digits | "true" | "false" | "'" text "'"
//	        | "(" literal { "," literal } ")" .   the list for IN only
//
// The literal determines the type that the value must have: int, bool or string. IN compares the
// text of any scalar. LIKE supports % and _; ~ searches for a regular expression, and ~* ignores
// case. If a path leads to several values, one that matches is enough. A missing value matches
// nothing except IS NULL. After ".|", a missing value also matches the operators that negate (!=,
// !~, NOT IN and so on) if the path before ".|" leads somewhere.
//
// An Expr is immutable and safe for concurrent use.
type Expr struct {
	text string
	root *clause // nil without terms
}

// whereField says what a term compares: a path, or something known about a resource without its
// document.
type whereField uint8

const (
	pathField whereField = iota
	nameField
	scopelessNameField
	typeField
	categoryField
	stableCoreField
	attributeField
)

// whereTerm is a single comparison.
type whereTerm struct {
	field  whereField
	path   *yamlpath.Path
	holds  func(*gaby.YamlDoc) (bool, error) // instead of a path and an operator
	offset int                               // of the term in the text
	op     whereOp
	negate bool

	attribute *attribute // of attributeField

	literal literalKind
	text    string
	number  int
	truth   bool
	list    []string
	re      *regexp.Regexp
	amount  *quantity.Quantity // set for a path to resource requests or limits
}

type whereOp uint8

const (
	equalOp   whereOp = iota // with negate: !=
	lessOp                   // with negate: >=
	greaterOp                // with negate: <=
	matchOp                  // LIKE and ~, with re
	inOp
	nullOp
	keyOp // whether a map has a key
)

type literalKind uint8

const (
	textLiteral literalKind = iota
	intLiteral
	boolLiteral
)

// String returns the text of the expression.
func (w *Expr) String() string {
	if w == nil {
		return ""
	}
	return w.text
}

// And returns the conjunction of expressions. Nil expressions are ignored; if all are nil, so is
// the result.
func And(all ...*Expr) *Expr {
	var both *Expr
	for _, w := range all {
		switch {
		case w == nil || w.root == nil:
		case both == nil:
			both = w
		default:
			root := joined(joinAnd, []clause{*both.root, *w.root})
			both = &Expr{text: both.operand() + " AND " + w.operand(), root: &root}
		}
	}
	return both
}

// operand returns the text of an expression as an operand of AND.
func (w *Expr) operand() string {
	if w.root.join == joinOr {
		return "(" + w.text + ")"
	}
	return w.text
}

// Func returns an expression that holds for the documents for which holds returns true. text is
// what messages call it.
func Func(text string, holds func(*gaby.YamlDoc) (bool, error)) *Expr {
	root := termClause(&whereTerm{holds: holds})
	return &Expr{text: text, root: &root}
}

// stableNamer is implemented by providers whose resource names have a part that changes from
// version to version.
type stableNamer interface {
	ResourceNameStableCore(doc *gaby.YamlDoc) api.ResourceName
}

// MatchResource reports whether a document satisfies the expression. If its ConfigHub fields decide
// that, the document is not scanned, except for ResourceNameStableCore. Documents that are not
// resources do not match; without terms everything matches.
func (w *Expr) MatchResource(provider configkit.ResourceProvider, doc *gaby.YamlDoc) (bool, error) {
	if w == nil || w.root == nil {
		return true, nil
	}
	info, err := yamlpath.ResourceInfo(doc, provider)
	if info == nil || err != nil {
		return false, err
	}
	return w.match(provider, doc, info)
}

// match is MatchResource for a document that is a resource.
func (w *Expr) match(
	provider configkit.ResourceProvider, doc *gaby.YamlDoc, info *api.ResourceInfo,
) (bool, error) {
	if w == nil || w.root == nil {
		return true, nil
	}
	m := matcher{provider: provider, doc: doc, info: info}
	ok, err := m.clause(w.root)
	if err != nil {
		return false, yamlpath.Locate(err, info)
	}
	return ok, nil
}

// MatchValue reports whether a value satisfies the expression, whose paths begin there. Nothing is
// known about it as a resource.
func (w *Expr) MatchValue(provider configkit.ResourceProvider, v gaby.Value) (bool, error) {
	if w == nil || w.root == nil {
		return true, nil
	}
	m := matcher{provider: provider, doc: v.Doc(), info: &api.ResourceInfo{}, checked: true}
	return m.clause(w.root)
}

// matcher decides about one resource.
type matcher struct {
	provider configkit.ResourceProvider
	doc      *gaby.YamlDoc
	info     *api.ResourceInfo
	checked  bool                           // the whole document has been scanned
	value    func(attribute string) Operand // instead of a resource
}

// clause reports whether a clause holds. It looks no further than necessary.
func (m *matcher) clause(c *clause) (bool, error) {
	if c.join == isTerm {
		return m.term(c.term)
	}
	for i := range c.of {
		ok, err := m.clause(&c.of[i])
		if err != nil || ok == (c.join == joinOr) {
			return ok, err
		}
	}
	return c.join == joinAnd, nil
}

// term reports whether a term holds.
func (m *matcher) term(t *whereTerm) (bool, error) {
	switch t.field {
	case attributeField:
		return t.matchAttribute(m.value(t.attribute.name)), nil
	case nameField:
		return t.matchText(string(m.info.ResourceName)), nil
	case scopelessNameField:
		return t.matchText(string(m.info.ResourceNameWithoutScope)), nil
	case typeField:
		return t.matchText(string(m.info.ResourceType)), nil
	case categoryField:
		return t.matchText(string(m.info.ResourceCategory)), nil
	}
	if !m.checked {
		if err := m.doc.Check(); err != nil {
			return false, err
		}
		m.checked = true
	}
	switch {
	case t.field == stableCoreField:
		name := m.info.ResourceNameWithoutScope
		if p, ok := m.provider.(stableNamer); ok {
			name = p.ResourceNameStableCore(m.doc)
		}
		return t.matchText(string(name)), nil
	case t.holds != nil:
		return t.holds(m.doc)
	}
	return t.matchPath(m.provider, m.doc.Value(), m.info.ResourceType)
}

// Filter implements where-filter. It returns the resources of type t (* for all) for which the
// expression holds, and the number of resources examined.
// Errors are joined; documents without an error are still decided.
func (w *Expr) Filter(
	provider configkit.ResourceProvider, docs gaby.Container, t api.ResourceType,
) (matching []*gaby.YamlDoc, seen int, err error) {
	var problems []error
	for _, doc := range docs {
		of, err := provider.ResourceTypeGetter(doc)
		if err == nil && t != of && t != api.ResourceTypeAny {
			continue
		}
		info, err := yamlpath.ResourceInfo(doc, provider)
		if err != nil {
			problems = append(problems, err)
		}
		if info == nil {
			continue
		}
		seen++
		matches, err := w.match(provider, doc, info)
		if err != nil {
			problems = append(problems, err)
		}
		if matches {
			matching = append(matching, doc)
		}
	}
	return matching, seen, errors.Join(problems...)
}

// errFound stops a search.
var errFound = errors.New("found")

// matchPath reports whether the term holds for a value that its path leads to.
func (t *whereTerm) matchPath(
	provider configkit.ResourceProvider, root gaby.Value, of api.ResourceType,
) (bool, error) {
	if v, ok := t.path.Follow(root); ok && t.path.EmbeddedPath() == "" && t.path.Optional() < 0 {
		return t.matchValue(v, nil), nil
	}
	var options yamlpath.Options
	if t.path.EmbeddedPath() != "" {
		accessor, err := accessorAt(provider, of, t.path)
		if err != nil {
			return false, err
		}
		options.Accessor = accessor
	}
	found := false
	err := t.path.Resolve(root, options, func(m *yamlpath.Match) error {
		found = true
		accessor := options.Accessor
		if accessor != nil {
			accessor = yamlpath.ForKey(accessor, m.Segments[len(m.Segments)-1])
		}
		if t.matchValue(m.Value, accessor) {
			return errFound
		}
		return nil
	})
	if errors.Is(err, errFound) {
		return true, nil
	}
	// IS NULL also holds if something before the last segment is missing, unless a ".|" says that
	// it must exist.
	return err == nil && !found && t.op == nullOp && !t.negate && t.path.Optional() < 0, err
}

// accessorAt returns the accessor registered for a path of a type, or the one for texts.
func accessorAt(
	provider configkit.ResourceProvider, of api.ResourceType, path *yamlpath.Path,
) (yamlpath.Accessor, error) {
	info := provider.PathInfo(of, api.UnresolvedPath(path.String()))
	if info == nil || info.EmbeddedAccessorType == api.EmbeddedAccessorNone {
		info = &api.PathVisitorInfo{EmbeddedAccessorType: api.EmbeddedAccessorText}
	}
	return yamlpath.CompilerOf(provider).CompileAccessor(
		info.EmbeddedAccessorType, info.EmbeddedAccessorConfig,
	)
}

// matchValue reports whether the term holds for a value. Null counts as missing.
func (t *whereTerm) matchValue(v gaby.Value, accessor yamlpath.Accessor) bool {
	if !v.Exists() || v.IsNull() {
		switch t.op {
		case nullOp:
			return !t.negate
		case equalOp, matchOp, inOp: // !=, !~, NOT IN and so on after ".|"
			return t.negate && t.path.Optional() >= 0
		}
		return false
	}
	if t.op == nullOp {
		return t.negate
	}
	if v.Kind() != gaby.Scalar {
		return false
	}
	if accessor != nil {
		part, ok := accessor.Extract(v.Text(), t.path.EmbeddedPath())
		switch typed := part.(type) {
		case string:
			return ok && t.matchText(typed)
		case int:
			return ok && t.literal == intLiteral && t.compare(cmp.Compare(typed, t.number))
		case bool:
			return ok && t.literal == boolLiteral && (typed == t.truth) != t.negate
		}
		return false
	}
	if t.op == inOp {
		return slices.ContainsFunc(t.list, v.EqualText) != t.negate
	}
	switch t.literal {
	case intLiteral:
		n, ok := v.Data().(int)
		return ok && v.Tag() == "!!int" && t.compare(cmp.Compare(n, t.number))
	case boolLiteral:
		b, ok := v.Data().(bool)
		return ok && (b == t.truth) != t.negate // the parser allows only = and !=
	}
	if t.amount != nil {
		if amount, ok := quantity.Parse(v.Text()); ok {
			return t.compare(amount.Compare(*t.amount))
		}
	}
	switch v.Tag() {
	case "!!int", "!!bool", "!!float":
		return false
	}
	if t.op == equalOp {
		return v.EqualText(t.text) != t.negate
	}
	return t.matchText(v.Text())
}

// matchText reports whether the term holds for a string.
func (t *whereTerm) matchText(text string) bool {
	switch t.op {
	case inOp:
		return slices.Contains(t.list, text) != t.negate
	case matchOp:
		return t.re.MatchString(text) != t.negate
	case nullOp:
		return t.negate
	}
	return t.literal == textLiteral && t.compare(strings.Compare(text, t.text))
}

// compare reports whether the result of a comparison satisfies the operator.
func (t *whereTerm) compare(order int) bool {
	switch t.op {
	case lessOp:
		return (order < 0) != t.negate
	case greaterOp:
		return (order > 0) != t.negate
	}
	return (order == 0) != t.negate
}

// Error reports what is wrong with a where-expression. Column counts runes from 1.
type Error struct {
	Text   string
	Column int
	Msg    string
	Hint   string
	// UnknownField says that the text can be parsed, but there is no field ConfigHub.NAME or no
	// such attribute.
	UnknownField bool
}

func (e *Error) Error() string {
	return fmt.Sprintf("column %d: %s", e.Column, e.Msg)
}

// Expression returns the text and the column of the error.
func (e *Error) Expression() (text string, column int) { return e.Text, e.Column }

package handler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/cel"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/where"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// parseWhere parses a where-expression. It returns nil for "". The error is a *where.Error.
func parseWhere(text string) (*where.Expr, error) {
	if text == "" {
		return nil, nil
	}
	if n := utf8.RuneCountInString(text); n > api.MaxWhereLength {
		return nil, &where.Error{
			Text: text, Column: api.MaxWhereLength + 1,
			Msg: fmt.Sprintf("the expression has %d characters, at most %d are allowed", n,
				api.MaxWhereLength),
		}
	}
	return where.Parse(text)
}

// only returns the expression that holds for the resources of a selection.
func (h *FunctionHandler) only(selected Selection) *where.Expr {
	provider := configkit.Nameless{ResourceProvider: h.provider}
	return where.Func("selected by name", func(doc *gaby.YamlDoc) (bool, error) {
		info, err := yamlpath.ResourceInfo(doc, provider)
		return err == nil && info != nil && selected[info.ResourceType][info.ResourceName], err
	})
}

func newSelectorPrograms() *expression.Programs[*cel.Expression] {
	return expression.NewPrograms(cel.Language, func(text string) (*cel.Expression, error) {
		return cel.Compile(text, cel.Bool)
	})
}

// parseCEL compiles a WhereCEL. It returns nil for "". The error is one or several (joined)
// *expression.Error.
func (h *FunctionHandler) parseCEL(fc *api.FunctionContext, text string) (*where.Expr, error) {
	if text == "" {
		return nil, nil
	}
	program, err := h.selectors.Get(text)
	if err != nil {
		return nil, err
	}
	ctx := fc.Context()
	scope := &expression.Scope{
		Params: map[string]any{}, Context: expression.Context(fc),
	}
	return where.Func(text, func(doc *gaby.YamlDoc) (bool, error) {
		ok, err := program.Holds(expression.In(ctx, doc, nil), doc.Value(), scope)
		if err != nil {
			return false, expression.FailureIn(doc, err)
		}
		return ok, nil
	}), nil
}

// parseConditions returns the expression that says which resources a request is about.
func (h *FunctionHandler) parseConditions(
	fc *api.FunctionContext, request *api.FunctionInvocationRequest,
) (*where.Expr, error) {
	expr, err := parseWhere(request.WhereResource)
	if err != nil {
		return nil, err
	}
	condition, err := h.parseCEL(fc, request.WhereCEL)
	return where.And(expr, condition), err
}

// Selected returns the documents for which a where-expression and a CEL expression are true; an
// empty one holds for all.
func (h *FunctionHandler) Selected(
	documents gaby.Container, whereResource, whereCEL string,
) (gaby.Container, error) {
	expr, err := h.parseConditions(&api.FunctionContext{ToolchainType: h.provider.ToolchainType()},
		&api.FunctionInvocationRequest{WhereResource: whereResource, WhereCEL: whereCEL})
	if err != nil || expr == nil {
		return documents, err
	}
	s := &documentSelector{
		provider: configkit.Nameless{ResourceProvider: h.provider}, where: expr,
		met: map[*gaby.YamlDoc]bool{}, ctx: context.Background(),
	}
	return s.of(documents, nil)
}

// documentSelector decides which documents the functions of a chain see. It must not be used
// concurrently.
//
// The expression of the request says what the chain is about. It is evaluated once for each
// document, when the chain first meets it: a function that changes what the expression looks at
// does not hide the document from later functions. The expression of an invocation says what that
// function is about, and is evaluated on the documents as they are at that moment.
type documentSelector struct {
	provider configkit.ResourceProvider
	where    *where.Expr // of the request
	met      map[*gaby.YamlDoc]bool
	ctx      context.Context // of the function that runs
}

// grow counts bytes that the running function adds to documents.
func (s *documentSelector) grow(bytes int) error { return limit.Grow(s.ctx, int64(bytes)) }

// added notes the documents that a function added to the others.
func (s *documentSelector) added(before, after gaby.Container) error {
	if slices.Equal(before, after) {
		return nil
	}
	had := map[*gaby.YamlDoc]bool{}
	for _, doc := range before {
		had[doc] = true
	}
	size := 0
	for i, doc := range after {
		if !had[doc] {
			size += len(doc.Bytes())
			after[i : i+1].LimitGrowth(s.grow)
		}
	}
	return s.grow(size)
}

// newSelector returns a selection for one run of the chain. Every part has its own.
func (r *run) newSelector(provider configkit.ResourceProvider) *documentSelector {
	s := &documentSelector{
		provider: configkit.Nameless{ResourceProvider: provider}, where: r.where, ctx: r.ctx,
	}
	if s.where != nil {
		s.met = map[*gaby.YamlDoc]bool{}
	}
	return s
}

// of returns the documents that a step sees. Without expressions it is the container itself.
func (s *documentSelector) of(documents gaby.Container, where *where.Expr) (gaby.Container, error) {
	if s.where == nil && where == nil {
		return documents, nil
	}
	selected := make(gaby.Container, 0, len(documents))
	var problems []error
	for _, doc := range documents {
		ok, err := s.selects(doc, where)
		if err != nil {
			problems = append(problems, err)
		}
		if ok {
			selected = append(selected, doc)
		}
	}
	return selected, errors.Join(problems...)
}

// selects reports whether a step whose own expression is where sees the document.
func (s *documentSelector) selects(doc *gaby.YamlDoc, where *where.Expr) (bool, error) {
	info, _ := yamlpath.ResourceInfo(doc, s.provider) // the expressions report what is wrong with it
	if expression.At(s.ctx, doc, info) {
		return false, nil
	}
	if s.where != nil {
		ok, met := s.met[doc]
		if !met {
			var err error
			if ok, err = s.where.MatchResource(s.provider, doc); err != nil {
				return false, err
			}
			s.met[doc] = ok
		}
		if !ok {
			return false, nil
		}
	}
	if where == nil {
		return true, nil
	}
	return where.MatchResource(s.provider, doc)
}

// mergeBack replaces the selected documents of a unit by what a function made of them. If the
// function returned as many documents as it got, each takes the position of the selected one.
// Otherwise the selected documents that are left keep their positions, and added ones follow the
// document they came after in made. Those added after the last one go to the end of the unit.
func mergeBack(documents, selected, made gaby.Container) gaby.Container {
	if slices.Equal(selected, made) {
		return documents
	}
	was := make(map[*gaby.YamlDoc]bool, len(selected))
	for _, doc := range selected {
		was[doc] = true
	}
	oneByOne := len(made) == len(selected)
	var before gaby.Container
	var groups []gaby.Container // a document with a position, and those that follow it
	stays := make(map[*gaby.YamlDoc]bool, len(made))
	for _, doc := range made {
		stays[doc] = true
		switch last := len(groups) - 1; {
		case oneByOne || was[doc]:
			groups = append(groups, gaby.Container{doc})
		case last < 0:
			before = append(before, doc)
		default:
			groups[last] = append(groups[last], doc)
		}
	}
	if len(groups) == 0 { // no selected document is left
		groups = append(groups, nil)
	}
	groups[0] = append(before, groups[0]...)
	// The documents added after the last selected one go to the end of the unit, so they are split
	// off the last group.
	last := groups[len(groups)-1]
	end := len(last)
	for end > 0 && !oneByOne && !was[last[end-1]] {
		end--
	}
	groups[len(groups)-1] = last[:end]
	merged := make(gaby.Container, 0, len(documents)+len(made))
	for _, doc := range documents {
		switch {
		case !was[doc]:
			merged = append(merged, doc)
		case oneByOne || stays[doc]:
			merged, groups = append(merged, groups[0]...), groups[1:]
		}
	}
	merged = append(merged, slices.Concat(groups...)...) // documents that were returned twice
	return append(merged, last[end:]...)
}

// nearestOf returns what is probably meant by an expression that selects none of the documents, or
// "".
func nearestOf(
	provider configkit.ResourceProvider, expr *where.Expr, documents gaby.Container,
) string {
	if nameless, ok := provider.(configkit.Nameless); ok {
		provider = nameless.ResourceProvider
	}
	_, near := expr.Nearest(provider, documents)
	return near
}

// Package yq evaluates yq expressions on resources with yq's own library.
//
// The rules of this package:
//   - yq and documents exchange text, one resource at a time.
//   - What yq did to a resource becomes edits if they have the same result (see apply.go).
//     Otherwise yq's text replaces the resource.
//   - Operators that access the machine are refused.
//
// Layer: languages.
package yq

import (
	"bytes"
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mikefarah/yq/v4/pkg/yqlib"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
)

// Language is the name of the language in errors.
const Language = "yq"

// hermetic is the parser that the library uses for all expressions, including those in strings and
// in eval. It refuses operators that are not hermetic.
type hermetic struct {
	yqlib.ExpressionParserInterface
}

// refusedError reports an operator that is not allowed.
type refusedError struct{ operator, why string }

func (e *refusedError) Error() string { return e.operator + " " + e.why }

// ParseExpression implements yqlib.ExpressionParserInterface.
func (p hermetic) ParseExpression(text string) (*yqlib.ExpressionNode, error) {
	node, err := p.ExpressionParserInterface.ParseExpression(text)
	if err != nil {
		return nil, err
	}
	return node, refuse(node)
}

// refuse returns an error for each operator in the expression that is not allowed.
func refuse(node *yqlib.ExpressionNode) error {
	if node == nil {
		return nil
	}
	if node.Operation != nil && node.Operation.OperationType != nil {
		if why, ok := refusal(node.Operation.OperationType.Type); ok {
			return &refusedError{strings.TrimSpace(node.Operation.StringValue), why}
		}
	}
	return errors.Join(refuse(node.LHS), refuse(node.RHS))
}

// refusal returns why an operator, given by the library's name for it, is not allowed.
func refusal(operator string) (why string, refused bool) {
	switch operator {
	case "ENV", "ENVSUBST":
		return "reads the environment, which functions do not see", true
	case "LOAD", "LOAD_STRING":
		return "reads files, which functions do not see", true
	case "SYSTEM":
		return "runs programs, which functions do not do", true
	case "NOW", "SHUFFLE":
		return "depends on the time, so that the same input does not give the same output", true
	case "TIMEZONE", "FROM_UNIX":
		return "depends on the time zones of the machine", true
	case "GET_FILENAME", "GET_FILE_INDEX", "GET_DOCUMENT_INDEX":
		return "is not known here: every resource is evaluated by itself", true
	}
	return "", false
}

// library sets the global variables of the library.
//
//nolint:gochecknoglobals // made once, when the first expression is compiled
var library = sync.OnceFunc(func() {
	yqlib.ConfiguredSecurityPreferences = yqlib.SecurityPreferences{
		DisableEnvOps: true, DisableFileOps: true,
	}
	yqlib.GetLogger().SetSlogger(slog.New(slog.DiscardHandler))
	yqlib.InitExpressionParser()
	yqlib.ExpressionParser = hermetic{yqlib.ExpressionParser}
})

// Expression is a valid expression. It is safe for concurrent use.
type Expression struct {
	expression.Source
	// styled says that the expression is about styles of values. They are compared only then,
	// because yq does not preserve all of them.
	styled bool
	// commented says that the expression is about comments. For other expressions it is enough that
	// no comment is lost, because yq moves the comments below a key without a value to the next
	// key.
	commented bool
	// calculates says that the expression calculates with numbers, and makes no texts of them.
	calculates bool
}

// Compile parses an expression. The error is an *[expression.Error].
func Compile(text string) (*Expression, error) {
	library()
	p := &Expression{Source: expression.Source{Language: Language, Text: text}}
	if strings.TrimSpace(text) == "" {
		problem := p.Fail(0, "the expression is empty")
		problem.Hint = ". is the resource itself"
		return nil, problem
	}
	node, err := yqlib.ExpressionParser.ParseExpression(text)
	if err != nil {
		return nil, p.compileError(err)
	}
	p.styled = has(node, "ASSIGN_STYLE")
	p.commented = has(node, "ASSIGN_COMMENT")
	p.calculates = !has(node, "TO_STRING", "STRING_INT") && has(node, "ADD", "ADD_ASSIGN", "SUBTRACT",
		"SUBTRACT_ASSIGN", "MULTIPLY", "MULTIPLY_ASSIGN", "DIVIDE", "MODULO", "COMPARE")
	return p, nil
}

// has reports whether an expression has one of some operators, given by the library's names for them.
func has(node *yqlib.ExpressionNode, operators ...string) bool {
	return node != nil && (slices.Contains(operators, node.Operation.OperationType.Type) ||
		has(node.LHS, operators...) || has(node.RHS, operators...))
}

// compileError turns an error of the library into an *[expression.Error]. The library seldom
// reports a position, so the error's column is searched for.
func (p *Expression) compileError(err error) error {
	problem := p.Failed(err)
	problem.Msg = strings.TrimPrefix(problem.Msg, "bad expression, ")
	if refused, ok := errors.AsType[*refusedError](err); ok {
		problem.Msg = refused.Error()
		problem.Column = p.columnOf(refused.operator)
		return problem
	}
	// Errors of the lexer have a position: 1:5: lexer: invalid input text "..."
	if words := strings.SplitN(problem.Msg, ":", 3); len(words) == 3 {
		line, lineErr := strconv.Atoi(words[0])
		character, characterErr := strconv.Atoi(words[1])
		if lineErr == nil && characterErr == nil {
			problem.Column = p.At(line, character)
			problem.Msg = strings.TrimPrefix(strings.TrimSpace(words[2]), "lexer: ")
			return problem
		}
	}
	// such as: '=' expects 2 args but there is 1
	if rest, ok := strings.CutPrefix(problem.Msg, "'"); ok {
		operator, _, _ := strings.Cut(rest, "'")
		problem.Column = p.columnOf(operator)
		return problem
	}
	problem.Column = unmatched(p.Text)
	return problem
}

// columnOf returns the column of the first occurrence of word, or 0.
func (p *Expression) columnOf(word string) int {
	if i := strings.Index(p.Text, word); word != "" && i >= 0 {
		return len([]rune(p.Text[:i])) + 1
	}
	return 0
}

// unmatched returns the column of the first closing bracket that does not match, or else of the
// innermost bracket that is never closed. It returns 0 if all brackets match.
func unmatched(text string) int {
	var open []int
	var openings []rune
	quoted := false
	for i, r := range []rune(text) {
		switch {
		case r == '"':
			quoted = !quoted
		case quoted:
		case strings.ContainsRune("([{", r):
			open, openings = append(open, i+1), append(openings, r)
		case strings.ContainsRune(")]}", r):
			last := len(open) - 1
			if last < 0 || strings.IndexRune("([{", openings[last]) != strings.IndexRune(")]}", r) {
				return i + 1
			}
			open, openings = open[:last], openings[:last]
		}
	}
	if len(open) > 0 {
		return open[len(open)-1]
	}
	return 0
}

// Run is an expression with its parameters, which the expression calls $params. It must not be used
// concurrently.
type Run struct {
	program   *Expression
	node      *yqlib.ExpressionNode
	variables map[string]*list.List
	prefs     yqlib.YamlPreferences
	watch     *limit.Watch // of the evaluation
}

// Bind returns the expression with values for its parameters.
func (p *Expression) Bind(params map[string]any) (*Run, error) {
	node, err := yqlib.ExpressionParser.ParseExpression(p.Text)
	if err != nil {
		return nil, p.compileError(err)
	}
	text, err := expression.YAML(params)
	if err != nil {
		return nil, p.problem(err)
	}
	r := &Run{program: p, node: node, prefs: yqlib.NewDefaultYamlPreferences()}
	r.interruptible(node)
	value, err := r.decode([]byte(text))
	if err != nil {
		return nil, p.problem(err)
	}
	variable := list.New()
	variable.PushBack(value)
	r.variables = map[string]*list.List{"params": variable}
	return r, nil
}

// problem turns an error into an *[expression.Error] about the expression.
func (p *Expression) problem(err error) *expression.Error {
	_, limited := errors.AsType[*limit.Error](err)
	if limited || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return p.Ended(err)
	}
	// the library wraps errors of expressions within the expression
	if refused, ok := errors.AsType[*refusedError](err); ok {
		err = refused
	}
	return p.Failed(err)
}

// decode parses a YAML document as yq does.
func (r *Run) decode(text []byte) (*yqlib.CandidateNode, error) {
	decoder := yqlib.NewYamlDecoder(r.prefs)
	if err := decoder.Init(bytes.NewReader(text)); err != nil {
		return nil, err
	}
	node, err := decoder.Decode()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the document is empty")
	}
	if err == nil && r.program.calculates {
		respell(node, "0", "0o")
	}
	return node, err
}

// respell replaces the prefix of octal numbers. Kubernetes reads 0644 as YAML 1.1 does, while yq
// takes that for a decimal number and knows octal ones as 0o644.
func respell(n *yqlib.CandidateNode, from, to string) {
	if n.Kind == yqlib.ScalarNode && n.Tag == "!!int" {
		digits, ok := strings.CutPrefix(n.Value, from)
		if ok && digits != "" && strings.Trim(digits, "01234567") == "" {
			n.Value = to + digits
		}
	}
	for _, child := range n.Content {
		respell(child, from, to)
	}
}

// interruptible makes the operators of an expression ask whether the evaluation has to end.
func (r *Run) interruptible(node *yqlib.ExpressionNode) {
	if node == nil {
		return
	}
	r.interruptible(node.LHS)
	r.interruptible(node.RHS)
	t := *node.Operation.OperationType
	switch t.Type {
	case "ASSIGN_VARIABLE", "BLOCK", "CREATE_MAP", "TRAVERSE_ARRAY", "UNION":
		return // other operators know these by their address
	}
	if t.Handler != nil {
		t.Handler = asking(t.Handler, r.mayGoOn)
	}
	operation := *node.Operation
	operation.OperationType = &t
	node.Operation = &operation
}

// mayGoOn returns an error if the evaluation has to end, or before an operator whose regular
// expression is too large.
func (r *Run) mayGoOn(in yqlib.Context, node *yqlib.ExpressionNode) error {
	if err := r.watch.Err(); err != nil {
		return err
	}
	switch node.Operation.OperationType.Type {
	case "TEST", "MATCH", "CAPTURE", "SUBSTR":
	default:
		return nil
	}
	text := node.RHS
	if text.Operation.OperationType.Type == "BLOCK" { // match(text; "g")
		text = text.LHS
	}
	found, err := yqlib.NewDataTreeNavigator().GetMatchingNodes(in.ReadOnlyClone(), text)
	if err != nil || found.MatchingNodes.Front() == nil {
		return err
	}
	return pattern.Check(found.MatchingNodes.Front().Value.(*yqlib.CandidateNode).Value)
}

// asking returns an operator that asks first whether the evaluation may go on. The library does
// not export the type N of its first parameter.
func asking[N any](
	operator func(N, yqlib.Context, *yqlib.ExpressionNode) (yqlib.Context, error),
	mayGoOn func(yqlib.Context, *yqlib.ExpressionNode) error,
) func(N, yqlib.Context, *yqlib.ExpressionNode) (yqlib.Context, error) {
	return func(n N, in yqlib.Context, node *yqlib.ExpressionNode) (yqlib.Context, error) {
		if err := mayGoOn(in, node); err != nil {
			return yqlib.Context{}, err
		}
		return operator(n, in, node)
	}
}

// evaluate returns the results for a resource.
func (r *Run) evaluate(node *yqlib.CandidateNode) (results []*yqlib.CandidateNode, err error) {
	defer func() { // the library may panic
		if p := recover(); p != nil {
			err = fmt.Errorf("the evaluation panicked: %v", p)
		}
	}()
	input := list.New()
	input.PushBack(node)
	found, err := yqlib.NewDataTreeNavigator().GetMatchingNodes(yqlib.Context{
		MatchingNodes: input, Variables: r.variables,
	}, r.node)
	if err != nil {
		return nil, err
	}
	for e := found.MatchingNodes.Front(); e != nil; e = e.Next() {
		results = append(results, e.Value.(*yqlib.CandidateNode))
	}
	return results, nil
}

// print prints results like yq.
func (r *Run) print(results ...*yqlib.CandidateNode) (text []byte, err error) {
	defer func() { // the library may panic
		if p := recover(); p != nil {
			err = fmt.Errorf("printing panicked: %v", p)
		}
	}()
	nodes := list.New()
	for _, n := range results {
		if r.program.calculates {
			respell(n, "0o", "0")
			defer respell(n, "0", "0o")
		}
		nodes.PushBack(n)
	}
	var b bytes.Buffer
	err = yqlib.NewPrinter(yqlib.NewYamlEncoder(r.prefs),
		yqlib.NewSinglePrinterWriter(&b)).PrintResults(nodes)
	return b.Bytes(), err
}

// Get evaluates the expression on a resource and prints the results like yq. It returns ""
// without results. The error is an *[expression.Error].
func (r *Run) Get(ctx context.Context, resource *gaby.YamlDoc) (string, error) {
	r.watch = limit.Start(ctx, nil)
	defer r.watch.End()
	node, err := r.decode(resource.Bytes())
	if err != nil {
		return "", r.program.problem(err)
	}
	results, err := r.evaluate(node)
	if err != nil {
		return "", r.program.problem(err)
	}
	text, err := r.print(results...)
	if err == nil {
		err = r.watch.Err()
	}
	if err != nil {
		return "", r.program.problem(err)
	}
	return string(text), nil
}

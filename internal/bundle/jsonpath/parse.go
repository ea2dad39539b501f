package jsonpath

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SyntaxError reports where a path is wrong. Column counts characters from 1.
type SyntaxError struct {
	Path   string
	Column int
	Msg    string
}

// Error returns the message with the path and the column.
func (e *SyntaxError) Error() string {
	if e.Path == "" {
		return e.Msg
	}
	return fmt.Sprintf("path %q: column %d: %s", e.Path, e.Column, e.Msg)
}

// Parse parses a path without its leading "$.", such as metadata.name. A leading "$" is accepted.
// The error is a *SyntaxError.
func Parse(text string) (*Query, error) {
	p := &pathParser{text: text}
	if len(text) > maxLength {
		return nil, &SyntaxError{Msg: fmt.Sprintf("a path of more than %d bytes", maxLength)}
	}
	if text == "" {
		return nil, &SyntaxError{Msg: "the path is empty"}
	}
	if strings.HasPrefix(text, "{") {
		return nil, p.fail("a path has no braces here")
	}
	if strings.HasPrefix(text, "$") {
		p.at++
	}
	steps, err := p.steps(func() bool { return p.at >= len(p.text) })
	if err == nil && len(steps) == 0 {
		err = p.fail("the path is empty")
	}
	if err != nil {
		return nil, err
	}
	return &Query{text: text, steps: steps}, nil
}

// ParseTemplate parses a path in braces, {$.status.phase}, as annotations have it.
func ParseTemplate(text string) (*Query, error) {
	inner, ok := strings.CutPrefix(strings.TrimSpace(text), "{")
	inner, closed := strings.CutSuffix(inner, "}")
	if !ok || !closed {
		return nil, &SyntaxError{
			Path: text, Column: 1, Msg: "a path in braces is expected, such as {$.status.phase}",
		}
	}
	return Parse(strings.TrimSpace(inner))
}

type pathParser struct {
	text string
	at   int // offset of the next byte
}

func (p *pathParser) fail(message string) error {
	return &SyntaxError{
		Path: p.text, Column: utf8.RuneCountInString(p.text[:min(p.at, len(p.text))]) + 1,
		Msg: message,
	}
}

func (p *pathParser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *pathParser) accept(s string) bool {
	if strings.HasPrefix(p.text[p.at:], s) {
		p.at += len(s)
		return true
	}
	return false
}

func (p *pathParser) spaces() {
	for p.peek() == ' ' {
		p.at++
	}
}

// steps parses steps until end reports true. The first key needs no dot.
func (p *pathParser) steps(end func() bool) ([]step, error) {
	var steps []step
	for first := true; !end(); first = false {
		switch {
		case p.peek() == '[':
			s, err := p.bracket()
			if err != nil {
				return nil, err
			}
			steps = append(steps, s)
			continue
		case p.accept(".."):
			steps = append(steps, descent{})
			if p.peek() == '[' {
				continue
			}
		case p.accept("."):
			if p.peek() == '[' && first {
				continue
			}
		case !first:
			return nil, p.fail("a dot or a bracket is expected")
		}
		if p.accept("*") {
			steps = append(steps, wildcard{})
			continue
		}
		key, err := p.key()
		if err != nil {
			return nil, err
		}
		steps = append(steps, keys{key})
	}
	return steps, nil
}

// key parses a key without quotes. A backslash makes the next character part of it.
func (p *pathParser) key() (string, error) {
	var b strings.Builder
	for p.at < len(p.text) {
		c := p.text[p.at]
		if c == '\\' {
			if p.at+1 == len(p.text) {
				return "", p.fail("a character is expected after the backslash")
			}
			b.WriteByte(p.text[p.at+1])
			p.at += 2
			continue
		}
		if strings.IndexByte(".[]{}()=!<>|&\"' ,*", c) >= 0 {
			break
		}
		b.WriteByte(c)
		p.at++
	}
	if b.Len() == 0 {
		return "", p.fail("a key is expected")
	}
	return b.String(), nil
}

// bracket parses [0], [-1], [1:3], [*], ['a'], a union with commas, or a filter.
func (p *pathParser) bracket() (step, error) {
	p.at++
	p.spaces()
	if p.accept("?(") {
		return p.filter()
	}
	if p.accept("*") {
		return wildcard{}, p.closing()
	}
	if c := p.peek(); c == '\'' || c == '"' {
		var k keys
		for {
			p.spaces()
			s, err := p.quoted()
			if err != nil {
				return nil, err
			}
			k = append(k, s)
			if p.spaces(); !p.accept(",") {
				return k, p.closing()
			}
		}
	}
	start, hasStart, err := p.number()
	if err != nil {
		return nil, err
	}
	if p.accept(":") {
		return p.slice(start, hasStart)
	}
	if !hasStart {
		return nil, p.fail("an index, a quoted key, * or a filter is expected")
	}
	x := indexes{start}
	for p.spaces(); p.accept(","); p.spaces() {
		p.spaces()
		i, ok, err := p.number()
		if err == nil && !ok {
			err = p.fail("an index is expected")
		}
		if err != nil {
			return nil, err
		}
		x = append(x, i)
	}
	return x, p.closing()
}

func (p *pathParser) slice(start int, hasStart bool) (step, error) {
	s := slice{start: start, hasStart: hasStart, by: 1}
	var err error
	if s.end, s.hasEnd, err = p.number(); err != nil {
		return nil, err
	}
	if p.accept(":") {
		by, ok, err := p.number()
		if err != nil {
			return nil, err
		}
		if ok && by < 1 {
			return nil, p.fail("the step of a slice is at least 1")
		}
		if ok {
			s.by = by
		}
	}
	return s, p.closing()
}

func (p *pathParser) closing() error {
	if p.spaces(); !p.accept("]") {
		return p.fail("] is expected")
	}
	return nil
}

// number parses an integer, if there is one.
func (p *pathParser) number() (n int, ok bool, err error) {
	from := p.at
	p.accept("-")
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.at++
	}
	if p.at == from {
		return 0, false, nil
	}
	if n, err = strconv.Atoi(p.text[from:p.at]); err != nil {
		p.at = from
		return 0, false, p.fail("a smaller whole number is expected")
	}
	return n, true, nil
}

// quoted parses a string in quotes. A backslash makes the next character part of it.
func (p *pathParser) quoted() (string, error) {
	quote := p.peek()
	if quote != '\'' && quote != '"' {
		return "", p.fail("a quoted key is expected")
	}
	from := p.at
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == quote:
			p.at++
			return b.String(), nil
		case c == '\\' && p.at+1 < len(p.text):
			p.at++
			b.WriteByte(p.text[p.at])
		default:
			b.WriteByte(c)
		}
	}
	p.at = from
	return "", p.fail("unclosed quote")
}

// filter parses what follows "?(".
func (p *pathParser) filter() (step, error) {
	f := &filter{}
	var err error
	if f.left, err = p.operand(); err != nil {
		return nil, err
	}
	for _, operator := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if p.accept(operator) {
			f.operator = operator
			break
		}
	}
	switch {
	case f.operator != "":
		if f.right, err = p.operand(); err != nil {
			return nil, err
		}
	case !f.left.isPath:
		return nil, p.fail("a comparison is expected: ==, !=, <, <=, > or >=")
	}
	switch rest := p.text[p.at:]; {
	case strings.HasPrefix(rest, "&&"), strings.HasPrefix(rest, "||"):
		return nil, p.fail("a filter has one comparison; && and || are not supported")
	case !p.accept(")"):
		return nil, p.fail(") is expected")
	}
	return f, p.closing()
}

// operand parses a path from @ or $, or a literal, and the spaces around it.
func (p *pathParser) operand() (operand, error) {
	p.spaces()
	defer p.spaces()
	switch c := p.peek(); {
	case c == '@' || c == '$':
		p.at++
		steps, err := p.steps(func() bool {
			return strings.IndexByte(")=!<>&| ", p.peek()) >= 0 || p.peek() == 0
		})
		return operand{isPath: true, fromRoot: c == '$', steps: steps}, err
	case c == '\'' || c == '"':
		s, err := p.quoted()
		return operand{literal: s}, err
	}
	from := p.at
	for p.at < len(p.text) && strings.IndexByte(")=!<>&| ", p.text[p.at]) < 0 {
		p.at++
	}
	switch word := p.text[from:p.at]; word {
	case "true", "false":
		return operand{literal: word == "true"}, nil
	case "null":
		return operand{}, nil
	default:
		n, err := strconv.ParseFloat(word, 64)
		if err != nil {
			p.at = from
			return operand{}, p.fail("@.KEY, a quoted string, a number, true or false is expected")
		}
		return operand{literal: n}, nil
	}
}

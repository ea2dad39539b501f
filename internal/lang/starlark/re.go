package starlark

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/fctl-dev/fctl/internal/lang/pattern"
)

// reModule returns the module re: those functions of Python's re that configuration needs, with RE2
// as the syntax of patterns.
//
//	re.sub(pattern, repl, s, count=0)   s with the matches replaced; groups in repl are
//	                                    \1, $1, \g<name> or ${name}
//	re.search(pattern, s)               the first match, or None
//	re.match(pattern, s)                the match at the beginning of s, or None
//	re.findall(pattern, s)              all matches: their texts, or the texts of their groups
//
// Positions are counted in bytes, like those of Starlark's strings.
func reModule() starlark.Value {
	patterns := patterns{}
	members := starlark.StringDict{}
	for name, f := range map[string]builtin{
		"sub": patterns.sub, "search": patterns.find("%s", search),
		"match": patterns.find(`\A(?:%s)`, search), "findall": patterns.find("%s", findAll),
	} {
		members[name] = starlark.NewBuiltin("re."+name, f)
	}
	return &starlarkstruct.Module{Name: "re", Members: members}
}

type builtin = func(
	*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple,
) (starlark.Value, error)

// patterns caches compiled patterns. A program uses few, again and again.
type patterns map[string]*regexp.Regexp

const maxPatterns = 100

// compile returns the compiled pattern, from the cache if it is there.
func (p patterns) compile(text string) (*regexp.Regexp, error) {
	if re, ok := p[text]; ok {
		return re, nil
	}
	re, err := pattern.Compile(text)
	if err != nil {
		return nil, err
	}
	if len(p) == maxPatterns {
		clear(p)
	}
	p[text] = re
	return re, nil
}

func (p patterns) sub(
	thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	var expression, repl, s string
	count := 0
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "pattern", &expression, "repl", &repl,
		"s", &s, "count?", &count); err != nil {
		return nil, err
	}
	re, err := p.compile(expression)
	if err != nil {
		return nil, err
	}
	template, err := replacement(repl, re)
	if err != nil {
		return nil, fmt.Errorf("repl: %w", err)
	}
	if count <= 0 {
		count = -1
	}
	var result []byte
	at := 0
	for _, found := range re.FindAllStringSubmatchIndex(s, count) {
		result = re.ExpandString(append(result, s[at:found[0]]...), template, s, found)
		at = found[1]
		if err := guardsOf(thread).text("replacement", int64(len(result))); err != nil {
			return nil, err
		}
	}
	return starlark.String(append(result, s[at:]...)), nil
}

// groupText returns the text that a group matched, or "" if it did not match.
func groupText(s string, found []int, group int) string {
	if from := found[2*group]; from >= 0 {
		return s[from:found[2*group+1]]
	}
	return ""
}

// replacement translates a replacement in the syntax of Python (\1, \g<name>) or Go ($1, ${name},
// $$) to that of [regexp.Regexp.Expand].
func replacement(repl string, re *regexp.Regexp) (string, error) {
	var template strings.Builder
	for repl != "" {
		i := strings.IndexAny(repl, `\$`)
		if i < 0 {
			i = len(repl)
		}
		template.WriteString(repl[:i])
		if repl = repl[i:]; repl == "" {
			break
		}
		name, rest, err := groupName(repl)
		if err != nil {
			return "", err
		}
		switch n, err := strconv.Atoi(name); {
		case name == "": // a doubled \ or $, or a $ that does not begin a group
			template.WriteString(strings.ReplaceAll(repl[:1], "$", "$$"))
		case err == nil && n <= re.NumSubexp(), re.SubexpIndex(name) >= 0:
			template.WriteString("${" + name + "}")
		default:
			return "", fmt.Errorf("the pattern has no group %s", name)
		}
		repl = rest
	}
	return template.String(), nil
}

// groupName parses the group reference at the start of repl. It returns the group's name, or "" if
// there is no reference, and what follows.
func groupName(repl string) (name, rest string, err error) {
	opening, closing, python := "{", "}", repl[0] == '\\'
	rest = repl[1:]
	if python {
		opening, closing = "g<", ">"
	}
	switch {
	case strings.HasPrefix(rest, repl[:1]):
		return "", rest[1:], nil
	case strings.HasPrefix(rest, opening):
		name, after, ok := strings.Cut(rest[len(opening):], closing)
		if !ok || name == "" {
			return "", "", fmt.Errorf("%s%s without a name and %s", repl[:1], opening, closing)
		}
		return name, after, nil
	}
	end := 0
	for end < len(rest) &&
		(isDigit(rest[end]) || !python && (rest[end] == '_' || isLetter(rest[end]))) {
		end++
	}
	if end == 0 && python {
		return "", "", errors.New(`a \ that escapes nothing; write \\`)
	}
	return rest[:end], rest[end:], nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// find returns a function of a pattern and a text. form is a format that turns the pattern into the
// one to search for, and result returns the value of the function.
func (p patterns) find(
	form string, result func(re *regexp.Regexp, s string) starlark.Value,
) builtin {
	return func(
		_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
	) (starlark.Value, error) {
		var expression, s string
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "pattern", &expression, "s",
			&s); err != nil {
			return nil, err
		}
		if _, err := p.compile(expression); err != nil {
			return nil, err // report the pattern as written, without the anchor of form
		}
		re, err := p.compile(fmt.Sprintf(form, expression))
		if err != nil {
			return nil, err
		}
		return result(re, s), nil
	}
}

// search returns the first match or None.
func search(re *regexp.Regexp, s string) starlark.Value {
	found := re.FindStringSubmatchIndex(s)
	if found == nil {
		return starlark.None
	}
	return &match{re, s, found}
}

// findAll returns the list of all matches: their texts, or the texts of their groups.
func findAll(re *regexp.Regexp, s string) starlark.Value {
	var all []starlark.Value
	for _, found := range re.FindAllStringSubmatchIndex(s, -1) {
		m := &match{re, s, found}
		switch groups := m.groups(); len(groups) {
		case 0:
			all = append(all, m.group(0))
		case 1:
			all = append(all, starlark.String(groupText(s, found, 1)))
		default:
			for i := range groups {
				groups[i] = starlark.String(groupText(s, found, i+1))
			}
			all = append(all, groups)
		}
	}
	return starlark.NewList(all)
}

// match is the match object of Python, which is always true. m.group(n), with a number or name,
// returns a text or None. m.groups() returns the tuple of all groups. m.start() and m.end() return
// the position of the match or of a group.
type match struct {
	re    *regexp.Regexp
	text  string
	found []int
}

var _ starlark.HasAttrs = (*match)(nil)

func (m *match) String() string {
	return fmt.Sprintf("<match %q>", groupText(m.text, m.found, 0))
}
func (m *match) Type() string         { return "match" }
func (m *match) Freeze()              {}
func (m *match) Truth() starlark.Bool { return true }
func (m *match) Hash() (uint32, error) {
	return 0, errors.New("unhashable type: match")
}

func (m *match) AttrNames() []string { return []string{"end", "group", "groups", "start"} }

// Attr implements starlark.HasAttrs.
func (m *match) Attr(name string) (starlark.Value, error) {
	if !slices.Contains(m.AttrNames(), name) {
		return nil, nil
	}
	return starlark.NewBuiltin(name,
		func(
			_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
		) (starlark.Value, error) {
			if name == "groups" {
				return m.groups(), starlark.UnpackArgs(b.Name(), args, kwargs)
			}
			var group starlark.Value = starlark.MakeInt(0)
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, "group?", &group); err != nil {
				return nil, err
			}
			n, err := m.number(group)
			if err != nil {
				return nil, err
			}
			switch name {
			case "start":
				return starlark.MakeInt(m.found[2*n]), nil
			case "end":
				return starlark.MakeInt(m.found[2*n+1]), nil
			}
			return m.group(n), nil
		}), nil
}

// number returns the number of a group that is given by number or name.
func (m *match) number(group starlark.Value) (int, error) {
	if name, ok := starlark.AsString(group); ok {
		if n := m.re.SubexpIndex(name); n >= 0 {
			return n, nil
		}
	} else if n, err := starlark.AsInt32(group); err == nil && n >= 0 && n <= m.re.NumSubexp() {
		return n, nil
	}
	return 0, fmt.Errorf("the pattern has no group %s", group)
}

func (m *match) group(n int) starlark.Value {
	if m.found[2*n] < 0 {
		return starlark.None
	}
	return starlark.String(groupText(m.text, m.found, n))
}

func (m *match) groups() starlark.Tuple {
	groups := make(starlark.Tuple, m.re.NumSubexp())
	for i := range groups {
		groups[i] = m.group(i + 1)
	}
	return groups
}

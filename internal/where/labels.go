package where

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// SelectorWhere holds kubectl-style selectors. An empty field selects everything.
type SelectorWhere struct {
	// Kind is a kind in any case, singular or plural. If the kind is ambiguous, it may be given
	// with its group (deployment.apps) or as a resource type (apps/v1/Deployment). A type without a
	// slash, such as aws_subnet, is its own kind. Several kinds are separated by commas.
	Kind string
	// Name is a name, or several separated by commas.
	Name string
	// Namespace is a namespace.
	Namespace string
	// Labels is a label selector, such as a=b,c!=d,e in (f,g),h notin (i),j,!k.
	Labels string
	// Annotations is a label selector that is about annotations.
	Annotations string
}

// Where returns the equivalent expression, or nil if everything is selected. The error is an *Error
// whose Text is the wrong selector.
func (s SelectorWhere) Where() (*Expr, error) {
	var terms []string
	for _, of := range []struct {
		text    string
		compile func(string) ([]string, error)
	}{
		{s.Kind, kindTerms},
		{s.Name, nameTerms},
		{s.Namespace, namespaceTerms},
		{s.Labels, func(text string) ([]string, error) { return labelTerms(text, "labels") }},
		{s.Annotations, func(text string) ([]string, error) {
			return labelTerms(text, "annotations")
		}},
	} {
		if of.text == "" {
			continue
		}
		more, err := of.compile(of.text)
		if err != nil {
			return nil, err
		}
		terms = append(terms, more...)
	}
	if len(terms) == 0 {
		return nil, nil
	}
	return Parse(strings.Join(terms, " AND "))
}

// words splits text at commas and checks the characters with is. what names a word in error
// messages.
func words(text, what string, is func(byte) bool) ([]string, error) {
	var all []string
	p := whereParser{text: text}
	at := 0
	for word := range strings.SplitSeq(text, ",") {
		trimmed := strings.TrimSpace(word)
		if trimmed == "" {
			return nil, p.fail(at, "a %s is missing", what)
		}
		for i := range len(trimmed) {
			if !is(trimmed[i]) {
				err := p.fail(at+strings.Index(word, trimmed)+i, "%q is not a character of a %s",
					trimmed[i], what)
				switch trimmed[i] {
				case '*':
					return nil, err.hint(
						"patterns are for where-expressions: metadata.name LIKE 'web-%'")
				case '!':
					return nil, err.hint(
						"where-expressions exclude: kind != 'Service', metadata.name != 'web'")
				}
				return nil, err
			}
		}
		all = append(all, trimmed)
		at += len(word) + 1
	}
	return all, nil
}

func isNameByte(c byte) bool {
	return isLetter(c) || isDigit(c) || strings.IndexByte("-._:", c) >= 0
}

// kindTerms compiles a kind selector into a regular expression on the resource type.
func kindTerms(text string) ([]string, error) {
	kinds, err := words(text, "kind", func(c byte) bool {
		return isLetter(c) || isDigit(c) || strings.IndexByte("-_./", c) >= 0
	})
	if err != nil {
		return nil, err
	}
	var patterns []string
	for _, kind := range kinds {
		pattern := ""
		switch name, group, hasGroup := strings.Cut(kind, "."); {
		case strings.Contains(kind, "/"):
			pattern = literalPattern(kind)
		case hasGroup:
			pattern = literalPattern(group) + "/[^/]+/" + kindPattern(name)
		default:
			pattern = "(([^/]+/)?[^/]+/)?" + kindPattern(kind)
		}
		patterns = append(patterns, pattern)
	}
	return []string{"ConfigHub.ResourceType ~* '^(" + strings.Join(patterns, "|") + ")$'"}, nil
}

// literalPattern returns a regular expression that matches s, which has only letters, digits and
// -_/. characters. It escapes dots with brackets because string literals in expressions cannot have
// backslashes.
func literalPattern(s string) string { return strings.ReplaceAll(s, ".", "[.]") }

// kindPattern returns a regular expression that matches a kind given in singular or plural.
func kindPattern(kind string) string {
	lower := strings.ToLower(kind)
	forms := []string{kind}
	switch {
	case strings.HasSuffix(lower, "ies"):
		forms = append(forms, strings.TrimSuffix(lower, "ies")+"y")
	case strings.HasSuffix(lower, "ses"), strings.HasSuffix(lower, "xes"),
		strings.HasSuffix(lower, "ches"), strings.HasSuffix(lower, "shes"):
		forms = append(forms, lower[:len(lower)-1], lower[:len(lower)-2])
	case strings.HasSuffix(lower, "s") && !strings.HasSuffix(lower, "ss") && lower != "s":
		forms = append(forms, lower[:len(lower)-1])
	}
	if len(forms) == 1 {
		return kind
	}
	return "(" + strings.Join(forms, "|") + ")"
}

// nameTerms compiles a name selector.
func nameTerms(text string) ([]string, error) {
	names, err := words(text, "name", isNameByte)
	if err != nil {
		return nil, err
	}
	return []string{oneOfTerm("ConfigHub.ResourceNameWithoutScope", names)}, nil
}

func oneOfTerm(path string, values []string) string {
	if len(values) == 1 {
		return path + " = '" + values[0] + "'"
	}
	return path + " IN ('" + strings.Join(values, "', '") + "')"
}

// namespaceTerms compiles a namespace selector.
func namespaceTerms(text string) ([]string, error) {
	for i := range len(text) {
		if c := text[i]; !isLetter(c) && !isDigit(c) && c != '-' && c != '.' {
			p := whereParser{text: text}
			return nil, p.fail(i, "%q is not a character of a namespace", c)
		}
	}
	return []string{"ConfigHub.ResourceName LIKE '" + text + "/%'"}, nil
}

// labelTerms compiles a label selector about a map of metadata. As in kubectl, key!=value and notin
// also select resources without the label.
func labelTerms(text, field string) ([]string, error) {
	p := labelParser{whereParser{text: text}, field}
	var terms []string
	for {
		more, err := p.requirement()
		if err != nil {
			return nil, err
		}
		terms = append(terms, more...)
		p.blanks()
		if p.pos == len(text) {
			return terms, nil
		}
		if text[p.pos] != ',' {
			return nil, p.fail(p.pos, "unexpected %q: a comma is expected", text[p.pos:])
		}
		p.pos++
	}
}

// labelParser parses label selectors.
type labelParser struct {
	whereParser
	field string // labels or annotations
}

// fail returns an error in the selector with a hint about its syntax.
func (p *labelParser) fail(at int, format string, args ...any) error {
	return p.whereParser.fail(at, format, args...).
		hint("labels are selected as in 'app=web,tier in (front,back),!canary'")
}

// sign consumes and returns the first of signs that matches, or "".
func (p *labelParser) sign(signs ...string) string {
	p.blanks()
	for _, s := range signs {
		if strings.HasPrefix(p.text[p.pos:], s) {
			p.pos += len(s)
			return s
		}
	}
	return ""
}

// take consumes letters, digits and the characters -._ and more.
func (p *labelParser) take(more string) string {
	p.blanks()
	start := p.pos
	p.whereParser.take(func(c byte) bool {
		return isLetter(c) || isDigit(c) || strings.IndexByte("-._"+more, c) >= 0
	})
	return p.text[start:p.pos]
}

// requirement parses one requirement, such as a=b, c in (d,e) or !f.
func (p *labelParser) requirement() ([]string, error) {
	absent := p.sign("!") != ""
	p.blanks()
	at := p.pos
	key := p.take("/")
	if key == "" {
		return nil, p.fail(at, "a label key is missing")
	}
	if strings.Count(key, "/") > 1 {
		return nil, p.fail(at, "%s is not a label key", key)
	}
	path := "metadata." + p.field + "." + yamlpath.Escape(key)
	orMissing := "metadata.|" + p.field + "." + yamlpath.Escape(key)
	if absent {
		return []string{path + " IS NULL"}, nil
	}
	p.blanks()
	at = p.pos
	switch sign := p.sign("==", "=", "!=", ">", "<"); sign {
	case "==", "=":
		return []string{path + " = '" + p.take("") + "'"}, nil
	case "!=":
		return []string{orMissing + " != '" + p.take("") + "'"}, nil
	case ">", "<":
		return nil, p.fail(at, "labels are compared with =, !=, in and notin")
	}
	word := p.take("")
	switch word {
	case "":
		return []string{path + " IS NOT NULL"}, nil
	case "in", "notin":
	default:
		return nil, p.fail(at, "%s is not an operator: there are =, ==, !=, in and notin", word)
	}
	values, err := p.values()
	if err != nil {
		return nil, err
	}
	if word == "in" {
		return []string{path + " IN ('" + strings.Join(values, "', '") + "')"}, nil
	}
	terms := make([]string, len(values))
	for i, v := range values {
		terms[i] = orMissing + " != '" + v + "'"
	}
	return terms, nil
}

// values parses a list of values in parentheses. Duplicates are dropped.
func (p *labelParser) values() ([]string, error) {
	if p.sign("(") == "" {
		return nil, p.fail(p.pos, "( is expected")
	}
	var values []string
	for {
		if v := p.take(""); !slices.Contains(values, v) {
			values = append(values, v)
		}
		switch p.sign(",", ")") {
		case ")":
			return values, nil
		case "":
			return nil, p.fail(p.pos, ", or ) is expected")
		}
	}
}

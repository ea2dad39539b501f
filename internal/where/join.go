package where

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// clause is a term, or clauses joined by AND or OR.
type clause struct {
	join clauseJoin
	term *whereTerm // of a clause that is a term
	// of holds the clauses that are joined. Those that need only the header of a document are
	// first: they can make it unnecessary to scan the document.
	of     []clause
	header bool // the clause needs only the header
}

type clauseJoin uint8

const (
	isTerm clauseJoin = iota
	joinAnd
	joinOr
)

// termClause returns the clause of a term.
func termClause(t *whereTerm) clause {
	return clause{term: t, header: t.field != pathField && t.field != stableCoreField}
}

// joined returns the clause that joins others. The clauses are sorted in place.
func joined(join clauseJoin, of []clause) clause {
	if len(of) == 1 {
		return of[0]
	}
	slices.SortStableFunc(of, func(a, b clause) int {
		switch {
		case a.header == b.header:
			return 0
		case a.header:
			return -1
		}
		return 1
	})
	return clause{join: join, of: of, header: of[len(of)-1].header}
}

// Parse compiles an expression. An empty expression has no terms. The error is an *Error.
func Parse(text string) (*Expr, error) {
	p := whereParser{text: text}
	return p.parse()
}

// parse parses the whole text.
func (p *whereParser) parse() (*Expr, error) {
	text := p.text
	if i := strings.IndexFunc(text, func(r rune) bool {
		return r == utf8.RuneError || r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f
	}); i >= 0 {
		return nil, p.fail(i, "control characters and invalid UTF-8 are not allowed")
	}
	p.blanks()
	if p.pos == len(text) {
		return &Expr{text: text}, nil
	}
	root, err := p.disjunction()
	if err != nil {
		return nil, err
	}
	return &Expr{text: text, root: &root}, nil
}

// disjunction parses conjunctions joined by OR, up to the end or a closing parenthesis.
func (p *whereParser) disjunction() (clause, error) {
	var of []clause
	for {
		c, err := p.conjunction()
		if err != nil {
			return clause{}, err
		}
		of = append(of, c)
		if !p.word("OR") {
			return joined(joinOr, of), nil
		}
		if err := p.follows("OR"); err != nil {
			return clause{}, err
		}
	}
}

// conjunction parses terms and parentheses joined by AND, and the blanks after them.
func (p *whereParser) conjunction() (clause, error) {
	var of []clause
	for {
		c, err := p.operandOfAnd()
		if err != nil {
			return clause{}, err
		}
		of = append(of, c)
		end := p.pos
		p.blanks()
		if err := p.joint(end); err != nil {
			return clause{}, err
		}
		if !p.word("AND") {
			return joined(joinAnd, of), nil
		}
		if err := p.follows("AND"); err != nil {
			return clause{}, err
		}
	}
}

// operandOfAnd parses a term or an expression in parentheses.
func (p *whereParser) operandOfAnd() (clause, error) {
	start := p.pos
	if p.peek() != '(' {
		t, err := p.term()
		if err != nil {
			return clause{}, err
		}
		if p.terms++; p.terms > maxWhereTerms {
			return clause{}, p.fail(start, "more than %d terms", maxWhereTerms)
		}
		return termClause(&t), nil
	}
	if p.depth++; p.depth > maxWhereDepth {
		return clause{}, p.fail(start, "more than %d parentheses are open", maxWhereDepth)
	}
	p.pos++
	p.blanks()
	c, err := p.disjunction()
	if err != nil {
		return clause{}, err
	}
	if p.pos == len(p.text) {
		return clause{}, p.fail(start, "the ( that begins here has no end: a ) is missing")
	}
	p.pos++ // the )
	p.depth--
	return c, nil
}

// joint checks what follows a term or parenthesis that ends at end: AND or OR with blanks around
// it, a closing parenthesis or the end.
func (p *whereParser) joint(end int) error {
	at := p.pos
	rest := p.text[at:]
	if rest == "" || rest[0] == ')' && p.depth > 0 {
		return nil
	}
	word := rest
	if i := strings.IndexAny(word, " \t\r\n("); i >= 0 {
		word = word[:i]
	}
	if at == end && (p.text[end-1] != ')' || word != "AND" && word != "OR") {
		err := p.fail(at, "unexpected `%s` after the operand", p.rest(at))
		if rest[0] == ')' {
			return err.hint("a ( is missing")
		}
		return err.hint("terms are joined by AND or OR with blanks around it")
	}
	if word == "AND" || word == "OR" {
		return nil
	}
	err := p.fail(at, "AND or OR is expected at `%s`", p.rest(at))
	for _, op := range []struct{ prefix, word string }{
		{"and", "AND"}, {"or", "OR"}, {"&&", "AND"}, {"||", "OR"},
	} {
		if len(rest) < len(op.prefix) || !strings.EqualFold(rest[:len(op.prefix)], op.prefix) {
			continue
		}
		if isLetter(op.prefix[0]) {
			return err.hint(op.word + " is written in capitals, with blanks around it")
		}
		return err.hint(op.prefix + " is written " + op.word)
	}
	return err
}

// follows checks that something follows AND or OR.
func (p *whereParser) follows(word string) error {
	p.blanks()
	if p.pos == len(p.text) || p.text[p.pos] == ')' {
		return p.fail(p.pos, "nothing follows the %s", word)
	}
	return nil
}

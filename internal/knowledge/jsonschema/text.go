package jsonschema

import (
	"errors"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// textRules holds the keywords for strings.
type textRules struct {
	least, most int // most is -1 if there is no maximum
	pattern     countedPattern
	shown       string // the pattern as it is written
}

func (k keywords) textRules() *textRules {
	if !k.has("minLength", "maxLength", "pattern") {
		return nil
	}
	r := &textRules{least: k.count("minLength", 0), most: k.count("maxLength", -1)}
	if v := k.get("pattern"); v.Exists() {
		if typeOf(v) != stringType {
			k.fail(v, "pattern is a string, not %s", describe(v))
			return r
		}
		r.pattern, r.shown = k.pattern(v.Text(), v, "pattern"), strings.Clone(v.Text())
	}
	return r
}

func (r *textRules) check(c *checkState, v gaby.Value) bool {
	text, valid := v.Text(), true
	if len(text) < r.least || r.least > 0 && utf8.RuneCountInString(text) < r.least {
		valid = c.fail(v, "minLength", "%s has %s, at least %s", quote(text),
			counted(utf8.RuneCountInString(text), "character", "characters"), needed(r.least))
	}
	if r.most >= 0 && len(text) > r.most && utf8.RuneCountInString(text) > r.most {
		valid = c.fail(v, "maxLength", "%s has %s, at most %s", quote(text),
			counted(utf8.RuneCountInString(text), "character", "characters"), allowed(r.most))
	}
	if r.pattern.Regexp != nil && !c.matches(r.pattern, text) {
		valid = c.fail(v, "pattern", "%s does not match %s", quote(text), r.shown)
	}
	return valid
}

// goSyntax translates a regular expression of ECMAScript, the syntax of JSON Schema, to that of
// package regexp.
func goSyntax(pattern string) string {
	if !strings.Contains(pattern, `\u`) && !strings.Contains(pattern, `\c`) {
		return pattern
	}
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '\\' || i+1 == len(pattern) {
			b.WriteByte(pattern[i])
			continue
		}
		i++
		switch rest := pattern[i+1:]; {
		case pattern[i] == 'u' && len(rest) >= 4 && isHex(rest[:4]):
			b.WriteString(`\x{` + rest[:4] + `}`)
			i += 4
		case pattern[i] == 'c' && rest != "" && rest[0]|0x20 >= 'a' && rest[0]|0x20 <= 'z':
			b.WriteString(`\x{` + string("0123456789abcdef"[rest[0]&0x1f>>4]) +
				string("0123456789abcdef"[rest[0]&0xf]) + `}`)
			i++
		default:
			b.WriteString(pattern[i-1 : i+1])
		}
	}
	return b.String()
}

func isHex(s string) bool { return s != "" && strings.Trim(s, "0123456789abcdefABCDEF") == "" }

// patternProblem explains why a regular expression cannot be used.
func patternProblem(pattern string, err error) string {
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		if e.Code == syntax.ErrInvalidPerlOp &&
			(strings.HasPrefix(e.Expr, "(?") || strings.HasPrefix(e.Expr, "(?<")) {
			return e.Expr + " is not supported in regular expressions: " + quote(pattern)
		}
		return quote(pattern) + " is not a regular expression: " + e.Code.String() + ": " + e.Expr
	}
	return quote(pattern) + ": " + err.Error()
}

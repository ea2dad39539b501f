package hclkit

import (
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// scalar returns the value that functions see of an expression, whose text is raw.
func scalar(raw string, e hclsyntax.Expression) any {
	switch raw {
	case "null":
		return nil
	case "true", "false":
		return raw == "true"
	}
	if isNumber(raw) {
		if i, err := strconv.ParseInt(raw, 10, 64); err == nil {
			return i
		}
		if i, err := strconv.ParseUint(raw, 10, 64); err == nil {
			return i
		}
		if f, err := strconv.ParseFloat(raw, 64); err == nil {
			return f
		}
	}
	switch e.(type) {
	case *hclsyntax.TemplateExpr, *hclsyntax.TemplateWrapExpr:
		if raw[0] == '"' {
			return unquoted(raw)
		}
		if h, ok := parseHeredoc(raw); ok {
			// line ends of a CRLF file are not part of the value
			return strings.ReplaceAll(h.text(), "\r\n", "\n")
		}
	}
	return "${" + raw + "}"
}

func isNumber(raw string) bool {
	digits := strings.TrimPrefix(raw, "-")
	return digits != "" && digits[0] >= '0' && digits[0] <= '9' &&
		strings.Trim(digits, "0123456789.eE+-") == ""
}

// spelledString formats value with the quotes or as the heredoc of raw, and keeps the escapes of
// what stays. If that does not parse back to value, value gets new quotes.
func spelledString(raw, value string) string {
	if strings.HasPrefix(raw, `"`) && strings.HasSuffix(raw, `"`) && len(raw) > 1 {
		inside := raw[1 : len(raw)-1]
		text := `"` + formatkit.Reescape(inside, tokens(inside), value, escaped) + `"`
		if again, ok := stringValue(text); ok && again == value {
			return text
		}
		return quoted(value)
	}
	if h, ok := parseHeredoc(raw); ok {
		text := h.with(value)
		if again, ok := stringValue(text + "\n"); ok && again == value {
			return text
		}
		return quoted(value)
	}
	if expression, ok := bare(value); ok {
		return expression
	}
	return quoted(value)
}

// stringValue parses a string with its quotes or markers.
func stringValue(raw string) (string, bool) {
	e, diagnostics := hclsyntax.ParseExpression([]byte(raw), "", hcl.InitialPos)
	if diagnostics.HasErrors() {
		return "", false
	}
	s, ok := scalar(strings.TrimSuffix(raw, "\n"), e).(string)
	return s, ok
}

// bare returns the expression without quotes that a string of a single ${...} can be written as.
func bare(value string) (string, bool) {
	if !strings.HasPrefix(value, "${") || !strings.HasSuffix(value, "}") {
		return "", false
	}
	parts := partsOf(value)
	expression := value[2 : len(value)-1]
	if len(parts) != 1 || strings.TrimSpace(expression) != expression || expression == "" ||
		expression[0] == '~' || strings.HasSuffix(expression, "~") {
		return "", false
	}
	file, diagnostics := hclsyntax.ParseConfig([]byte("x = "+expression+"\n"), "", hcl.InitialPos)
	if diagnostics.HasErrors() {
		return "", false
	}
	body := file.Body.(*hclsyntax.Body)
	a := body.Attributes["x"]
	if a == nil || len(body.Attributes) != 1 || len(body.Blocks) != 0 {
		return "", false
	}
	if at := span(a.Expr.Range()); at.Len() != len(expression) ||
		scalar(expression, a.Expr) != any(value) {
		return "", false // functions would not see it as an expression: it is a number, for example
	}
	switch a.Expr.(type) {
	case *hclsyntax.TupleConsExpr, *hclsyntax.ObjectConsExpr:
		return "", false
	}
	return expression, true
}

// checkTemplate returns an error if value cannot be written as a template.
func checkTemplate(value string) error {
	if !strings.Contains(value, "${") && !strings.Contains(value, "%{") {
		return nil
	}
	if again, ok := stringValue(quoted(value)); !ok || again != value {
		return formatkit.Refuse("write $${ for a ${ that is to be text, and %%{ for a %{",
			"%q is not a template", value)
	}
	return nil
}

// part is literal text of a template, or one ${...} or %{...}.
type part struct {
	text    string
	literal bool
}

// partsOf splits a template into its parts.
func partsOf(template string) []part {
	if rest, ok := strings.CutPrefix(template, "\ufeff"); ok {
		// the lexer would drop it as a byte order mark
		return append([]part{{"\ufeff", true}}, partsOf(rest)...)
	}
	tokens, _ := hclsyntax.LexTemplate([]byte(template), "", hcl.InitialPos)
	return cut(template, tokens, hclsyntax.TokenStringLit)
}

// cut splits text into literal text, which is in tokens of the given type, and templates. A
// template includes those nested in it.
func cut(text string, tokens hclsyntax.Tokens, literal hclsyntax.TokenType) []part {
	var parts []part
	depth, from := 0, 0
	for _, t := range tokens {
		at := span(t.Range)
		switch t.Type {
		case hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			if depth++; depth == 1 {
				from = at.From
			}
		case hclsyntax.TokenTemplateSeqEnd:
			if depth--; depth == 0 {
				parts = append(parts, part{text[from:at.To], false})
			}
		case literal:
			if depth == 0 && at.Len() > 0 {
				parts = append(parts, part{text[at.From:at.To], true})
			}
		}
	}
	return parts
}

// tokens splits the inside of a quoted string into characters, escape sequences and expressions.
func tokens(inside string) formatkit.Tokens {
	var list formatkit.Tokens
	quoted, at := `"`+inside+`"`, 0
	lexed, _ := hclsyntax.LexExpression([]byte(quoted), "", hcl.InitialPos)
	for _, p := range cut(quoted, lexed, hclsyntax.TokenQuotedLit) {
		for rest := p.text; rest != ""; {
			n, text := len(rest), rest
			if p.literal {
				n, text = literal(rest)
			}
			list = append(list, formatkit.Token{From: at, To: at + n, Text: text})
			at, rest = at+n, rest[n:]
		}
	}
	return list
}

// literal returns the length and the meaning of the character or escape sequence that text begins
// with.
func literal(text string) (int, string) {
	switch {
	case strings.HasPrefix(text, "$${"), strings.HasPrefix(text, "%%{"):
		return 3, text[:3]
	case text[0] == '\\' && len(text) > 1:
		n := min(2+map[byte]int{'u': 4, 'U': 8}[text[1]], len(text))
		return n, unescaped(text[:n])
	}
	return formatkit.Character(text)
}

// unquoted returns the value of a string in quotes.
func unquoted(raw string) string { return tokens(raw[1 : len(raw)-1]).Text() }

// unescaped returns the value of an escape sequence.
func unescaped(sequence string) string {
	switch sequence[1] {
	case 'n':
		return "\n"
	case 'r':
		return "\r"
	case 't':
		return "\t"
	case 'u', 'U':
		if r, err := strconv.ParseUint(sequence[2:], 16, 32); err == nil {
			return string(rune(r)) //nolint:gosec // what is not a character becomes U+FFFD
		}
	}
	return sequence[1:]
}

func quoted(value string) string { return `"` + escaped(value) + `"` }

// escaped returns a template as the inside of a quoted string.
func escaped(template string) string {
	var b strings.Builder
	for _, p := range partsOf(template) {
		if !p.literal {
			b.WriteString(p.text)
			continue
		}
		b.WriteString(formatkit.Escape(p.text, func(_ int, r rune) formatkit.Escaping {
			switch {
			case strings.ContainsRune("\"\\\n\r\t", r):
				return formatkit.WithBackslash
			case r < ' ' || r == 0x7f:
				return formatkit.AsUnicode
			}
			return formatkit.Literally
		}))
	}
	return b.String()
}

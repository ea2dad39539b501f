package envkit

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/fctl-dev/fctl/configkit/formatkit"
)

// plain lists the characters, besides letters and digits, that all readers take literally in a
// value without quotes.
const plain = "_./:@%+,=^-"

// kept lists characters that only some readers take literally in a value without quotes. They are
// written there only if the old value had them.
const kept = " \t;&|<>()*?!~{}[]$"

// nothing is an empty value before a comment. Without quotes docker compose would take the
// comment as the value.
const nothing = `""`

// old is the syntax of a value that is replaced. Its zero value is a new variable.
type old struct {
	raw       string
	tokens    formatkit.Tokens // the inside of the quotes of raw
	variables []string         // the names of variables that readers expand in it
}

// reference matches a variable in a value, or a $ that may be one.
var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$(?:\{?(\w+)|.|$)`)
})

// variablesIn returns the variables in a value, except those in single quotes and escaped ones in
// double quotes.
func variablesIn(raw string) []string {
	if strings.HasPrefix(raw, "'") {
		return nil
	}
	if strings.HasPrefix(raw, `"`) {
		raw = strings.NewReplacer(`\\`, "", `\$`, "").Replace(raw)
	}
	return namesIn(raw)
}

func namesIn(text string) []string {
	var names []string
	for _, match := range reference().FindAllStringSubmatch(text, -1) {
		names = append(names, cmp.Or(match[1], match[0]))
	}
	return names
}

// keeps reports whether the references in text are all to variables of the old value, and whether
// only some of them are.
func (o old) keeps(text string) (all, some bool) {
	names := namesIn(text)
	have := 0
	for _, name := range names {
		if slices.Contains(o.variables, name) {
			have++
		}
	}
	return have > 0 && have == len(names), have > 0 && have < len(names)
}

// spellings returns the ways to write a value that all readers read as text, beginning with those
// that are most similar to the old value. The only escapes are \n and \r, and only if the old value
// had some, because dotenv, godotenv and the shell have no other escapes in common.
//
// lineEnd is the line end of the text. If it is CRLF new line breaks are written as \n, because
// docker compose would keep the carriage returns, and the shell cannot read such a text anyway.
func (o old) spellings(text, lineEnd string) []string {
	reference, both := o.keeps(text)
	if both {
		return nil
	}
	escapes := strings.NewReplacer("\n", `\n`, "\r", `\r`)
	isEscaped := lineEnd != "\n" && strings.Contains(text, "\n") &&
		!strings.Contains(o.raw, lineEnd)
	lines := strings.ReplaceAll(text, "\n", lineEnd)
	var bare, single, double []string
	if o.isBare(text, reference) {
		bare = []string{text}
	}
	if !reference && !isEscaped && !strings.ContainsAny(text, "'\r") &&
		!strings.HasSuffix(text, `\`) {
		single = []string{"'" + lines + "'"}
	}
	if !strings.ContainsAny(text, "\"\\`") && (reference || !strings.Contains(text, "$")) {
		switch {
		case isEscaped:
			double = []string{`"` + escapes.Replace(text) + `"`}
		case strings.Contains(o.raw, `\n`), strings.Contains(o.raw, `\r`):
			double = []string{
				`"` + formatkit.Reescape(o.raw[1:len(o.raw)-1], o.tokens, text, escapes.Replace) + `"`,
			}
		}
		if !isEscaped && !strings.Contains(text, "\r") {
			double = append(double, `"`+lines+`"`)
		}
	}
	switch {
	case strings.HasPrefix(o.raw, "'") && len(o.tokens) > 0, o.raw == "''":
		return append(append(single, double...), bare...)
	case strings.HasPrefix(o.raw, `"`) && len(o.tokens) > 0, o.raw == `""`:
		return append(append(double, single...), bare...)
	}
	return append(append(bare, double...), single...)
}

// isBare reports whether text can be written without quotes.
func (o old) isBare(text string, reference bool) bool {
	return text == strings.TrimSpace(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(plain, r) &&
			(!strings.ContainsRune(kept, r) || !strings.ContainsRune(o.raw, r) ||
				r == '$' && !reference)
	})
}

// checkText returns an error if the value cannot be written.
func (o old) checkText(text string) error {
	if len(o.spellings(text, "\n")) > 0 {
		return nil
	}
	if _, both := o.keeps(text); both {
		return formatkit.Refuse("write the value into the file",
			"some $ are variables of the old value and some are not: the meaning is ambiguous")
	}
	return formatkit.Refuse(
		"leave out one of the quotes, or what is special in double quotes: $, ` and the backslash",
		"the value cannot be written so that dotenv, godotenv, docker compose and the shell all "+
			"read the same")
}

// Key implements formatkit.Flat.
func (language) Key(key string) string { return key }

// Value implements formatkit.Flat.
func (language) Value(w *formatkit.Writer, n *formatkit.Node, value any) string {
	text, _ := formatkit.Untyped(value)
	form := n.Syntax.(*line)
	if text == "" && w.LineCommentOf(n) != "" {
		return nothing
	}
	before := string(w.Text[n.KeySpan.From:n.Span.From])
	spellings := form.old.spellings(text, w.Newline)
	if hasMark(n.Comments.Line) {
		spellings = slices.DeleteFunc(spellings,
			func(written string) bool {
				return !strings.ContainsAny(written[:min(1, len(written))], `"'`)
			})
	}
	written := readable(before, spellings, text)
	if sign := n.Sign; n.Span.Len() == 0 && text != "" && sign.To == n.Span.From &&
		sign.From > n.KeySpan.To {
		written = " " + written // KEY = value
	}
	return written
}

// hasMark reports whether a comment contains a # after a blank. After a value without quotes
// godotenv takes everything before the last # as the value.
func hasMark(comment string) bool { return mark().MatchString(comment) }

var mark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|\s)#`)
})

// readable returns the first spelling that parses back to text after before, which is a key and its
// sign, even if a comment follows. It returns "" if there is none, which is reported when the
// result is parsed again.
func readable(before string, spellings []string, text string) string {
	for _, written := range spellings {
		p := parser{Text: []byte(before + written + " # c\n")}
		n, err := p.variable()
		if err == nil && n.Value == text && p.at == len(p.Text) && n.Comments.Line == "c" {
			return written
		}
	}
	return ""
}

// Line implements formatkit.Flat.
func (l language) Line(
	w *formatkit.Writer, model *formatkit.Node, key string, value any, comment string,
) string {
	text, _ := formatkit.Untyped(value)
	d := formatkit.Delimiter{Sign: "="}
	prefix := ""
	var like old
	if model != nil {
		neighbours := w.Neighbours(w.Lines(), model)
		d = w.DelimiterLike(model, w.Lines())
		if model.Syntax.(*line).export && !strings.Contains(key, ".") {
			prefix = export + " "
		}
		quote := quoteOf(w, neighbours)
		like.raw = quote + quote
	}
	before := d.Line(prefix + key)
	written := readable(strings.TrimLeft(before, " \t"), like.spellings(text, w.Newline), text)
	switch {
	case comment != "" && written == "":
		written = nothing + " # " + comment
	case comment != "":
		written += " # " + comment
	}
	return before + written
}

// quoteOf returns the quote that all values of the variables have, or "" if they differ.
func quoteOf(w *formatkit.Writer, variables []*formatkit.Node) string {
	quote := ""
	for _, n := range variables {
		raw := w.Raw(n.Span)
		if raw == "" || w.Raw(n.KeySpan) != n.Key { // of the configHub block
			continue
		}
		if raw == n.Value || quote != "" && raw[:1] != quote {
			return ""
		}
		quote = raw[:1]
	}
	return quote
}

// Groups returns the first words of a name: a new variable goes after the last one that has most of
// them in common with it.
func (language) Groups(key string) (groups []string) {
	for i := range len(key) {
		if key[i] == '_' && (i == 0 || key[i-1] == '_') {
			break // an empty word
		}
		if key[i] == '_' {
			groups = append(groups, key[:i])
		}
	}
	slices.Reverse(groups)
	return groups
}

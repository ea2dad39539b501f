package envkit

import (
	"strings"

	"github.com/fctl-dev/fctl/configkit/nativekit"
)

// special are the characters that a value without quotes had better not have.
const special = " \t\r\n'\"`\\#$"

// nothing is an empty value in front of a comment, which docker compose would take for the value otherwise.
const nothing = `""`

// doubleQuoted is text in double quotes. Line ends are written as lineEnd.
func doubleQuoted(text, lineEnd string) string { return `"` + escaped(text, lineEnd) + `"` }

func escaped(text, lineEnd string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", lineEnd, "\r", `\r`).Replace(text)
}

// Key implements nativekit.Flat.
func (language) Key(key string) string { return key }

// Value implements nativekit.Flat.
func (language) Value(w *nativekit.Writer, n *nativekit.Node, value any) string {
	text, _ := nativekit.Untyped(value)
	raw := w.Raw(n.Span)
	if text == "" && w.LineCommentOf(n) != "" {
		return nothing
	}
	lineEnd := `\n`
	if strings.Contains(raw, "\n") {
		lineEnd = w.LineEnd
	}
	var candidates []string
	if n.Value != raw {
		switch raw[0] {
		case '\'':
			candidates = append(candidates, `'`+strings.ReplaceAll(text, "\n", w.LineEnd)+`'`)
		case '"':
			inner := nativekit.Respell(raw, pieces([]byte(raw)), text, func(s string) string { return escaped(s, lineEnd) })
			candidates = append(candidates, `"`+inner+`"`)
		}
	} else if only(text, special, raw) {
		candidates = append(candidates, text)
	}
	before := w.Raw(nativekit.Span{From: n.KeySpan.From, To: n.Span.From})
	written := readable(before, append(candidates, doubleQuoted(text, lineEnd)), text)
	if sign := n.Form.(*line).sign; raw == "" && text != "" && sign.To == n.Span.From && sign.From > n.KeySpan.To {
		written = " " + written // KEY = value
	}
	return written
}

// only reports whether those of the characters that are in text are in old, too.
func only(text, characters, old string) bool {
	for _, c := range characters {
		if strings.ContainsRune(text, c) && !strings.ContainsRune(old, c) {
			return false
		}
	}
	return true
}

// readable is the first of the candidates that behind a key and its sign is read as text, even in front of a comment; the last one
// always is.
func readable(before string, candidates []string, text string) string {
	for _, written := range candidates {
		p := parser{text: []byte(before + written + " # c\n")}
		n, err := p.variable()
		if err == nil && n.Value == text && p.at == len(p.text) && n.Comments.Line == "c" {
			return written
		}
	}
	return candidates[len(candidates)-1]
}

// Line implements nativekit.Flat.
func (l language) Line(w *nativekit.Writer, model *nativekit.Node, key string, value any, comment string) string {
	text, _ := nativekit.Untyped(value)
	var candidates []string
	d := nativekit.Delimiter{Sign: "="}
	prefix := ""
	if model != nil {
		neighbours := nativekit.Neighbours(w.Text, w.Lines(), model)
		d = nativekit.DelimiterOf(w.Text, model, neighbours, func(n *nativekit.Node) nativekit.Span { return n.Form.(*line).sign })
		if model.Form.(*line).export && !strings.Contains(key, ".") {
			prefix = export + " "
		}
		if quote := quoteOf(w, neighbours); quote != "" {
			candidates = append(candidates, quote+text+quote)
		}
	}
	if only(text, special, "") {
		candidates = append(candidates, text)
	}
	before := d.Line(prefix + key)
	written := readable(strings.TrimLeft(before, " \t"), append(candidates, doubleQuoted(text, `\n`)), text)
	switch {
	case comment != "" && written == "":
		written = nothing + " # " + comment
	case comment != "":
		written += " # " + comment
	}
	return before + written
}

// quoteOf is the quote that all values of the variables are in, "" when there is none.
func quoteOf(w *nativekit.Writer, variables []*nativekit.Node) string {
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

// Near is the variable that a new one of the name goes behind: the last of those whose names begin with the same words.
func (language) Near(w *nativekit.Writer, key string) *nativekit.Node {
	var near *nativekit.Node
	best := 0
	words := strings.Split(key, "_")
	for _, n := range w.Lines() {
		have := strings.Split(n.Key, "_")
		common := 0
		for common < len(words)-1 && common < len(have)-1 && words[common] == have[common] && words[common] != "" {
			common++
		}
		if common > 0 && common >= best && w.Stays(n) {
			near, best = n, common
		}
	}
	return near
}

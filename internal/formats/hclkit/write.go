package hclkit

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// step is the indentation of the body of a block.
const step = "  "

// editor writes edits.
type editor struct{ *formatkit.Writer }

// Replace implements formatkit.Language.
func (language) Replace(w *formatkit.Writer, n *formatkit.Node, v gaby.Value) error {
	e := editor{w}
	switch s := notationOf(n); {
	case s == asLabel:
		e.label(n, v)
	case s == asBlock && v.Kind() == gaby.Map && n.Parent != nil:
		w.Replace(n.Span, e.braces(v, w.Indent(n.KeySpan.From)))
	case s == asBlocks && notationOf(n.Parent) == asBlock:
		e.remove(n)
		return e.add(n.Parent, n.Key, v)
	case s == asBlock || s == asBlocks:
		return formatkit.Refuse("set the attributes in it", "a block cannot become something else")
	default:
		e.rewrite(n, v)
	}
	return nil
}

// rewrite writes a value in place of that of n.
func (e editor) rewrite(n *formatkit.Node, v gaby.Value) {
	e.Replace(n.Span, e.value(n, v, e.Indent(n.KeySpan.From)))
}

// spansLines reports whether an entry with this value is not aligned with its neighbours. That is
// so for values of several lines except heredocs.
func spansLines(value string) bool {
	return strings.Contains(value, "\n") && !strings.HasPrefix(value, "<<")
}

// aligned formats new entries. The equals signs of adjacent lines are aligned, as by tofu fmt.
func aligned(keys, values []string) []string {
	lines := make([]string, len(keys))
	for i := 0; i < len(keys); i++ {
		from, width := i, 0
		for ; i < len(keys) && !spansLines(values[i]); i++ {
			width = max(width, utf8.RuneCountInString(keys[i]))
		}
		for k := from; k < i; k++ {
			lines[k] = keys[k] + strings.Repeat(" ", width-utf8.RuneCountInString(keys[k])) +
				" = " + values[k]
		}
		if i < len(keys) {
			lines[i] = keys[i] + " = " + values[i]
		}
	}
	return lines
}

// chain limits how many lines above a new one are searched for the column of their signs.
const chain = 64

// like formats a new key with its sign in the style of the entry model, whose line it will
// follow. If the signs on the lines above are aligned the new one is aligned with them, unless
// the key is too long.
func (e editor) like(model *formatkit.Node, siblings []*formatkit.Node, key, value string) string {
	d := e.DelimiterLike(model, nil)
	if _, first := e.StartsLine(model.KeySpan.From); d.Sign != "=" ||
		d.Before == "" || !first {
		return key + d.Before + d.Sign + d.After
	}
	width := 0
	at := slices.Index(siblings, model)
	for i := at; i >= 0 && at-i < chain && !spansLines(value) &&
		!spansLines(e.Raw(siblings[i].Span)); i-- {
		n := siblings[i]
		if i < at && bytes.Count(e.Text[n.Span.To:siblings[i+1].KeySpan.From], []byte("\n")) != 1 {
			break
		}
		w := utf8.RuneCount(e.Text[n.KeySpan.From:n.Sign.From])
		if width > 0 && w != width {
			width = 0
			break
		}
		width = w
	}
	return key + strings.Repeat(" ", max(width-utf8.RuneCountInString(key), 1)) + d.Sign + d.After
}

// labels formats a label, or a list of them.
func labels(v gaby.Value) string {
	if v.Kind() != gaby.List {
		return quoted(v.Text())
	}
	var texts []string
	for _, label := range v.All() {
		texts = append(texts, quoted(label.Text()))
	}
	return strings.Join(texts, " ")
}

// label writes the type or the labels of a block.
func (e editor) label(n *formatkit.Node, v gaby.Value) {
	text := labels(v)
	if name := v.Text(); n.Key == blockKey || e.Text[n.Span.From] != '"' && isName(name) {
		text = name
	}
	e.Replace(n.Span, text)
}

// Entries implements formatkit.Language.
func (language) Entries(
	w *formatkit.Writer, n *formatkit.Node, entries []formatkit.Entry,
) (bool, error) {
	e, s := editor{w}, notationOf(n)
	switch s {
	case asLabel:
		e.label(n, w.Value(n))
		return true, nil
	case asAttribute, inBrackets:
		done := w.EntriesIn(n, entries, n.Kind == gaby.Map, e.bracketed)
		if !done {
			e.rewrite(n, w.Value(n))
		}
		return !done, nil
	}
	for _, kid := range n.Without(entries) {
		if notationOf(kid) == asLabel {
			return false, formatkit.Refuse("delete the resource as a whole",
				"a block cannot be without its type and labels")
		}
		e.remove(kid)
	}
	if s == asBlocks {
		return false, e.blocks(n, entries)
	}
	return false, e.entries(n, entries)
}

// entries writes the new entries of a body.
func (e editor) entries(n *formatkit.Node, entries []formatkit.Entry) error {
	if n.Parent == nil && n.Span.Len() == 0 && len(n.Kids) == 0 {
		return e.fresh(entries)
	}
	for _, entry := range entries {
		if entry.Node != nil {
			continue
		}
		if err := e.add(n, entry.Value.Key(), entry.Value); err != nil {
			return err
		}
	}
	return nil
}

// fresh writes a new document into an empty text.
func (e editor) fresh(entries []formatkit.Entry) error {
	head, block, indent := "", "", ""
	var body []gaby.Value
	for _, entry := range entries {
		switch v := entry.Value; v.Key() {
		case blockKey:
			block, indent = v.Text(), step
		case typeKey, nameKey, labelsKey:
			head += " " + labels(v)
		default:
			body = append(body, v)
		}
	}
	text, err := e.body(block, body, indent, e.Newline)
	if err != nil {
		return err
	}
	if block != "" {
		text = block + head + " {" + e.Newline + text + "}" + e.Newline
		if len(body) == 0 {
			text = block + head + " {}" + e.Newline
		}
	}
	e.Insert(len(e.Text), text)
	return nil
}

// blocks writes the new blocks of a type.
func (e editor) blocks(n *formatkit.Node, entries []formatkit.Entry) error {
	if n.Kind == gaby.Map {
		last := e.bodyOf(n).last
		at := e.NextLine(last.Entry.To - 1)
		indent := e.Indent(last.KeySpan.From)
		head := ""
		for in := n; notationOf(in) == asBlocks; in = in.Parent {
			if head = " " + quoted(in.Key) + head; notationOf(in.Parent) != asBlocks {
				head = in.Key + strings.TrimPrefix(head, " "+quoted(in.Key))
			}
		}
		for _, entry := range entries {
			if entry.Node == nil {
				e.Insert(at,
					e.Newline+e.blocksText(head+" "+quoted(entry.Value.Key()), entry.Value, indent))
			}
		}
		return nil
	}
	if len(entries) == 0 {
		return nil
	}
	model := n.Kids[0]
	at := e.LineStart(model.Head)
	header := strings.TrimRight(string(e.Text[model.KeySpan.From:model.Span.From]), " \t")
	indent := e.Indent(model.KeySpan.From)
	for _, entry := range entries {
		if entry.Node != nil {
			at = e.NextLine(entry.Node.Entry.To - 1)
			continue
		}
		if entry.Value.Kind() != gaby.Map {
			return formatkit.Refuse("", "blocks are maps")
		}
		e.Insert(at, e.apart(at)+indent+header+" "+e.braces(entry.Value, indent)+e.Newline)
	}
	return nil
}

// apart returns the blank line to write before a new block at an offset, or "" if none is needed.
func (e editor) apart(at int) string {
	before := e.LineAbove(at)
	line := strings.TrimSpace(string(e.Text[before:at]))
	if line == "" || strings.HasSuffix(line, "{") {
		return ""
	}
	return e.Newline
}

// remove deletes an attribute or blocks.
func (e editor) remove(n *formatkit.Node) {
	s := notationOf(n)
	if s == asBlocks {
		for _, kid := range n.Kids {
			e.remove(kid)
		}
		return
	}
	from, to := n.Head, n.Entry.To
	if from != e.LineStart(from) {
		// it shares the line with the braces of its block
		for from > 0 && (e.Text[from-1] == ' ' || e.Text[from-1] == '\t') {
			from--
		}
		for to < len(e.Text) && (e.Text[to] == ' ' || e.Text[to] == '\t') {
			to++
		}
	} else if before := e.LineAbove(from); before < from &&
		formatkit.Blank(e.Text[before:from]) &&
		(s == asBlock || to < len(e.Text) && e.endsGroup(to)) {
		from = before
	} else if n.Parent != nil &&
		before == e.LineStart(bracesOf(n.Parent).From) && to < len(e.Text) &&
		formatkit.Blank(e.Text[to:e.LineEnd(to)]) {
		// it is the first entry: the blank line after it goes too
		to = e.NextLine(to)
	}
	e.Remove(formatkit.NewSpan(from, to))
}

// endsGroup reports whether the line is blank or the end of a body.
func (e editor) endsGroup(at int) bool {
	line := strings.TrimLeft(
		string(e.Text[at:e.LineEnd(at)]), " \t")
	return line == "" || line[0] == '}'
}

// add writes a new entry into a body.
func (e editor) add(n *formatkit.Node, key string, v gaby.Value) error {
	braces := bracesOf(n)
	block := ""
	for in := n; in != nil; in = in.Parent {
		if first := in.Get(blockKey); first != nil {
			block, _ = first.Value.(string)
		}
	}
	inner := ""
	if braces.Len() > 0 {
		inner = e.Indent(n.KeySpan.From) + step
	}
	in := e.bodyOf(n)
	last, lines := in.last, in.attributes
	if last != nil && e.LineStart(last.Entry.From) > braces.From {
		inner = e.Indent(last.KeySpan.From)
	}
	text, err := e.entry(block, key, v, inner)
	if err != nil {
		return err
	}
	isBlock := !isAttribute(block, key, v)
	if !isBlock && len(lines) > 0 {
		if model := lines[len(lines)-1]; e.LineStart(model.KeySpan.From) >
			braces.From {
			value := e.value(nil, v, inner)
			text = inner + e.like(model, lines, key, value) + value + e.Newline
			last = model
		}
	}
	switch {
	case braces.Len() > 0 &&
		bytes.IndexByte(e.Text[braces.From:braces.To], '\n') < 0: // { } on one line
		rest := formatkit.NewSpan(braces.From+1, braces.To-1)
		if len(lines) > 0 { // such a block has one attribute
			e.Replace(formatkit.NewSpan(rest.From, lines[0].Entry.From), e.Newline+inner)
			rest.From = lines[0].Entry.To
		}
		e.Replace(rest, e.Newline+text+strings.TrimSuffix(inner, step))
	case last == nil:
		e.Insert(e.NextLine(braces.From), text)
	default:
		at := e.NextLine(last.Entry.To - 1)
		if isBlock {
			text = e.apart(at) + text
		}
		e.Insert(at, text)
	}
	return nil
}

// body is the entries of a body that new ones follow.
type body struct {
	last       *formatkit.Node
	attributes []*formatkit.Node // in the order of the text
}

// bodyOf returns the entries of a body that new ones follow. They are determined once.
func (e editor) bodyOf(n *formatkit.Node) *body {
	bodies, ok := e.Notes.(map[*formatkit.Node]*body)
	if !ok {
		bodies = map[*formatkit.Node]*body{}
		e.Notes = bodies
	}
	if b, known := bodies[n]; known {
		return b
	}
	b := &body{}
	bodies[n] = b
	var walk func(n *formatkit.Node)
	walk = func(n *formatkit.Node) {
		switch notationOf(n) {
		case asBlocks:
			for _, kid := range n.Kids {
				walk(kid)
			}
			return
		case asAttribute:
			b.attributes = append(b.attributes, n)
		case asLabel:
			return
		}
		if b.last == nil || n.Entry.From > b.last.Entry.From {
			b.last = n
		}
	}
	for _, kid := range n.Kids {
		walk(kid)
	}
	slices.SortFunc(b.attributes,
		func(a, b *formatkit.Node) int { return a.Entry.From - b.Entry.From })
	return b
}

// isAttribute reports whether a new entry of a body is written as an attribute. Without the
// provider's schema it has to guess: a list of maps is written as blocks, except in block types
// whose content is up to the author of the module.
func isAttribute(block, key string, v gaby.Value) bool {
	switch block {
	case "", "locals", "module", "output":
		return true
	}
	if v.Kind() == gaby.Map {
		// nested blocks of these types have labels
		return key != "dynamic" && key != "provisioner" && key != "backend"
	}
	if v.Kind() != gaby.List || v.Len() == 0 {
		return true
	}
	for _, item := range v.All() {
		if item.Kind() != gaby.Map {
			return true
		}
	}
	return false
}

// entry formats the lines of a new entry of a body.
func (e editor) entry(block, key string, v gaby.Value, indent string) (string, error) {
	if err := checkName(key); err != nil {
		return "", err
	}
	if isAttribute(block, key, v) {
		return indent + key + " = " + e.value(nil, v, indent) + e.Newline, nil
	}
	if err := checkBlocks(v); err != nil {
		return "", err
	}
	return e.blocksText(key, v, indent), nil
}

// blocksText formats new blocks. If v is a map its keys are labels, which are appended to head.
func (e editor) blocksText(head string, v gaby.Value, indent string) string {
	var texts []string
	for _, item := range v.All() {
		if v.Kind() == gaby.Map {
			texts = append(texts, e.blocksText(head+" "+quoted(item.Key()), item, indent))
		} else {
			texts = append(texts, indent+head+" "+e.braces(item, indent)+e.Newline)
		}
	}
	return strings.Join(texts, e.Newline)
}

// braces formats the body of a new block, with its braces.
func (e editor) braces(v gaby.Value, indent string) string {
	if v.Len() == 0 {
		return "{}"
	}
	var entries []gaby.Value
	for _, kid := range v.All() {
		entries = append(entries, kid)
	}
	text, err := e.body("block", entries, indent+step, "")
	if err != nil { // reported when the result is parsed again
		text = indent + step + v.First().Key() + e.Newline
	}
	return "{" + e.Newline + text + indent + "}"
}

// body formats the lines of new entries of a body. apart is the text between blocks.
func (e editor) body(block string, entries []gaby.Value, indent, apart string) (string, error) {
	var b strings.Builder
	var keys, values []string
	afterBlock := false
	flush := func() {
		if afterBlock && len(keys) > 0 {
			b.WriteString(apart)
		}
		for _, line := range aligned(keys, values) {
			b.WriteString(indent + line + e.Newline)
		}
		keys, values = nil, nil
	}
	for _, v := range entries {
		if isName(v.Key()) && isAttribute(block, v.Key(), v) {
			keys, values = append(keys, v.Key()), append(values, e.value(nil, v, indent))
			continue
		}
		flush()
		text, err := e.entry(block, v.Key(), v, indent)
		if err != nil {
			return "", err
		}
		if b.Len() > 0 {
			b.WriteString(apart)
		}
		b.WriteString(text)
		afterBlock = true
	}
	flush()
	return b.String(), nil
}

// value formats v as an expression. n is the node that it replaces, or nil.
func (e editor) value(n *formatkit.Node, v gaby.Value, indent string) string {
	raw := ""
	if n != nil && n.Kind == gaby.Scalar {
		raw = e.Raw(n.Span)
	}
	switch {
	case v.Kind() == gaby.Scalar:
		text := formatkit.Spell(strings.ReplaceAll(raw, "\r\n", "\n"), formatkit.ScalarOf(v), spelledString)
		return strings.NewReplacer("\r\n", e.Newline, "\n", e.Newline).Replace(text)
	case v.Len() == 0 && v.Kind() == gaby.List:
		return "[]"
	case v.Len() == 0:
		return "{}"
	}
	inner := indent + step
	var items, keys []string
	lines := n != nil && n.Kind == v.Kind() && strings.Contains(e.Raw(n.Span), "\n") &&
		len(n.Kids) > 0
	for _, item := range v.All() {
		lines = lines || item.Kind() != gaby.Scalar
		items, keys = append(items, e.value(nil, item, inner)), append(keys, keyText(item.Key()))
	}
	between := e.Newline + inner
	switch {
	case v.Kind() == gaby.Map:
		return "{" + between + strings.Join(aligned(keys, items), between) + e.Newline + indent +
			"}"
	case lines:
		return "[" + between + strings.Join(items, ","+between) + "," + e.Newline + indent + "]"
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// keyText formats a key of an object.
func keyText(key string) string {
	if isName(key) {
		return key
	}
	return strconv.Quote(key)
}

// bracketed formats a new entry in brackets in the style of its sibling model.
func (e editor) bracketed(model *formatkit.Node, v gaby.Value) string {
	text := e.value(nil, v, e.Indent(model.Entry.From))
	if v.Key() == "" && model.Sign.Len() == 0 {
		return text
	}
	return e.like(model, model.Parent.Kids, keyText(v.Key()), text) + text
}

// commentAt returns the offset after which a comment on n goes: after the opening brace of a block,
// and after the comma of an entry that has one.
func commentAt(n *formatkit.Node) int {
	if notationOf(n) == asBlock {
		return bracesOf(n).From + 1
	}
	return n.End()
}

// Comment implements formatkit.Language.
func (language) Comment(w *formatkit.Writer, n *formatkit.Node, text string) error {
	w.LineComment(n, commentAt(n), marks, text)
	return nil
}

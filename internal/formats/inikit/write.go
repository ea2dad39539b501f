package inikit

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// editor writes edits.
type editor struct {
	*formatkit.Writer
	dialect dialect
}

func editorOf(w *formatkit.Writer) editor { return editor{w, w.Root.Syntax.(*section).dialect} }

// entry is a new entry of a map.
type entry struct {
	key   string
	value gaby.Value
}

func entriesOf(m gaby.Value) []entry {
	var entries []entry
	for _, kid := range m.All() {
		entries = append(entries, entry{kid.Key(), kid})
	}
	return entries
}

// keysFirst splits entries into keys of the section itself and sections.
func keysFirst(entries []entry) (keys, maps []entry) {
	for _, e := range entries {
		if e.value.Kind() == gaby.Scalar {
			keys = append(keys, e)
		} else {
			maps = append(maps, e)
		}
	}
	return keys, maps
}

// become gives the map n the entries of v. Entries that are equal keep their text.
func (e editor) become(n *formatkit.Node, v gaby.Value) error {
	for _, kid := range n.Kids {
		var err error
		switch now := v.Get(kid.Key); {
		case !now.Exists():
			e.takeOut(kid, e.Remove)
		case kid.Kind != now.Kind():
			err = e.exchange(kid, now)
		case kid.Kind == gaby.Map:
			err = e.become(kid, now)
		case kid.Value != now.Data():
			err = e.value(kid, now.Data())
		}
		if err != nil {
			return err
		}
	}
	had := map[string]bool{}
	for _, kid := range n.Kids {
		had[kid.Key] = true
	}
	added := slices.DeleteFunc(entriesOf(v), func(kid entry) bool { return had[kid.key] })
	return e.add(n, added)
}

// exchange replaces a key by a section, or a section by a key.
func (e editor) exchange(n *formatkit.Node, v gaby.Value) error {
	e.takeOut(n, e.Wipe)
	return e.add(n.Parent, []entry{{n.Key, v}})
}

// takeOut deletes an entry with remove, which is Remove or Wipe of the writer.
func (e editor) takeOut(n *formatkit.Node, remove func(formatkit.Span)) {
	if n.Kind == gaby.Scalar {
		remove(formatkit.NewSpan(n.Head, n.Entry.To))
		return
	}
	for _, kid := range n.Kids {
		e.takeOut(kid, remove)
	}
	for _, b := range n.Syntax.(*section).blocks {
		e.RemoveSection(formatkit.NewSpan(b.Head, e.AfterComments(b.end, marks)), remove)
	}
}

// value replaces the value of a key.
func (e editor) value(n *formatkit.Node, value any) error {
	tokens := tokensOf(n)
	text, ok := formatkit.Untyped(value)
	if !ok {
		e.Remove(formatkit.NewSpan(n.KeySpan.To, max(n.Span.To, n.Sign.To)))
		return nil
	}
	at := n.Span
	if _, isText := value.(string); isText {
		at.To = max(at.To, n.Rest.To) // a string replaces the remark as well
	}
	before := string(e.Text[n.KeySpan.From:at.From])
	in := n.Parent.Syntax.(*section)
	lead := "" // the text to add between the key and the value
	switch {
	case n.Sign.Len() == 0:
		d := e.delimiter(in.blocks, n.Entry.From, nil)
		lead = d.Before + d.Sign + d.After
	case len(tokens) == 0 && strings.TrimSpace(e.Raw(at)) == "":
		if text == "" {
			return nil
		}
		switch apart := n.Sign.From > n.KeySpan.To; {
		case at.From > n.Sign.To: // the blanks after the sign stay
		case e.Raw(n.Sign) == ":":
			lead = e.delimiter(in.blocks, n.Entry.From, nil).After
		case apart:
			lead = " "
		}
	case text == "" && n.Remark.Len() == 0:
		at.From, before = n.Sign.To, string(e.Text[n.KeySpan.From:n.Sign.To])
	}
	s := e.style(n)
	raw := e.Raw(n.Span)
	spell := func(text string) string { return e.dialect.spell(text, s) }
	quote, inside := "", tokens
	if len(tokens) > 0 && tokens[0].Text == "" && raw[0] == '"' &&
		strings.Count(raw, `"`) == 2 && raw[len(raw)-1] == '"' {
		quote, inside = `"`, tokens[1:len(tokens)-1]
	}
	candidates := []string{quote + formatkit.Reescape(raw, inside, text, spell) + quote}
	candidates = append(candidates, newValues(e.dialect, text, s)...)
	written, err := spelled(e.dialect, before+lead, candidates, text)
	if err == nil {
		e.Replace(at, lead+written)
	}
	return err
}

// style returns the layout of further lines of the value of n.
func (e editor) style(n *formatkit.Node) style {
	indent := string(e.Text[e.LineStart(n.KeySpan.From):n.KeySpan.From])
	if have := e.Indent(n.Span.To); strings.Contains(e.Raw(n.Span), "\n") &&
		len(have) > len(indent) {
		return style{have, e.Newline}
	}
	return style{deeper(indent), e.Newline}
}

// deeper returns the indentation of lines that continue the value of a key with this indentation.
func deeper(indent string) string {
	if strings.HasPrefix(indent, "\t") {
		return indent + "\t"
	}
	return indent + "    "
}

// newValues returns the ways to write text as a new value, the best first.
func newValues(d dialect, text string, s style) []string {
	ways := []string{d.spell(text, s)}
	if isGit(d) {
		ways = append(ways, `"`+d.spell(text, s)+`"`)
	}
	return ways
}

// spelled returns the first candidate that parses back to text after before, which is a key and its
// sign, even if a comment follows.
func spelled(d dialect, before string, candidates []string, text string) (string, error) {
	comment, suffix := "", "\n"
	if isGit(d) {
		comment, suffix = "c", " # c\n"
	}
	for _, written := range candidates {
		line := before + written + suffix
		blocks, err := parse(d, formatkit.Text(line))
		if err != nil || len(blocks) != 1 || len(blocks[0].keys) != 1 {
			continue
		}
		n := blocks[0].keys[0]
		if n.Comments.Line == comment && tokensOf(n).Text() == text && n.Entry.To == len(line) {
			return written, nil
		}
	}
	return "", formatkit.Refuse("", "the value cannot be written in this dialect of INI")
}

// headerOf returns the inside of the brackets of a header for the section at path.
func headerOf(d dialect, path []string) (string, error) {
	name := d.header(path)
	blocks, err := parse(d, formatkit.Text("["+name+"]\n"))
	if err != nil || strings.ContainsAny(name, "\r\n\x00") || len(blocks) != 2 ||
		len(blocks[1].keys) > 0 || joined(blocks[1].path) != joined(path) {
		return "", formatkit.Refuse("", "%q cannot be the name of a section",
			strings.Join(path, "."))
	}
	return name, nil
}

// add writes new entries of a map: keys before sections.
func (e editor) add(n *formatkit.Node, entries []entry) error {
	keys, maps := keysFirst(entries)
	if err := e.addKeys(n, keys); err != nil {
		return err
	}
	for _, m := range maps {
		s := sections{editor: e, at: e.extent(n).last, apart: e.layout().apart}
		path := append(slices.Clone(n.Syntax.(*section).path), m.key)
		if err := s.section(path, m.value, e.extent(n).indent); err != nil {
			return err
		}
		e.InsertSection(s.at, s.out.String(), s.apart)
	}
	return nil
}

// addKeys writes new keys after the other keys of a section.
func (e editor) addKeys(n *formatkit.Node, keys []entry) error {
	if len(keys) == 0 {
		return nil
	}
	s := n.Syntax.(*section)
	text, err := e.keys(s.blocks, e.extent(n).last, keys)
	if err != nil {
		return err
	}
	in := s.first()
	for _, b := range s.blocks {
		if len(b.keys) > 0 {
			in = b
		}
	}
	if in != nil && (len(in.keys) > 0 || in.Entry.Len() > 0) {
		e.Insert(e.AfterComments(in.end, marks), text)
		return nil
	}
	// Without keys and header they go before the first header.
	at := e.extent(n).header
	if at < len(e.Text) {
		text += e.Newline
	}
	if n == e.Root {
		e.Insert(at, text)
		return nil
	}
	if e.Once(n) {
		name, err := headerOf(e.dialect, s.path)
		if err != nil {
			return err
		}
		text = e.extent(n).indent + "[" + name + "]" + e.Newline + text
	}
	e.InsertBelow(at, text)
	return nil
}

// sections writes new sections.
type sections struct {
	editor
	at    int // the offset at which they are inserted
	apart string
	out   strings.Builder
}

// section formats the section at path with the entries of v. A map that contains only
// maps needs no header.
func (s *sections) section(path []string, v gaby.Value, indent string) error {
	keys, maps := keysFirst(entriesOf(v))
	if len(keys) > 0 || len(maps) == 0 {
		name, err := headerOf(s.dialect, path)
		if err != nil {
			return err
		}
		text, err := s.keys(nil, s.at, keys)
		if err != nil {
			return err
		}
		s.out.WriteString(s.apart + s.commented(indent, indent+"["+name+"]", v) + text)
	}
	for _, kid := range maps {
		if err := s.section(append(slices.Clone(path), kid.key), kid.value, indent); err != nil {
			return err
		}
	}
	return nil
}

// commented returns the line of a new entry with the comment of its value, which is after the line
// or, indented, above it.
func (e editor) commented(indent, line string, v gaby.Value) string {
	switch text := v.Comments().Line; {
	case text == "":
		return line + e.Newline
	case isGit(e.dialect):
		return line + " " + e.layout().mark + " " + text + e.Newline
	default:
		return indent + e.layout().mark + " " + text + e.Newline + line + e.Newline
	}
}

// keys formats the lines of new keys for a section, to be inserted at at. blocks are the blocks
// that the section has already.
func (e editor) keys(blocks []*block, at int, keys []entry) (string, error) {
	var names []string
	for _, k := range keys {
		names = append(names, k.key)
	}
	d := e.delimiter(blocks, at, names)
	var b strings.Builder
	for _, k := range keys {
		text, ok := formatkit.Untyped(k.value.Data())
		if !ok {
			b.WriteString(e.commented(d.Indent, d.Indent+k.key, k.value))
			continue
		}
		candidates := newValues(e.dialect, text, style{deeper(d.Indent), e.Newline})
		before := d.Line(k.key)
		written, err := spelled(e.dialect, strings.TrimLeft(before, " \t"), candidates, text)
		if err != nil {
			return "", err
		}
		if written == "" {
			before = strings.TrimRight(before, " \t")
		}
		b.WriteString(e.commented(d.Indent, before+written, k.value))
	}
	return b.String(), nil
}

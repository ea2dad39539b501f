package gaby_test

import (
	"fmt"
	"strings"
)

// Dice makes choices: Dice(n) returns one of 0..n-1. rapid and the fuzzer provide them, so both can
// shrink what they find.
type Dice func(n int) int

// 0 is the dull choice, which shrinking prefers
func (d Dice) oneIn(n int) bool { return d(n) == n-1 }

func pick[T any](d Dice, of ...T) T { return of[d(len(of))] }

// A textGen writes random documents in all styles that people use. It does not know their meaning;
// yaml.v3 does.
type textGen struct {
	Dice
	b         strings.Builder
	step      int  // indentation of nested maps
	seqIndent bool // lists below keys are indented
	noise     bool // comments and blank lines
	exotic    bool // anchors, tags, explicit keys
	repeats   bool // aliases and "<<"
	anchors   []anchor
	id        int // numbers keys and comments, so that all are different
}

// An anchor is an anchor that an alias can refer to.
type anchor struct {
	name  string
	isMap bool
}

// alias returns an alias of an anchor written before, "" if there is none.
func (g *textGen) alias(ofMap bool) string {
	var names []string
	for _, a := range g.anchors {
		if a.isMap || !ofMap {
			names = append(names, "*"+a.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return pick(g.Dice, names...)
}

// merged returns the value of a "<<", "" if there is nothing to merge.
func (g *textGen) merged() string {
	first := g.alias(true)
	if first == "" || g.Dice(3) > 0 {
		return first
	}
	return "[" + first + ", " + g.alias(true) + "]"
}

// A Comment is one comment of a generated document.
type Comment struct {
	Text string
	// Owner is the path of keys and indexes of the entry it belongs to, each segment preceded by
	// "/". For a detached comment it is the path of the collection around it followed by "/~",
	// inside a flow collection the path of that followed by "/~flow".
	Owner string
}

// comments returns the comments that a textGen wrote; their text names their owner.
func comments(text string) []Comment {
	var all []Comment
	for _, part := range strings.Split(text, "#@")[1:] {
		line, _, _ := strings.Cut(part, "\n")
		line = strings.TrimRight(line, "\r")
		id, owner, _ := strings.Cut(line, " ")
		all = append(all, Comment{"#@" + id + " " + owner, owner})
	}
	return all
}

// randomText returns one document without separators.
func randomText(d Dice,
	exotic bool,
) string {
	return (&textGen{Dice: d, exotic: exotic}).document()
}

func (g *textGen) document() string {
	d := g.Dice
	g.step, g.seqIndent, g.noise = pick(d, 2, 2, 4, 3), d.oneIn(2), d(3) > 0
	if g.noise && g.oneIn(3) {
		g.comment(0, "/~")
		g.b.WriteString("\n")
	}
	switch d(12) {
	case 11:
		g.list(0, "", 3)
	case 10:
		g.b.WriteString(g.flow("", 3, 0) + "\n")
	default:
		g.mapping(0, "", 3)
	}
	text := g.b.String()
	if d.oneIn(5) {
		text = strings.TrimRight(text, "\n")
	}
	if d.oneIn(6) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// randomStream returns documents with separators between them; parts are the documents into which
// gaby should split it.
func randomStream(d Dice) (parts []string) {
	n := 1 + d(4)
	for i := range n {
		text := randomText(d, false)
		if i < n-1 && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if i > 0 {
			text = pick(d, "---\n", "--- # sep\n", "---   \n", "---\n# about\n", "...\n---\n",
				"---\n---\n") + text
		} else if d.oneIn(3) {
			text = "---\n" + text
		}
		parts = append(parts, text)
	}
	return parts
}

func (g *textGen) pad(n int) { g.b.WriteString(strings.Repeat(" ", n)) }

func (g *textGen) commentText(owner string) string {
	g.id++
	return fmt.Sprintf("#@%d %s", g.id, owner)
}

func (g *textGen) comment(indent int, owner string) {
	g.pad(indent)
	g.b.WriteString(g.commentText(owner) + "\n")
}

// before writes lines that are allowed above an entry.
func (g *textGen) before(indent int, path, around string, first bool) {
	if !g.noise {
		return
	}
	switch g.Dice(8) {
	case 7:
		g.b.WriteString("\n")
	case 6:
		if !first { // above the first entry it could belong to the parent
			g.b.WriteString("\n")
			g.comment(indent, around+"/~")
			g.b.WriteString("\n")
		}
	case 5:
		g.comment(indent, path)
	case 4:
		g.comment(indent, path)
		g.comment(indent, path)
	}
}

// tail ends a line, perhaps with a comment. It writes no tab before the comment, which yaml.v3
// refuses after a dash.
func (g *textGen) tail(path string) {
	if g.noise {
		switch g.Dice(6) {
		case 5:
			g.b.WriteString(pick(g.Dice, " ", "   ") + g.commentText(path))
		case 4:
			g.b.WriteString("  ")
		}
	}
	g.b.WriteString("\n")
}

func (g *textGen) key() string {
	g.id++
	k := fmt.Sprintf(pick(g.Dice, "k%d", "k%d", "key-%d", "a.b/c%d", "K %d", "%d", "x~%d", "é%d"),
		g.id)
	switch g.Dice(10) {
	case 9:
		return `"` + k + `"`
	case 8:
		return `'` + k + `'`
	}
	return k
}

func keyName(written string) string { return strings.Trim(written, `"'`) }

func (g *textGen) mapping(indent int, path string, depth int) {
	n := 1 + g.Dice(4)
	merge := -1
	if g.repeats && g.alias(true) != "" && g.oneIn(2) {
		merge = g.Dice(n)
	}
	for i := range n {
		if i > 0 {
			g.pad(0)
		}
		key := g.key()
		if i == merge {
			key = "<<"
		}
		sub := path + "/" + keyName(key)
		if i > 0 || g.b.Len() == 0 || strings.HasSuffix(g.b.String(), "\n") {
			g.before(indent, sub, path, i == 0)
			g.pad(indent)
		}
		if i == merge {
			g.b.WriteString("<<: " + g.merged())
			g.tail(sub)
			continue
		}
		if g.exotic && g.oneIn(12) {
			g.b.WriteString("? " + key)
			g.tail(sub)
			g.pad(indent)
			g.b.WriteString(": " + g.oneLine(true))
			g.tail(sub)
			continue
		}
		g.b.WriteString(key + pick(g.Dice, "", "", "", "", " ") + ":")
		g.value(indent, sub, depth-1, false)
	}
}

func (g *textGen) list(indent int, path string, depth int) {
	n := 1 + g.Dice(4)
	for i := range n {
		sub := fmt.Sprintf("%s/%d", path, i)
		if i > 0 || g.b.Len() == 0 || strings.HasSuffix(g.b.String(), "\n") {
			g.before(indent, sub, path, i == 0)
			g.pad(indent)
		}
		g.b.WriteString("-")
		g.value(indent, sub, depth-1, true)
	}
}

// value writes the text after "key:" or "-" up to the end of its last line.
func (g *textGen) value(indent int, path string, depth int, inList bool) {
	kind := g.Dice(10)
	if depth <= 0 {
		kind %= 6
	}
	props := ""
	if g.exotic && g.oneIn(8) {
		g.id++
		props = " " + pick(g.Dice, fmt.Sprintf("&a%d", g.id), "!!str", "!custom",
			fmt.Sprintf("!!str &a%d", g.id))
	}
	if g.repeats && g.oneIn(3) {
		if alias := g.alias(false); alias != "" && g.oneIn(2) {
			g.b.WriteString(pick(g.Dice, " ", "  ") + alias)
			g.tail(path)
			return
		}
		g.id++
		a := anchor{fmt.Sprintf("r%d", g.id), kind == 6 || kind == 7}
		props = " " + pick(g.Dice, "", "", "!custom ") + "&" + a.name
		defer func() { g.anchors = append(g.anchors, a) }()
	}
	switch kind {
	case 0, 1, 2, 3:
		g.b.WriteString(props + pick(g.Dice, " ", " ", " ", "    ") + g.oneLine(props == ""))
		g.tail(path)
	case 4:
		if props == "" && g.oneIn(2) {
			g.tail(path) // no text: null
			return
		}
		if g.repeats { // otherwise it would change what other tests found with the same dice
			g.b.WriteString(props)
		}
		g.b.WriteString(" " + g.flow(path, 2, indent+1))
		g.tail(path)
	case 5:
		g.longScalar(indent, path, props)
	case 6, 7:
		if strings.Contains(props, "!!str") {
			props = ""
		}
		if inList && props == "" && g.Dice(3) > 0 { // "- key: value"
			gap := pick(g.Dice, 1, 1, 1, 3)
			g.pad(gap)
			g.mapping(indent+1+gap, path, depth)
			return
		}
		g.b.WriteString(props)
		g.tail(path)
		g.mapping(indent+g.step, path, depth)
	case 8, 9:
		if strings.Contains(props, "!!str") {
			props = ""
		}
		if inList && props == "" && g.oneIn(2) { // "- - x"
			g.pad(1)
			g.list(indent+2, path, depth)
			return
		}
		g.b.WriteString(props)
		g.tail(path)
		if inList || g.seqIndent {
			indent += g.step
		}
		g.list(indent, path, depth)
	}
}

// longScalar writes a scalar of several lines.
func (g *textGen) longScalar(indent int, path, props string) {
	in := strings.Repeat(" ", indent+g.step)
	words := func() string {
		return pick(g.Dice, "some words", "x", "two  spaces", "a: b", "- c", "it's \"q\"",
			"# no comment", "é日")
	}
	plain := func() string {
		return pick(g.Dice, "some words", "x", "more-text", "http://x/y",
			"é日")
	}
	g.b.WriteString(props + " ")
	switch g.Dice(4) {
	case 0, 3:
		header := pick(g.Dice, "|", ">", "|-", ">-", "|+", ">+")
		if g.oneIn(6) {
			header += fmt.Sprint(g.step)
			in = strings.Repeat(" ", indent+g.step)
		}
		g.b.WriteString(header)
		if g.noise && g.oneIn(6) {
			g.b.WriteString(" " + g.commentText(path))
		}
		g.b.WriteString("\n")
		for i := range 1 + g.Dice(4) {
			if i > 0 && g.oneIn(4) {
				g.b.WriteString(pick(g.Dice, "\n", "\n", in+"\n"))
			}
			extra := ""
			if i > 0 {
				extra = pick(g.Dice, "", "", "  ")
			}
			g.b.WriteString(in + extra + words() + "\n")
		}
		for range g.Dice(3) {
			g.b.WriteString("\n")
		}
	case 1:
		q := pick(g.Dice, `"`, `'`)
		text := func() string { return strings.NewReplacer(`"`, "", `'`, "").Replace(words()) }
		g.b.WriteString(q + text() + "\n" + in + text() + pick(g.Dice, "", "\n\n"+in+"end") + q)
		g.tail(path)
	case 2:
		g.b.WriteString(plain() + "\n" + in + plain() + pick(g.Dice, "", "\n\n"+in+"end"))
		g.tail(path)
	}
}

// oneLine returns a scalar that fits on a line and in any context except a flow collection.
func (g *textGen) oneLine(plainToo bool) string {
	quoted := []string{
		`"double"`, `'single'`, `"esc \" \n \u00e9"`, `'it''s'`, `""`, `''`, `"123"`,
		`'true'`, `"# x"`, `"a: b"`,
	}
	if !plainToo {
		return pick(g.Dice, quoted...)
	}
	plain := []string{
		"word", "3", "two words", "true", "null", "1.5", "~", "nginx:1.25",
		"http://example.com:80/a?b=c#d", "a,b", "x'y",
		"2001-01-01", "0x1F", "-7", "yes", "100m", "1e3", "é日😀", "[a, b]", "{}", "[]",
		"12345678901234567890", ".5", "a #b",
	}
	return pick(g.Dice, append(plain, quoted...)...)
}

// flow returns a flow collection; continuation lines are indented by at least indent.
func (g *textGen) flow(path string, depth, indent int) string {
	multi := g.oneIn(3)
	sep, open, close := ", ", "", ""
	if multi {
		in := "\n" + strings.Repeat(" ", indent+2)
		sep, open, close = ","+in, in, pick(g.Dice, "", "\n"+strings.Repeat(" ", indent))
		if g.noise && g.oneIn(3) {
			sep = ", " + g.commentText(path+"/~flow") + in
		}
	} else if g.oneIn(4) {
		open, close = " ", " "
	}
	isMap := g.oneIn(2)
	var items []string
	for range g.Dice(4) {
		item := g.flowScalar()
		if depth > 1 && g.oneIn(3) {
			item = g.flow(path, depth-1, indent+2)
		}
		if alias := g.alias(false); g.repeats && alias != "" && g.oneIn(3) {
			item = alias + pick(g.Dice, "", " ")
		}
		if isMap {
			key := g.key()
			switch {
			case g.repeats && len(items) == 0 && g.alias(true) != "" && g.oneIn(3):
				item = "<<: " + g.merged()
			case key[0] == '"' && g.oneIn(3):
				item = key + ":" + item
			default:
				item = key + ": " + item
			}
		}
		items = append(items, item)
	}
	text := strings.Join(items, sep)
	if text == "" {
		open, close = "", pick(g.Dice, "", " ")
	} else if g.oneIn(6) {
		text += ","
	}
	if isMap {
		return "{" + open + text + close + "}"
	}
	return "[" + open + text + close + "]"
}

func (g *textGen) flowScalar() string {
	return pick(g.Dice, "word", "3", "two words", "true", "null", `"dq"`, `'sq'`, "a:b",
		"http://x:80/y", `""`, "-1", `"a, b"`, `'[x]'`, "1.0", "nginx:1.25")
}

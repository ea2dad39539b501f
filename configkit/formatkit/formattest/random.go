package formattest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Dice returns a random number from 0 to n-1.
type Dice func(n int) int

// Pick returns one of several values.
func Pick[T any](d Dice, of ...T) T { return of[d(len(of))] }

// Property edits random texts of a generator. Every accepted edit must be printable, its result
// must be parsed as intended, unrelated lines must be kept, and the same edits made again must
// change nothing.
func Property(t *testing.T, converter configkit.ConfigConverter, generate func(Dice) string) {
	rapid.Check(t, func(t *rapid.T) {
		dice := Dice(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "") })
		Random(t, dice, converter, generate(dice))
	})
}

// Random edits one text.
func Random(t TB, dice Dice, converter configkit.ConfigConverter, text string) {
	docs := unchanged(t, converter, text)
	i := dice(len(docs))
	var edits []*edit
	for range 1 + dice(3) {
		e := randomEdit(dice, docs[i].Data())
		if e == nil {
			break
		}
		if err := e.apply(docs[i]); err != nil {
			if _, missing := errors.AsType[*gaby.NotFoundError](err); !missing {
				refused(t, err)
			}
			continue
		}
		edits = append(edits, e)
	}
	after, err := converter.DocumentsToNative(docs)
	if isDialect(err) {
		return
	}
	if err != nil {
		t.Fatalf("%s of\n%s\n%v", describe(edits), show(text), err)
	}
	again := unchanged(t, converter, string(after))
	if len(edits) == 1 && edits[0].verb != "delete" &&
		!(hasEmpty(edits[0].value) && scalarsOnly(converter)) {
		if err := edits[0].apply(again[i]); err != nil && edits[0].verb == "set" {
			t.Fatalf("%s again: %v\n%s", describe(edits), err, show(string(after)))
		}
		if have := native(t, converter, again); edits[0].verb == "set" && have != string(after) {
			t.Fatalf("%s of\n%s\ngives\n%s\nand again\n%s", describe(edits), show(text),
				show(string(after)), show(have))
		}
		if lost := lostLines(text, string(after)); edits[0].verb == "add" && lost != "" {
			t.Fatalf("%s of\n%s\ngives\n%s\nwhich has lost %q", describe(edits), show(text),
				show(string(after)), lost)
		}
	}
}

// Edit makes up to most random edits of a document, and returns a description of those
// that were accepted.
func Edit(dice Dice, doc *gaby.YamlDoc, most int) string {
	var edits []*edit
	for range most {
		if e := randomEdit(dice, doc.Data()); e != nil && e.apply(doc) == nil {
			edits = append(edits, e)
		}
	}
	return describe(edits)
}

// hasEmpty reports whether a value is or contains a map or list without entries.
func hasEmpty(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0 || slices.ContainsFunc(slices.Collect(maps.Values(v)), hasEmpty)
	case []any:
		return len(v) == 0 || slices.ContainsFunc(v, hasEmpty)
	}
	return false
}

// edit is one edit of a document.
type edit struct {
	verb  string
	path  []string
	index int
	value any
}

func (e *edit) apply(doc *gaby.YamlDoc) error {
	joined := string(yamlpath.Join(e.path))
	switch e.verb {
	case "set", "add":
		_, err := doc.Set(e.value, e.path...)
		return err
	case "delete":
		return doc.Delete(e.path...)
	case "insert":
		return doc.ArrayInsertP(e.value, e.index, joined)
	case "append":
		return doc.ArrayAppendP(e.value, joined)
	case "comment":
		return doc.SetComment(e.value.(string), joined)
	}
	return fmt.Errorf("no operation %s", e.verb)
}

func describe(edits []*edit) string {
	var all []string
	for _, e := range edits {
		all = append(all, e.verb+" "+strings.Join(e.path, ".")+" "+strconv.Itoa(e.index)+" "+
			show(strings.TrimSpace(yamlOf(e.value))))
	}
	return strings.Join(all, "\n")
}

func yamlOf(value any) string {
	doc, err := gaby.ParseYAML([]byte("null\n"))
	if err == nil {
		err = doc.SetData(value)
	}
	if err != nil {
		return err.Error()
	}
	return doc.String()
}

// lostLines returns the first line of before that is missing from after, or "". Lines of after may
// contain more characters. Blanks at both ends and commas and brackets at the end are ignored.
func lostLines(before, after string) string {
	bare := func(l string) string { return strings.TrimRight(strings.TrimSpace(l), ", ]}") }
	have := strings.Split(after, "\n")
	for line := range strings.SplitSeq(before, "\n") {
		at := slices.IndexFunc(have, func(l string) bool { return holds(l, bare(line)) })
		if at < 0 {
			return line
		}
		if len(bare(line)) > 0 {
			have = have[at:]
		}
	}
	return ""
}

// holds reports whether line contains the characters of other in the same order.
func holds(line, other string) bool {
	for _, r := range other {
		_, after, ok := strings.Cut(line, string(r))
		if !ok {
			return false
		}
		line = after
	}
	return true
}

// randomEdit returns a random edit of a tree, or nil if there is nothing to edit.
func randomEdit(d Dice, tree any) *edit {
	all := paths(tree)
	at := func(ok func(any) bool) []string {
		var some [][]string
		for _, p := range all {
			if ok(lookUp(tree, p)) {
				some = append(some, p)
			}
		}
		if ok(tree) {
			some = append(some, nil)
		}
		if len(some) == 0 {
			return nil
		}
		return some[d(len(some))]
	}
	isMap := func(v any) bool { _, ok := v.(map[string]any); return ok }
	isList := func(v any) bool { _, ok := v.([]any); return ok }
	isScalar := func(v any) bool { return !isMap(v) && !isList(v) }
	for range 3 {
		switch d(8) {
		case 0, 1, 2:
			if p := at(isScalar); p != nil {
				return &edit{verb: "set", path: p, value: RandomScalar(d)}
			}
		case 3:
			if p := at(func(any) bool { return true }); p != nil {
				return &edit{verb: "set", path: p, value: randomValue(d, 2)}
			}
		case 4:
			p := slices.Clone(at(isMap))
			if lookUp(tree, p) == nil {
				continue
			}
			for range 1 + d(2) {
				p = append(p, Pick(d, "new", "other", "DATABASE_NEW", "zz", "a-b", "k_1"))
			}
			if lookUp(tree, p[:len(p)-1]) != nil && lookUp(tree, p) == nil {
				return &edit{verb: "add", path: p, value: randomValue(d, 2)}
			}
		case 5, 6:
			if p := at(func(any) bool { return true }); p != nil {
				return &edit{verb: "delete", path: p}
			}
		case 7:
			if p := at(isList); p != nil {
				return &edit{
					verb: "insert", path: p, index: d(len(lookUp(tree, p).([]any)) + 1),
					value: randomValue(d, 1),
				}
			}
			if p := at(isScalar); p != nil {
				return &edit{
					verb: "comment", path: p,
					value: Pick(d, "note", "a: b # c; d", "", "é", `"q"`),
				}
			}
		}
	}
	return nil
}

func lookUp(tree any, path []string) any {
	for _, s := range path {
		switch t := tree.(type) {
		case map[string]any:
			tree = t[s]
		case []any:
			i, err := strconv.Atoi(s)
			if err != nil || i < 0 || i >= len(t) {
				return nil
			}
			tree = t[i]
		default:
			return nil
		}
	}
	return tree
}

// RandomScalar returns a scalar of any type. The strings are those that break when they are not
// quoted properly.
func RandomScalar(d Dice) any {
	switch d(6) {
	case 0:
		return Pick[any](d, 0, 7, -1, 1<<40, uint64(1<<63))
	case 1:
		return Pick[any](d, true, false)
	case 2:
		return Pick[any](d, 1.5, -0.25, 1e300)
	case 3:
		return Pick[any](d, nil, "line\nline", "end\n", "\nlead", "a\n\n\nb\n", "tab\tin",
			"cr\r\nlf", "\u2028ls", "b\x07el", "é\n日", "\x00", "\"\"\"", "'''", "EOT\n", "---\n")
	case 4:
		return Pick(d, "", " ", " lead", "trail ", "true", "null", "123", "007", "0x1f", "1e3",
			"1.0", "nan", "2001-01-01", "12:30", "23:59:60", "07:32+01:00", "0000-01-01", "~", "=",
			"a: b", ":a", "a #b", "a ;b", "#a", "a#b", "[a]", "{a}", "a, b", "'", "it's", `"`,
			`say "x"`, `\n`, `a\`, "${a.b}", "$${a}", "%{ if x }", "$X", "`", "//x", "/* x */", "!",
			"\ufeffx", "é日😀", "\u00a0")
	}
	return Pick(d, "word", "two words", "nginx:1.26", "http://x:80/y?z#w", "x.y/z-w", "a,b")
}

func randomValue(d Dice, depth int) any {
	if depth == 0 || d(3) == 0 {
		return RandomScalar(d)
	}
	if d(2) == 0 {
		m := map[string]any{}
		for range d(4) {
			m[Pick(d, "a", "b", "name", "x_y", "q-r")] = randomValue(d, depth-1)
		}
		return m
	}
	l := []any{}
	for range d(4) {
		l = append(l, randomValue(d, depth-1))
	}
	return l
}

// Fuzz parses arbitrary texts. A text without errors must be printed unchanged, and its
// values can be edited.
func Fuzz(f *testing.F, converter configkit.ConfigConverter, seeds []Input) {
	for _, in := range seeds {
		f.Add([]byte(in[1]))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<12 {
			return
		}
		docs, err := converter.NativeToDocuments(text)
		if err != nil {
			var syntax *gaby.SyntaxError
			if !errors.As(err, &syntax) || syntax.Msg == "" {
				t.Fatalf("the error has type %T: %v", err, err)
			}
			return
		}
		if have := native(t, converter, docs); have != string(text) {
			t.Fatalf("printed as\n%s, was\n%s", show(have), show(string(text)))
		}
		for i := range docs[:min(len(docs), 3)] {
			all := paths(docs[i].Data())
			for _, path := range all[:min(len(all), 4)] {
				EachWay(t, converter, string(text), i, path)
			}
		}
	})
}

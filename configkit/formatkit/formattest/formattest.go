// Package formattest tests implementations of formatkit.Language: with a corpus of texts, with
// cases of single edits, and with random texts and edits.
package formattest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Input is a text of a corpus: its name, the text, and the expected values. These are the documents
// as JSON, one per line, or "!!! " and the error.
type Input [3]string

// Corpus parses every input, and edits each of its scalars and entries, one at a time.
// Nothing outside the lines of the entry may change, and setting the old value again must
// restore the old text.
func Corpus(t *testing.T, converter configkit.ConfigConverter, inputs []Input) {
	for _, in := range inputs {
		name, text, want := in[0], in[1], in[2]
		t.Run(name, func(t *testing.T) {
			docs, err := converter.NativeToDocuments([]byte(text))
			if want, ok := strings.CutPrefix(want, "!!! "); ok {
				if err == nil {
					t.Fatalf("no error, but %s", dataOf(t, docs))
				}
				var syntax *gaby.SyntaxError
				if !errors.As(err, &syntax) || syntax.Pos.Line == 0 {
					t.Errorf("the error is not located: %v", err)
				}
				if err.Error() != want {
					t.Errorf("error is\n%v, want\n%s", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if have := dataOf(t, docs); have != want {
				t.Errorf("values are\n%s, want\n%s", have, want)
			}
			EachPlace(t, converter, text)
		})
	}
}

// EachPlace checks that a text is printed unchanged, and calls EachWay for the path
// of every value in it.
func EachPlace(t TB, converter configkit.ConfigConverter, text string) {
	t.Helper()
	docs, err := converter.NativeToDocuments([]byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, show(text))
	}
	if have := native(t, converter, docs); have != text {
		t.Fatalf("printed as\n%s, was\n%s", show(have), show(text))
	}
	for i := range docs {
		for _, path := range places(docs[i].Data()) {
			EachWay(t, converter, text, i, path)
		}
	}
}

// EachWay sets the scalar at a path to several values and back, and deletes the value.
func EachWay(t TB, converter configkit.ConfigConverter, text string, i int, path []string) {
	t.Helper()
	doc := open(t, converter, text, i)
	place := doc.Search(path...)
	if place.Value().Kind() != gaby.Scalar {
		remove(t, converter, text, i, path)
		return
	}
	old := place.Data()
	for _, value := range []any{
		"x", 7, true, "", "two words", "#1", "a # b; c", `q"uo'te`,
		`back\slash`, "é😀", "a\nb", " lead", "trail ", "k=v: w", "${x}", "[a]",
	} {
		doc := open(t, converter, text, i)
		if _, err := doc.Set(value, path...); err != nil {
			refused(t, err)
			continue
		}
		changed, err := converter.DocumentsToNative(siblings(t, converter, text, i, doc))
		if isDialect(err) {
			continue
		}
		if err != nil {
			t.Fatalf("%s = %q of\n%s\n%v", strings.Join(path, "."), value, show(text), err)
		}
		if problem := onlyValue(converter, text, string(changed), i, path); problem != "" {
			t.Fatalf("%s = %q: %s\nbefore\n%s\nafter\n%s", strings.Join(path, "."), value, problem,
				show(text), show(string(changed)))
		}
		back := open(t, converter, string(changed), i)
		if _, err := back.Set(old, path...); err != nil {
			refused(t, err)
			continue
		}
		if again, err := converter.DocumentsToNative(
			siblings(t, converter, string(changed), i, back)); isDialect(err) {
			continue
		} else if err != nil {
			t.Fatalf("%s = %q, and back, of\n%s\n%v",
				strings.Join(path, "."), value, show(text), err)
		} else if problem := onlyValue(converter, text, string(again), i, path); problem != "" {
			t.Fatalf("%s = %q, and back: %s\nbefore\n%s\nafter\n%s", strings.Join(path, "."), value,
				problem, show(text), show(string(again)))
		}
	}
	remove(t, converter, text, i, path)
}

// TB is the part of testing.TB that property tests have as well.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

func open(t TB, converter configkit.ConfigConverter, text string, i int) *gaby.YamlDoc {
	t.Helper()
	docs, err := converter.NativeToDocuments([]byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, show(text))
	}
	if i >= len(docs) {
		t.Fatalf("%d documents in\n%s", len(docs), show(text))
	}
	return docs[i]
}

// siblings returns the documents of a text with doc as document i.
func siblings(
	t TB, converter configkit.ConfigConverter, text string, i int, doc *gaby.YamlDoc,
) gaby.Container {
	docs, err := converter.NativeToDocuments([]byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, show(text))
	}
	docs[i] = doc
	return docs
}

// refused checks that a rejected edit returns the error that functions expect.
func refused(t TB, err error) {
	t.Helper()
	var edit *gaby.EditError
	if !errors.As(err, &edit) {
		t.Fatalf("the error has type %T: %v", err, err)
	}
	if edit.Msg == "" {
		t.Fatalf("the error says nothing")
	}
}

// onlyValue returns what has changed besides the value at a path, or "".
func onlyValue(
	converter configkit.ConfigConverter, before, after string, i int, path []string,
) string {
	old, err := converter.NativeToDocuments([]byte(before))
	if err != nil {
		return err.Error()
	}
	now, err := converter.NativeToDocuments([]byte(after))
	if err != nil {
		return err.Error()
	}
	place, other := old[i].Search(path...), now[i].Search(path...)
	if other == nil {
		return "the value is gone"
	}
	if a, b := allOf(place.Value().Comments()), allOf(other.Value().Comments()); a != b {
		return "the comments are " + b
	}
	// The text before and after the entry must be the same.
	span := formatkit.Lines(old[i], path...)
	if !strings.HasPrefix(after, before[:span.From]) {
		return "something above has changed"
	}
	if !strings.HasSuffix(after, before[min(span.To, len(before)):]) {
		return "something below has changed"
	}
	return ""
}

// allOf returns the comments of an entry, in whatever position.
func allOf(c gaby.Comments) string {
	return strings.Join(strings.Fields(c.Head+" "+c.Line+" "+c.Foot), " ")
}

// isDialect reports whether an edit was rejected because the text would be read as another dialect.
func isDialect(err error) bool {
	_, ok := errors.AsType[*formatkit.DialectError](err)
	return ok
}

// remove deletes a value, and checks that all other values stay the same.
func remove(t TB, converter configkit.ConfigConverter, text string, i int, path []string) {
	t.Helper()
	doc := open(t, converter, text, i)
	if err := doc.Delete(path...); err != nil {
		refused(t, err)
		return
	}
	changed, err := converter.DocumentsToNative(siblings(t, converter, text, i, doc))
	if isDialect(err) {
		return
	}
	if err != nil {
		t.Fatalf("deleting %s of\n%s\n%v", strings.Join(path, "."), show(text), err)
	}
	want := allLeaves(t, converter, siblings(t, converter, text, i, doc))
	now, err := converter.NativeToDocuments(changed)
	if err != nil {
		t.Fatalf("%v in\n%s", err, show(string(changed)))
	}
	if have := allLeaves(t, converter, now); have != want {
		t.Fatalf("deleting %s leaves\n%s, not\n%s in\n%s", strings.Join(path, "."), have, want,
			show(text))
	}
}

// allLeaves returns the data of all documents except empty ones, which are not
// documents in some languages.
func allLeaves(t TB, converter configkit.ConfigConverter, docs gaby.Container) string {
	var all []string
	for _, doc := range docs {
		if leaves := leavesOf(t, converter, doc); leaves != "{}" {
			all = append(all, leaves)
		}
	}
	return strings.Join(all, "\n")
}

// leavesOf returns the data of a document. In some languages that is only the scalars
// with their full keys.
func leavesOf(t TB, converter configkit.ConfigConverter, doc *gaby.YamlDoc) string {
	var data any = doc.Data()
	if converter.(interface{ Traits() formatkit.Traits }).Traits().ScalarsOnly {
		data = Leaves(data)
	}
	b, err := json.Marshal(data)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return string(b)
}

// Leaves returns the scalars of a tree as text, by their keys joined with dots.
func Leaves(tree any) map[string]string {
	leaves := map[string]string{}
	for _, path := range places(tree) {
		switch v := lookUp(tree, path).(type) {
		case map[string]any, []any:
		default:
			leaves[strings.Join(path, ".")] = fmt.Sprint(v)
		}
	}
	return leaves
}

// places returns the paths of all values in a tree except its root.
func places(tree any) [][]string {
	var all [][]string
	var walk func(v any, path []string)
	walk = func(v any, path []string) {
		if len(path) > 0 {
			all = append(all, slices.Clone(path))
		}
		switch v := v.(type) {
		case map[string]any:
			for _, key := range sortedKeys(v) {
				walk(v[key], append(path, key))
			}
		case []any:
			for i := range v {
				walk(v[i], append(path, strconv.Itoa(i)))
			}
		}
	}
	walk(tree, nil)
	return all
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func native(t TB, converter configkit.ConfigConverter, docs gaby.Container) string {
	t.Helper()
	text, err := converter.DocumentsToNative(docs)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return string(text)
}

func dataOf(t TB, docs gaby.Container) string {
	t.Helper()
	var all []string
	for _, doc := range docs {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(doc.Data()); err != nil {
			t.Fatalf("%v", err)
		}
		all = append(all, strings.TrimSuffix(b.String(), "\n"))
	}
	return strings.Join(all, "\n")
}

// Edits runs the cases in testdata/*.txt, which show what edits do to a text. A case is
//
//	=== name
//	text before
//	>>> operation PATH [ARGUMENT]
//	text after, or "!!! " and a part of the error
//
// The operations are: set PATH JSON, delete PATH, append PATH JSON, insert PATH INDEX JSON, comment
// PATH TEXT. A case may have several. The path "." is the whole document. A "\" at the end of the
// last line of a text means that the line has no line end, and "\\" that it ends in a backslash.
// Each case is also run with CRLF line ends.
func Edits(t *testing.T, converter configkit.ConfigConverter) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of edits: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split("\n"+strings.TrimSuffix(string(text), "\n"),
			"\n=== ")[1:] {
			name, body, _ := strings.Cut(block, "\n")
			t.Run(name, func(t *testing.T) {
				runEdit(t, converter, body+"\n", "\n")
				runEdit(t, converter, body+"\n", "\r\n")
			})
		}
	}
}

// runEdit runs one case with the given line end.
func runEdit(t *testing.T, converter configkit.ConfigConverter, body, lineEnd string) {
	t.Helper()
	var before, after, failure string
	var ops []string
	for _, line := range strings.SplitAfter(body, "\n") {
		switch {
		case strings.HasPrefix(line, ">>> "):
			ops = append(ops, strings.TrimSpace(line[4:]))
		case strings.HasPrefix(line, "!!! "):
			failure = strings.TrimSpace(line[4:])
		case len(ops) == 0:
			before += line
		default:
			after += line
		}
	}
	before, after = ends(before, lineEnd), ends(after, lineEnd)
	if !strings.Contains(before, lineEnd) {
		// a text of one line without a line end does not show which line ends it uses
		after = strings.ReplaceAll(after, lineEnd, "\n")
	}
	docs, err := converter.NativeToDocuments([]byte(before))
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range ops {
		if err = apply(t, docs[0], op); err != nil {
			break
		}
	}
	if failure != "" {
		if err == nil || !strings.Contains(err.Error(), failure) {
			t.Errorf("error is %v, want one with %q", err, failure)
		}
		var missing *gaby.NotFoundError
		if err != nil && !errors.As(err, &missing) {
			refused(t, err)
		}
		if have := native(t, converter, docs); len(ops) == 1 && have != before {
			t.Errorf("a failed edit changed the text:\n%s", have)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if have := native(t, converter, docs); have != after {
		t.Errorf("line ends %q: have\n%s\nwant\n%s", lineEnd, show(have), show(after))
	}
}

func ends(text, lineEnd string) string {
	text = strings.ReplaceAll(text, "\n", lineEnd)
	if cut, ok := strings.CutSuffix(text, `\`+lineEnd); ok {
		if !strings.HasSuffix(cut, `\`) {
			return cut
		}
		return cut + lineEnd
	}
	return text
}

func show(text string) string {
	return strings.NewReplacer("\r", "␍", " ", "·", "\t", "→").Replace(text)
}

// apply runs one operation of a case.
func apply(t *testing.T, d *gaby.YamlDoc, op string) error {
	t.Helper()
	verb, rest, _ := strings.Cut(op, " ")
	path, arg, _ := strings.Cut(rest, " ")
	if path == "." {
		path = ""
	}
	value := func(text string) any {
		doc, err := gaby.ParseYAML([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", op, err)
		}
		return doc
	}
	switch verb {
	case "set":
		_, err := d.Set(value(arg), gaby.DotPathToSlice(path)...)
		return err
	case "delete":
		return d.DeleteP(path)
	case "append":
		return d.ArrayAppendP(value(arg), path)
	case "insert":
		index, text, _ := strings.Cut(arg, " ")
		i, err := strconv.Atoi(index)
		if err != nil {
			t.Fatal(err)
		}
		return d.ArrayInsertP(value(text), i, path)
	case "comment":
		return d.SetComment(arg, path)
	}
	t.Fatalf("no operation %s", verb)
	return nil
}

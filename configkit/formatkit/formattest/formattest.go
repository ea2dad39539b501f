// Package formattest tests implementations of formatkit.Language: with a corpus of texts, with
// cases of single edits, and with random texts and edits.
//
// Layer: configkit.
package formattest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
			EachPath(t, converter, text)
		})
	}
}

// EachPath checks that a text is printed unchanged, and calls EachWay for the path
// of every value in it.
func EachPath(t TB, converter configkit.ConfigConverter, text string) {
	t.Helper()
	for i, doc := range unchanged(t, converter, text) {
		for _, path := range paths(doc.Data()) {
			EachWay(t, converter, text, i, path)
		}
	}
}

// EachWay sets the scalar at a path to several values and back, and deletes the value.
func EachWay(t TB, converter configkit.ConfigConverter, text string, i int, path []string) {
	t.Helper()
	match := parse(t, converter, text)[i].Search(path...)
	if match.Value().Kind() != gaby.Scalar {
		remove(t, converter, text, i, path)
		return
	}
	set := func(in string, value any) (after string, ok bool) {
		docs := parse(t, converter, in)
		if i >= len(docs) {
			t.Fatalf("%d documents in\n%s", len(docs), show(in))
		}
		if _, err := docs[i].Set(value, path...); err != nil {
			refused(t, err)
			return "", false
		}
		changed, err := converter.DocumentsToNative(docs)
		if isDialect(err) {
			return "", false
		}
		name := strings.Join(path, ".")
		if err != nil {
			t.Fatalf("%s = %q of\n%s\n%v", name, value, show(in), err)
		}
		if problem := onlyValue(t, converter, text, string(changed), i, path); problem != "" {
			t.Fatalf("%s = %q: %s\nbefore\n%s\nafter\n%s", name, value, problem, show(text),
				show(string(changed)))
		}
		return string(changed), true
	}
	for _, value := range []any{
		"x", 7, true, "", "two words", "#1", "a # b; c", `q"uo'te`,
		`back\slash`, "é😀", "a\nb", " lead", "trail ", "k=v: w", "${x}", "[a]",
	} {
		if changed, ok := set(text, value); ok {
			set(changed, match.Data())
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

// parse returns the documents of a text.
func parse(t TB, converter configkit.ConfigConverter, text string) gaby.Container {
	t.Helper()
	docs, err := converter.NativeToDocuments([]byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, show(text))
	}
	return docs
}

// unchanged returns the documents of a text, which must be printed unchanged.
func unchanged(t TB, converter configkit.ConfigConverter, text string) gaby.Container {
	t.Helper()
	docs := parse(t, converter, text)
	if have := native(t, converter, docs); have != text {
		t.Fatalf("printed as\n%s, was\n%s", show(have), show(text))
	}
	return docs
}

// refused checks that a rejected edit returns the error that functions expect.
func refused(t TB, err error) {
	t.Helper()
	var edit *gaby.EditError
	if !errors.As(err, &edit) || edit.Msg == "" {
		t.Fatalf("the error has type %T: %v", err, err)
	}
}

// onlyValue returns what has changed besides the value at a path, or "".
func onlyValue(
	t TB, converter configkit.ConfigConverter, before, after string, i int, path []string,
) string {
	old, now := parse(t, converter, before)[i], parse(t, converter, after)[i].Search(path...)
	if now == nil {
		return "the value is gone"
	}
	was := allOf(old.Search(path...).Value().Comments())
	if comments := allOf(now.Value().Comments()); comments != was {
		return "the comments are " + comments
	}
	// The text before and after the entry must be the same.
	entry := formatkit.NodeOf(old.Search(path...).Value())
	if !strings.HasPrefix(after, before[:min(entry.Head, entry.Entry.From)]) {
		return "something above has changed"
	}
	if !strings.HasSuffix(after, before[min(entry.Entry.To, len(before)):]) {
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
	docs := parse(t, converter, text)
	if err := docs[i].Delete(path...); err != nil {
		refused(t, err)
		return
	}
	changed, err := converter.DocumentsToNative(docs)
	if isDialect(err) {
		return
	}
	if err != nil {
		t.Fatalf("deleting %s of\n%s\n%v", strings.Join(path, "."), show(text), err)
	}
	want := allLeaves(t, converter, docs)
	if have := allLeaves(t, converter, parse(t, converter, string(changed))); have != want {
		t.Fatalf("deleting %s leaves\n%s, not\n%s in\n%s", strings.Join(path, "."), have, want,
			show(text))
	}
}

// allLeaves returns the data of all documents except empty ones, which are not documents in some
// languages. The data of a document is only the scalars with their full keys in some languages.
func allLeaves(t TB, converter configkit.ConfigConverter, docs gaby.Container) string {
	var all []string
	for _, doc := range docs {
		var data any = doc.Data()
		if scalarsOnly(converter) {
			data = Leaves(data)
		}
		if leaves := jsonOf(t, data); leaves != "{}" {
			all = append(all, leaves)
		}
	}
	return strings.Join(all, "\n")
}

func scalarsOnly(converter configkit.ConfigConverter) bool {
	return converter.(interface{ Traits() formatkit.Traits }).Traits().ScalarsOnly
}

// Leaves returns the scalars of a tree as text, by their keys joined with dots.
func Leaves(tree any) map[string]string {
	leaves := map[string]string{}
	for _, path := range paths(tree) {
		switch v := lookUp(tree, path).(type) {
		case map[string]any, []any:
		default:
			leaves[strings.Join(path, ".")] = fmt.Sprint(v)
		}
	}
	return leaves
}

// paths returns the paths of all values in a tree except its root.
func paths(tree any) [][]string {
	var all [][]string
	add := func(key string, value any) {
		all = append(all, []string{key})
		for _, path := range paths(value) {
			all = append(all, append([]string{key}, path...))
		}
	}
	switch v := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			add(key, v[key])
		}
	case []any:
		for i := range v {
			add(strconv.Itoa(i), v[i])
		}
	}
	return all
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
		all = append(all, jsonOf(t, doc.Data()))
	}
	return strings.Join(all, "\n")
}

func jsonOf(t TB, value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		t.Fatalf("%v", err)
	}
	return strings.TrimSuffix(b.String(), "\n")
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

// Case is an edit case of a suite: a text, edits, and the text or the error they lead to.
type Case struct {
	Before, After string
	Ops           []string
	Failure       string // a part of the error
}

// ReadCase reads a case: the text, lines with ">>> " and an edit, and then the text after the edits
// or "!!! " and a part of the error. A backslash at the end of a text means that its last line has
// no line end. The texts get the given line end.
func ReadCase(body, lineEnd string) Case {
	var c Case
	for _, line := range strings.SplitAfter(body, "\n") {
		switch {
		case strings.HasPrefix(line, ">>> "):
			c.Ops = append(c.Ops, strings.TrimSpace(line[4:]))
		case strings.HasPrefix(line, "!!! "):
			c.Failure = strings.TrimSpace(line[4:])
		case len(c.Ops) == 0:
			c.Before += line
		default:
			c.After += line
		}
	}
	c.Before, c.After = ends(c.Before, lineEnd), ends(c.After, lineEnd)
	return c
}

// runEdit runs one case with the given line end.
func runEdit(t *testing.T, converter configkit.ConfigConverter, body, lineEnd string) {
	t.Helper()
	c := ReadCase(body, lineEnd)
	before, after := c.Before, c.After
	if !strings.Contains(before, lineEnd) {
		// a text of one line without a line end does not show which line ends it uses
		after = strings.ReplaceAll(after, lineEnd, "\n")
	}
	docs := parse(t, converter, before)
	var err error
	for _, op := range c.Ops {
		if err = parseEdit(t, op).apply(docs[0]); err != nil {
			break
		}
	}
	if c.Failure != "" {
		if err == nil || !strings.Contains(err.Error(), c.Failure) {
			t.Errorf("error is %v, want one with %q", err, c.Failure)
		}
		var missing *gaby.NotFoundError
		if err != nil && !errors.As(err, &missing) {
			refused(t, err)
		}
		if have := native(t, converter, docs); len(c.Ops) == 1 && have != before {
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

// ends returns a text with other line ends, and without the last one if the text ends in a
// backslash.
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

// parseEdit returns the edit of an operation.
func parseEdit(t *testing.T, op string) *edit {
	t.Helper()
	verb, rest, _ := strings.Cut(op, " ")
	path, arg, _ := strings.Cut(rest, " ")
	e := &edit{verb: verb, path: gaby.DotPathToSlice(strings.TrimSuffix(path, "."))}
	if verb == "comment" {
		e.value = arg
		return e
	}
	var err error
	if verb == "insert" {
		var index string
		index, arg, _ = strings.Cut(arg, " ")
		e.index, err = strconv.Atoi(index)
	}
	if err == nil && verb != "delete" {
		e.value, err = gaby.ParseYAML([]byte(arg))
	}
	if err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	return e
}

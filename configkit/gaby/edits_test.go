package gaby_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// The files of testdata/edits show the effect of each kind of edit on the text. A case is
//
//	=== name
//	text before
//	>>> operation PATH [ARGUMENT]
//	text after, or "!!! " and a part of the error
//
// Operations: set PATH JSON, delete PATH, append PATH JSON, insert PATH INDEX JSON, rearrange PATH
// [INDEX...], comment PATH TEXT, expand PATH, duplicate PATH NUMBER; several may follow each other.
// The path of the whole document is a dot. A "\" at the end of the last line of a text means that
// it has no newline. Each case also runs with CRLF line endings.
func TestEdits(t *testing.T) {
	files, err := filepath.Glob("testdata/edits/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of edits: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		family := strings.TrimSuffix(filepath.Base(file), ".txt")
		for _, block := range strings.Split("\n"+strings.TrimSuffix(string(text), "\n"),
			"\n=== ")[1:] {
			name, body, _ := strings.Cut(block, "\n")
			t.Run(family+"/"+name, func(t *testing.T) {
				runEdit(t, body+"\n", "\n")
				if !strings.Contains(body, "\\\n>>>") ||
					strings.Index(body, "\n") < strings.Index(body, "\\\n>>>") {
					// a single line without a newline does not show its line ending
					runEdit(t, body+"\n", "\r\n")
				}
			})
		}
	}
}

func runEdit(t *testing.T, body, lineEnd string) {
	t.Helper()
	edit := formattest.ReadCase(body, lineEnd)
	before, after := edit.Before, edit.After
	c, err := gaby.ParseAll([]byte(before))
	if err != nil || len(c) != 1 {
		t.Fatalf("%d documents, %v", len(c), err)
	}
	for _, op := range edit.Ops {
		if err = apply(t, c[0], op); err != nil {
			break
		}
	}
	have := c.String()
	if edit.Failure != "" {
		var refused *gaby.EditError
		var missing *gaby.NotFoundError
		if err == nil || !strings.Contains(err.Error(), edit.Failure) {
			t.Errorf("error is %v, want one with %q", err, edit.Failure)
		}
		if !errors.As(err, &refused) && !errors.As(err, &missing) {
			t.Errorf("error has type %T", err)
		}
		if have != before {
			t.Errorf("a failed edit changed the text:\n%s", have)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if have != after {
		t.Errorf("line ends %q: have\n%s\nwant\n%s", lineEnd, show(have), show(after))
	}
	// The printed text must mean the same as the edited document.
	again, err := gaby.ParseAll([]byte(have))
	if err != nil || len(again) != 1 {
		t.Fatalf("printed text: %d documents, %v", len(again), err)
	}
	if err := again[0].Check(); err != nil {
		t.Fatalf("printed text: %v", err)
	}
	if a, b := compact(t, again[0]), compact(t, c[0]); a != b {
		t.Errorf("printed text means\n%s, want\n%s", a, b)
	}
}

func show(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r", "␍"), " ", "·")
}

func compact(t *testing.T, d *gaby.YamlDoc) string {
	t.Helper()
	b, err := json.Marshal(d.Data())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func apply(t *testing.T, d *gaby.YamlDoc, op string) error {
	t.Helper()
	verb, rest, _ := strings.Cut(op, " ")
	path, arg, _ := strings.Cut(rest, " ")
	if path == "." {
		path = ""
	}
	value := func(text string) any {
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil {
			t.Fatalf("%s: %v", op, err)
		}
		return v
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
	case "rearrange":
		var indexes []int
		if err := json.Unmarshal([]byte(arg), &indexes); err != nil {
			t.Fatalf("%s: %v", op, err)
		}
		return d.ArrayRearrangeP(indexes, path)
	case "comment":
		return d.SetComment(arg, path)
	case "duplicate":
		n, err := strconv.Atoi(arg)
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.Path(path).Duplicate(n)
		return err
	case "expand":
		_, err := d.Path(path).ExpandAnchors()
		return err
	}
	t.Fatalf("unknown operation %q", op)
	return nil
}

func TestEmptyPaths(t *testing.T) {
	const text = "a: {b: 1}\n\"\": 2\nl: [x]\n"
	d := parse(t, text)[0]
	for _, path := range []string{"", ".c", "a.", "a..c"} {
		t.Run(path, func(t *testing.T) {
			if _, err := d.SetP("x", path); err == nil {
				t.Errorf("%q can be set: %s", path, d)
			}
		})
	}
	if err := d.DeleteP(""); err == nil {
		t.Error("a document can be deleted from itself")
	}
	if err := d.Path("a.b").DeleteP(""); err == nil || d.String() != text {
		t.Errorf("a place was deleted by the empty path: %s", d)
	}
	if got := d.Path("a").Path(""); got.Len() != 1 || !got.ExistsP("") {
		t.Errorf("the empty path leads elsewhere: %s", got)
	}
	if _, err := d.SetP(3, "."); err == nil {
		t.Error("a segment without a name was made below another")
	}
	if _, err := d.Set(3, ""); err != nil || d.String() != "a: {b: 1}\n\"\": 3\nl: [x]\n" {
		t.Errorf("a key without a name that is there cannot be set: %v", err)
	}
	if err := d.Path("l").ArrayAppendP("y", ""); err != nil || d.Path("l").Len() != 2 {
		t.Errorf("nothing was appended to the place itself: %v", err)
	}
}

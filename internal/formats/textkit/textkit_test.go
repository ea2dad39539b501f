package textkit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/formats/textkit"
)

const matter = "---\nconfigHub:\n  configName: motd # the name\n# about b\nb: [1, x]\n---\n"

var corpus = []formattest.Input{
	{"empty", "", `{"text":""}`},
	{"a line", "hello\n", `{"text":"hello\n"}`},
	{"no line end at the end", "hello\nworld", `{"text":"hello\nworld"}`},
	{"blank lines", "\n\n  \n", `{"text":"\n\n  \n"}`},
	{"CRLF", "a\r\nb\r\n", `{"text":"a\r\nb\r\n"}`},
	{"line ends of all kinds", "a\rb\r\nc\n\n", `{"text":"a\rb\r\nc\n\n"}`},
	{"control characters", "a\tb\f\x01\n", `{"text":"a\tb\f\u0001\n"}`},
	{"byte order mark", "\ufeffhello\n", `{"text":"hello\n"}`},
	{"what looks like YAML", "a: 1\nb:\n- c\n", `{"text":"a: 1\nb:\n- c\n"}`},
	{
		"front matter", matter + "hello\n",
		`{"b":[1,"x"],"configHub":{"configName":"motd"},"text":"hello\n"}`,
	},
	{"front matter only", "---\na: 1\n---\n", `{"a":1,"text":""}`},
	{"front matter without line end", "---\na: 1\n---", `{"a":1,"text":""}`},
	{"empty front matter", "---\n---\nhello\n", `{"text":"hello\n"}`},
	{"front matter of comments", "---\n# none\n---\nhello\n", `{"text":"hello\n"}`},
	{
		"front matter with CRLF", "---\r\na: 1\r\nb:\r\n  c: x\r\n---\r\nhello\r\n",
		`{"a":1,"b":{"c":"x"},"text":"hello\r\n"}`,
	},
	{
		"front matter after a byte order mark", "\ufeff---\na: 1\n---\nhello\n",
		`{"a":1,"text":"hello\n"}`,
	},
	{"blanks after the marks", "---  \na: 1\n---\t\nhello\n", `{"a":1,"text":"hello\n"}`},
	{"blank line after front matter", "---\na: 1\n---\n\nhello\n", `{"a":1,"text":"\nhello\n"}`},
	{
		"a second block", "---\na: 1\n---\nx\n---\nb: 2\n---\n",
		`{"a":1,"text":"x\n---\nb: 2\n---\n"}`,
	},
	{
		"values of front matter", "---\na: 007\nb: 1.0\nc: |\n  x\n  y\nd: \"q\"\ne: ~\n" +
			"f: {g: [1]}\n---\nx",
		`{"a":7,"b":1,"c":"x\ny\n","d":"q","e":null,"f":{"g":[1]},"text":"x"}`,
	},
	{"a rule, not front matter", "---\nhello\n---\nworld\n", `{"text":"---\nhello\n---\nworld\n"}`},
	{
		"lines between rules, not front matter", "---\nhello\na: 1\n---\nworld\n",
		`{"text":"---\nhello\na: 1\n---\nworld\n"}`,
	},
	{"a list, not front matter", "---\n- a\n---\nworld\n", `{"text":"---\n- a\n---\nworld\n"}`},
	{"no end", "---\na: 1\n", `{"text":"---\na: 1\n"}`},
	{"four dashes", "----\na: 1\n----\n", `{"text":"----\na: 1\n----\n"}`},
	{"marks in the middle", "x\n---\na: 1\n---\n", `{"text":"x\n---\na: 1\n---\n"}`},
	{"templates", "{{ range .x }}\n{% if y %}${z}\n", `{"text":"{{ range .x }}\n{% if y ` +
		`%}${z}\n"}`},
	{"one long line", strings.Repeat("x", 1<<16), `{"text":"` + strings.Repeat("x", 1<<16) + `"}`},

	{"broken front matter", "---\na: [1\n---\nhello\n", `!!! 2:4: unclosed [`},
	{
		"text in front matter", "---\na: 1\ntext: x\n---\nhello\n",
		`!!! 3:1: the front matter has an entry text, which is the name of the text after it`,
	},
	{"another encoding", "caf\xe9\n", `!!! 1:4: the text is not UTF-8`},
}

func TestAnchors(t *testing.T) {
	docs, err := textkit.Converter{}.NativeToDocuments([]byte("---\na: &x {b: 1}\nc: *x\n---\ny"))
	if err != nil {
		t.Fatal(err)
	}
	var edit *gaby.EditError
	if err := docs[0].DeleteP("a"); !errors.As(err, &edit) || edit.Pos.Line != 2 {
		t.Errorf("error is %v", err)
	}
}

func TestEdits(t *testing.T) { formattest.Edits(t, textkit.Converter{}) }

func FuzzParse(f *testing.F) { formattest.Fuzz(f, textkit.Converter{}, corpus) }

func TestProperty(t *testing.T) {
	formattest.Property(t, textkit.Converter{}, func(d formattest.Dice) string {
		end := formattest.Pick(d, "\n", "\n", "\r\n")
		var b strings.Builder
		if d(3) > 0 {
			b.WriteString(formattest.Pick(d, "", "", "\ufeff") + "---" + end)
			for i := range d(4) {
				key := string(rune('p' + i))
				b.WriteString(formattest.Pick(d, "", "", "# note"+end, end))
				b.WriteString(key + formattest.Pick(d, ": 1", ": x # c", ": 'q'", ": [a, 2]",
					":"+end+"  - a"+end+"  - b: 1", ":"+end+"  n: 1 # c"+end+"  m: {o: x}",
					": |"+end+"  x"+end+"  y") + end)
			}
			b.WriteString("---" + end)
		} else {
			b.WriteString("no front matter" + end)
		}
		for range d(5) {
			b.WriteString(formattest.Pick(d, "hello", "", "---", "a: 1", "  x", "# é😀") + end)
		}
		return b.String() + formattest.Pick(d, "", "end")
	})
}

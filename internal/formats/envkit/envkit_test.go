package envkit_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/internal/formats/envkit"
)

var corpus = []formattest.Input{
	{"empty", "", `{}`},
	{"only comments", "# a\n\n  ; b\n", `{}`},
	{"plain", "A=1\nB=two\n", `{"A":"1","B":"two"}`},
	{
		"all values are strings", "A=true\nB=5\nC=1.0\nD=007\nE=null\n",
		`{"A":"true","B":"5","C":"1.0","D":"007","E":"null"}`,
	},
	{"empty values", "A=\nB=\"\"\nC=''\nD= \nE= # c\n", `{"A":"","B":"","C":"","D":"","E":""}`},
	{"a line that looks like a comment", "A=\"x\n# y\"\nB=2\n", `{"A":"x\n# y","B":"2"}`},
	{"blanks around", "  A = 1  \n\tB=\t2\t\n", `{"A":"1","B":"2"}`},
	{
		"export", "export A=1\nexport\tB=2\n export  C=3\nexported=4\nexport=5x\n",
		`!!! 5:1: the name of a variable cannot be 'export'`,
	},
	{
		"exported", "export A=1\nexport\tB=2\n export  C=3\nexported=4\n",
		`{"A":"1","B":"2","C":"3","exported":"4"}`,
	},
	{"single quotes", "A='x # \\n \"y\"'\nB='a' # c\n", `{"A":"x # \\n \"y\"","B":"a"}`},
	{
		"double quotes", "A=\"x # \\n \\\"y\\\" \\\\ \\$Z \\q\"\nB=\"a\"  # c\n",
		`{"A":"x # \n \"y\" \\ $Z \\q","B":"a"}`,
	},
	{
		"several lines", "KEY='-----BEGIN\nabc\n-----END'\nB=\"x\n  y\"\nC=1\n",
		`{"B":"x\n  y","C":"1","KEY":"-----BEGIN\nabc\n-----END"}`,
	},
	{
		"quotes that are not closed", "A='tis\nB=\"x\nC=it's\nD=x\"y\"\n",
		`{"A":"'tis","B":"\"x","C":"it's","D":"x\"y\""}`,
	},
	{"quotes in the middle", "A='a' 'b'\nB=\"a\"b\n", `{"A":"'a' 'b'","B":"\"a\"b"}`},
	{
		"number signs", "A=a#b\nB=a #b\nC=#x\nD=a\t# b\nE=http://h/#x\n",
		`{"A":"a#b","B":"a","C":"#x","D":"a","E":"http://h/#x"}`,
	},
	{
		"equal signs", "A=b=c\nB==\nC=postgres://u:p@h/db?a=b&c=d\n",
		`{"A":"b=c","B":"=","C":"postgres://u:p@h/db?a=b&c=d"}`,
	},
	{"variables stay", "A=$B\nC=${D:-e}\nE='$F'\n", `{"A":"$B","C":"${D:-e}","E":"$F"}`},
	{
		"the configHub block", "configHub.configName=a\nconfigHub.configSchema=B\nX=1\n",
		`{"X":"1","configHub":{"configName":"a","configSchema":"B"}}`,
	},
	{"duplicates", "A=1\nA=2\n", `{"A":"2"}`},
	{"no line end at the end", "A=1\nB='x'", `{"A":"1","B":"x"}`},
	{"CRLF", "A=1\r\n# c\r\nB=\"x\r\ny\"\r\n\r\nC=2 # d\r\n", `{"A":"1","B":"x\ny","C":"2"}`},
	{"byte order mark", "\ufeffA=1\nB=2\n", `{"A":"1","B":"2"}`},
	{"Unicode", "NAME=Zoë 日本\nÄ=1\n", `{"NAME":"Zoë 日本","Ä":"1"}`},
	{"dashes", "my-var=1\nx/y=2\na:b=3\n", `{"a:b":"3","my-var":"1","x/y":"2"}`},
	{"backslashes", "A=C:\\temp\\\nB=\\n\nC='\\'\n", `{"A":"C:\\temp\\","B":"\\n","C":"\\"}`},
	{"blanks in values", "A=two words\nB=  x  y  # c\n", `{"A":"two words","B":"x  y"}`},
	{"comment that is a variable", "#A=1\nA=2\n", `{"A":"2"}`},
	{"aligned", "A     = 1\nLONG  = 2\n", `{"A":"1","LONG":"2"}`},
	{"backtick", "A=`x`\n", "{\"A\":\"`x`\"}"},
	{"no sign", "A=1\nexport B\n", `!!! 2:1: no '=' separator found`},
	{"no name", "A=1\n =2\n", `!!! 2:2: the name of a variable cannot be empty`},
	{"a dot", "A=1\nspring.port=2\n", `!!! 2:7: the name of a variable cannot have a dot`},
	{"a blank", "MY KEY=1\n", `!!! 1:1: the name of a variable cannot be 'MY KEY'`},
	{"no UTF-8", "A=caf\xe9\n", `!!! 1:6: the text is not UTF-8`},
}

// TestLineBreaks checks that a line break in a new value is one for every reader, whatever the line
// ends of the text.
func TestLineBreaks(t *testing.T) {
	for text, want := range map[string]string{
		"A=1\n":   "A=\"x\ny\"\n",
		"A=1\r\n": "A=\"x\\ny\"\r\n",
	} {
		t.Run(text, func(t *testing.T) {
			docs, err := envkit.Converter{}.NativeToDocuments([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := docs[0].Set("x\ny", "A"); err != nil {
				t.Fatal(err)
			}
			if have, err := (envkit.Converter{}).DocumentsToNative(docs); err != nil ||
				string(have) != want {
				t.Errorf("%q, %v, want %q", have, err, want)
			}
		})
	}
}

func TestEdits(t *testing.T) { formattest.Edits(t, envkit.Converter{}) }

func generate(d formattest.Dice) string {
	var b strings.Builder
	end := formattest.Pick(d, "\n", "\n", "\n", "\r\n")
	for range d(8) {
		b.WriteString(formattest.Pick(d, "", "", "  ", "# note"+end, end, "export ",
			"; x"+end+"# y"+end))
		b.WriteString(formattest.Pick(d, "A", "B", "DATABASE_HOST", "DATABASE_PORT", "X_Y_Z",
			"configHub.configName", "configHub.x", "k-1"))
		b.WriteString(formattest.Pick(d, "=", "=", " = ", "= "))
		b.WriteString(formattest.Pick(d, "", "1", "word", "two words", "'single # q'",
			`"double \" \n q"`, "\"two"+end+"lines\"", "'two"+end+"lines'", "a#b", "it's", "$X",
			"é", "\"x\" # note", "x # note", " # note", "C:\\x"))
		b.WriteString(end)
	}
	text := b.String()
	if d(4) == 0 {
		text = strings.TrimSuffix(text, end)
	}
	return text
}

func TestProperty(t *testing.T) { formattest.Property(t, envkit.Converter{}, generate) }

func FuzzParse(f *testing.F) { formattest.Fuzz(f, envkit.Converter{}, corpus) }

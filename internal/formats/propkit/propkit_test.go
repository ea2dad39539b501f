package propkit_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/internal/formats/propkit"
)

var corpus = []formattest.Input{
	{"empty", "", `{}`},
	{"only comments", "# a\n! b\n\n", `{}`},
	{
		"signs", "a=1\nb:2\nc 3\nd = 4\ne : 5\nf\t6\ng   =   7\n",
		`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7}`,
	},
	{"no value", "a\nb=\nc:\nd \n", `{"a":"","b":"","c":"","d":""}`},
	{
		"nesting", "db.host=h\ndb.port=5\ndb.ssl.on=true\n",
		`{"db":{"host":"h","port":5,"ssl":{"on":true}}}`,
	},
	{"interleaved", "a.x=1\nb.x=2\na.y=3\nb.y=4\n", `{"a":{"x":1,"y":3},"b":{"x":2,"y":4}}`},
	{
		"lists", "l.0=a\nl.1=b\nm.1=c\nm.0=d\nn.1=e\nn.2=f\n",
		`{"l":["a","b"],"m":["d","c"],"n":{"1":"e","2":"f"}}`,
	},
	{"lists in lists", "g.0.0=a\ng.0.1=b\ng.1.0=c\n", `{"g":[["a","b"],["c"]]}`},
	{
		"list of maps", "s.0.name=a\ns.0.port=1\ns.1.name=b\n",
		`{"s":[{"name":"a","port":1},{"name":"b"}]}`,
	},
	{
		"a key that begins others", "log4j.appender.A=Console\nlog4j.appender.A.layout=Pattern\n" +
			"log4j.appender.A.layout.fmt=%m\n",
		`{"log4j":{"appender":{"A":"Console","A.layout":"Pattern","A.layout.fmt":"%m"}}}`,
	},
	{"the other way round", "a.b.c=1\na=2\n", `{"a":2,"a.b":{"c":1}}`},
	{"duplicates", "a=1\nb=2\na=3\n", `{"a":3,"b":2}`},
	{"odd dots", ".a=1\nb.=2\nc..d=3\n.=4\n", `{".":4,".a":1,"b.":2,"c..d":3}`},
	{
		"continuation", "hosts = a,\\\n        b,\\\n        c\nnext=1\n",
		`{"hosts":"a,b,c","next":1}`,
	},
	{"continuation of a key", "lo\\\n  ng=1\nx=2\n", `{"long":1,"x":2}`},
	{"continued by blank line", "a=b\\\n\nc=d\n", `{"a":"b","c":"d"}`},
	{"continued by what looks like a comment", "a=b\\\n# c\nd=e\n", `{"a":"b# c","d":"e"}`},
	{"continued at the end", "a=b\\", `{"a":"b"}`},
	{"an empty value continued at the end", "a=1\nb=\\", `{"a":1,"b":""}`},
	{"a mark after a value", "a=1 #\nb=2\n", `{"a":1,"b":2}`},
	{"blanks after values", "a=5 \nb=true\t\f\nc=x \nd=5\\ \ne=\\ 5\nf=-7\\\n  \ng=5\\u0020\n" +
		"h=007 \n", `{"a":5,"b":true,"c":"x ","d":"5 ","e":" 5","f":-7,"g":"5 ","h":"007 "}`},
	{
		"escapes", "a\\ b=1\nc\\=d=2\ne\\:f=3\n\\#g=4\nh=\\u00e9\\t\\n\\\\ \\q\n",
		`{"#g":4,"a b":1,"c=d":2,"e:f":3,"h":"é\t\n\\ q"}`,
	},
	{"surrogates", "smile=\\ud83d\\ude00!\nhalf=\\ud83d\n", `{"half":"�","smile":"😀!"}`},
	{"blanks", "  a  =  1\n\tb=x  \n  # indented\n  c=\\ y\n", `{"a":1,"b":"x  ","c":" y"}`},
	{"no comments after values", "port=5432 # Two\nurl=http://h/#x\ncolor=#fff\ntab=a\t#b\n" +
		"q=a\\ #b\n", `{"color":"#fff","port":5432,"q":"a #b","tab":"a\t#b","url":"http://h/#x"}`},
	{
		"a remark after a number", "a=5 # x\nb=true\t#y\nc=5#x\nd=5 \\# x\ne=007 # x\nf=5 ! x\n",
		`{"a":5,"b":true,"c":"5#x","d":"5 # x","e":"007 # x","f":"5 ! x"}`,
	},
	{
		"numbers", "a=007\nb=1.0\nc=1e3\nd=-5\ne=+5\nf=99999999999999999999\ng=-0\nh=0x1f\n",
		`{"a":"007","b":"1.0","c":"1e3","d":-5,"e":"+5","f":"99999999999999999999","g":"-0",` +
			`"h":"0x1f"}`,
	},
	{"no line end at the end", "a=1\nb=2", `{"a":1,"b":2}`},
	{"CRLF", "a=1\r\n# c\r\nb=x\\\r\n  y\r\n\r\n", `{"a":1,"b":"xy"}`},
	{"CR", "a=1\rb=2\r", `{"a":1,"b":2}`},
	{"byte order mark", "\ufeff# c\na=1\n", `{"a":1}`},
	{"byte order mark and key", "\ufeffa=1\nb=2\n", `{"a":1,"b":2}`},
	{"ISO 8859-1", "name=caf\xe9\nb=2\n", `{"b":2,"name":"café"}`},
	{"UTF-8", "name=café\nsign=日本\n", `{"name":"café","sign":"日本"}`},
	{
		"aligned", "name     = x\nport     = 1\nprotocol = y\n",
		`{"name":"x","port":1,"protocol":"y"}`,
	},
	{"two backslashes at the end", "dir=C:\\\\temp\\\\\nnext=1\n", `{"dir":"C:\\temp\\","next":1}`},
	{"form feed", "\fa\f=\f1\n", `{"a":1}`},
	{"bad escape", "a=1\nb = \\u12g4\n", `!!! 2:5: \u is not followed by four hexadecimal digits`},
}

func TestEdits(t *testing.T) { formattest.Edits(t, propkit.Converter{}) }

func generate(d formattest.Dice) string {
	var b strings.Builder
	end := formattest.Pick(d, "\n", "\n", "\n", "\r\n")
	for range d(8) {
		b.WriteString(formattest.Pick(d, "", "", "  ", "# note"+end, end, "\t",
			"! x"+end+"# y"+end))
		b.WriteString(formattest.Pick(d, "a", "b", "a.b", "a.c", "list.0", "list.1", "list.2",
			"x\\ y", "k.l.m", "key\\=", "\\u00e9", "DATABASE_HOST"))
		b.WriteString(formattest.Pick(d, "=", ":", " = ", " ", "\t:\t", "    = "))
		b.WriteString(formattest.Pick(d, "", "1", "true", "007", "word", "two words",
			"a,\\"+end+"   b", "\\u00e9\\n", "é", "x # note", "#no", "\\ lead", "C:\\\\x",
			"trail "))
		b.WriteString(end)
	}
	text := b.String()
	if d(4) == 0 {
		text = strings.TrimSuffix(text, end)
	}
	return text
}

func TestProperty(t *testing.T) { formattest.Property(t, propkit.Converter{}, generate) }

func FuzzParse(f *testing.F) { formattest.Fuzz(f, propkit.Converter{}, corpus) }

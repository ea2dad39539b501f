package tomlkit_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/internal/formats/tomlkit"
)

var corpus = []formattest.Input{
	{"a carriage return at the end", "a = 1\n\r", `!!! 2:1: expected newline but got U+000D`},
	{"a line without a value", "a =\n", `!!! 1:4: a value is missing after =`},
	{"a comment without a value", "a = # b\n", `!!! 1:5: a value is missing after =`},
	{"an inline entry without a value", "a = {b = }\n", `!!! 1:10: a value is missing after =`},
	{"empty", "", `{}`},
	{"only comments", "# a\n\n  # b\n", `{}`},
	{
		"bare and quoted keys", "a-b_1 = 1\n\"c d\" = 2\n'e\"f' = 3\n1234 = 4\n\"\" = 5\n",
		`{"":5,"1234":4,"a-b_1":1,"c d":2,"e\"f":3}`,
	},
	{
		"dotted keys", "a.b.c = 1\na.b.d = 2\na . \"x y\" = 3\nsite.\"google.com\" = true\n",
		`{"a":{"b":{"c":1,"d":2},"x y":3},"site":{"google.com":true}}`,
	},
	{
		"dotted keys apart", "apple.type = \"fruit\"\norange.type = \"fruit\"\n\n" +
			"apple.skin = \"thin\"\n",
		`{"apple":{"skin":"thin","type":"fruit"},"orange":{"type":"fruit"}}`,
	},
	{
		"basic strings", `a = "x\ty\"z\\ \u00e9 \U0001F600 \b\f\r\n"` + "\n",
		`{"a":"x\ty\"z\\ é 😀 \b\f\r\n"}`,
	},
	{
		"literal strings", "win = 'C:\\x\\y'\nq = '\"'\nempty = ''\n",
		`{"empty":"","q":"\"","win":"C:\\x\\y"}`,
	},
	{"several lines", "a = \"\"\"\none\ntwo \\\n   three\"\"\"\nb = '''\nraw \\n\n'''\n" +
		"c = \"\"\"x \"\" y\"\"\"\"\"\n", `{"a":"one\ntwo three","b":"raw \\n\n","c":"x \"\" ` +
		`y\"\""}`},
	{
		"a string that looks like comments",
		"a = \"\"\"\n# no comment\n# none \"\"\"\nb = 1 # one\n",
		`{"a":"# no comment\n# none ","b":1}`,
	},
	{"integers", "a = +99\nb = 0\nc = -17\nd = 1_000_000\ne = 0xDEAD_beef\nf = 0o755\n" +
		"g = 0b1101\nh = -0\n", `{"a":99,"b":0,"c":-17,"d":1000000,"e":3735928559,"f":493,"g":13,` +
		`"h":0}`},
	{
		"floats", "a = 1.0\nb = -0.01\nc = 5e+22\nd = 1e06\ne = 6.626e-34\nf = 224_617.445_991\n",
		`{"a":1,"b":-0.01,"c":5e+22,"d":1000000,"e":6.626e-34,"f":224617.445991}`,
	},
	{
		"dates and times", "a = 1979-05-27T07:32:00Z\nb = 1979-05-27T00:32:00.999999-07:00\n" +
			"c = 1979-05-27 07:32:00z\nd = 1979-05-27T07:32:00\ne = 1979-05-27\nf = 07:32:00.5\n",
		`{"a":"1979-05-27T07:32:00Z","b":"1979-05-27T00:32:00.999999-07:00","c":"1979-05-27 ` +
			`07:32:00z","d":"1979-05-27T07:32:00","e":"1979-05-27","f":"07:32:00.5"}`,
	},
	{
		"arrays", "a = [1,2,3]\nb = [ [ 1, 2 ], [\"x\"], ]\nc = []\n" +
			"d = [ 1, \"mixed\", { x = 1 } ]\n",
		`{"a":[1,2,3],"b":[[1,2],["x"]],"c":[],"d":[1,"mixed",{"x":1}]}`,
	},
	{"array over lines", "hosts = [\n  \"alpha\", # first\n  # about beta\n  \"beta\",\n\n" +
		"  \"gamma\" # last\n]\n", `{"hosts":["alpha","beta","gamma"]}`},
	{"inline tables", "p = { x = 1, y = { z = \"a\" }, \"q r\" = [] }\nempty = {}\n" +
		"d = { a.b = 1, a.c = 2 }\n", `{"d":{"a":{"b":1,"c":2}},"empty":{},"p":{"q ` +
		`r":[],"x":1,"y":{"z":"a"}}}`},
	{
		"tables", "top = 1\n\n[a]\nx = 1\n\n[a.b]\ny = 2\n\n[ c . \"d.e\" ] # odd\nz = 3\n",
		`{"a":{"b":{"y":2},"x":1},"c":{"d.e":{"z":3}},"top":1}`,
	},
	{
		"tables out of order", "[a.b.c]\nx = 1\n[d]\ny = 2\n[a]\nz = 3\n[a.e]\n",
		`{"a":{"b":{"c":{"x":1}},"e":{},"z":3},"d":{"y":2}}`,
	},
	{
		"arrays of tables", "[[p]]\nn = 1\n\n[[p]] # empty\n\n[[p]]\nn = 3\n[p.size]\nw = 4\n" +
			"[[p.v]]\nk = 5\n[[p.v]]\nk = 6\n",
		`{"p":[{"n":1},{},{"n":3,"size":{"w":4},"v":[{"k":5},{"k":6}]}]}`,
	},
	{
		"indented", "[database]\n  host = \"h\"\n  port = 1 # one\n\n  # about ssl\n" +
			"  [database.ssl]\n    enabled = true\n",
		`{"database":{"host":"h","port":1,"ssl":{"enabled":true}}}`,
	},
	{
		"aligned", "name     = \"x\"   # a\nport     = 1     # b\nprotocol = 'tcp' # c\n",
		`{"name":"x","port":1,"protocol":"tcp"}`,
	},
	{
		"no blanks", "a=1\nb=\"x\"#c\n[t]\nc=[1,2]\nd={x=1}\n",
		`{"a":1,"b":"x","t":{"c":[1,2],"d":{"x":1}}}`,
	},
	{"no line end at the end", "a = 1\n[b]\nc = 2", `{"a":1,"b":{"c":2}}`},
	{"CRLF", "a = 1\r\n# c\r\n[t]\r\nb = [\r\n  1,\r\n]\r\n", `{"a":1,"t":{"b":[1]}}`},
	{"byte order mark", "\ufeffa = 1\nb = 2\n", `{"a":1,"b":2}`},
	{"byte order mark and table", "\ufeff[t]\na = 1\n", `{"t":{"a":1}}`},
	{
		"dots below a header", "[a]\nb.c = 1\nb.d = 2\n[a.e]\nf = 1\n",
		`{"a":{"b":{"c":1,"d":2},"e":{"f":1}}}`,
	},
	{"tabs and trailing blanks", "[t]  \n\ta\t=\t1\t \n\tb = 2 \t# c\n", `{"t":{"a":1,"b":2}}`},
	{
		"1.1", "a = {\n  x = 1, # one\n  y = 2,\n}\nb = \"\\x41\\e\"\nc = 07:32\n",
		`{"a":{"x":1,"y":2},"b":"A\u001b","c":"07:32"}`,
	},
	{"unicode", "name = \"日本 é\"\n\"ключ\" = '😀'\n", `{"name":"日本 é","ключ":"😀"}`},
	{"defined twice", "a = 1\nb = 2\na = 3\n", `!!! 3:1: the key a is defined twice`},
	{"table twice", "[a]\n[b]\n[a]\n", `!!! 3:2: the table a is defined twice`},
	{"dots into a value", "a = 1\na.b = 2\n", `!!! 2:1: the key a is defined twice`},
	{"header into a value", "a = { b = 1 }\n[a.c]\n", `!!! 2:2: the key a already has a value, ` +
		`which is not a table`},
	{"an array that is closed", "a = [1]\n[[a]]\n", `!!! 2:3: the key a is already something ` +
		`else than an array of tables`},
	{"leading zeros", "a = 1\nport = 007\n", `!!! 2:8: integers cannot have leading zeroes`},
	{"too large", "a = 9223372036854775808\n", `!!! 1:5: the integer 9223372036854775808 does ` +
		`not fit into 64 bits`},
	{"no such day", "a = 2023-02-29\n", `!!! 1:5: there is no such date or time: 2023-02-29`},
	{"unfinished", "[a\nb = 1\n", `!!! 1:3: expected ']' to close table name`},
}

func TestEdits(t *testing.T) { formattest.Edits(t, tomlkit.Converter{}) }

func FuzzParse(f *testing.F) { formattest.Fuzz(f, tomlkit.Converter{}, corpus) }

// generate returns a random text in which no key is defined twice, as every key contains a
// different number.
func generate(d formattest.Dice) string {
	var b strings.Builder
	end := formattest.Pick(d, "\n", "\n", "\n", "\r\n")
	number := 0
	key := func(more ...string) string {
		number++
		return fmt.Sprintf(formattest.Pick(d,
			append(more, "k%d", "long_key_%d", `"q %d"`, "'l.%d'")...), number)
	}
	var value func(depth int) string
	value = func(depth int) string {
		if depth > 0 {
			switch d(7) {
			case 3:
				return "{}"
			case 0:
				return "[" + value(0) + ", " + value(depth-1) + formattest.Pick(d, "", ",", " ") +
					"]"
			case 1:
				return "[" + end + "  " + value(0) + ", # c" + end + "  # above" + end + "  " +
					value(depth-1) + formattest.Pick(d, "", ",") + end + "]"
			case 2:
				return "{ " + key() + " = " + value(0) + ", " + key() + "=" + value(depth-1) + " }"
			}
		}
		return formattest.Pick(d, "1", "-17", "0x00ff", "1_000", "1.0", "1e3", "6.5e-3", "true",
			"'lit'", `"basic"`, `"esc \" \u00e9"`, `""`,
			"1979-05-27T07:32:00Z", "07:32:00", "1979-05-27", "[]",
			`"""`+end+"a"+end+`b \`+end+`  c"""`, "'''x"+end+"# y'''", "nan", "-inf")
	}
	lines := func(indent string) {
		for range d(4) {
			b.WriteString(formattest.Pick(d, "", "", "# note"+end, end) + indent +
				key("d%d.x", "d%d.x.\"y z\"") + formattest.Pick(d, " = ", "=", "   =  ") +
				formattest.Pick(d, value(2), value(0)+" # c", value(0)+"  #x") + end)
		}
	}
	lines("")
	for range d(4) {
		number++
		indent := formattest.Pick(d, "", "  ")
		name := fmt.Sprintf(formattest.Pick(d, "t%d", "t%d.u", `"t %d"`), number)
		b.WriteString(formattest.Pick(d, "", end, "# table"+end, end+"# far"+end+end))
		if d(3) == 0 {
			for range 1 + d(3) {
				b.WriteString("[[" + name + "]]" + end)
				lines(indent)
				if d(3) == 0 {
					b.WriteString("[" + name + ".sub]" + end)
					lines(indent)
				}
			}
			continue
		}
		b.WriteString("[" + name + "]" + formattest.Pick(d, "", " # h") + end)
		lines(indent)
		if d(3) == 0 {
			b.WriteString(indent + "[" + name + ".sub]" + end)
			lines(indent + indent)
		}
	}
	text := b.String()
	if d(4) == 0 {
		text = strings.TrimSuffix(text, end)
	}
	return text
}

func TestProperty(t *testing.T) { formattest.Property(t, tomlkit.Converter{}, generate) }

// plain converts a tree so that both results can be compared: times become the word "time", and
// numbers that JSON does not have become text.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for key, value := range v {
			m[key] = plain(value)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, value := range v {
			l[i] = plain(value)
		}
		return l
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprint(v)
		}
	case time.Time:
		return "time"
	case toml.LocalDate, toml.LocalTime, toml.LocalDateTime:
		return "time"
	case string:
		if len(v) > 4 && strings.Trim(v, "0123456789-:.TZtz +") == "" {
			return "time"
		}
	}
	return v
}

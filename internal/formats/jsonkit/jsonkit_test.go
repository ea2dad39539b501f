package jsonkit_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/formats/jsonkit"
)

func dialect(file string) configkit.ConfigConverter { return jsonkit.Converter{}.ForFile(file) }

// plain lists inputs of plain JSON.
var plain = []formattest.Input{
	{"empty object", "{}\n", `{}`},
	{"empty list", "[ ]\n", `[]`},
	{"a scalar", "\"x\"\n", `"x"`},
	{"null", " null ", `null`},
	{"kinds", "{\"a\": 1, \"b\": \"x\", \"c\": true, \"d\": null, \"e\": [1, \"y\", {}], \"f\": " +
		"{\"g\": []}}\n", `{"a":1,"b":"x","c":true,"d":null,"e":[1,"y",{}],"f":{"g":[]}}`},
	{
		"two blanks", "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [\n      1,\n      2\n    ]\n" +
			"  }\n}\n",
		`{"a":1,"b":{"c":[1,2]}}`,
	},
	{"four blanks", "{\n    \"a\": 1,\n    \"b\": [\n        {\n            \"c\": 1\n        }\n" +
		"    ]\n}\n", `{"a":1,"b":[{"c":1}]}`},
	{"tabs", "{\n\t\"a\": 1,\n\t\"b\":\t{\n\t\t\"c\": 2\n\t}\n}\n", `{"a":1,"b":{"c":2}}`},
	{
		"compact", `{"a":1,"b":[1,2,{"c":"x"}],"d":{"e":null}}`,
		`{"a":1,"b":[1,2,{"c":"x"}],"d":{"e":null}}`,
	},
	{"objects on one line", "[\n  { \"name\": \"a\", \"port\": 1 },\n" +
		"  { \"name\": \"b\", \"port\": 2 }\n]\n", `[{"name":"a","port":1},{"name":"b","port":2}]`},
	{"commas first", "{ \"a\": 1\n, \"b\": 2\n, \"c\": 3\n}\n", `{"a":1,"b":2,"c":3}`},
	{"blanks everywhere", " \n { \t\"a\" :\n 1 , \"b\":[ 1 ,2 ] }\n\n", `{"a":1,"b":[1,2]}`},
	{"blank lines", "{\n\n  \"a\": 1,\n\n\n  \"b\": 2\n\n}\n\n", `{"a":1,"b":2}`},
	{"no line end at the end", "{\n  \"a\": 1\n}", `{"a":1}`},
	{"CRLF", "{\r\n  \"a\": 1,\r\n  \"b\": [\r\n    \"x\"\r\n  ]\r\n}\r\n", `{"a":1,"b":["x"]}`},
	{"byte order mark", "\ufeff{\n  \"a\": 1\n}\n", `{"a":1}`},
	{"key order", "{\n  \"z\": 1,\n  \"a\": 2,\n  \"m\": 3\n}\n", `{"a":2,"m":3,"z":1}`},
	{
		"numbers", "{\"a\": 1.0, \"b\": 1e3, \"c\": -0.50, \"d\": 1E+2, \"e\": -17, \"f\": 0, " +
			"\"g\": 12345678901234567890, \"h\": 6.02e-23, \"i\": -9223372036854775808}\n",
		`{"a":1,"b":1000,"c":-0.5,"d":100,"e":-17,"f":0,"g":12345678901234567890,"h":6.02e-23,` +
			`"i":-9223372036854775808}`,
	},
	{"a number of many digits", "{\"a\": 123456789012345678901234567890, \"b\": " +
		"0.1000000000000000055511151231257827}\n", `{"a":1.2345678901234568e+29,"b":0.1}`},
	{"escapes", `{"a": "q\"b\\s\/n\nt\tb\bf\fr\r", "b": "caf\u00e9 \u003Cb\u003e", "c": ` +
		`"\ud83d\ude00!", "d": "\u0000"}` + "\n", `{"a":"q\"b\\s/n\nt\tb\bf\fr\r","b":"café ` +
		`<b>","c":"😀!","d":"\u0000"}`},
	{"half of a pair", `{"a": "x\ud83dy", "b": "\ude00\ud83d"}` + "\n", `{"a":"x�y","b":"��"}`},
	{
		"keys with escapes", `{"caf\u00e9": 1, "a.b": 2, "": 3, "q\"": 4, "日本": 5}` + "\n",
		`{"":3,"a.b":2,"café":1,"q\"":4,"日本":5}`,
	},
	{"the same key twice", "{\n  \"a\": 1,\n  \"b\": 2,\n  \"a\": 3\n}\n", `{"a":3,"b":2}`},
	{
		"what looks like comments", `{"url": "http://x//y", "g": "/* no */", "h": "# no"}` + "\n",
		`{"g":"/* no */","h":"# no","url":"http://x//y"}`,
	},
	{"numbers that wrap", "{\"m\": [1, 2, 3,\n       4, 5, 6]}\n", `{"m":[1,2,3,4,5,6]}`},
	{"lists in lists", "[[1, 2], [], [[3]], [\n  [4]\n]]\n", `[[1,2],[],[[3]],[[4]]]`},
	{"trailing blanks", "{  \n  \"a\": 1,   \n  \"b\": 2\t\n}  \n", `{"a":1,"b":2}`},
	{
		"separators of lines in a string", "{\"a\": \"x\u2028y\u2029\u007f\"}\n",
		"{\"a\":\"x\\u2028y\\u2029\u007f\"}",
	},
	{"carriage returns", "{\r  \"a\": 1,\r  \"b\": 2\r}\r", `{"a":1,"b":2}`},

	{"nothing", "", `!!! 1:1: there is no value in the file`},
	{"blanks only", " \n\n", `!!! 1:1: there is no value in the file`},
	{"a comma after the last", "{\n  \"a\": 1,\n}\n", `!!! 2:9: a comma follows the last entry`},
	{"a comma after the last item", "[1, 2,]", `!!! 1:6: a comma follows the last entry`},
	{"a comma alone", "[,]", `!!! 1:2: there is no entry before the comma`},
	{"two commas", "[1,,2]", `!!! 1:4: there is no entry before the comma`},
	{"no comma", "{\n  \"a\": 1\n  \"b\": 2\n}\n", `!!! 2:9: a comma or a } is missing after the ` +
		`value`},
	{"no bracket", "{\n  \"a\": [1, 2\n}\n", `!!! 2:13: a comma or a ] is missing after the value`},
	{"no end", "{\n  \"a\": [1, 2],\n", `!!! 1:1: unclosed {`},
	{"no colon", `{"a" 1}`, `!!! 1:5: a colon and a value are missing after the key "a"`},
	{"no value", `{"a": }`, `!!! 1:7: the key "a" has no value`},
	{"key without quotes", "{\n  a: 1\n}\n", `!!! 2:3: the key a has no quotes`},
	{"single quotes", "{'a': 1}", `!!! 1:2: put strings of JSON in double quotes`},
	{"a number as key", "{1: 2}", `!!! 1:2: a key in double quotes is missing before '1'`},
	{"comment", "{\n  // no\n  \"a\": 1\n}\n", `!!! 2:3: JSON has no comments`},
	{"comment of another language", "{\n  # no\n  \"a\": 1\n}\n", `!!! 2:3: unexpected #`},
	{"leading zeros", `{"port": 007}`, `!!! 1:10: the number 007 has a leading zero`},
	{"True", `[True]`, `!!! 1:2: JSON has no value True`},
	{"NaN", `[NaN]`, `!!! 1:2: JSON has no number that is written NaN`},
	{"hexadecimal", `[0xff]`, `!!! 1:2: JSON has no number that is written 0xff`},
	{"a word", `{"a": yes}`, `!!! 1:7: JSON has no value yes`},
	{"no number", `[1.2.3]`, `!!! 1:2: JSON has no value 1.2.3`},
	{"too large", `[1e400]`, `!!! 1:2: the number 1e400 is too large`},
	{"string over lines", "{\"a\": \"x\ny\"}", `!!! 1:9: the string has no end on its line`},
	{"control character", "{\"a\": \"x\ty\"}", `!!! 1:9: the control character \u0009 is not ` +
		`escaped`},
	{"no such escape", `{"a": "\x41"}`, `!!! 1:8: there is no escape sequence "\\x"`},
	{"half an escape", `{"a": "\u00g1"}`, `!!! 1:8: the escape sequence \u needs four ` +
		`hexadecimal digits`},
	{"string without end", `{"a": "x}` + " ", `!!! 1:11: the string has no end on its line`},
	{"two values", "{}\n{}\n", `!!! 2:1: there is more text after the value`},
	{"nested too deep", strings.Repeat("[", 1001), `!!! 1:1001: objects and lists are nested ` +
		`too deep`},
}

// commented lists inputs with comments and trailing commas.
var commented = []formattest.Input{
	{"comments", "// top\n{\n  // about a\n  // of two lines\n  \"a\": 1, // after a\n\n" +
		"  // far\n\n  \"b\": [ // in b\n    1, // one\n    /* about two */\n    2\n    // last\n" +
		"  ], /* after b */\n  // end\n}\n// bottom\n", `{"a":1,"b":[1,2]}`},
	{
		"trailing commas", "{\n  \"a\": [\n    1,\n    2,\n  ],\n  \"b\": {\"c\": 1,},\n}\n",
		`{"a":[1,2],"b":{"c":1}}`,
	},
	{
		"block comments", "/*\n * licence\n */\n{\n  /* about a\n   * of two lines */\n" +
			"  \"a\": /* in */ 1 /* after */,\n  /* x */ \"b\": 2, /* y */ \"c\": 3\n}\n",
		`{"a":1,"b":2,"c":3}`,
	},
	{"a comment only in brackets", "{\n  \"a\": {\n    // none yet\n  },\n" +
		"  \"b\": [ /* none */ ]\n}\n", `{"a":{},"b":[]}`},
	{
		"comments on one line", `{"a": 1, /* b */ "b": [1 /* one */, 2], "c": 3} // end`,
		`{"a":1,"b":[1,2],"c":3}`,
	},
	{
		"commented out", "{\n  \"a\": 1,\n  // \"b\": 2,\n  \"c\": \"http://x\" // \"d\": 3\n}\n",
		`{"a":1,"c":"http://x"}`,
	},
	{
		"a comment that ends on the line of its entry", "{\n\"a\": 0,\n/*\n*/\"b\": 0\n}\n",
		`{"a":0,"b":0}`,
	},
	{"comments with CRLF", "{\r\n  // a\r\n  \"a\": 1, // b\r\n  /* c\r\n     d */\r\n" +
		"  \"b\": 2,\r\n}\r\n", `{"a":1,"b":2}`},
	{"no end of a comment", "{\n  /* a\n}\n", `!!! 2:3: the comment has no end, which is */`},
	{"a slash", "{ / }", `!!! 1:3: unexpected /`},
}

// five lists inputs of JSON5.
var five = []formattest.Input{
	{
		"keys with escapes without quotes", "{\\u0061b: 1, c\\u0031: 2, \\u005fd: 3}",
		`{"_d":3,"ab":1,"c1":2}`,
	},
	{
		"a key that begins with an escaped digit", "{\\u0031: 1}",
		`!!! 1:2: a key in double quotes is missing before '\\'`,
	},
	{
		"keys", "{\n  a: 1,\n  $b_1: 2,\n  'c d': 3,\n  \"e\": 4,\n  ключ: 5,\n}\n",
		`{"$b_1":2,"a":1,"c d":3,"e":4,"ключ":5}`,
	},
	{
		"strings", `{a: 'it"s', b: 'it\'s', c: "\x41\v\0\q", d: 'two \` + "\n" + `lines'}` + "\n",
		`{"a":"it\"s","b":"it's","c":"A\u000b\u0000q","d":"two lines"}`,
	},
	{
		"numbers", "{a: 0xFF, b: -0x1f, c: .5, d: 5., e: +1, f: -.25e1, g: 0xFFFFFFFFFFFFFFFF}\n",
		`{"a":255,"b":-31,"c":0.5,"d":5,"e":1,"f":-2.5,"g":18446744073709551615}`,
	},
	{"blanks", "{\va:\u00a01,\f\u2028b: 2}\n", `{"a":1,"b":2}`},
	{"comment that a separator ends", "{ // x\u2028 a: 1 }\n", `{"a":1}`},
	{
		"as people write it", "// settings\n{\n    // name of it\n    name: 'shop',\n" +
			"    ports: [80, 0x1BB],   // two\n    limits: {cpu: .5, mem: +2,},\n}\n",
		`{"limits":{"cpu":0.5,"mem":2},"name":"shop","ports":[80,443]}`,
	},
	{"leading zero", "{a: 010}\n", `!!! 1:5: the number 010 has a leading zero`},
	{"bad key", "{a-b: 1}\n", `!!! 1:3: a colon and a value are missing after the key "a"`},
	{"octal escape", `{a: '\01'}`, `!!! 1:6: there is no escape sequence "\\0"`},
}

func TestInfinity(t *testing.T) {
	docs, err := dialect("a.json5").NativeToDocuments([]byte("[+Infinity, -Infinity, NaN]\n"))
	if err != nil {
		t.Fatal(err)
	}
	have := docs[0].Data().([]any)
	if have[0] != math.Inf(1) || have[1] != math.Inf(-1) || !math.IsNaN(have[2].(float64)) {
		t.Errorf("read as %v", have)
	}
	for file, allowed := range map[string]bool{
		"a.json5": true, "a.jsonc": false, "a.json": false,
		"": false,
	} {
		t.Run(file, func(t *testing.T) {
			docs, err := dialect(file).NativeToDocuments([]byte("[1]\n"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := docs[0].Set(math.Inf(-1), "0"); (err == nil) != allowed {
				t.Errorf("%s: %v", file, err)
			}
		})
	}
}

func TestHints(t *testing.T) {
	for text, want := range map[string]string{
		"{\"a\": 1, // x\n}": "comments and trailing commas are allowed in files called .jsonc " +
			"or .json5",
		`[1,]`:       "comments and trailing commas are allowed in files called .jsonc or .json5",
		`{a: 1}`:     `write "a"; JSON5 is allowed in files called .json5`,
		`[TRUE]`:     "write true",
		"[\"a\nb\"]": `write a line end in a string as \n`,
	} {
		t.Run(text, func(t *testing.T) {
			_, err := dialect("-").NativeToDocuments([]byte(text))
			var syntax *gaby.SyntaxError
			if !errors.As(err, &syntax) || syntax.Hint != want {
				t.Errorf("%s: hint of %v is %q, want %q", text, err, syntax.Hint, want)
			}
		})
	}
}

func TestEdits(t *testing.T) { formattest.Edits(t, jsonkit.Converter{}) }

func FuzzParse(f *testing.F) {
	formattest.Fuzz(f, jsonkit.Converter{},
		append(append(append([]formattest.Input{}, plain...), commented...), five...))
}

// generate returns a random text that uses all of the dialect and has no duplicate keys.
func generate(d formattest.Dice, file string) string {
	end := formattest.Pick(d, "\n", "\n", "\n", "\r\n")
	unit := formattest.Pick(d, "  ", "    ", "\t", "")
	colon, comma, pad := formattest.Pick(d, ": ", ": ", ":", " : "), formattest.Pick(d, ", ", ","),
		formattest.Pick(d, "", " ")
	hasComments, is5 := file != "a.json", file == "a.json5"
	trailing := hasComments && d(2) == 0
	number := 0
	key := func() string {
		number++
		forms := []string{`"k%d"`, `"key %d"`, `"a.b%d"`, `"\u00e9%d"`}
		if is5 {
			forms = append(forms, "k%d", "'k %d'", "$%d", `\u006b\u005f%d`)
		}
		return fmt.Sprintf(formattest.Pick(d, forms...), number)
	}
	note := func(texts ...string) string {
		if !hasComments {
			return ""
		}
		return formattest.Pick(d, texts...)
	}
	scalar := func() string {
		forms := []string{
			"1", "-17", "1.0", "1e3", "6.5E-3", "true", "false", "null", `"basic"`,
			`""`, `"esc \" \u00e9 \ud83d\ude00 \/"`, `"é😀"`, "[]", "{}", "18446744073709551615",
		}
		if is5 {
			forms = append(forms, "0x00FF", ".5", "+1", "'it\"s'", "'two \\"+end+" lines'")
		}
		return formattest.Pick(d, forms...)
	}
	var value func(depth int, indent string, lines bool) string
	value = func(depth int, indent string, lines bool) string {
		if depth == 0 || d(3) == 0 {
			return scalar()
		}
		isMap := d(2) == 0
		open, closing := "[", "]"
		if isMap {
			open, closing = "{", "}"
		}
		lines = lines && d(3) > 0
		inside := indent + unit
		var b strings.Builder
		b.WriteString(open)
		n := 1 + d(3)
		entry := ""
		for i := range n {
			if lines {
				if entry != "{}" && entry != "[]" {
					b.WriteString(note("", "", " // far"+end+end, ""))
				}
				b.WriteString(end)
				b.WriteString(formattest.Pick(d, "", "", end) +
					note("", "", inside+"// above"+end,
						inside+"/* above"+end+inside+"   it */"+end) + inside)
			} else if i == 0 {
				b.WriteString(pad)
			}
			if isMap {
				b.WriteString(key() + colon)
			}
			entry = value(depth-1, inside, lines)
			b.WriteString(entry)
			switch {
			case entry == "{}" || entry == "[]":
				// an empty value may be expanded to several lines, and a comment on the first of
				// them would be lost
				b.WriteString(map[bool]string{true: comma}[i < n-1])
			case i < n-1 && lines:
				b.WriteString("," + note("", " // line", "  /* b */"))
			case i < n-1:
				b.WriteString(note("", " /* c */") + comma + note("", "/* d */ "))
			case trailing:
				b.WriteString("," + note("", " /* e */"))
			case lines:
				b.WriteString(note("", " // last"))
			}
		}
		if lines {
			b.WriteString(end + note("", inside+"// end"+end) + indent)
		} else {
			b.WriteString(pad)
		}
		b.WriteString(closing)
		return b.String()
	}
	return note("", "// top"+end) + value(3, "", true) +
		formattest.Pick(d, "", end, end+end, end+note("", "// bottom"))
}

func TestProperty(t *testing.T) {
	for _, file := range []string{"a.json", "a.jsonc", "a.json5"} {
		t.Run(file, func(t *testing.T) {
			formattest.Property(t, dialect(file),
				func(d formattest.Dice) string { return generate(d, file) })
		})
	}
}

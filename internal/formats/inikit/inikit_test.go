package inikit_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/internal/formats/inikit"
)

var corpus = []formattest.Input{
	{"empty", "", `{}`},
	{"only comments", "# a\n\n  ; b\n", `{}`},
	{"plain", "[a]\nx = 1\ny=two words\n", `{"a":{"x":1,"y":"two words"}}`},
	{
		"types", "[a]\na = true\nb = 5\nc = 1.0\nd = 007\ne = null\nf = yes\ng = -3\nh = 1e3\n",
		`{"a":{"a":true,"b":5,"c":"1.0","d":"007","e":"null","f":"yes","g":-3,"h":"1e3"}}`,
	},
	{"colons", "[a]\nx: 1\ny : http://h:80/p=q\n", `{"a":{"x":1,"y":"http://h:80/p=q"}}`},
	{"keys in front of sections", "root = true\n\n[a]\nx = 1\n", `{"a":{"x":1},"root":true}`},
	{
		"nested names", "[a.b]\nx = 1\n[a]\ny = 2\n[a.b.c]\nz = 3\n",
		`{"a":{"b":{"c":{"z":3},"x":1},"y":2}}`,
	},
	{
		"names that do not nest", "[*.{md,txt}]\nx = 1\n[http://a.b/]\ny = 1\n[.c]\nz = 1\n" +
			"[tool:pytest]\nw = 1\n",
		`{"*.{md,txt}":{"x":1},".c":{"z":1},"http://a.b/":{"y":1},"tool:pytest":{"w":1}}`,
	},
	{"a key where a section would be", "[options]\npackages = find:\n[options.packages.find]\n" +
		"where = src\n", `{"options":{"packages":"find:","packages.find":{"where":"src"}}}`},
	{
		"a key with the name of a section", "[a]\nb = 1\n[a.b]\nc = 2\n",
		`{"a":{"b":1},"a.b":{"c":2}}`,
	},
	{"dots in keys", "[a]\nf.0 = x\nf.1 = y\n", `{"a":{"f.0":"x","f.1":"y"}}`},
	{
		"comments", "; file\n\n# of a\n[a] ; header\n# of x\nx = 1 # one\ny = 2 ; two\nz = a#b;c\n",
		`{"a":{"x":1,"y":"2 ; two","z":"a#b;c"}}`,
	},
	{
		"empty values", "[a]\nx =\ny = # c\nz=\nw = \"\"\n",
		`{"a":{"w":"\"\"","x":"","y":"# c","z":""}}`,
	},
	{
		"keys without values", "[mysqld]\nskip-networking\nport = 1\n!include x\nbare # c\n",
		`{"mysqld":{"!include x":null,"bare # c":null,"port":1,"skip-networking":null}}`,
	},
	{"lines that go on", "[a]\nx =\n    one\n    two\n\n    three\ny = p\n  q # c\n  # between\n" +
		"  r\nz = 1\n", `{"a":{"x":"\none\ntwo\n\nthree","y":"p\nq # c\nr","z":1}}`},
	{
		"lines that go on look like others", "[a]\nx = 1\n  [b]\n  y = 2\n",
		`{"a":{"x":"1\n[b]\ny = 2"}}`,
	},
	{
		"indented keys", "  [a]\n    x = 1\n    y = 2\n  [b]\n    z = 3\n",
		`{"a":{"x":1,"y":2},"b":{"z":3}}`,
	},
	{
		"quotes", "[a]\nx = \"a # b\" # c\ny = 'it; is'\nz = \"a\" b\nw = it's\nv = \"\n",
		`{"a":{"v":"\"","w":"it's","x":"\"a # b\" # c","y":"'it; is'","z":"\"a\" b"}}`,
	},
	{
		"interpolation", "[DEFAULT]\nhome = /h\n[a]\nx = %(home)s/x\ny = ${a:x}\nz = 100%%\n",
		`{"DEFAULT":{"home":"/h"},"a":{"x":"%(home)s/x","y":"${a:x}","z":"100%%"}}`,
	},
	{
		"duplicates", "[a]\nx = 1\n[b]\ny = 2\n[a]\nx = 3\nz = 4\n",
		`{"a":{"x":3,"z":4},"b":{"y":2}}`,
	},
	{"no line end at the end", "[a]\nx = 1", `{"a":{"x":1}}`},
	{"CRLF", "[a]\r\nx = 1\r\ny = p\r\n  q\r\n\r\n[b]\r\n", `{"a":{"x":1,"y":"p\nq"},"b":{}}`},
	{"byte order mark", "\ufeff[a]\nx = 1\n", `{"a":{"x":1}}`},
	{"Unicode", "[é]\nÄ = 日本\n", `{"é":{"Ä":"日本"}}`},
	{"blanks", "[ a b ]\n x y  =  1  \n\n\n", `{" a b ":{"x y":1}}`},
	{"backslashes", "[a]\nx = C:\\new\\\ny = \\n\n", `{"a":{"x":"C:\\new\\","y":"\\n"}}`},
	{"blanks of Unicode", "[a]\nx =\u00a0y\u2003\n\u00a0\u00a0z\n", `{"a":{"x":"y\nz"}}`},
	{"brackets after a header", "[a] # [b]\nx = 1\n", `{"a] # [b":{"x":1}}`},
	{"after a header", "[a] x = 1\ny = [b]\n", `{"a":{"y":"[b]"}}`},
	{"aligned", "[a]\nname    = x\nversion = 1.0.0\n", `{"a":{"name":"x","version":"1.0.0"}}`},
	{"empty sections", "[a]\n[b]\n\n[c.d]\n", `{"a":{},"b":{},"c":{"d":{}}}`},
	{
		"a header that is not closed", "[a]\nx = 1\n[b\n",
		`!!! 3:1: unclosed section header`,
	},
	{"a header without a name", "[]\n", `!!! 1:1: a section must have a name`},
	{"a key that is empty", "[a]\n = 1\n", `!!! 2:2: a key cannot be empty`},
	{"a line that goes on with nothing", "[a]\nx\n  y = 1\n", `!!! 3:3: the line is indented ` +
		`deeper than the key above it, which has no value to go on with`},
	{"no UTF-8", "[a]\nx = caf\xe9\n", `!!! 2:8: the text is not UTF-8`},

	{
		"git", "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@h:x/y.git\n" +
			"\tfetch = +refs/heads/*:refs/remotes/origin/*\n",
		`{"core":{"bare":false},"remote":{"origin":{"fetch":"+refs/heads/*:refs/remotes/origin/*","url":"git@h:x/y.git"}}}`,
	},
	{
		"git by its tabs", "[user]\n\tname = \"A # B\"\n[alias]\n" +
			"\tlg = \"!f() { git log \\\"$@\\\"; }; f\"\n",
		`{"alias":{"lg":"!f() { git log \"$@\"; }; f"},"user":{"name":"A # B"}}`,
	},
	{
		"git names", "[a \"b.c\"]\nx = 1\n[a \"q\\\"\\\\r\"]\ny = 2\n[d.e]\nz = 3\n",
		`{"a":{"b.c":{"x":1},"q\"\\r":{"y":2}},"d":{"e":{"z":3}}}`,
	},
	{
		"git comments", "; c\n[a \"b\"] # d\nx = 1# e\ny = \"#\" ; f\n",
		`{"a":{"b":{"x":1,"y":"#"}}}`,
	},
	{"git values", "[a \"b\"]\nx = a \\\n   b\\\\\\t\ny = \" lead\" and \"trail \"\nz = \\\n  q\n" +
		"w =\nv\nu = \"\"\n", "{\"a\":{\"b\":{\"u\":\"\",\"v\":null,\"w\":\"\",\"x\":\"a    " +
		"b\\\\\\t\",\"y\":\" lead and trail \",\"z\":\"q\"}}}"},
	{
		"git on one line", "[a \"b\"] x = 1\n[c \"d\"] y = 2 ; d\nz = 3\n",
		`{"a":{"b":{"x":1}},"c":{"d":{"y":2,"z":3}}}`,
	},
	{
		"git, one key several times", "[remote \"o\"]\n\tfetch = a\n\tfetch = b\n",
		`{"remote":{"o":{"fetch":"b"}}}`,
	},
	{
		"git, CRLF", "[a \"b\"]\r\n\tx = p\\\r\n\t q\r\n\ty\r\n",
		`{"a":{"b":{"x":"p\t q","y":null}}}`,
	},
	{"git, an escape", "[a \"b\"]\nx = C:\\dir\n", `!!! 2:7: unknown escape sequence`},
	{"git, a quote", "[a \"b\"]\nx = \"y\n", `!!! 2:5: unclosed quote`},
	{"git, a key", "[a \"b\"]\nx_y = 1\n", `!!! 2:2: a key must be followed by = and its value`},
	{"git, a number", "[a \"b\"]\n1x = 1\n", `!!! 2:1: a key must be letters, digits and -, the ` +
		`first a letter`},
	{"git, a header", "[a \"b\" c]\n", `!!! 1:1: unclosed section header`},
	{"git, a name", "[a \"b]\n", `!!! 1:1: unclosed quote`},
}

// TestFiles checks that files of git are read in its dialect even if they look like configparser's.
func TestFiles(t *testing.T) {
	const text = "[alias]\n  x = a\\tb#c\n  y = \"d\"e\n"
	for name, want := range map[string]string{
		"-": `a\tb#c`, "app.ini": `a\tb#c`, "x/.gitconfig": "a\tb", "work.gitconfig": "a\tb",
		".gitmodules": "a\tb", "/r/.git/config": "a\tb", "config": `a\tb#c`,
	} {
		t.Run(name, func(t *testing.T) {
			converter := inikit.Converter{}.ForFile(name)
			docs, err := converter.NativeToDocuments([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if have := docs[0].Path("alias.x").Data(); have != want {
				t.Errorf("%s: %q, not %q", name, have, want)
			}
			formattest.EachPath(t, converter, text)
		})
	}
}

func TestEdits(t *testing.T) { formattest.Edits(t, inikit.Converter{}) }

// generate returns a random text that configparser can read.
func generate(d formattest.Dice) string {
	end := formattest.Pick(d, "\n", "\n", "\n", "\r\n")
	indent := formattest.Pick(d, "", "", "  ", "    ")
	sign := formattest.Pick(d, " = ", " = ", "=", ": ", " : ")
	var b strings.Builder
	gap := func() {
		b.WriteString(formattest.Pick(d, "", "", "", "# note"+end, end, "; x"+end+"# y"+end,
			end+"# apart"+end+end))
	}
	for range d(5) {
		gap()
		b.WriteString("[" + formattest.Pick(d, "a", "b", "a.b", "a.b.c", "DEFAULT", "x y", "*.md",
			"a.x", " a ", "a]b") + "]" + formattest.Pick(d, "", "", " # c", " # [c] d") + end)
		for range d(4) {
			gap()
			b.WriteString(indent + formattest.Pick(d, "x", "name", "database host", "f.0", "b",
				"x-y", "k_1") + sign)
			b.WriteString(formattest.Pick(d, "", "1", "word", "two words", "it's", "a#b", "%(x)s",
				"é", "x # note", "C:\\x\\", "[q]", "k=v", `"quoted"`, "'single; q'",
				end+indent+"  one"+end+indent+"  two",
				"one"+end+indent+"    two # c"+end+end+indent+"    three", "# none", "x ; y",
				`"a" # "b"`, "\u00a0x\u2003", "; x"))
			b.WriteString(end)
		}
	}
	text := b.String()
	if d(4) == 0 {
		text = strings.TrimSuffix(text, end)
	}
	return text
}

func TestProperty(t *testing.T) { formattest.Property(t, inikit.Converter{}, generate) }

// generateGit returns a random text that git can read.
func generateGit(d formattest.Dice) string {
	end := formattest.Pick(d, "\n", "\n", "\n", "\r\n")
	const indent = "\t" // by which the dialect is detected when no names in quotes are left
	var b strings.Builder
	gap := func() { b.WriteString(formattest.Pick(d, "", "", "", "# note"+end, end, "\t; x"+end)) }
	b.WriteString(`[first "of all"]` + end)
	for range d(5) {
		gap()
		b.WriteString("[" + formattest.Pick(d, "core", "remote \"origin\"", "remote \"b.c\"",
			"branch \"a/b\"", "core", "a.b", "a \"q\\\"r\"") + "]" +
			formattest.Pick(d, "", "", " # c") + end)
		for range d(4) {
			gap()
			b.WriteString(indent + formattest.Pick(d, "x", "name", "fetch", "x-y", "k1") +
				formattest.Pick(d, " = ", " = ", "=", "= "))
			b.WriteString(formattest.Pick(d, "", "1", "word", "two words", "it's", `"a#b"`,
				`a\tb\\`, "é", "x # note", "x;y", `"q" and "r "`, `" lead"`, `one \`+end+"two",
				`"a\"b\nc"`, "+refs/heads/*:refs/x/*", `""`, "# none"))
			b.WriteString(end)
		}
	}
	text := b.String()
	if d(4) == 0 {
		text = strings.TrimSuffix(text, end)
	}
	return text
}

func TestPropertyGit(t *testing.T) {
	formattest.Property(t, inikit.Converter{}, generateGit)
	formattest.Property(t, inikit.Converter{}.ForFile(".gitconfig"), generateGit)
}

func FuzzParse(f *testing.F) { formattest.Fuzz(f, inikit.Converter{}, corpus) }

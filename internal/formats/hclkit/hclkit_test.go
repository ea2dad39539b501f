package hclkit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/internal/formats/hclkit"
)

var corpus = []formattest.Input{
	{"empty", "", `{}`},
	{"only comments", "# a\n// b\n/* c\n d */\n", `{}`},
	{
		"resource", "# about\nresource \"aws_vpc\" \"main\" {\n  cidr_block = \"10.0.0.0/16\" # " +
			"all\n  count      = 2\n}\n",
		`{"$block":"resource","$name":"main","$type":"aws_vpc","cidr_block":"10.0.0.0/16",` +
			`"count":2}`,
	},
	{
		"blocks", "variable \"a\" {}\n\nlocals {\n  x = 1\n}\noutput \"b\" { value = var.a }\n",
		`{"$block":"variable","$name":"a"}` + "\n" + `{"$block":"locals","x":1}` + "\n" +
			`{"$block":"output","$name":"b","value":"${var.a}"}`,
	},
	{
		"data and module", "data \"aws_ami\" \"u\" {\n  owners = [\"self\", var.o]\n}\n" +
			"module \"m\" {\n  source = \"./m\"\n}\n",
		`{"$block":"data","$name":"u","$type":"aws_ami","owners":["self","${var.o}"]}` + "\n" +
			`{"$block":"module","$name":"m","source":"./m"}`,
	},
	{"terraform", "terraform {\n  required_providers {\n    aws = {\n" +
		"      source = \"hashicorp/aws\"\n    }\n  }\n  backend \"s3\" {\n    bucket = \"b\"\n" +
		"  }\n}\n", `{"$block":"terraform","backend":{"s3":[{"bucket":"b"}]},"required_providers":[{"aws":{"source":"hashicorp/aws"}}]}`},
	{
		"nested blocks", "resource \"a\" \"b\" {\n  ingress {\n    port = 80\n  }\n\n" +
			"  # the other\n" +
			"  ingress {\n    port = 443\n  }\n  lifecycle { prevent_destroy = true }\n}\n",
		`{"$block":"resource","$name":"b","$type":"a","ingress":[{"port":80},{"port":443}],` +
			`"lifecycle":[{"prevent_destroy":true}]}`,
	},
	{
		"dynamic", "resource \"a\" \"b\" {\n  dynamic \"setting\" {\n    for_each = var.s\n" +
			"    iterator = it\n    content {\n      key = it.value[\"k\"]\n    }\n  }\n}\n",
		`{"$block":"resource","$name":"b","$type":"a","dynamic":{"setting":[{"content":[{"key":"${it.value[\"k\"]}"}],"for_each":"${var.s}","iterator":"${it}"}]}}`,
	},
	{
		"labels without quotes", "resource aws_vpc main {\n  a = 1\n}\n",
		`{"$block":"resource","$name":"main","$type":"aws_vpc","a":1}`,
	},
	{
		"three labels", "x \"a\" \"b\" \"c\" {\n  y = 1\n}\n",
		`{"$block":"x","$labels":["a","b","c"],"y":1}`,
	},
	{
		"expressions", "locals {\n  a = var.x\n  b = a ? \"x\" : \"y\"\n" +
			"  c = [for s in var.l : upper(s)]\n  d = { for k, v in var.m : k => v if v != " +
			"null }\n" +
			"  e = jsonencode({\n    A = 1\n  })\n  f = -var.x\n  g = (1 + 2) * 3\n" +
			"  h = a.b[*].c[0]\n  i = \"x\" == \"y\"\n}\n",
		`{"$block":"locals","a":"${var.x}","b":"${a ? \"x\" : \"y\"}","c":"${[for s in var.l : ` +
			`upper(s)]}","d":"${{ for k, v in var.m : k => v if v != null }}",` +
			`"e":"${jsonencode({\n    A = 1\n  })}","f":"${-var.x}","g":"${(1 + 2) * 3}",` +
			`"h":"${a.b[*].c[0]}","i":"${\"x\" == \"y\"}"}`,
	},
	{
		"templates", "locals {\n  a = \"web-${var.e}-x\"\n  b = \"${var.e}\"\n" +
			"  c = \"$${literal} %%{x}\"\n  d = \"%{ if var.x }yes%{ else }no%{ endif }\"\n" +
			"  e = \"q ${f(\"in\\\"ner\")} \\\"q\\\"\"\n}\n",
		`{"$block":"locals","a":"web-${var.e}-x","b":"${var.e}","c":"$${literal} %%{x}","d":"%{ ` +
			`if var.x }yes%{ else }no%{ endif }","e":"q ${f(\"in\\\"ner\")} \"q\""}`,
	},
	{
		"escapes", `locals {` + "\n" + `  a = "tab\t nl\n cr\r q\" b\\ \u00e9 \U0001F600"` +
			"\n}\n",
		`{"$block":"locals","a":"tab\t nl\n cr\r q\" b\\ é 😀"}`,
	},
	{"heredocs", "locals {\n  a = <<EOT\n one\n  ${var.x}\n\n# no comment\nEOT\n  b = <<-EOT\n" +
		"    two\n      three\n  EOT\n  c = 1\n}\n", `{"$block":"locals","a":" one\n  ` +
		`${var.x}\n\n# no comment\n","b":"two\n  three\n","c":1}`},
	{
		"numbers", "locals {\n  a = 007\n  b = 1.0\n  c = 1e3\n  d = -5\n" +
			"  e = 12345678901234567890123\n  f = -0.5\n}\n",
		`{"$block":"locals","a":7,"b":1,"c":1000,"d":-5,"e":1.2345678901234568e+22,"f":-0.5}`,
	},
	{
		"literals", "locals {\n  a = true\n  b = false\n  c = null\n  d = \"\"\n}\n",
		`{"$block":"locals","a":true,"b":false,"c":null,"d":""}`,
	},
	{
		"objects", "locals {\n  a = { x = 1, y = \"z\" }\n  b = {\n    \"a/b\" = 1\n    c: 2,\n" +
			"    # about d\n    d = [] # empty\n\n    1 = 3\n  }\n  c = {}\n" +
			"  d = { (var.k) = 1 }\n" +
			"  e = { \"${var.k}\" = 1 }\n}\n",
		`{"$block":"locals","a":{"x":1,"y":"z"},"b":{"1":3,"a/b":1,"c":2,"d":[]},"c":{},"d":"${{ ` +
			`(var.k) = 1 }}","e":"${{ \"${var.k}\" = 1 }}"}`,
	},
	{
		"tuples", "locals {\n  a = [1, [2, 3], { x = 4 }]\n  b = [\n    \"x\", // first\n" +
			"    # about y\n    \"y\", /* in */ \"z\"\n  ]\n  c = [\n    {\n      k = 1\n    },\n" +
			"    {\n      k = 2\n    },\n  ]\n}\n",
		`{"$block":"locals","a":[1,[2,3],{"x":4}],"b":["x","y","z"],"c":[{"k":1},{"k":2}]}`,
	},
	{
		"aligned", "locals {\n  name     = \"x\"   # a\n  port     = 1     // b\n" +
			"  protocol = \"tcp\" /* c */\n}\n",
		`{"$block":"locals","name":"x","port":1,"protocol":"tcp"}`,
	},
	{
		"variables", "# about\nregion = \"eu\"\nzones = [\"a\"]\n\ntags = {\n  x = 1\n}\n",
		`{"region":"eu","tags":{"x":1},"zones":["a"]}`,
	},
	{"attributes and blocks", "a = 1\nx = 2\nb {\n  c = 2\n}\nd = 3\ny = 4\n", `{"a":1,"x":2}` +
		"\n" + `{"$block":"b","c":2}` + "\n" + `{"d":3,"y":4}`},
	{"no line end at the end", "locals {\n  a = 1\n}\nb {}", `{"$block":"locals","a":1}` + "\n" +
		`{"$block":"b"}`},
	{
		"CRLF", "locals {\r\n  a = 1\r\n  b = [\r\n    1,\r\n  ]\r\n}\r\n",
		`{"$block":"locals","a":1,"b":[1]}`,
	},
	{"byte order mark", "\ufefflocals {\n  a = 1\n}\n", `{"$block":"locals","a":1}`},
	{
		"tabs and no blanks", "locals {\n\ta=1\n\tb\t=\t2\t# c\n\tc={x=1}\n}\n",
		`{"$block":"locals","a":1,"b":2,"c":{"x":1}}`,
	},
	{"comments anywhere", "/* head */ locals { # brace\n  /* in front */ a = 1 /* after */\n" +
		"  // about b\n  b = 2\n\n  # alone\n}\n# end\n", `{"$block":"locals","a":1,"b":2}`},
	{"types", "variable \"x\" {\n  type = map(object({ a = string, b = optional(number, 1) }))\n" +
		"  validation {\n    condition     = length(var.x) > 0\n    error_message = \"no\"\n" +
		"  }\n}\n", `{"$block":"variable","$name":"x","type":"${map(object({ a = string, b = ` +
		`optional(number, 1) }))}","validation":[{"condition":"${length(var.x) > 0}",` +
		`"error_message":"no"}]}`},
	{"unicode", "locals {\n  名 = \"日本 é\"\n}\n", `{"$block":"locals","名":"日本 é"}`},
	{"twice", "locals {\n  a = 1\n  a = 2\n}\n", `!!! 3:3: attribute redefined: the argument "a" ` +
		`was already set at :2,3-4. Each argument may be set only once`},
	{"unfinished", "locals {\n  a = \n}\n", `!!! 2:7: invalid expression: expected the start of ` +
		`an expression, but found an invalid expression token`},
}

func TestEdits(t *testing.T) { formattest.Edits(t, hclkit.Converter{}) }

func FuzzParse(f *testing.F) { formattest.Fuzz(f, hclkit.Converter{}, corpus) }

// generate returns a random text in which no attribute name is repeated.
func generate(d formattest.Dice) string {
	var b strings.Builder
	end := formattest.Pick(d, "\n", "\n", "\n", "\r\n")
	number := 0
	name := func() string {
		number++
		return fmt.Sprintf(formattest.Pick(d, "a%d", "long_name_%d"), number)
	}
	scalar := func() string {
		return formattest.Pick(d, "1", "007", "1.0", "1e3", "-5", "true", "null", `"text"`,
			`"web-${var.x}"`, `"\u00e9 \"q\" $${no}"`, "var.x", "f(1, 2)", "a ? 1 : 2", "[]", `""`)
	}
	attributes := func(indent string) {
		for range d(4) {
			b.WriteString(formattest.Pick(d, "", "", indent+"# note"+end, end, indent+"// x"+end))
			b.WriteString(indent + name() + formattest.Pick(d, " = ", "=", "   = "))
			switch d(8) {
			case 0:
				b.WriteString("[" + scalar() + ", " + scalar() + "]")
			case 1:
				b.WriteString("[" + end + indent + "  " + scalar() + ", # c" + end + indent + "  " +
					scalar() + formattest.Pick(d, ",", "") + end + indent + "]")
			case 2:
				b.WriteString("{" + end + indent + "  " + name() + " = " + scalar() + end + indent +
					"  # about" + end + indent + `  "` + name() + `/x" = ` + scalar() + end +
					indent + "}")
			case 3:
				b.WriteString("{ " + name() + " = " + scalar() + ", " + name() + " = " + scalar() +
					" }")
			case 4:
				b.WriteString("<<-EOT" + end + indent + "  one" + end + indent + "    two ${x}" +
					end + indent + "EOT")
			default:
				b.WriteString(scalar() + formattest.Pick(d, "", "", " # c"))
			}
			b.WriteString(end)
		}
	}
	for range d(4) {
		b.WriteString(formattest.Pick(d, "", end, "# about"+end, end+"# far"+end+end))
		number++
		b.WriteString(
			strings.Replace(
				formattest.Pick(
					d, `resource "aws_x" "n#"`, `data "aws_y" "n#"`, `module "n#"`, `locals`), "#",
				fmt.Sprint(number), 1))
		b.WriteString(" {" + formattest.Pick(d, "", " # c") + end)
		attributes("  ")
		for range d(3) {
			b.WriteString(formattest.Pick(d, end, "", "  # block"+end) +
				formattest.Pick(d, "  ingress {", "  egress {", `  dynamic "s" {`) + end)
			attributes("    ")
			b.WriteString("  }" + end)
		}
		b.WriteString("}" + end)
	}
	return b.String()
}

func TestProperty(t *testing.T) { formattest.Property(t, hclkit.Converter{}, generate) }

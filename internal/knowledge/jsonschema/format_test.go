package jsonschema_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	oracle "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
)

// formatTexts lists valid and invalid texts of several formats.
const formatTexts = `
2026-01-31T12:00:00Z 2026-01-31t12:00:00z 2026-01-31T12:00:00.123456789+01:00 2026-01-31T12:00:00 2026-02-30T12:00:00Z 2026-01-31T24:00:00Z
2026-12-31T23:59:60Z 2026-12-31T22:59:60Z 2026-12-31T15:59:60-08:00 2026-01-31T12:00:00+25:00 2026-01-31T12:00:00,5Z 2026-1-31T12:00:00Z 2026-01-31T12:00Z
2026-01-31 2024-02-29 2026-02-29 2026-13-01 26-01-31 2026-1-1 20260131 2026-W05
12:00:00Z 12:00:00 12:00:00+01:00 23:59:60Z 12:00:60Z 12:00:00.5Z 24:00:00Z 1:00:00Z
P1D PT1H P1Y2M3DT4H5M6S P1W P P1 PT P1DT 1D P1S P1W2D P-1D PT1.5S P2S P1M2Y
a@b a@example.com a.b@example.com .a@example.com a.@example.com a..b@example.com "a@b"@example.com a@[127.0.0.1] a@[IPv6:::1] a@-b a@ @b plain
example.com EXAMPLE.com a-b.c -a.b a-.b a..b a_b.c xn--fsqu00a localhost 1.2.3.4 example.com. aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com
10.0.0.1 256.0.0.1 10.0.0 010.0.0.1 1.2.3.4.5 10.0.0.1/8 0.0.0.0
::1 2001:db8::1 fe80::1%eth0 1:2:3:4:5:6:7:8 1:2:3:4:5:6:7:8:9 ::ffff:1.2.3.4 ::12345 :1 1::2::3
https://example.com/a?b=c#d urn:a:b /a/b a/b #a ?a //example.com/a http://[::1]:80/ http://::1/ http://a\b http://a/<b> http://a/^b http://a/{b} mailto:a@b %zz http://a/%41 http://a:x/
/a/{b} {b} {a,b} {a /a}b {{a}} http://example.com/{+a}{?b*}
123e4567-e89b-12d3-a456-426614174000 123E4567-E89B-12D3-A456-426614174000 123e4567e89b12d3a456426614174000 123e4567-e89b-12d3-a456-42661417400 123e4567-e89b-12d3-a456-42661417400g
/a/b~0c~1d /a~ /a~2 /a/ // ~0 0 1/a 0# 01/a -1/a 1/a~ 10/b
^a+$ [a ( (?=a) a{2,1} \d \p{L} a**
`

// differs reports whether the oracle is known to be wrong about a text.
func differs(format, text string) bool {
	switch format {
	case "uri", "uri-reference":
		return strings.ContainsAny(text, ` "<>^{}`) // RFC 3986 requires escapes for them
	case "email":
		return text == "@b"
	case "regex":
		// patterns use the syntax of Go; what that cannot express is an error when
		// a schema is compiled
		return text == "(?=a)"
	}
	return false
}

func TestFormats(t *testing.T) {
	formats := []string{
		"date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri",
		"uri-reference", "uuid", "json-pointer",
		"relative-json-pointer", "regex",
	}
	for _, format := range formats {
		t.Run(format, func(t *testing.T) {
			schema := []byte(`{"format": "` + format + `"}`)
			read, err := oracle.UnmarshalJSON(strings.NewReader(string(schema)))
			if err != nil {
				t.Fatal(err)
			}
			compiler := oracle.NewCompiler()
			compiler.AssertFormat()
			if err := compiler.AddResource("schema.json", read); err != nil {
				t.Fatal(err)
			}
			theirs := compiler.MustCompile("schema.json")
			ours, err := jsonschema.Compile("", value(t, schema), jsonschema.CompilerOptions{Formats: true})
			if err != nil {
				t.Fatal(err)
			}
			valid := 0
			for _, text := range slices.Concat(strings.Fields(formatTexts), []string{
				"", " ", "a b",
				"ü@example.com", "exämple.com", "http://exämple.com", "12:00:00 Z",
			}) {
				quoted, err := json.Marshal(text)
				if err != nil {
					t.Fatal(err)
				}
				problems, err := ours.Check(t.Context(), value(t, quoted))
				if err != nil {
					t.Fatal(err)
				}
				if len(problems) == 0 {
					valid++
				}
				if want := theirs.Validate(text) == nil; (len(problems) == 0) != want &&
					!differs(format, text) {
					t.Errorf("%s of %q: %v, want %t", format, text, problems, want)
				}
			}
			if valid == 0 {
				t.Errorf("nothing is a %s", format)
			}
		})
	}
}

func TestTemplates(t *testing.T) {
	for text, want := range map[string]bool{
		"/a/{b}": true, "{a,b}": true, "http://example.com/{+a}{?b*}": true, "12:00": true,
		"": true, "{a": false, "a}": false, "{{a}}": false,
	} {
		t.Run(text, func(t *testing.T) {
			if problems := found(t, "{format: uri-template}", strconv.Quote(text),
				jsonschema.CompilerOptions{Formats: true}); (problems == "") != want {
				t.Errorf("%q: %s", text, problems)
			}
		})
	}
}

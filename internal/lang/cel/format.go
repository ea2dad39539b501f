package cel

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// namedFormat is a named format of strings.
type namedFormat struct {
	name  string
	check func(text string) (problem string) // "" if the text is valid
}

func (f *namedFormat) String() string { return f.name }

func (f *namedFormat) equal(other *namedFormat) bool { return f.name == other.name }

func (f *namedFormat) celType() *types.Type { return cel.OpaqueType("kubernetes.NamedFormat") }

// formatFunctions returns the functions of Kubernetes' format library:
//
//	format.named(string) optional(Format)
//	format.dns1123Label() Format, and so on for every format
//	<Format>.validate(string) optional(list(string))   what is wrong; empty if valid
//
// See https://kubernetes.io/docs/reference/using-api/cel/.
func formatFunctions() []cel.EnvOption {
	of := (*namedFormat)(nil).celType()
	formats := namedFormats()
	options := []cel.EnvOption{
		function("format.named", "format-named", []*cel.Type{cel.StringType}, cel.OptionalType(of),
			func(args ...ref.Val) ref.Val {
				for _, f := range formats {
					if f.name == string(args[0].(types.String)) {
						return types.OptionalOf(opaque[*namedFormat]{f})
					}
				}
				return types.OptionalNone
			}),
		method("validate", "format-validate", []*cel.Type{of, cel.StringType},
			cel.OptionalType(cel.ListType(cel.StringType)), func(args ...ref.Val) ref.Val {
				problem := args[0].(opaque[*namedFormat]).is.check(string(args[1].(types.String)))
				if problem == "" {
					return types.OptionalNone
				}
				return types.OptionalOf(types.NewStringList(types.DefaultTypeAdapter,
					[]string{problem}))
			}),
	}
	for _, f := range formats {
		options = append(options, function("format."+f.name, "constant-format-"+f.name, nil, of,
			func(...ref.Val) ref.Val { return opaque[*namedFormat]{f} }))
	}
	return options
}

// namedFormats returns the formats of Kubernetes' format library.
func namedFormats() []*namedFormat {
	const (
		label = `[a-z0-9]([-a-z0-9]*[a-z0-9])?`
		word  = `[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?`
		hex   = `[0-9a-fA-F]`
	)
	dns1123Label := shaped(label, 63,
		"lower-case letters, digits and -, with a letter or digit at both ends")
	dns1123Subdomain := shaped(label+`(\.`+label+`)*`, 253,
		"lower-case letters, digits, - and ., with a letter or digit at both ends of every part")
	dns1035Label := shaped(`[a-z]([-a-z0-9]*[a-z0-9])?`, 63,
		"lower-case letters, digits and -, with a letter at the begin and no - at the end")
	name := shaped(word, 63, "letters, digits, -, _ and ., with a letter or digit at both ends")
	return []*namedFormat{
		{"dns1123Label", dns1123Label},
		{"dns1123Subdomain", dns1123Subdomain},
		{"dns1035Label", dns1035Label},
		{"dns1123LabelPrefix", prefix(dns1123Label)},
		{"dns1123SubdomainPrefix", prefix(dns1123Subdomain)},
		{"dns1035LabelPrefix", prefix(dns1035Label)},
		{"qualifiedName", func(text string) string {
			domain, rest, found := strings.Cut(text, "/")
			if !found {
				return name(text)
			}
			if problem := dns1123Subdomain(domain); problem != "" {
				return "before the /: " + problem
			}
			return name(rest)
		}},
		{"labelValue", func(text string) string {
			if text == "" {
				return ""
			}
			return name(text)
		}},
		{
			"uri",
			func(text string) string {
				return problemOf("a URI", second(url.ParseRequestURI(text)))
			},
		},
		{"uuid", shaped(hex+`{8}-?`+hex+`{4}-?`+hex+`{4}-?`+hex+`{4}-?`+hex+`{12}`, 36, "a UUID")},
		{
			"byte",
			func(text string) string {
				return problemOf("base64", second(base64.StdEncoding.DecodeString(text)))
			},
		},
		{"date", func(text string) string {
			return problemOf("a date such as 2026-01-31", second(time.Parse(time.DateOnly, text)))
		}},
		{"datetime", func(text string) string {
			return problemOf("a time such as 2026-01-31T12:00:00Z",
				second(time.Parse(time.RFC3339, text)))
		}},
	}
}

// second returns the error of a call.
func second[T any](_ T, err error) error { return err }

// problemOf returns the problem of a text that must be what but could not be parsed, or "".
func problemOf(what string, err error) string {
	if err == nil {
		return ""
	}
	return "must be " + what
}

// shaped returns a check that a text matches a regular expression and has at most most bytes.
func shaped(expression string, most int, what string) func(string) string {
	re := sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^(" + expression + ")$")
	})
	return func(text string) string {
		if len(text) > most {
			return fmt.Sprintf("must be no more than %d bytes", most)
		}
		if !re().MatchString(text) {
			return "must be " + what
		}
		return ""
	}
}

// prefix returns a check of a text to which something will be appended, so that it may end in -.
func prefix(check func(string) string) func(string) string {
	return func(text string) string {
		if before, ok := strings.CutSuffix(text, "-"); ok && before != "" {
			text = before + "a"
		}
		return check(text)
	}
}

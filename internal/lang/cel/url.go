package cel

import (
	"net/url"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// address is a URL.
type address struct{ *url.URL }

func (a address) equal(other address) bool { return a.String() == other.String() }

func (a address) celType() *types.Type { return cel.OpaqueType("kubernetes.URL") }

// urlFunctions returns the functions of Kubernetes' URL library. A URL is absolute, or an absolute
// path.
//
//	url(string) URL, isURL(string) bool
//	<URL>.getScheme(), .getHost() with the port, .getHostname(), .getPort() string
//	<URL>.getEscapedPath() string
//	<URL>.getQuery() map(string, list(string))
func urlFunctions() []cel.EnvOption {
	of := address{}.celType()
	options := []cel.EnvOption{
		cel.Function("url",
			cel.Overload("string_to_url", []*cel.Type{cel.StringType}, of,
				cel.UnaryBinding(func(text ref.Val) ref.Val {
					u, err := url.ParseRequestURI(string(text.(types.String)))
					if err != nil {
						return types.NewErr("URL parse error during conversion from string: %v",
							err)
					}
					return opaque[address]{address{u}}
				}))),
		cel.Function("isURL",
			cel.Overload("is_url_string", []*cel.Type{cel.StringType}, cel.BoolType,
				cel.UnaryBinding(func(text ref.Val) ref.Val {
					_, err := url.ParseRequestURI(string(text.(types.String)))
					return types.Bool(err == nil)
				}))),
		cel.Function("getQuery",
			cel.MemberOverload("url_get_query", []*cel.Type{of},
				cel.MapType(cel.StringType, cel.ListType(cel.StringType)),
				cel.UnaryBinding(func(u ref.Val) ref.Val {
					return types.NewMap(types.DefaultTypeAdapter,
						map[string][]string(u.(opaque[address]).is.Query()))
				}))),
	}
	for _, f := range []struct {
		name, id string
		part     func(*url.URL) string
	}{
		{"getScheme", "url_get_scheme", func(u *url.URL) string { return u.Scheme }},
		{"getHost", "url_get_host", func(u *url.URL) string { return u.Host }},
		{"getHostname", "url_get_hostname", (*url.URL).Hostname},
		{"getPort", "url_get_port", (*url.URL).Port},
		{"getEscapedPath", "url_get_escaped_path", (*url.URL).EscapedPath},
	} {
		options = append(options,
			cel.Function(f.name, cel.MemberOverload(f.id, []*cel.Type{of}, cel.StringType,
				cel.UnaryBinding(func(u ref.Val) ref.Val {
					return types.String(f.part(u.(opaque[address]).is.URL))
				}))))
	}
	return options
}

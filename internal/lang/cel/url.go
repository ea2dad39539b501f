package cel

import (
	"fmt"
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
	of := []*cel.Type{address{}.celType()}
	options := append(
		conversions("url", "isURL", "string", []*cel.Type{cel.StringType}, parseAddress),
		method("getQuery", "url_get_query", of,
			cel.MapType(cel.StringType, cel.ListType(cel.StringType)),
			func(args ...ref.Val) ref.Val {
				return types.NewMap(types.DefaultTypeAdapter,
					map[string][]string(args[0].(opaque[address]).is.Query()))
			}))
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
			method(f.name, f.id, of, cel.StringType, func(args ...ref.Val) ref.Val {
				return types.String(f.part(args[0].(opaque[address]).is.URL))
			}))
	}
	return options
}

// parseAddress parses a URL.
func parseAddress(args ...ref.Val) (address, error) {
	u, err := url.ParseRequestURI(string(args[0].(types.String)))
	if err != nil {
		err = fmt.Errorf("URL parse error during conversion from string: %w", err)
	}
	return address{u}, err
}

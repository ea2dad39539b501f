package generic

import (
	"testing"

	"github.com/fctl-dev/fctl/api"
)

func TestReplacer(t *testing.T) {
	for _, test := range []struct {
		search, replace string
		regexp          bool
		text, want      string
		found           bool
	}{
		{"a.c", "$1", false, "a.c abc", "$1 abc", true},
		{"a.c", "$$", true, "a.c abc", "$ $", true},
		{"(?P<n>a)(.)c", "${2}${n}", true, "abc", "ba", true},
		{"(a)", "${1}1", true, "aa", "a1a1", true},
		{"x*", "y", true, "b", "yby", true}, // matches the empty text everywhere
		{"a", "a", false, "a", "a", true},
		{"a", "b", false, "c", "c", false},
		{"^a", "b", true, "ca", "ca", false},
	} {
		t.Run(test.search, func(t *testing.T) {
			replace, err := newReplacer(t.Context(),
				searchArguments(test.search, test.replace, test.regexp))
			if err != nil {
				t.Errorf("%q: %v", test.search, err)
				return
			}
			if got, found, err := replace(test.text); got != test.want || found != test.found ||
				err != nil {
				t.Errorf("%q by %q in %q: %q %t", test.search, test.replace, test.text, got, found)
			}
		})
	}
	for _, test := range []struct{ search, replace string }{
		{"(", "x"},
		{"a", "$1"},
		{"(a)", "$2"},
		{"(a)", "$1x"},
		{"(a)", "${n}"},
		{"(?P<n>a)", "$nx"},
		{"(a)", "$99999999999999999999"},
	} {
		t.Run(test.replace, func(t *testing.T) {
			args := searchArguments(test.search, test.replace, true)
			if _, err := newReplacer(t.Context(), args); err == nil {
				t.Errorf("%q by %q is not an error", test.search, test.replace)
			}
		})
	}
}

// searchArguments returns the arguments of a call of search-replace.
func searchArguments(search, replace string, regexp bool) []api.FunctionArgument {
	return []api.FunctionArgument{
		{ParameterName: parameterSearch, Value: search},
		{ParameterName: parameterReplace, Value: replace},
		{ParameterName: "regexp", Value: regexp},
	}
}

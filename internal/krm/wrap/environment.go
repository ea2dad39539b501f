package wrap

import (
	"strings"
	"unicode"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// environment returns the variables that the program gets from the functionConfig (X2): each field
// of metadata and spec in upper case, those of spec last, and the whole as KUST_FUNCTION_CONFIG. A
// field that is not a scalar gives an empty variable. A name with other characters than letters,
// digits and _ is also there with _ in their place.
func environment(config gaby.Value) []string {
	var env []string
	for _, part := range []string{"metadata", "spec"} {
		for _, c := range config.Get(part).All() {
			value := ""
			if c.Kind() == gaby.Scalar && !c.IsNull() {
				value = c.Text()
			}
			name := strings.ToUpper(c.Key())
			if usable := usableName(name); usable != name {
				env = append(env, usable+"="+value)
			}
			if name != "" && !strings.ContainsAny(name, "=\x00") {
				env = append(env, name+"="+value)
			}
		}
	}
	return append(env, "KUST_FUNCTION_CONFIG="+config.YAML()+"\n")
}

func usableName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, name)
}

// flagsOf returns the fields of spec as --key=value, and then the items of the functionConfig.
func flagsOf(config gaby.Value) []string {
	var words []string
	for _, c := range config.Get("spec").All() {
		if c.Kind() == gaby.Scalar && !c.IsNull() {
			words = append(words, "--"+c.Key()+"="+c.Text())
		}
	}
	for _, c := range config.Get("items").All() {
		if c.Kind() == gaby.Scalar {
			words = append(words, c.Text())
		}
	}
	return words
}

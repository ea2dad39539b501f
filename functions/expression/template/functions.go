package template

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"text/template"
	"unicode"

	"github.com/fctl-dev/fctl/functions/expression"
)

// functions returns what templates can call besides text/template's own functions. Functions that
// are meant for pipelines take the text last. The exceptions are trimPrefix and trimSuffix, which
// have always taken it first.
func functions() template.FuncMap {
	return template.FuncMap{
		"normalizeName": NormalizeName,
		"toUpper":       strings.ToUpper,
		"toLower":       strings.ToLower,
		"trimSpace":     strings.TrimSpace,
		"trimPrefix":    strings.TrimPrefix,
		"trimSuffix":    strings.TrimSuffix,
		"replace":       replace,
		"default":       orDefault,
		"quote": func(value any) (string, error) {
			return bounded(escapedLength*textLength([]any{value}), func() string {
				return strconv.Quote(fmt.Sprint(value))
			})
		},
		"toJson": toJSON,
		"toYaml": toYAML,
		"b64enc": func(text string) (string, error) {
			return bounded(2*len(text), func() string {
				return base64.StdEncoding.EncodeToString([]byte(text))
			})
		},
		"index": index,
	}
}

func replace(from, to, text string) (string, error) {
	return bounded(len(text)+strings.Count(text, from)*len(to),
		func() string { return strings.ReplaceAll(text, from, to) })
}

// NormalizeName turns any text into a name: lower-case letters and digits, with a single dash for
// every run of other characters, but none at the ends.
func NormalizeName(s string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(s) {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteRune(r)
			dash = false
			continue
		}
		dash = true
	}
	return b.String()
}

// orDefault returns value unless it is empty ("", 0, false, or a list or map without entries), and
// other in that case.
func orDefault(other, value any) any {
	if truth, ok := template.IsTrue(value); !ok || !truth {
		return other
	}
	return value
}

func toJSON(value any) (string, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", err
	}
	return bounded(b.Len(), func() string { return strings.TrimSuffix(b.String(), "\n") })
}

func toYAML(value any) (string, error) {
	text, err := expression.YAML(value)
	if err != nil {
		return "", err
	}
	return bounded(len(text), func() string { return text })
}

// index is text/template's index, except that a missing key of a map with values of any type is an
// error. text/template's own would return a value that prints as <no value>.
func index(item any, keys ...any) (any, error) {
	for _, key := range keys {
		v, k := reflect.ValueOf(item), reflect.ValueOf(key)
		switch v.Kind() {
		case reflect.Map:
			if !k.IsValid() || !k.Type().AssignableTo(v.Type().Key()) {
				return nil, fmt.Errorf("%v is not a key of the map", key)
			}
			entry := v.MapIndex(k)
			if !entry.IsValid() {
				if v.Type().Elem().Kind() == reflect.Interface {
					return nil, fmt.Errorf("map has no entry for key %q", key)
				}
				entry = reflect.Zero(v.Type().Elem())
			}
			item = entry.Interface()
		case reflect.Slice, reflect.Array, reflect.String:
			if !k.CanInt() {
				return nil, fmt.Errorf("%v is not an index of a list", key)
			}
			i := k.Int()
			if i < 0 || i >= int64(v.Len()) {
				return nil, fmt.Errorf("index %d of a list of %d", i, v.Len())
			}
			item = v.Index(int(i)).Interface()
		default:
			return nil, errors.New("only maps and lists have an index")
		}
	}
	return item, nil
}

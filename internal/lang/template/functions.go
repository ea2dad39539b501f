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

	"github.com/fctl-dev/fctl/internal/lang/expression"
)

// functions returns what templates can call besides text/template's own functions. Functions that
// are meant for pipelines take the text last. The exceptions are trimPrefix and trimSuffix, which
// have always taken it first.
func functions(l limits) template.FuncMap {
	return template.FuncMap{
		"normalizeName": NormalizeName,
		"toUpper":       l.one(strings.ToUpper),
		"toLower":       l.one(strings.ToLower),
		"trimSpace":     strings.TrimSpace,
		"trimPrefix":    strings.TrimPrefix,
		"trimSuffix":    strings.TrimSuffix,
		"replace":       l.replace,
		"default":       orDefault,
		"quote": func(value any) (string, error) {
			return l.one(strconv.Quote)(fmt.Sprint(value))
		},
		"toJson": toJSON,
		"toYaml": expression.YAML,
		"b64enc": l.one(func(text string) string {
			return base64.StdEncoding.EncodeToString([]byte(text))
		}),
		"index": index,
	}
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
	err := encoder.Encode(value)
	return strings.TrimSuffix(b.String(), "\n"), err
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

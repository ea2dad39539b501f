package jsonschema

import (
	"encoding/base64"
	"errors"
	"math"
	"net/netip"
	"net/url"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"time"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/quantity"
	patterns "github.com/fctl-dev/fctl/internal/lang/pattern"
)

// format is a required syntax of strings or numbers.
type format struct {
	name    string
	types   types
	looks   func(text string) bool
	example string
}

// format compiles the keyword format. Unknown formats are ignored.
func (k keywords) format() *format {
	v := k.get("format")
	if !v.Exists() || !k.options.Formats && !k.in.dialect.isKubernetes() {
		return nil
	}
	if typeOf(v) != stringType {
		k.fail(v, "format is a string, not %s", describe(v))
		return nil
	}
	f := format{name: strings.Clone(v.Text()), types: stringType}
	if k.in.dialect.isKubernetes() {
		f = kubernetesFormat(f.name)
	} else {
		f.looks, f.example = jsonFormat(f.name)
	}
	if f.looks == nil {
		return nil
	}
	return &f
}

func (f *format) check(c *checkState, v gaby.Value, t types) bool {
	if t&f.types == 0 {
		return true
	}
	c.spend(4 + v.Length()/2)
	text := v.Text()
	if t&numberType != 0 {
		if n, ok := numberOf(v); ok {
			text = n.String()
		}
	}
	if f.looks(text) {
		return true
	}
	if t == integerType && f.types == integerType {
		return c.fail(v, "format", "%s does not fit %s", text, f.name)
	}
	return c.fail(v, "format", "%s is not a valid %s, such as %s", describe(v), f.name, f.example)
}

// jsonFormat returns a function that recognizes a format of JSON Schema, and an example of the
// format. The function is nil if the format is unknown.
func jsonFormat(name string) (looks func(string) bool, example string) {
	switch name {
	case "date-time":
		return isDateTime, "2026-01-31T12:00:00Z"
	case "date":
		return parses(func(s string) (time.Time, error) { return time.Parse(time.DateOnly, s) }),
			"2026-01-31"
	case "time":
		return func(s string) bool { return isDateTime("2026-01-31T" + s) }, "12:00:00Z"
	case "duration":
		return isDuration, "P1DT12H"
	case "email":
		return func(s string) bool { return isEmail(s) && strings.Map(toASCII, s) == s },
			"web@example.com"
	case "idn-email":
		return isEmail, "web@example.com"
	case "hostname":
		return isHostname, "shop.example.com"
	case "idn-hostname":
		return func(s string) bool { return isHostname(strings.Map(toASCII, s)) },
			"shop.example.com"
	case "ipv4":
		return func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() },
			"10.0.0.1"
	case "ipv6":
		return func(s string) bool {
			a, err := netip.ParseAddr(s)
			return err == nil && a.Is6() && a.Zone() == ""
		}, "2001:db8::1"
	case "uri", "iri":
		return func(s string) bool { u, ok := parseURI(s); return ok && u.IsAbs() },
			"https://example.com/a"
	case "uri-reference", "iri-reference":
		return func(s string) bool { _, ok := parseURI(s); return ok }, "/a/b"
	case "uri-template":
		return isTemplate, "https://example.com/{name}"
	case "uuid":
		return isUUID, "123e4567-e89b-12d3-a456-426614174000"
	case "json-pointer":
		return isPointer, "/a/0"
	case "relative-json-pointer":
		return func(s string) bool {
			digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
			return digits > 0 && (digits == 1 || s[0] != '0') &&
				(s[digits:] == "#" || isPointer(s[digits:]))
		}, "1/a"
	case "regex":
		return func(s string) bool {
			_, err := patterns.States(goSyntax(s))
			return !errors.As(err, new(*syntax.Error)) // one that is too large for fctl is one
		}, "^[a-z]+$"
	}
	return nil, ""
}

// kubernetesFormat returns a format of Kubernetes' own types and of CustomResourceDefinitions. Some
// names mean something else than in JSON Schema.
func kubernetesFormat(name string) format {
	f := format{name: name, types: stringType}
	switch name {
	case "date-time", "date", "email", "hostname", "ipv4", "ipv6", "uuid":
		f.looks, f.example = jsonFormat(name)
	case "uri":
		f.looks, f.example = parses(url.ParseRequestURI), "https://example.com/a"
	case "duration":
		f.looks, f.example = parses(ParseDuration), "1h30m"
	case "int32", "int64":
		bits, _ := strconv.Atoi(name[3:])
		f.types, f.example = integerType, "5"
		f.looks = parses(func(s string) (int64, error) { return strconv.ParseInt(s, 10, bits) })
	case "float":
		f.types, f.example = numberType, "1.5"
		f.looks = func(s string) bool {
			n, err := strconv.ParseFloat(s, 64)
			return err != nil || math.Abs(n) <= math.MaxFloat32
		}
	case "quantity":
		f.types, f.example = stringType|numberType, "500m or 1.5Gi"
		f.looks = isQuantity
	case "byte":
		f.looks, f.example = parses(base64.StdEncoding.DecodeString), "c29tZSB0ZXh0 (base64)"
	case "datetime":
		f.looks, f.example = isDateTime, "2026-01-31T12:00:00Z"
	case "cidr":
		f.looks, f.example = parses(netip.ParsePrefix), "10.0.0.0/8"
	case "mac":
		f.looks, f.example = matches(
			`^([0-9A-Fa-f]{2}[:-]){5}([0-9A-Fa-f]{2}[:-]){0,2}[0-9A-Fa-f]{2}$`), "00:00:5e:00:53:01"
	case "uuid3", "uuid4", "uuid5":
		f.looks, f.example = func(s string) bool { return isUUID(s) && s[14] == name[4] },
			"123e4567-e89b-"+name[4:]+"2d3-a456-426614174000"
	case "isbn", "isbn10", "isbn13":
		f.looks, f.example = func(s string) bool { return isISBN(s, name) }, "978-3-16-148410-0"
	case "bsonobjectid":
		f.looks, f.example = func(s string) bool { return len(s) == 24 && isHex(s) },
			"507f1f77bcf86cd799439011"
	case "hexcolor":
		f.looks, f.example = matches(`^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`), "#ff8800"
	case "rgbcolor":
		f.looks, f.example = matches(
			`^rgb\(\s*(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])\s*(,\s*(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])\s*){2}\)$`),
			"rgb(255, 136, 0)"
	case "creditcard":
		f.looks, f.example = isCreditCard, "4111111111111111"
	case "ssn":
		f.looks, f.example = matches(`^\d{3}[- ]?\d{2}[- ]?\d{4}$`), "078-05-1120"
	}
	return f
}

// parses returns a function that reports whether a text can be parsed.
func parses[T any](parse func(string) (T, error)) func(string) bool {
	return func(s string) bool {
		_, err := parse(s)
		return err == nil
	}
}

func matches(pattern string) func(string) bool { return regexp.MustCompile(pattern).MatchString }

func isQuantity(s string) bool {
	// Nearly all quantities are a few digits and a unit, which is much faster to check.
	digits := 0
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	if digits > 0 {
		switch s[digits:] {
		case "", "m", "Mi", "Gi", "Ki":
			return true
		}
	}
	_, ok := quantity.Parse(s)
	return ok
}

// isDateTime reports whether s is a date-time of RFC 3339. time.Parse does not know leap seconds,
// and accepts commas.
func isDateTime(s string) bool {
	upper := strings.ToUpper(s)
	if strings.Contains(s, ",") || len(s) < 20 {
		return false
	}
	if _, err := time.Parse(time.RFC3339, upper); err == nil {
		return true
	}
	if upper[17:19] != "60" {
		return false
	}
	t, err := time.Parse(time.RFC3339, upper[:17]+"59"+upper[19:])
	return err == nil && t.UTC().Hour() == 23 && t.UTC().Minute() == 59
}

// isDuration reports whether s is a duration of ISO 8601 as defined in appendix A of RFC 3339:
// P1Y2M3DT4H5M6S, or P1W.
func isDuration(s string) bool {
	rest, ok := strings.CutPrefix(s, "P")
	if !ok || rest == "" {
		return false
	}
	units, inTime := "YMWD", false
	weeks, parts := false, 0
	for rest != "" {
		if rest[0] == 'T' {
			if inTime || len(rest) == 1 {
				return false
			}
			units, inTime, rest = "HMS", true, rest[1:]
			continue
		}
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if digits == 0 || digits == len(rest) {
			return false
		}
		_, after, ok := strings.Cut(units, rest[digits:digits+1])
		if !ok {
			return false
		}
		weeks = weeks || rest[digits] == 'W'
		units, rest = after, rest[digits+1:]
		parts++
	}
	return parts > 0 && (!weeks || parts == 1 && !inTime)
}

// isEmail reports whether s is a mailbox of RFC 5321. The local part may be quoted, and the domain
// may be an address in brackets.
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 {
		return false
	}
	local, domain := s[:at], s[at+1:]
	if address, ok := strings.CutPrefix(domain, "["); ok {
		address, ok = strings.CutSuffix(address, "]")
		a, err := netip.ParseAddr(strings.TrimPrefix(address, "IPv6:"))
		if !ok || err != nil || a.Is6() != strings.HasPrefix(address, "IPv6:") {
			return false
		}
	} else if !isHostname(strings.Map(toASCII, domain)) {
		return false
	}
	if len(local) > 2 && local[0] == '"' && local[len(local)-1] == '"' {
		return !strings.ContainsAny(local[1:len(local)-1], "\"\\\r\n")
	}
	if local[0] == '.' || local[len(local)-1] == '.' || strings.Contains(local, "..") {
		return false
	}
	return !strings.ContainsFunc(local,
		func(r rune) bool {
			return r <= ' ' || strings.ContainsRune("()<>[]:;@\\,\"", r) || r == 0x7f
		})
}

// toASCII maps each character outside ASCII to a letter, so that internationalized names can be
// checked like others.
func toASCII(r rune) rune {
	if r > 0x7f {
		return 'x'
	}
	return r
}

func isHostname(s string) bool {
	s = strings.TrimSuffix(s, ".")
	if len(s) == 0 || len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if len(label) == 0 || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for _, c := range []byte(label) {
			if c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
				return false
			}
		}
	}
	return true
}

func parseURI(s string) (*url.URL, bool) {
	if strings.ContainsAny(s, " \\^`{}|<>\"") {
		return nil, false
	}
	u, err := url.Parse(s)
	if err != nil || strings.Contains(u.Hostname(), ":") && !strings.Contains(u.Host, "[") {
		return nil, false
	}
	return u, true
}

func isTemplate(s string) bool {
	open := false
	for _, c := range s {
		if c == '{' && open || c == '}' && !open {
			return false
		}
		if c == '{' || c == '}' {
			open = !open
		}
	}
	return !open
}

func isUUID(s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' &&
		isHex(s[:8]+s[9:13]+s[14:18]+s[19:23]+s[24:])
}

func isPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	for i := strings.IndexByte(s, '~'); i >= 0; i = strings.IndexByte(s, '~') {
		if s = s[i+1:]; s == "" || s[0] != '0' && s[0] != '1' {
			return false
		}
	}
	return true
}

// isISBN reports whether s is an ISBN with a correct check digit. kind is isbn, isbn10 or isbn13.
func isISBN(s, kind string) bool {
	s = strings.NewReplacer("-", "", " ", "").Replace(s)
	sum := 0
	switch {
	case len(s) == 10 && kind != "isbn13":
		for i, c := range []byte(s) {
			digit := int(c - '0')
			if c == 'X' && i == 9 {
				digit = 10
			} else if c < '0' || c > '9' {
				return false
			}
			sum += (10 - i) * digit
		}
		return sum%11 == 0
	case len(s) == 13 && kind != "isbn10":
		for i, c := range []byte(s) {
			if c < '0' || c > '9' {
				return false
			}
			sum += int(c-'0') * (1 + 2*(i%2))
		}
		return sum%10 == 0
	}
	return false
}

func isCreditCard(s string) bool {
	s = strings.NewReplacer("-", "", " ", "").Replace(s)
	if len(s) < 12 || len(s) > 19 || strings.Trim(s, "0123456789") != "" {
		return false
	}
	sum := 0
	for i := range len(s) {
		digit := int(s[len(s)-1-i] - '0')
		if i%2 == 1 {
			if digit *= 2; digit > 9 {
				digit -= 9
			}
		}
		sum += digit
	}
	return sum%10 == 0
}

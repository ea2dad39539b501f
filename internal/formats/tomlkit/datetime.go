package tomlkit

import (
	"regexp"
	"sync"
	"time"
)

// These match dates and times in the syntax of TOML: RFC 3339 with optional seconds and offset, and
// with T or a blank between date and time. Leap seconds are allowed.
const (
	hour   = `(?:[01][0-9]|2[0-3]):[0-5][0-9]`
	clock  = hour + `(?::(?:[0-5][0-9]|60)(?:\.[0-9]+)?)?`
	day    = `([0-9]{4}-[0-9]{2}-[0-9]{2})`
	offset = `(?:[Zz]|[+-]` + hour + `)`
)

var (
	timeSyntax = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`^(?:` + clock + `|` + day + `(?:[Tt ]` + clock + offset + `?)?)$`)
	})
	// unwritable matches what readers of TOML 1.0 do not accept: times without seconds, leap
	// seconds and the year 0.
	unwritable = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^0000|^(?:.{11})?..:..(?:$|:60|[^:])`)
	})
)

// isTime reports whether text is a date, a time or both.
func isTime(text string) bool {
	match := timeSyntax().FindStringSubmatch(text)
	if match == nil || match[1] == "" {
		return match != nil
	}
	_, err := time.Parse(time.DateOnly, match[1])
	return err == nil
}

// isWritable reports whether a date or time can be written without quotes for readers of TOML 1.0.
func isWritable(text string) bool { return isTime(text) && !unwritable().MatchString(text) }

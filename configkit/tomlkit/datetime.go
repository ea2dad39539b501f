package tomlkit

import (
	"strings"
	"time"
)

// isTime reports whether text is a date, a time or both in the syntax of TOML: RFC 3339 with
// optional seconds and offset, and with T or a blank between date and time.
func isTime(text string) bool {
	if len(text) < 5 {
		return false
	}
	if text[2] == ':' {
		return isClock(text)
	}
	if len(text) < 10 || !isDate(text[:10]) {
		return false
	}
	if len(text) == 10 {
		return true
	}
	if !strings.ContainsRune("Tt ", rune(text[10])) {
		return false
	}
	clock := text[11:]
	if i := strings.IndexAny(clock, "Zz+-"); i >= 0 {
		if !isOffset(clock[i:]) {
			return false
		}
		clock = clock[:i]
	}
	return isClock(clock)
}

// isWritable reports whether a date or time can be written without quotes for readers of TOML 1.0,
// which require seconds and reject leap seconds and the year 0.
func isWritable(text string) bool {
	if !isTime(text) || strings.HasPrefix(text, "0000") {
		return false
	}
	at := strings.IndexByte(text, ':') + 3 // the end of the minutes
	return at == 2 || at+2 < len(text) && text[at] == ':' && text[at+1:at+3] != "60"
}

func isDate(text string) bool {
	if !fits(text, "dddd-dd-dd") {
		return false
	}
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// isClock reports whether text is a time of day. Leap seconds are allowed.
func isClock(text string) bool {
	whole, fraction, fractional := strings.Cut(text, ".")
	switch {
	case fractional && (len(whole) != 8 || fraction == "" ||
		strings.Trim(fraction, "0123456789") != ""):
		return false
	case fits(whole, "dd:dd:dd"):
		return whole[:2] <= "23" && whole[3:5] <= "59" && whole[6:] <= "60"
	}
	return fits(whole, "dd:dd") && whole[:2] <= "23" && whole[3:] <= "59"
}

func isOffset(text string) bool {
	if text == "Z" || text == "z" {
		return true
	}
	return fits(text[1:], "dd:dd") && text[1:3] <= "23" && text[4:] <= "59"
}

// fits reports whether text matches a pattern in which d is a digit.
func fits(text, pattern string) bool {
	if len(text) != len(pattern) {
		return false
	}
	for i := range len(text) {
		digit := text[i] >= '0' && text[i] <= '9'
		if pattern[i] == 'd' && !digit || pattern[i] != 'd' && text[i] != pattern[i] {
			return false
		}
	}
	return true
}

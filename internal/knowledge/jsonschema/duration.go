package jsonschema

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseDuration parses what the API server accepts as a duration: 1h30m, or numbers with units as
// in "3 days" and "1 week, 2 days".
func ParseDuration(s string) (time.Duration, error) {
	if d, err := time.ParseDuration(s); err == nil {
		return d, nil
	}
	total, rest := time.Duration(0), strings.TrimSpace(s)
	for {
		unit := strings.TrimLeft(rest, "0123456789")
		n, err := strconv.Atoi(rest[:len(rest)-len(unit)])
		unit = strings.TrimLeft(unit, " ")
		end := strings.IndexAny(unit, " ,0123456789")
		if end < 0 {
			end = len(unit)
		}
		length := unitOfTime(strings.ToLower(unit[:end]))
		if err != nil || length == 0 {
			return 0, fmt.Errorf("%s is not a duration such as 1h30m", quote(s))
		}
		total += time.Duration(n) * length
		if rest = strings.TrimLeft(unit[end:], " ,"); rest == "" {
			return total, nil
		}
	}
}

// unitOfTime returns the length of a unit, or 0 if it is unknown.
func unitOfTime(name string) time.Duration {
	const day = 24 * time.Hour
	switch name {
	case "ns", "us", "µs", "ms", "s", "m", "h":
		d, _ := time.ParseDuration("1" + name)
		return d
	case "hr", "hrs":
		return time.Hour
	case "d":
		return day
	case "w", "wk", "wks":
		return 7 * day
	}
	for _, unit := range []struct {
		begin  string // day and days, for example
		length time.Duration
	}{
		{"nano", time.Nanosecond},
		{"micro", time.Microsecond},
		{"milli", time.Millisecond},
		{"sec", time.Second},
		{"min", time.Minute},
		{"hour", time.Hour},
		{"day", day},
		{"week", 7 * day},
	} {
		if strings.HasPrefix(name, unit.begin) {
			return unit.length
		}
	}
	return 0
}

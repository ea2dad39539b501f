package settings

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// parseSize parses a size, such as 1048576, 500MB or 2GiB, and returns it in bytes. The B may be
// omitted.
func parseSize(text string) (int64, error) {
	number := strings.TrimRight(text, "BiKMGTkmgtb")
	unit := strings.TrimSuffix(strings.ToLower(text[len(number):]), "b")
	prefix, binary := strings.CutSuffix(unit, "i")
	base := 1000.0
	if binary {
		base = 1024
	}
	power := strings.Index("kmgt", prefix) + 1
	if prefix == "" {
		power = 0
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	size := n * math.Pow(base, float64(power))
	if err != nil || len(prefix) > 1 || binary && prefix == "" ||
		!(size >= 1 && size < math.MaxInt64) {
		return 0, fmt.Errorf("%q is not a size such as 500MB or 2GiB", text)
	}
	return int64(size), nil
}

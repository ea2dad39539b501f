package yamlkit

import (
	"math/big"
	"strconv"
	"strings"
)

// quantity is an amount as Kubernetes writes them: 500m, 1.5Gi, 2e3.
type quantity struct{ amount *big.Rat }

func (q *quantity) compare(other *quantity) int { return q.amount.Cmp(other.amount) }

// parseQuantity reads a quantity: a decimal number, then a suffix of powers of ten or of 1024, or an exponent.
func parseQuantity(text string) (quantity, bool) {
	end := 0
	if end < len(text) && (text[end] == '+' || text[end] == '-') {
		end++
	}
	digits := 0
	for end < len(text) && (isDigit(text[end]) || text[end] == '.') {
		if text[end] != '.' {
			digits++
		}
		end++
	}
	if digits == 0 || len(text) > 64 {
		return quantity{}, false
	}
	amount, ok := new(big.Rat).SetString(text[:end])
	if !ok {
		return quantity{}, false
	}
	suffix := text[end:]
	base, exponent := int64(10), 0
	switch i := strings.Index("numkMGTPE", suffix); {
	case suffix == "":
	case suffix == "n":
		exponent = -9
	case suffix == "u":
		exponent = -6
	case suffix == "m":
		exponent = -3
	case len(suffix) == 1 && i >= 3:
		exponent = 3 * (i - 2)
	case len(suffix) == 2 && suffix[1] == 'i' && strings.IndexByte("KMGTPE", suffix[0]) >= 0:
		base, exponent = 1024, strings.IndexByte("KMGTPE", suffix[0])+1
	case len(suffix) > 1 && (suffix[0] == 'e' || suffix[0] == 'E'):
		n, err := strconv.Atoi(suffix[1:])
		if err != nil || n < -64 || n > 64 {
			return quantity{}, false
		}
		exponent = n
	default:
		return quantity{}, false
	}
	factor := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(max(exponent, -exponent))), nil))
	if exponent < 0 {
		factor.Inv(factor)
	}
	return quantity{amount.Mul(amount, factor)}, true
}

// Package quantity parses and compares Kubernetes quantities: 500m, 1.5Gi, 2e3. The format is that
// of k8s.io/apimachinery/pkg/api/resource.
//
// Layer: base.
package quantity

import (
	"math/big"
	"strconv"
	"strings"
)

// Quantity is an amount in Kubernetes notation: 500m, 1.5Gi, 2e3. The zero Quantity is not valid;
// use Parse.
type Quantity struct {
	amount *big.Rat
	form   quantityForm
}

// quantityForm is the notation of a quantity's unit.
type quantityForm uint8

const (
	decimalForm  quantityForm = iota // 500m, 1k
	binaryForm                       // 1Ki
	exponentForm                     // 1e3
)

const (
	decimalSuffixes = "numkMGTPE"
	binarySuffixes  = "KMGTPE"
)

// Parse parses a quantity: a decimal number, followed by a decimal or binary suffix or an exponent.
// It returns false for other texts, for texts longer than 64 bytes and for exponents beyond ±64.
func Parse(text string) (Quantity, bool) {
	end := 0
	if end < len(text) && (text[end] == '+' || text[end] == '-') {
		end++
	}
	digits := 0
	for end < len(text) && ('0' <= text[end] && text[end] <= '9' || text[end] == '.') {
		if text[end] != '.' {
			digits++
		}
		end++
	}
	if digits == 0 || len(text) > 64 {
		return Quantity{}, false
	}
	amount := new(big.Rat)
	if whole, err := strconv.ParseInt(text[:end], 10, 64); err == nil { // most are, and it is cheap
		amount.SetInt64(whole)
	} else if _, ok := amount.SetString(text[:end]); !ok {
		return Quantity{}, false
	}
	suffix := text[end:]
	base, exponent, form := int64(10), 0, decimalForm
	switch i := strings.Index(decimalSuffixes, suffix); {
	case suffix == "":
	case len(suffix) == 1 && i >= 3:
		exponent = 3 * (i - 2) // 1 has no suffix
	case len(suffix) == 1 && i >= 0:
		exponent = 3 * (i - 3)
	case len(suffix) == 2 && suffix[1] == 'i' && strings.IndexByte(binarySuffixes, suffix[0]) >= 0:
		base, exponent, form = 1024, strings.IndexByte(binarySuffixes, suffix[0])+1, binaryForm
	case len(suffix) > 1 && (suffix[0] == 'e' || suffix[0] == 'E'):
		n, err := strconv.Atoi(suffix[1:])
		if err != nil || n < -64 || n > 64 {
			return Quantity{}, false
		}
		exponent, form = n, exponentForm
	default:
		return Quantity{}, false
	}
	if factor := new(big.Rat).SetInt(power(base, max(exponent, -exponent))); exponent > 0 {
		amount.Mul(amount, factor)
	} else if exponent < 0 {
		amount.Quo(amount, factor)
	}
	return Quantity{amount, form}, true
}

func power(base int64, exponent int) *big.Int {
	return new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(exponent)), nil)
}

// Compare returns a negative number, zero or a positive number if q is less than, equal to or
// greater than other, whatever their units.
func (q Quantity) Compare(other Quantity) int { return q.amount.Cmp(other.amount) }

// Sign returns -1, 0 or 1.
func (q Quantity) Sign() int { return q.amount.Sign() }

// IsWhole reports whether the quantity is a whole number of its base unit.
func (q Quantity) IsWhole() bool { return q.amount.IsInt() }

// Plus returns q + other in the notation of q.
func (q Quantity) Plus(other Quantity) Quantity {
	return Quantity{new(big.Rat).Add(q.amount, other.amount), q.form}
}

// Minus returns q - other in the notation of q.
func (q Quantity) Minus(other Quantity) Quantity {
	return Quantity{new(big.Rat).Sub(q.amount, other.amount), q.form}
}

// Int64 returns the quantity in its base unit. ok is false if it is not whole or does not fit.
func (q Quantity) Int64() (n int64, ok bool) {
	return q.amount.Num().Int64(), q.amount.IsInt() && q.amount.Num().IsInt64()
}

// Float64 returns the nearest float.
func (q Quantity) Float64() float64 {
	f, _ := q.amount.Float64()
	return f
}

// Times returns n times q in the same notation.
func (q Quantity) Times(n int) Quantity {
	factor := new(big.Rat).SetInt64(int64(n))
	return Quantity{factor.Mul(factor, q.amount), q.form}
}

// String returns the canonical form, as Kubernetes prints it: without a fraction, in the largest
// unit of its notation that permits that. Amounts are rounded away from zero to billionths, or to
// whole units in binary notation. Binary amounts below 1024 are printed in decimal notation.
func (q Quantity) String() string {
	sign, amount := "", new(big.Rat).Abs(q.amount)
	if q.amount.Sign() < 0 {
		sign = "-"
	}
	if q.form == binaryForm && amount.Cmp(big.NewRat(1024, 1)) >= 0 {
		n, steps := reduce(roundUp(amount), 1024, len(binarySuffixes))
		if steps == 0 {
			return sign + n.String()
		}
		return sign + n.String() + binarySuffixes[steps-1:steps] + "i"
	}
	const finest = -9
	billionths := amount.Mul(amount, new(big.Rat).SetInt(power(10, -finest)))
	most := len(decimalSuffixes)
	if q.form == exponentForm {
		most = 64
	}
	n, steps := reduce(roundUp(billionths), 1000, most)
	switch exponent := finest + 3*steps; {
	case n.Sign() == 0:
		return "0"
	case exponent == 0:
		return sign + n.String()
	case q.form == exponentForm:
		return sign + n.String() + "e" + strconv.Itoa(exponent)
	case exponent < 0:
		return sign + n.String() + decimalSuffixes[steps:steps+1]
	default:
		return sign + n.String() + decimalSuffixes[steps-1:steps] // 1 has no suffix
	}
}

// roundUp returns the smallest integer not less than amount, which must not be negative.
func roundUp(amount *big.Rat) *big.Int {
	n, rest := new(big.Int).QuoRem(amount.Num(), amount.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	return n
}

// reduce divides n by base as long as there is no remainder, at most most times. It returns the
// quotient and the number of divisions.
func reduce(n *big.Int, base int64, most int) (*big.Int, int) {
	divisor, steps := big.NewInt(base), 0
	for n.Sign() != 0 && steps < most {
		quotient, rest := new(big.Int).QuoRem(n, divisor, new(big.Int))
		if rest.Sign() != 0 {
			break
		}
		n = quotient
		steps++
	}
	return n, steps
}

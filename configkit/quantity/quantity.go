// Package quantity reads and compares the quantities of Kubernetes: 500m, 1.5Gi, 2e3.
package quantity

import (
	"math/big"
	"strconv"
	"strings"
)

// Quantity is an amount as Kubernetes writes them: 500m, 1.5Gi, 2e3. The zero Quantity is not one; make them with Parse.
type Quantity struct {
	amount *big.Rat
	form   quantityForm
}

// quantityForm is how the unit of a quantity is written.
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

// Parse reads a quantity: a decimal number, then a suffix of powers of ten or of 1024, or an exponent.
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
	amount, ok := new(big.Rat).SetString(text[:end])
	if !ok {
		return Quantity{}, false
	}
	suffix := text[end:]
	base, exponent, form := int64(10), 0, decimalForm
	switch i := strings.Index(decimalSuffixes, suffix); {
	case suffix == "":
	case suffix == "n":
		exponent = -9
	case suffix == "u":
		exponent = -6
	case suffix == "m":
		exponent = -3
	case len(suffix) == 1 && i >= 3:
		exponent = 3 * (i - 2)
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
	factor := new(big.Rat).SetInt(power(base, max(exponent, -exponent)))
	if exponent < 0 {
		factor.Inv(factor)
	}
	return Quantity{amount.Mul(amount, factor), form}, true
}

func power(base int64, exponent int) *big.Int {
	return new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(exponent)), nil)
}

// Compare is negative, zero or positive as q is less than, equal to or greater than other, whatever their units.
func (q Quantity) Compare(other Quantity) int { return q.amount.Cmp(other.amount) }

// Sign is -1, 0 or 1.
func (q Quantity) Sign() int { return q.amount.Sign() }

// IsWhole reports whether the quantity is a whole number of its base unit.
func (q Quantity) IsWhole() bool { return q.amount.IsInt() }

// Plus is the sum of two quantities, in the kind of unit of the first.
func (q Quantity) Plus(other Quantity) Quantity {
	return Quantity{new(big.Rat).Add(q.amount, other.amount), q.form}
}

// Minus is the difference of two quantities, in the kind of unit of the first.
func (q Quantity) Minus(other Quantity) Quantity {
	return Quantity{new(big.Rat).Sub(q.amount, other.amount), q.form}
}

// Int64 is the quantity as a number of its base unit; ok is false when it is not whole or too large.
func (q Quantity) Int64() (n int64, ok bool) {
	return q.amount.Num().Int64(), q.amount.IsInt() && q.amount.Num().IsInt64()
}

// Float64 is the nearest floating-point number.
func (q Quantity) Float64() float64 {
	f, _ := q.amount.Float64()
	return f
}

// Times is n times the quantity, in the same kind of unit.
func (q Quantity) Times(n int) Quantity {
	factor := new(big.Rat).SetInt64(int64(n))
	return Quantity{factor.Mul(factor, q.amount), q.form}
}

// String is the canonical form, as Kubernetes prints it: no fraction, and the largest unit of its kind that this allows. What is
// finer than a billionth is rounded away from zero; so is what is finer than one of an amount in powers of 1024, and one below
// 1024 is written without them.
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
		return sign + n.String() + decimalSuffixes[steps-1:steps] // there is no suffix for 1
	}
}

func roundUp(amount *big.Rat) *big.Int {
	n, rest := new(big.Int).QuoRem(amount.Num(), amount.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	return n
}

// reduce divides n by base as often as it can be divided, but not more than a number of times, and returns how often that was.
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

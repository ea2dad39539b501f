package jsonschema

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// number is the exact value of a number.
type number struct {
	whole bool // the value is i
	i     int64
	rat   *big.Rat // the value if not whole; nil for infinities and NaN
	f     float64  // the infinity or NaN
}

// numberOf returns the value of a number. It reports false for other values.
func numberOf(v gaby.Value) (number, bool) {
	if v.Kind() != gaby.Scalar {
		return number{}, false
	}
	switch d := v.Data().(type) {
	case int:
		return number{whole: true, i: int64(d)}, true
	case int64:
		return number{whole: true, i: d}, true
	case uint64:
		return number{rat: new(big.Rat).SetUint64(d)}, true
	case float64:
		if math.IsInf(d, 0) || math.IsNaN(d) {
			return number{f: d}, true
		}
		rat, ok := exactly(v.Text())
		if !ok {
			rat = new(big.Rat).SetFloat64(d)
		}
		if rat.IsInt() && rat.Num().IsInt64() {
			return number{whole: true, i: rat.Num().Int64()}, true
		}
		return number{rat: rat}, true
	}
	return number{}, false
}

// exactly parses the decimal number of which the float is only an approximation. It rejects
// exponents of more than three digits, whose numbers would fill the memory.
func exactly(text string) (*big.Rat, bool) {
	if strings.Trim(text, "0123456789.eE+-") != "" || len(text) > 1000 {
		return nil, false
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 && len(strings.TrimLeft(text[i+1:], "+-0")) > 3 {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

func (n number) asRat() *big.Rat {
	if n.whole {
		return new(big.Rat).SetInt64(n.i)
	}
	return n.rat
}

func (n number) asInt() (int, bool) { return int(n.i), n.whole && n.i == int64(int(n.i)) }

// compare returns a negative number, zero or a positive one if n is less than, equal to or greater
// than other. NaN is equal to all numbers.
func (n number) compare(other number) int {
	if n.whole && other.whole {
		return cmp.Compare(n.i, other.i)
	}
	a, b := n.asRat(), other.asRat()
	if a != nil && b != nil {
		return a.Cmp(b)
	}
	switch {
	case a == nil && math.IsInf(n.f, 1), b == nil && math.IsInf(other.f, -1):
		return 1
	case a == nil && math.IsInf(n.f, -1), b == nil && math.IsInf(other.f, 1):
		return -1
	}
	return 0
}

// String returns the shortest text of the number. It is the same for 1, 1.0 and 1e0.
func (n number) String() string {
	switch {
	case n.whole:
		return strconv.FormatInt(n.i, 10)
	case n.rat == nil:
		return strconv.FormatFloat(n.f, 'g', -1, 64)
	case n.rat.IsInt():
		return n.rat.Num().String()
	}
	if digits, exact := n.rat.FloatPrec(); exact {
		return n.rat.FloatString(digits)
	}
	return n.rat.RatString()
}

// numberRules holds the keywords for numbers.
type numberRules struct {
	minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf *number
}

// numberRules compiles the keywords for numbers. It returns nil if there are none.
func (k keywords) numberRules() *numberRules {
	if !k.has("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf") {
		return nil
	}
	r := &numberRules{
		minimum: k.limit("minimum"), maximum: k.limit("maximum"),
		multipleOf: k.limit("multipleOf"),
	}
	if r.multipleOf != nil && r.multipleOf.compare(number{whole: true}) <= 0 {
		k.fail(k.get("multipleOf"), "multipleOf is greater than 0")
		r.multipleOf = nil
	}
	r.minimum, r.exclusiveMinimum = k.exclusive("exclusiveMinimum", r.minimum)
	r.maximum, r.exclusiveMaximum = k.exclusive("exclusiveMaximum", r.maximum)
	return r
}

// exclusive returns the limits that follow from an exclusive one: a number of its own, or in
// Kubernetes and before draft 6 a boolean that makes the inclusive limit exclusive.
func (k keywords) exclusive(name string, limit *number) (inclusive, exclusive *number) {
	if _, isBool := k.get(name).Data().(bool); !isBool && !k.in.dialect.isKubernetes() {
		return limit, k.limit(name)
	}
	if k.flag(name) {
		return nil, limit
	}
	return limit, nil
}

func (k keywords) limit(name string) *number {
	v := k.get(name)
	if !v.Exists() {
		return nil
	}
	n, ok := numberOf(v)
	if !ok {
		k.fail(v, "%s is a number, not %s", name, describe(v))
		return nil
	}
	return &n
}

func (r *numberRules) check(c *checkState, v gaby.Value) bool {
	n, ok := numberOf(v)
	if !ok || !n.whole && !c.spend(exactCost/2+v.Length()) {
		return true
	}
	valid := true
	limit := func(keyword string, limit *number, violated func(int) bool, what string) {
		if limit != nil && violated(n.compare(*limit)) &&
			(c.quiet || limit.whole || c.spendOnExact(limit)) {
			valid = c.fail(v, keyword, "%s is %s %s", v.Text(), what, limit)
		}
	}
	limit("minimum", r.minimum, func(c int) bool { return c < 0 }, "less than the minimum")
	limit("exclusiveMinimum", r.exclusiveMinimum, func(c int) bool { return c <= 0 },
		"not greater than")
	limit("maximum", r.maximum, func(c int) bool { return c > 0 }, "more than the maximum")
	limit("exclusiveMaximum", r.exclusiveMaximum, func(c int) bool { return c >= 0 },
		"not less than")
	if r.multipleOf != nil && c.spendOnExact(&n, r.multipleOf) && !n.isMultiple(*r.multipleOf) {
		valid = c.fail(v, "multipleOf", "%s is not a multiple of %s", v.Text(), r.multipleOf)
	}
	return valid
}

func (n number) isMultiple(of number) bool {
	if n.whole && of.whole {
		return n.i%of.i == 0
	}
	a, b := n.asRat(), of.asRat()
	return a != nil && b != nil && new(big.Rat).Quo(a, b).IsInt()
}

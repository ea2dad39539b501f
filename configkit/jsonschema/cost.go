package jsonschema

import (
	"errors"
	"regexp"
	"regexp/syntax"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// The limits of one check. A schema that refers to itself, or whose alternatives multiply, would otherwise go on for ever. They count
// work and not time, so that the answer is the same on every machine; a unit of cost is the work of checking a value with a schema
// that says little, some 60 ns.
const (
	freeCost      = 1_500_000  // whatever the sizes are
	costPerValue  = 300        // of the document
	costPerByte   = 6          // of its texts
	costPerSchema = 4          // for each value, as it may be checked with all of them
	mostSchemas   = 1_000      // that count
	productCost   = 16_000_000 // that values and schemas have together at most
	maxDepth      = 5_000      // schemas inside each other
	hintCost      = 400_000    // what looking for hints may cost; then there are none any more
	problemCost   = 20
	exactCost     = 100       // of dividing or showing short numbers that need not be whole
	nameCost      = 40        // of reading a name as a value
	bytesPerCost  = 12        // of a text that is read
	stateCost     = 8         // of compiling a state of a regular expression
	defaultCost   = 50        // of setting a value that is missing
	compileCost   = 3_000_000 // of regular expressions and defaults, for one compiler
	rulesCost     = 12_000_000
	ruleCost      = 1_000 // of compiling a rule
	ruleByteCost  = 20
)

// ErrTooCostly tells that checking a value with a schema takes too long or goes too deep: the schema refers to itself without
// coming nearer to an end, or combines too many schemas inside each other.
var ErrTooCostly = errors.New("the schema is too costly to check: it refers to itself without end, or has alternatives inside alternatives")

// spend pays for work. When nothing is left, the sizes of document and schema decide how much more there is, once; then it records
// ErrTooCostly. It reports whether work goes on.
func (c *check) spend(cost int) bool {
	if c.left -= cost; c.left >= 0 {
		return c.err == nil
	}
	if c.root.Exists() {
		n := size(c.root)
		c.left += n*costPerValue + min(n*costPerSchema*min(c.schemas, mostSchemas), productCost)
		c.root = gaby.Value{}
	}
	if c.left < 0 && c.err == nil {
		c.err = ErrTooCostly
	}
	return c.err == nil
}

// canonical is the canonical text of a value, which costs more the longer it is.
func (c *check) canonical(v gaby.Value) string {
	text := string(appendCanonical(nil, v))
	c.spend(2 * len(text))
	return text
}

// merge adds to ev what another one has.
func (c *check) merge(ev, other *evaluated) {
	if ev != nil && other != nil && c.spend(1+len(other.properties)+len(other.elements)) {
		ev.merge(other)
	}
}

// spendOnExact pays for calculating with numbers.
func (c *check) spendOnExact(numbers ...*number) bool {
	bits := 0 // the work grows with their square
	for _, n := range numbers {
		if n.rat != nil {
			bits += n.rat.Num().BitLen() + n.rat.Denom().BitLen()
		}
	}
	return c.spend(exactCost * (1 + bits*bits/3_000_000))
}

// spendOnHint reports whether there is enough left to look for a hint.
func (c *check) spendOnHint(cost int) bool {
	c.leftForHints -= cost
	return !c.quiet && c.leftForHints >= 0
}

// size is how many values there are in v; long texts count as several.
func size(v gaby.Value) int {
	n := 1
	if v.Kind() == gaby.Scalar {
		return n + v.Length()*costPerByte/costPerValue
	}
	for e := v.First(); e.Exists(); e = e.Next() {
		n += size(e) + len(e.Key())*costPerByte/costPerValue
	}
	return n
}

// pattern is a regular expression and what matching a byte with it may cost.
type pattern struct {
	*regexp.Regexp
	states int
}

func (c *check) matches(p pattern, text string) bool {
	statesAtOnce := 32
	if p.states > 400 { // package regexp has a slower way for these
		statesAtOnce = 6
	}
	return !c.spend(1+len(text)*p.states/statesAtOnce) || p.MatchString(text)
}

// statesOf estimates into how many states a regular expression is compiled, without doing it: a{1000} is as much as a thousand a.
func statesOf(re *syntax.Regexp) int {
	const many = 1 << 24
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n = min(many, n+statesOf(sub))
	}
	if re.Op == syntax.OpRepeat {
		n = min(many, n*max(1, re.Min, re.Max))
	}
	return n
}

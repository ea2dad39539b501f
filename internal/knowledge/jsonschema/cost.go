package jsonschema

import (
	"errors"
	"regexp"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// These limits apply to one check. Without them a schema that refers to itself, or whose
// alternatives multiply, could take forever. They count work instead of time so that the
// result is the same on every machine. One unit is the work of checking a value with a trivial
// schema, about 60 ns.
const (
	freeCost     = 1_500_000 // for any document and schema
	costPerValue = 300       // for each value of the document
	costPerByte  = 6         // for each byte of its strings
	// for each value and schema, as every schema may apply to every value
	costPerSchema = 4
	mostSchemas   = 1_000      // the number of schemas from which on more of them do not count
	productCost   = 16_000_000 // the limit of what values and schemas add together
	maxDepth      = 5_000      // of nested schemas
	hintCost      = 400_000    // of all hints; when it is used up there are no more hints
	problemCost   = 20
	exactCost     = 100       // of dividing or formatting short numbers that are not integers
	nameCost      = 40        // of parsing a property name as a value
	bytesPerCost  = 12        // the number of bytes read at the cost of 1
	stateCost     = 8         // of compiling one state of a regular expression
	defaultCost   = 50        // of setting a missing value to its default
	compileCost   = 3_000_000 // of regular expressions and defaults, for one compiler
	rulesCost     = 12_000_000
	ruleCost      = 1_000 // of compiling a rule
	ruleByteCost  = 20
)

// ErrTooCostly is the error of a check that takes too much work or nests too deep. The schema
// refers to itself without making progress, or combines too many schemas inside each other.
var ErrTooCostly = errors.New(
	"the schema is too costly to check: it refers to itself without end, or has alternatives " +
		"inside alternatives")

// spend subtracts a cost from what is left. The first time nothing is left, it adds an allowance
// for the sizes of document and schema; the second time it records ErrTooCostly. It reports whether
// the check may go on.
func (c *checkState) spend(cost int) bool {
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

// canonical returns the canonical text of a value, at a cost that grows with its length.
func (c *checkState) canonical(v gaby.Value) string {
	text := string(appendCanonical(nil, v))
	c.spend(2 * len(text))
	return text
}

// merge adds the contents of other to ev.
func (c *checkState) merge(ev, other *evaluated) {
	if ev != nil && other != nil && c.spend(1+len(other.properties)+len(other.elements)) {
		ev.merge(other)
	}
}

// spendOnExact pays for exact arithmetic with numbers.
func (c *checkState) spendOnExact(numbers ...*number) bool {
	bits := 0 // the cost grows with their square
	for _, n := range numbers {
		if n.rat != nil {
			bits += n.rat.Num().BitLen() + n.rat.Denom().BitLen()
		}
	}
	return c.spend(exactCost * (1 + bits*bits/3_000_000))
}

// spendOnHint pays for the search for a hint, and reports whether the check can afford it.
func (c *checkState) spendOnHint(cost int) bool {
	c.leftForHints -= cost
	return !c.quiet && c.leftForHints >= 0
}

// size returns the number of values in v. A long string counts as several.
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

// countedPattern is a compiled regular expression with its number of states, which bounds the cost
// of matching a byte.
type countedPattern struct {
	*regexp.Regexp
	states int
}

func (c *checkState) matches(p countedPattern, text string) bool {
	statesAtOnce := 32
	if p.states > 400 { // package regexp has no fast path for programs of this size
		statesAtOnce = 6
	}
	return !c.spend(1+len(text)*p.states/statesAtOnce) || p.MatchString(text)
}

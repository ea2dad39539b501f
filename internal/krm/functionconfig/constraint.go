package functionconfig

import (
	"fmt"
	"math"
	"strings"
)

// constraint is a constraint on versions in the syntax of github.com/Masterminds/semver, which the
// constraints of Porch and kpt have. It is compiled to ranges: a look-up compares a few numbers. The
// library itself would compile its regular expressions at every start of fctl; the tests compare
// with it.
//
//	constraint = group { "||" group }            one group is enough
//	group      = term { ( " " | "," ) term }     all terms must hold
//	           | version " - " version           both ends belong to it
//	term       = [ "=" | "!=" | ">" | "<" | ">=" | "<=" | "~" | "^" ] version
//
// The last numbers of a version may be x, X or *, or be left out. A pre-release satisfies only a
// group that has a pre-release itself.
type constraint []group

type group struct {
	terms []term
	pre   bool // a term has a pre-release
}

// term is a range of versions: low <= v < high, or everything else.
type term struct {
	low, high bound
	outside   bool
}

// bound is an end of a range. after says that it comes right after its version, before says that it
// comes before all pre-releases of its version.
type bound struct {
	version       version
	after, before bool
}

// isAbove reports whether v is at the bound or above it.
func (b bound) isAbove(v version) bool {
	if b.before {
		return version{numbers: v.numbers}.compare(b.version) >= 0
	}
	c := v.compare(b.version)
	return c > 0 || c == 0 && !b.after
}

func (t *term) allows(v version) bool {
	return (t.low.isAbove(v) && !t.high.isAbove(v)) != t.outside
}

// allows reports whether a version satisfies the constraint.
func (c constraint) allows(v version) bool {
	for i := range c {
		if c[i].allows(v) {
			return true
		}
	}
	return false
}

func (g *group) allows(v version) bool {
	if v.pre != "" && !g.pre {
		return false
	}
	for i := range g.terms {
		if !g.terms[i].allows(v) {
			return false
		}
	}
	return true
}

// The limits of constraints, which come from files of others.
const (
	maxConstraint = 512 // bytes
	maxGroups     = 32
)

// parseConstraint compiles a constraint.
func parseConstraint(text string) (constraint, error) {
	if len(text) > maxConstraint {
		return nil, fmt.Errorf("it has more than %d bytes", maxConstraint)
	}
	groups := strings.Split(text, "||")
	if len(groups) > maxGroups {
		return nil, fmt.Errorf("it has more than %d alternatives", maxGroups)
	}
	var c constraint
	for _, text := range groups {
		g, err := parseGroup(text)
		if err != nil {
			return nil, err
		}
		c = append(c, g)
	}
	return c, nil
}

func parseGroup(text string) (g group, err error) {
	rest := strings.TrimSpace(text)
	for {
		rest = strings.TrimSpace(rest)
		start := rest
		rest = strings.TrimLeft(rest, "=!<>~^")
		operator := start[:len(start)-len(rest)]
		rest = strings.TrimLeft(rest, " \t")
		end := strings.IndexAny(rest, " \t,=!<>~^")
		if end < 0 {
			end = len(rest)
		}
		first := rest[:end]
		rest = rest[end:]
		if after, ok := strings.CutPrefix(strings.TrimLeft(rest, " \t"), "- "); ok &&
			operator == "" {
			rest = strings.TrimLeft(after, " \t")
			if end = strings.IndexAny(rest, " \t,"); end < 0 {
				end = len(rest)
			}
			if err := g.add(">=", first); err != nil {
				return g, err
			}
			operator, first, rest = "<=", rest[:end], rest[end:]
		}
		if err := g.add(operator, first); err != nil {
			return g, err
		}
		separated := strings.TrimSpace(rest)
		if separated == "" {
			return g, nil
		}
		if separated[0] == ',' {
			separated = separated[1:]
		} else if len(separated) == len(rest) {
			return g, fmt.Errorf("%q follows a version without a space", separated)
		}
		rest = separated
	}
}

// add compiles one term.
func (g *group) add(operator, text string) error {
	v, given, ok := parsePattern(text)
	if !ok {
		if text == "" {
			return fmt.Errorf("a version is missing")
		}
		return fmt.Errorf("%q is not a version", text)
	}
	g.pre = g.pre || v.pre != ""
	low, high := bound{version: v}, bound{version: v, after: true}
	if given < len(v.numbers) {
		high = next(v, given)
	}
	all := bound{version: version{numbers: [3]uint64{math.MaxUint64}}, after: true}
	zero := bound{before: true}
	t := term{low: low, high: high}
	switch operator {
	case "", "=":
	case "!=":
		t.outside = true
	case ">":
		t = term{low: high, high: all}
	case ">=", "=>":
		t.high = all
	case "<":
		t = term{low: zero, high: low}
	case "<=", "=<":
		t.low = zero
	case "~", "~>":
		t.high = next(v, min(given, 2))
	case "^":
		t.high = next(v, caret(v, given))
	default:
		return fmt.Errorf("%q is not an operator", operator)
	}
	if given == 0 && (operator == ">" || operator == "<" || operator == "!=") {
		return fmt.Errorf("%s%s allows no version", operator, text)
	}
	g.terms = append(g.terms, t)
	return nil
}

// caret returns how many numbers a version keeps that ^ allows: those up to the first that is not
// zero.
func caret(v version, given int) int {
	for i := range given {
		if v.numbers[i] > 0 {
			return i + 1
		}
	}
	return given
}

// next returns the end of the versions whose first numbers are those of v.
func next(v version, numbers int) bound {
	if numbers == 0 {
		return bound{version: version{numbers: [3]uint64{math.MaxUint64}}, after: true}
	}
	var end version
	copy(end.numbers[:numbers], v.numbers[:numbers])
	end.numbers[numbers-1]++
	return bound{version: end, before: true}
}

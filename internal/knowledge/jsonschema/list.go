package jsonschema

import (
	"math"
	"strconv"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// listRules holds the keywords for arrays.
type listRules struct {
	prefix                        []*Schema // of the first elements, one each
	items                         *Schema   // of the elements after them
	least, most                   int       // most is -1 if there is no maximum
	unique                        bool
	contains                      *Schema
	leastContained, mostContained int
	countsContained               bool // elements that match contains count as evaluated
}

// listRules compiles the keywords for arrays. It returns nil if there are none.
func (k keywords) listRules() *listRules {
	if !k.has("items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems",
		"contains") {
		return nil
	}
	r := &listRules{
		least: k.count("minItems", 0), most: k.count("maxItems", -1),
		unique:         k.flag("uniqueItems"),
		leastContained: 1, mostContained: math.MaxInt,
	}
	if k.in.dialect.atLeast(Draft2020) {
		r.prefix = k.several("prefixItems")
	}
	if k.get("items").Kind() == gaby.List && !k.in.dialect.isKubernetes() {
		r.prefix = k.several("items")
		r.items = k.one("additionalItems")
	} else {
		r.items = k.one("items")
	}
	if !k.in.dialect.isKubernetes() {
		r.contains = k.one("contains")
	}
	if k.in.dialect.atLeast(Draft2019) {
		r.leastContained, r.mostContained = k.count("minContains", 1),
			k.count("maxContains", math.MaxInt)
		r.countsContained = k.in.dialect.atLeast(Draft2020)
	}
	return r
}

// check checks the elements, and adds those that the keywords evaluate to ev.
func (r *listRules) check(c *checkState, v gaby.Value, ev *evaluated) bool {
	valid, n, contained := true, 0, 0
	var seen map[string]int
	if r.unique {
		seen = map[string]int{}
	}
	for e := v.First(); e.Exists(); e = e.Next() {
		where := segment{index: n}
		if n < len(r.prefix) {
			valid = c.at(where, e, r.prefix[n]) && valid
		} else if r.items != nil {
			valid = c.at(where, e, r.items) && valid
		} else {
			c.spend(1)
		}
		if r.contains != nil && c.asks(e, r.contains, nil) {
			contained++
			if r.countsContained {
				ev.addElement(n)
			}
		}
		if r.unique {
			valid = c.unique(seen, c.canonical(e), n, e, "uniqueItems") && valid
		}
		if n++; !valid && c.quiet {
			return false
		}
	}
	ev.addElements(len(r.prefix), r.items != nil)
	return r.checkCounts(c, v, n, contained) && valid
}

// unique records a problem if canonical was seen before. It reports whether the element is new.
func (c *checkState) unique(
	seen map[string]int, canonical string, index int, e gaby.Value, keyword string,
) bool {
	first, again := seen[canonical]
	if !again {
		seen[canonical] = index
		return true
	}
	c.path = append(c.path, segment{index: index})
	c.fail(e, keyword, "the same as element %d", first)
	c.path = c.path[:len(c.path)-1]
	return false
}

// checkCounts checks the number of elements, and how many of them match contains.
func (r *listRules) checkCounts(c *checkState, v gaby.Value, n, contained int) bool {
	valid := true
	if n < r.least {
		valid = c.fail(v, "minItems", "%s, at least %s", counted(n, "element", "elements"),
			needed(r.least))
	}
	if r.most >= 0 && n > r.most {
		valid = c.fail(v, "maxItems", "%s, at most %s", counted(n, "element", "elements"),
			allowed(r.most))
	}
	if r.contains == nil {
		return valid
	}
	if contained < r.leastContained {
		valid = c.fail(v, "contains", "%s as \"contains\" says, at least %s",
			counted(contained, "element is", "elements are"), needed(r.leastContained))
	}
	if contained > r.mostContained {
		valid = c.fail(v, "maxContains", "%s as \"contains\" says, at most %s",
			counted(contained, "element is", "elements are"), allowed(r.mostContained))
	}
	return valid
}

// counted returns "1 element" or "2 elements", for example.
func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + more
}

// needed returns the words after "at least".
func needed(n int) string {
	if n == 1 {
		return "1 is required"
	}
	return strconv.Itoa(n) + " are required"
}

// allowed returns the words after "at most".
func allowed(n int) string {
	if n == 1 {
		return "1 is allowed"
	}
	return strconv.Itoa(n) + " are allowed"
}

//go:build !race

package functionconfig

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
)

// TestConstraintOracle compares random constraints and versions with Masterminds/semver, whose
// syntax they have.
func TestConstraintOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(words ...string) string { return words[random.IntN(len(words))] }
	number := func() string { return fmt.Sprint(random.IntN(3)) }
	wild := func() string { return pick(number(), number(), number(), "x", "*", "X") }
	ver := func() string {
		v := pick("", "v") + number() + "." + number() + "." + number()
		return v + pick("", "", "", "-rc.1", "-alpha", "-1", "+m")
	}
	pattern := func() string {
		switch random.IntN(6) {
		case 0:
			return pick("", "v") + number() + "." + wild()
		case 1:
			return number()
		case 2:
			return number() + "." + number() + pick("", "-0", "-rc.2")
		}
		return ver()
	}
	term := func() string {
		return pick("", "=", "!=", ">", "<", ">=", "<=", "=>", "=<", "~", "~>", "^") +
			pick("", "", " ") + pattern()
	}
	compared := 0
	for range 60_000 {
		var text string
		switch random.IntN(4) {
		case 0:
			text = term()
		case 1:
			text = term() + pick(" ", ", ", ",") + term()
		case 2:
			text = term() + pick(" || ", "||") + term()
		case 3:
			text = ver() + " - " + ver()
		}
		want, wantErr := semver.NewConstraint(text)
		got, err := parseConstraint(text)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: %v, Masterminds: %v", text, err, wantErr)
		}
		if err != nil || strings.Contains(text, "0.0.0") || oddPre(text) {
			continue // the library takes ~0.0.0 for any version
		}
		for range 8 {
			v := ver()
			parsed, ok := parseVersion(v)
			if !ok {
				t.Fatalf("%q is not a version", v)
			}
			oracle, err := semver.NewVersion(v)
			if err != nil {
				t.Fatal(err)
			}
			if parsed.pre != "" && strings.Contains(text, "!=") {
				continue // to the library, != 0.2 allows 0.2.1-rc
			}
			compared++
			if got.allows(parsed) != want.Check(oracle) {
				t.Fatalf("%q and %q: %v, Masterminds: %v", text, v, got.allows(parsed),
					want.Check(oracle))
			}
		}
	}
	if compared < 100_000 {
		t.Errorf("only %d comparisons", compared)
	}
}

// oddPre reports whether a constraint has a pre-release of a version with less than three numbers:
// there the library compares the numbers only for some operators.
func oddPre(text string) bool {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return strings.ContainsRune(" ,|=!<>~^", r)
	}) {
		numbers, _, hasPre := strings.Cut(word, "-")
		if hasPre && strings.Count(numbers, ".") < 2 {
			return true
		}
	}
	return false
}

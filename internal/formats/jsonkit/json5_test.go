package jsonkit_test

import (
	"fmt"
	"math"
	"os/exec"
	"testing"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
)

// readWithJSON5 prints values in which every scalar is a string with its type and value, and
// numbers are the bytes of the double in hexadecimal.
const readWithJSON5 = `
	const JSON5 = require("json5"), texts = JSON.parse(require("fs").readFileSync(0))
	const double = v => { const b = Buffer.alloc(8); b.writeDoubleBE(v || 0); return v != v ? "NaN" : b.toString("hex") }
	const tell = v => Array.isArray(v) ? v.map(tell) :
		v && typeof v == "object" ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, tell(x)])) :
		typeof v + " " + (typeof v == "number" ? double(v) : v)
	console.log(JSON.stringify(texts.map(text => { try { return tell(JSON5.parse(text)) } catch (e) { return "" + e } })))`

// TestJSON5 edits random texts and compares the result with what the json5 package of Node reads.
func TestJSON5(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node to compare with")
	}
	if exec.Command(node, "-e", `require("json5")`).Run() != nil {
		t.Skip("node has no json5 to compare with: npm install json5, and NODE_PATH")
	}
	formattest.CompareWithReader(t, dialect("a.json5"),
		func(dice formattest.Dice) string { return generate(dice, "a.json5") },
		typed, exec.Command(node, "-e", readWithJSON5))
}

// typed converts a tree to the form that readWithJSON5 prints.
func typed(v any) any {
	number := func(f float64) any {
		switch {
		case math.IsNaN(f):
			return "number NaN"
		case f == 0:
			f = 0 // turns -0 into 0: fctl reads -0 as an integer
		}
		return fmt.Sprintf("number %016x", math.Float64bits(f))
	}
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for key, value := range v {
			m[key] = typed(value)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i := range v {
			l[i] = typed(v[i])
		}
		return l
	case nil:
		return "object null"
	case bool:
		return fmt.Sprint("boolean ", v)
	case int:
		return number(float64(v))
	case int64:
		return number(float64(v))
	case uint64:
		return number(float64(v))
	case float64:
		return number(v)
	}
	return fmt.Sprint("string ", v)
}

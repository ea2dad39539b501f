package tomlkit_test

import (
	"fmt"
	"math"
	"os/exec"
	"testing"

	"github.com/fctl-dev/fctl/configkit/formatkit/formattest"
	"github.com/fctl-dev/fctl/internal/formats/tomlkit"
)

const readWithTomllib = `
import json, struct, sys, tomllib
def tell(v):
    if isinstance(v, dict): return {k: tell(x) for k, x in v.items()}
    if isinstance(v, list): return [tell(x) for x in v]
    if isinstance(v, bool): return "bool " + str(v).lower()
    if isinstance(v, int): return "int %d" % v
    if isinstance(v, float): return "float nan" if v != v else "float " + struct.pack(">d", v).hex()
    if isinstance(v, str) and not (len(v) > 4 and v.strip("0123456789-:.TZtz +") == ""): return "string " + v
    return "time"
def read(text):
    try: return tell(tomllib.loads(text))
    except Exception as e: return "error " + str(e)
json.dump([read(t) for t in json.load(sys.stdin)], sys.stdout)
`

// TestTomllib edits random texts and compares all values of the result, with their types, with
// those that Python reads.
func TestTomllib(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import tomllib").Run() != nil {
		t.Skip("no python3 with tomllib to compare with")
	}
	formattest.CompareWithReader(t, tomlkit.Converter{}, generate, typed,
		exec.Command(python, "-c", readWithTomllib))
}

// typed converts a tree to the form that readWithTomllib prints: every scalar is a string with its
// type and value.
func typed(v any) any {
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
	case bool:
		return fmt.Sprint("bool ", v)
	case float64:
		if math.IsNaN(v) {
			return "float nan"
		}
		return fmt.Sprintf("float %016x", math.Float64bits(v))
	case string:
		if plain(v) == "time" {
			return "time"
		}
		return "string " + v
	}
	return fmt.Sprint("int ", v)
}

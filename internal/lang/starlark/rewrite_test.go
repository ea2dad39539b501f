package starlark

import (
	"errors"
	"slices"
	"testing"

	"go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/fctl-dev/fctl/internal/lang/limit"
)

// TestRewrittenProgramsMeanTheSame runs programs as they are and rewritten. They end with the same
// value of out, or with the same error at the same position.
func TestRewrittenProgramsMeanTheSame(t *testing.T) {
	for name, text := range map[string]string{
		"operators":       `out = [1 + 2, "a" + "b", [1] + [2], 3 * "ab", 7 % 4, "%s" % 1, 1 << 4]`,
		"precedence":      `out = (1 + 2) * 3 - 4 % 3 + (1 << 2 + 1)`,
		"names":           "a = 2\nb = 3\nout = a + b * a",
		"a sum":           "out = 1\nout += 2",
		"a list in place": "a = [1]\nb = a\na += [2]\nb.append(3)\nout = a",
		"a list by name":  "a = [1]\nb = a\na += b\nout = [a, b]",
		"other operators": "out = 7\nout -= 1\nout //= 2\nout *= 5\nout %= 4\nout <<= 3\nout |= 1",
		"an item":         "out = {\"a\": [1, 2]}\nout[\"a\"][1] *= 5",
		"an item in ()":   "out = [1]\n(out[0]) += 5",
		"targets are evaluated once": "calls = []\ndef at(i):\n  calls.append(i)\n  return i\n" +
			"x = [[1, 2], [3, 4]]\ndef of():\n  calls.append(\"x\")\n  return x\n" +
			"of()[at(0)][at(1)] *= at(5)\nout = [x, calls]",
		"order of operands": "calls = []\ndef f(v):\n  calls.append(v)\n  return v\n" +
			"x = f(1) + f(2) * f(3)\nout = calls",
		"in functions": "def f(a, b = 2 * 3):\n  a += b\n  return a * a\nout = f(1) + f(b = 2, a = 3)",
		"in lambdas":   "f = lambda a, b = 1 + 1: a * b\nout = f(3) + f(3, b = 4)",
		"in loops": "out = []\nfor i in range(1 + 2):\n  while len(out) < i * 2:\n" +
			"    out.append(i + i)",
		"in comprehensions": "n = 3\nout = [i * n + j for i in range(n * 1) for j in [i + n] " +
			"if i * n < 7]",
		"in maps":      "n = 2\nout = {\"a\" + str(n): n * n, \"b\": {n + n: [n * n]}}",
		"conditions":   "a = 1\nout = (a + a if a * a == a else a - a)\nif a + a == 2: out += a",
		"slices":       "a = [1, 2, 3, 4]\nn = 1\nout = [a[n:n + n], a[n * 2], a[::n + n], -(n + n)]",
		"tuples":       "a, b = 1, 2\n(a, [b, c]) = (b + a, [a * 2, a + b])\nout = (a, b, c)",
		"item targets": "x = [0, 0]\nn = 1\nx[n * 1], x[n - n] = n + n, n * 5\nout = x",
		"for targets":  "x = [0]\nn = 1\nfor x[n - n] in [n + n]: pass\nout = x",
		"methods":      `out = ["a-b".replace("-", "+"), ",".join(["a", "b"]), "{}{a}".format(1, a = 2)]`,
		"a method is a value": "f = \"-\".join\ng = getattr(\"a\", \"replace\")\n" +
			`out = [f(["a", "b"]), g("a", "b"), getattr("a", "none", 1)]`,
		"methods of others": `out = [[1].index(1), {"join": 1}.get("join"), "a".upper()]`,
		"arguments":         "def f(*args, **kwargs): return [args, kwargs]\nn = 2\nout = f(n + n, *[n * n], a = n + 1, **{\"b\" + \"c\": n})",
		"nested texts":      `out = "%s %r" % ("a" * 2, ["b" + "c"])`,
		"recursion in data": "x = [1]\nx += [x]\nout = len(x)",

		"a wrong sum":            "x = [1]\n\nout = x +  \"a\"",
		"a wrong product":        "x = {}\nout = (1,\n  x * x)",
		"a wrong assignment":     "x = {}\nfor i in [1]:\n    x *= i",
		"a wrong item":           "x = [1]\nx[5] += 1",
		"a wrong key":            "x = {}\nx[\"a\"] += 1",
		"a wrong format":         `out = "%d" % "a"`,
		"a wrong method":         "x = [1]\nout = x .join([])",
		"a wrong join":           "out = [\n  \",\".join([1])]",
		"a wrong replacement":    "x = \"a\"\nout = x.replace(1)",
		"a wrong shift":          "n = -1\nout = 1 << n",
		"an error in an operand": "x = [1]\nout = 1 + x[7]",
		"an error in a function": "def f(a):\n  return a + 1\n\nout = 2 * f(\"a\")",
		"a frozen list":          "x = json.decode\nout = x + 1",
	} {
		t.Run(name, func(t *testing.T) {
			want, got := resultOf(t, text, false), resultOf(t, text, true)
			if got != want {
				t.Errorf("%s\nis %s\nwant %s", text, got, want)
			}
		})
	}
}

// resultOf runs a program and returns out, or its error after the positions of the calls.
func resultOf(t *testing.T, text string, rewritten bool) string {
	t.Helper()
	options := syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true}
	parsed, err := options.Parse(file, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := starlark.StringDict{"json": json.Module}
	if rewritten {
		rewrite(parsed)
		names = guarded()
	}
	program, err := starlark.FileProgram(parsed, names.Has)
	if err != nil {
		return err.Error()
	}
	thread := &starlark.Thread{}
	thread.SetLocal(guardsKey, guards{limit.New(nil)})
	globals, err := program.Init(thread, names)
	if err == nil {
		return globals["out"].String()
	}
	e, ok := errors.AsType[*starlark.EvalError](err)
	if !ok {
		return err.Error()
	}
	positions := ""
	for _, frame := range slices.Backward(e.CallStack) {
		if frame.Pos.Filename() == file {
			positions += frame.Pos.String() + ": "
		}
	}
	return positions + e.Msg
}

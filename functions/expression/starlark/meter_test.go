package starlark

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/expression"
)

// TestMeteredMeansTheSame runs programs as they are and with what stands in front of their operations.
func TestMeteredMeansTheSame(t *testing.T) {
	for _, text := range []string{
		"x = 1 + 2 * 3 - 4 // 5 % 6\ny = 7 / 2\nz = (1 << 4 | 3) & ~1 ^ 8 >> 1",
		"x = 'a' + 'b' * 3\ny = '%s-%d' % (x, 5)\nz = '%(a)s' % {'a': 1}",
		"x = [1] + [2] * 2\ny = (1,) + (2, 3)\nz = {1: 2} | {3: 4}\na = set([1, 2]) & set([2]) | set([3]) - set([1])",
		"x = [1]\ny = x\nx += [2]\ny += (3,)\nz = [x, y]",
		"x = {}\ny = x\nx |= {1: 2}\nz = y",
		"x = [1, 2]\nx += x\nx *= 2",
		"x = {'a': [1]}\nx['a'] += [2]\nx['a'][0] -= 5\nx['b'] = x['a']\nx['b'] += [9]",
		"n = [0]\ndef f():\n  n[0] += 1\n  return n[0]\nl = [0] * 5\nl[f()] += f()",
		"def f(a, b=2 * 3, *c, d=4 + 5, **e):\n  return [a, b, c, d, e]\nx = f(1, *[2, 3], **{'d': 4, 'g': 5})\ny = f(*(1,), e=2)",
		"x = [i * i for i in range(5) if i % 2 == 0]\ny = {k: v + 1 for k, v in {'a': 1}.items()}\nz = {i for i in [1, 1]}",
		"a, b = 1, 2\na, b = b, a\n(c, [d, e]) = (1, [2, 3])\nx = [a, b, c, d, e]\nx[0], x[1] = x[1], x[0]",
		"x = 'b' in 'abc'\ny = 3 not in [1, 2]\nz = (1, 2) in [(1, 2)]\na = 'k' in {'k': 1}\nb = 1 in set([1])",
		"x = [1, [2]] == [1, [2]]\ny = (1, 'a') < (1, 'b')\nz = 'a' >= 'b'\na = {} != {1: 1}\nb = 1 == 1.0",
		"x = 'hello'[1:3]\ny = [1, 2, 3][::-1]\nz = (1, 2, 3)[1:]\na = 'abc'[:2:1]",
		"f = lambda x, y=2: x + y\nx = f(1) + f(1, y=3)\ny = (lambda: 5)()",
		"x = 1 if [] else 2\ny = [] or 3 and 4\nz = not [] == []",
		"x = []\nfor i, (a, b) in enumerate([(1, 2), (3, 4)]):\n  if a > 1:\n    break\n  elif b:\n    x.append(i + a + b)\n  else:\n    pass\nelse_ = 1",
		"n = 5\nwhile n > 0:\n  n -= 1\n  if n == 3: continue\nx = n",
		"x = sorted([3, 1, 2], reverse=True, key=lambda v: -v)\ny = max([1, 2], [1, 3])\nz = zip([1, 2], 'ab'.elems())",
		"x = ','.join(['a', 'b'])\ny = 'a.b'.split('.')\nz = '{} {x}'.format(1, x=2)\na = 'aXa'.replace('a', 'bb')\nb = 'aaa'.replace('a', 'b', 2)",
		"x = str([1, {'a': (2,)}]) + repr('b')\ny = int('5') + len('abc')\nz = dict([('a', 1)], b=2)\na = list('ab'.codepoints())\nb = reversed([1, 2])",
		"x = 2\nx **= 2",
		"x = -5 // 2\ny = -(3 + 4)\nz = 100000000000 * 100000000000 * -1",
		"l = [1, 2, 3]\nl.insert(1, 9)\nx = l.pop() + l.index(9)\nl.extend(l)\nl.remove(9)\nd = {'a': 1}\nd.update([('b', 2)], c=3)\ny = d.pop('a') + d.setdefault('z', 7)\nz = d.items() + [d.keys()] + [d.values()]",
		"def f():\n  x = 1\n  x += 2\n  y = [x]\n  y[0] *= 3\n  return x, y\nx = f()",
		"x = (1, (2, 3))\ny = {x: 1}\nz = y[(1, (2, 3))]",
		"x = 1\nx + 'a'", "x = [1] * 'a'", "x = {}['a']", "x = [1, 2] < 3", "x = 'a' % 1", "x = 1 |= 2", "def f(): return f()\nf()", "x = 'a'.join([1])",
	} {
		if plain, metered := globalsOf(text, false), globalsOf(text, true); plain != metered {
			t.Errorf("%s:\nplain   %s\nmetered %s", text, plain, metered)
		}
	}
}

// globalsOf runs a program and shows what it made, or what was wrong.
func globalsOf(text string, metered bool) string {
	options := syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true}
	parsed, err := options.Parse(file, text, 0)
	if err != nil {
		return err.Error()
	}
	predeclared := meters()
	if metered {
		parsed.Stmts = meter(parsed.Stmts)
	}
	program, err := starlark.FileProgram(parsed, predeclared.Has)
	if err != nil {
		return err.Error()
	}
	globals, err := program.Init(&starlark.Thread{}, predeclared)
	if err != nil {
		return err.Error()
	}
	var shown []string
	for _, name := range globals.Keys() {
		if _, isFunction := globals[name].(*starlark.Function); !isFunction && name[0] != '$' {
			shown = append(shown, fmt.Sprintf("%s=%s", name, globals[name]))
		}
	}
	return strings.Join(shown, " ")
}

// TestMemoryIsBounded runs programs that ask for more memory, or time, than there is.
func TestMemoryIsBounded(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte("a: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	const double = "for i in range(100):\n  "
	for i, text := range []string{
		`x = "a" * 1000 * 1000 * 1000`,
		`x = [0] * 1000000 * 1000`,
		`x = 1000000000 * (0, 1)`,
		"l = [1]\n" + double + "l = l + l",
		"l = [1]\n" + double + "l += l",
		"l = [1]\n" + double + "l.extend(l)",
		"l = [[1]]\n" + double + "l[0] += l[0]",
		"s = 'a'\n" + double + "s += s",
		"s = b'a'\n" + double + "s += s",
		"s = 'a'\n" + double + "s = '%s%s' % (s, s)",
		"s = 'a'\n" + double + "s = '{0}{0}'.format(s)",
		"s = 'a'\n" + double + "s = ''.join([s, s])",
		"s = 'a' * 100000\ns = s.replace('', s)",
		"s = 'a' * 100000\ns = s.join([s] * 100000)",
		"s = 'a' * 100000\ns = re.sub('a', s, s)",
		"s = 'a' * 1000000\nx = re.findall('()' * 500, s)",
		"s = '[' + ','.join(['{}'] * 3000000) + ']'\nx = json.decode(s)",
		"s = '[' * 900 + ']' * 900\nx = json.indent(s, prefix='', indent=' ' * 1000000)",
		"x = [0]\n" + double + "x = [x, x]\n  y = str(x)",
		"x = [0]\n" + double + "x = [x, x]\n  y = json.encode(x)",
		"x = [0]\n" + double + "x = {1: x, 2: x}\n  y = '%s' % x",
		"x = [0]\n" + double + "x = [x, x]\n  y = '{}'.format(x)",
		"x = [0]\n" + double + "x = [x, x]\n  print(x)",
		"x = [0]\n" + double + "x = [x, x]\n  r['a'] = x",
		"x = (0,)\n" + double + "x = (x, x)\n  y = {x: 1}",
		"x = (0,)\n" + double + "x = zip([x], [x])[0]\n  y = {x: 1}",
		"x = (0,)\n" + double + "x = {x: x}.items()[0]",
		"x = (0,)\ndef f(*a): return a\n" + double + "x = f(x, x)\n  y = {x: 1}",
		"x = [list(range(100))] * 100\nfor i in range(8): x = [x] * 100\ny = x == list(x)",
		"x = [list(range(100))] * 100\nfor i in range(8): x = [x] * 100\ny = [x] in [list(x)]",
		"x = [list(range(100))] * 100\nfor i in range(8): x = [x] * 100\ny = sorted([x, list(x)])",
		"x = 2\n" + double + "x = x * x",
		"x = list(range(1000000000))",
		"x = sorted(range(1000000000))",
		"x = max(range(1000000000))",
		"x = set(range(1000000000))",
		"x = []\nx += range(1000000000)",
		"def f(*a): pass\nf(*range(1000000000))",
		"l = []\nwhile True: l.append({})",
		"l = []\nwhile True: l.append(dict())",
		"l = []\nwhile True: l.append(set())",
		"l = []\nwhile True: l.append('%d' % len(l))",
		"l = list(range(1000000))\nx = []\nwhile True: x.append(l[:])",
		"l = list(range(1000000))\nx = []\nwhile True: x.append(list(l))",
		"l = list(range(1000000))\nx = []\nwhile True: x.append(reversed(l))",
		"d = {i: i for i in range(300000)}\nx = []\nwhile True: x.append(dict(d))",
		"d = {i: i for i in range(300000)}\nx = []\nwhile True: x.append(d | {})",
		"d = {i: i for i in range(300000)}\nx = []\nwhile True: x.append(d.keys())",
		"x = []\nfor i in range(1000000): x = [x]\nprint(x)",
	} {
		if testing.Short() && i%5 != 0 {
			continue // many take all the steps there are
		}
		program, err := Compile(text, "")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		run, err := program.Bind(&expression.Scope{})
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = run(doc.Value())
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "more than") {
			t.Errorf("%s: %v", text, err)
		}
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 800 { // of all time, most of which was given back
			t.Errorf("%s: %d MB", text, used)
		}
	}
}

func BenchmarkProgram(b *testing.B) {
	doc, err := gaby.ParseYAML([]byte("spec: {containers: [{name: a, image: 'nginx:1'}, {name: b, image: 'redis:2'}]}\n"))
	if err != nil {
		b.Fatal(err)
	}
	program, err := Compile("for c in r['spec']['containers']:\n  if c['image'].startswith('nginx'):\n    c['image'] = 'registry/' + c['image'].split(':')[0] + ':' + '2'", "")
	if err != nil {
		b.Fatal(err)
	}
	run, err := program.Bind(&expression.Scope{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := run(doc.Value()); err != nil {
			b.Fatal(err)
		}
	}
}

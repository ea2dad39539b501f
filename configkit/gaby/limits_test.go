package gaby_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Inputs are untrusted: none may cost more than its size justifies, and none may panic.

// bounded runs f. It fails if f allocates too much, or takes too many times as long as reading 200
// ordinary resources takes at the moment.
func bounded(t *testing.T, times int, mostMB uint64, f func()) {
	t.Helper()
	text := string(workload(200))
	ordinary := func() time.Duration {
		start := time.Now()
		if err := firstError(text); err != nil {
			t.Fatal(err)
		}
		return time.Since(start)
	}
	unit := ordinary()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	f()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	if unit = max(unit, ordinary()); took > time.Duration(times)*unit {
		t.Errorf("took %v, more than %d times %v", took, times, unit)
	}
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > mostMB {
		t.Errorf("allocated %d MB, more than %d", mb, mostMB)
	}
}

// firstError reads everything in a text and returns the first error.
func firstError(text string, opts ...gaby.Option) error {
	c, err := gaby.ParseAll([]byte(text), opts...)
	if err != nil {
		return err
	}
	for _, d := range c {
		d.Header() //nolint:errcheck // may fail but not hang
		if err := d.Check(); err != nil {
			return err
		}
		readEverything(d)
	}
	return nil
}

func aliasBomb(levels, width int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [" + strings.Repeat("x,", width) + "x]\n")
	for i := 1; i < levels; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i,
			strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), width), ","))
	}
	return b.String()
}

func mergeBomb(levels int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 {k: v}\n")
	for i := 1; i < levels; i++ {
		fmt.Fprintf(&b, "a%d: &a%d\n  <<: [*a%d, *a%d]\n  k%d: *a%d\n", i, i, i-1, i-1, i, i-1)
	}
	return b.String()
}

func TestLimitAliases(t *testing.T) {
	for name, text := range map[string]string{
		"lists":  aliasBomb(10, 10),
		"deep":   aliasBomb(60, 2),
		"merges": mergeBomb(40),
		"maps":   "a: &a {x: 1, y: 2}\n" + strings.Join(mapBomb(30), ""),
	} {
		t.Run(name, func(t *testing.T) {
			bounded(t, 50, 600, func() {
				err := firstError(text)
				var syntax *gaby.SyntaxError
				if !errors.As(err, &syntax) || syntax.Pos.Line == 0 ||
					!strings.Contains(err.Error(), "alias") {
					t.Errorf("want a located *SyntaxError about aliases, have %v", err)
				}
			})
		})
	}
}

func mapBomb(levels int) (lines []string) {
	prev := "a"
	for i := range levels {
		lines = append(lines, fmt.Sprintf("m%d: &m%d {x: *%s, y: *%s}\n", i, i, prev, prev))
		prev = fmt.Sprintf("m%d", i)
	}
	return lines
}

func TestLimitAliasesOption(t *testing.T) {
	text := aliasBomb(3, 10)
	if err := firstError(text); err != nil {
		t.Errorf("a thousand values are not a bomb: %v", err)
	}
	if err := firstError(text, gaby.WithLimits(gaby.Limits{AliasNodes: 100})); err == nil {
		t.Error("a thousand values pass a limit of a hundred")
	}
	// Values that do not come from aliases are not counted against that limit.
	if err := firstError("a: ["+strings.Repeat("x, ", 500)+"x]\n",
		gaby.WithLimits(gaby.Limits{AliasNodes: 100})); err != nil {
		t.Errorf("there is no alias: %v", err)
	}
}

func TestAliasCycle(t *testing.T) {
	for _, text := range []string{
		"a: &a\n  b: *a\n", "a: &a [*a]\n", "&a [x, {y: *a}]\n",
		"a: &a\n  <<: *a\n  k: v\n", "a: &a\n  <<: [{x: *a}]\n", "&a\n? b\n: *a\n",
	} {
		t.Run(text, func(t *testing.T) {
			bounded(t, 50, 100, func() {
				err := firstError(text)
				var syntax *gaby.SyntaxError
				if !errors.As(err, &syntax) || syntax.Pos.Line == 0 {
					t.Errorf("%q: want a located *SyntaxError, have %v", text, err)
				}
			})
		})
	}
}

func TestLimitDepth(t *testing.T) {
	shapes := map[string]func(n int) string{
		"flow lists": func(n int) string {
			return "a: " + strings.Repeat("[", n) + strings.Repeat("]", n) + "\n"
		},
		"flow maps": func(n int) string {
			return "a: " + strings.Repeat("{b: ", n) + "c" + strings.Repeat("}", n) + "\n"
		},
		"open flow": func(n int) string { return "a: " + strings.Repeat("[", n) },
		"open maps": func(n int) string { return strings.Repeat("{a: ", n) },
		"dashes":    func(n int) string { return strings.Repeat("- ", n) + "x\n" },
		"questions": func(n int) string { return strings.Repeat("? ", n) + "x\n" },
		"block": func(n int) string {
			var b strings.Builder
			for i := range min(n, 3000) {
				b.WriteString(strings.Repeat(" ", i) + "a:\n")
			}
			return b.String()
		},
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			if name != "questions" && !strings.HasPrefix(name, "open") {
				if err := firstError(shape(400)); err != nil {
					t.Errorf("400 levels are refused: %v", err)
				}
				if err := firstError(shape(60),
					gaby.WithLimits(gaby.Limits{Depth: 50})); err == nil {
					t.Error("60 levels pass a limit of 50")
				}
			}
			bounded(t, 50, 300, func() {
				err := firstError(shape(200_000))
				var syntax *gaby.SyntaxError
				if !errors.As(err, &syntax) || syntax.Pos.Line == 0 {
					t.Errorf("want a located *SyntaxError, have %v", err)
				}
			})
		})
	}
}

func TestLimitSize(t *testing.T) {
	small := gaby.WithLimits(gaby.Limits{DocumentBytes: 1000})
	big := "a: " + strings.Repeat("x", 2000) + "\n"
	err := firstError("b: c\n---\n"+big, small)
	var syntax *gaby.SyntaxError
	if !errors.As(err, &syntax) || syntax.Pos.Line < 2 {
		t.Errorf("want a *SyntaxError in the second document, have %v", err)
	}
	// The limit applies to one document: a stream of small ones may be arbitrarily long.
	if err := firstError(strings.Repeat("a: b\n---\n", 1000)+"a: b\n", small); err != nil {
		t.Errorf("many small documents: %v", err)
	}
}

func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// All entries that a map or list loses at once are one edit, in time and in the history.
func TestDeleteAll(t *testing.T) {
	const n = 50_000
	d, err := gaby.ParseYAML([]byte(
		"a: 1\nm:\n" + numbered(n, "  k%d: v\n") + "l:\n" +
			strings.Repeat("  - v\n", n)))
	if err != nil {
		t.Fatal(err)
	}
	paths := [][]string{{"m", "x"}, {"m"}, {"l", "50000"}}
	for i := range n {
		paths = append(paths, []string{"m", fmt.Sprint("k", i)})
		if i != 7 {
			paths = append(paths, []string{"l", fmt.Sprint(i)})
		}
	}
	mark := d.Checkpoint()
	for k, err := range d.DeleteAll(paths) {
		if missing := k == 0 || k == 2; missing != (err != nil) {
			t.Errorf("%v: %v", paths[k], err)
		}
	}
	if got := d.String(); got != "a: 1\nl:\n  - v\n" {
		t.Errorf("what remains is %.50q", got)
	}
	if d.Rollback(mark); d.Search("m").Len() != n || d.Search("l").Len() != n {
		t.Error("not all of it came back")
	}
}

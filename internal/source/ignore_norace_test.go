//go:build !race

package source

import (
	"strings"
	"testing"
)

// TestRandomIgnoreLinesAsGit generates lines from the tokens that are special in them.
func TestRandomIgnoreLinesAsGit(t *testing.T) {
	r := random(t)
	of := func(parts []string, n int) string {
		var b strings.Builder
		for range 1 + r.IntN(n) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		return b.String()
	}
	tokens := []string{
		"a", "b", "c", "ab", "/", "/", "*", "*", "/**", "/**/", "?", "[ab]", "[!a]",
		"[a-b]", "[]a]", "!", "^", "-", `\*`, `\[`, `\ `, `\\`, " ", "[[:alpha:]]", "\n", "\n!",
		"#",
	}
	var paths, texts []string
	for len(paths) < 100 {
		p := of([]string{"a", "b", "c", "ab", "/", "/", "-", "[", "!", " ", "ba/"}, 6)
		if p == strings.Trim(p, "/") && !strings.Contains(p, "//") {
			paths = append(paths, p)
		}
	}
	for len(texts) < 300 {
		// doublestar differs from git in these
		if text := of(tokens, 9); !strings.Contains(text, "//") && !strings.Contains(text, "***") {
			texts = append(texts, text)
		}
	}
	checkIgnore(t, texts, paths)
}

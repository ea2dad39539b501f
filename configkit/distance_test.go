package configkit

import (
	"math/rand/v2"
	"testing"
)

// TestEditDistance compares the distance with that of the table that its definition fills.
func TestEditDistance(t *testing.T) {
	t.Parallel()
	slow := func(a, b string) int {
		at := make([][]int, len(a)+1)
		for i := range at {
			at[i] = make([]int, len(b)+1)
			for j := range at[i] {
				switch {
				case i == 0 || j == 0:
					at[i][j] = i + j
				case a[i-1] == b[j-1]:
					at[i][j] = at[i-1][j-1]
				default:
					at[i][j] = 1 + min(at[i-1][j], at[i][j-1], at[i-1][j-1])
				}
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					at[i][j] = min(at[i][j], at[i-2][j-2]+1)
				}
			}
		}
		return at[len(a)][len(b)]
	}
	r := rand.New(rand.NewPCG(1, 2))
	random := func(most int) string {
		text := make([]byte, r.IntN(most+1))
		for i := range text {
			text[i] = "abc"[r.IntN(3)]
		}
		return string(text)
	}
	for range 20000 {
		most := 8
		if r.IntN(10) == 0 {
			most = 70
		}
		a, b, limit := random(most), random(most), r.IntN(12)
		if got, want := editDistance(a, b, limit), min(slow(a, b), limit+1); got != want {
			t.Fatalf("editDistance(%q, %q, %d) = %d, want %d", a, b, limit, got, want)
		}
	}
}

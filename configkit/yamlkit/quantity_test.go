package yamlkit

import "testing"

func TestQuantities(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"500m", "0.5", 0},
		{"1", "1000m", 0},
		{"1Gi", "1024Mi", 0},
		{"1Gi", "1G", 1},
		{"1k", "1Ki", -1},
		{"2e3", "2k", 0},
		{"2E", "2e18", 0},
		{"1500u", "1.5m", 0},
		{"3n", "0.000000003", 0},
		{"-1", "1", -1},
		{"+1.5Ti", "1536Gi", 0},
		{".5", "500m", 0},
		{"5.", "5", 0},
	} {
		a, okA := parseQuantity(c.a)
		b, okB := parseQuantity(c.b)
		if !okA || !okB {
			t.Errorf("%s, %s: not both are quantities", c.a, c.b)
			continue
		}
		if got := a.compare(&b); got != c.want {
			t.Errorf("%s and %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	for _, text := range []string{"", "-", ".", "m", "1x", "1mi", "1.2.3", "1e", "1e1000", "0x10", "1 Gi", "1_000", "Ki"} {
		if _, ok := parseQuantity(text); ok {
			t.Errorf("%q is a quantity", text)
		}
	}
}

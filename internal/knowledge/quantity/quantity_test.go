package quantity

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
		t.Run(c.a, func(t *testing.T) {
			a, okA := Parse(c.a)
			b, okB := Parse(c.b)
			if !okA || !okB {
				t.Errorf("%s, %s: not both are quantities", c.a, c.b)
				return
			}
			if got := a.Compare(b); got != c.want {
				t.Errorf("%s and %s: %d, want %d", c.a, c.b, got, c.want)
			}
		})
	}
	for _, text := range []string{
		"", "-", ".", "m", "1x", "1mi", "1.2.3", "1e", "1e1000", "0x10", "1 Gi", "1_000", "Ki",
	} {
		t.Run(text, func(t *testing.T) {
			if _, ok := Parse(text); ok {
				t.Errorf("%q is a quantity", text)
			}
		})
	}
}

func TestQuantitiesAreWrittenAsKubernetesDoes(t *testing.T) {
	for _, c := range []struct {
		text  string
		times int
		want  string
	}{
		{"500m", 1, "500m"},
		{"500m", 2, "1"},
		{"0.5", 3, "1500m"},
		{"1.5", 1, "1500m"},
		{"1000", 1, "1k"},
		{"1000k", 1, "1M"},
		{"1500M", 2, "3G"},
		{"1E", 1000, "1000E"},
		{"1n", 1, "1n"},
		{"0.1n", 1, "1n"},
		{"2500u", 2, "5m"},
		{"128Mi", 1, "128Mi"},
		{"256Mi", 2, "512Mi"},
		{"512Mi", 2, "1Gi"},
		{"0.5Gi", 1, "512Mi"},
		{"0.5Ki", 1, "512"},
		{"1.5Ki", 1, "1536"},
		{"0.001Ki", 1, "1024m"},
		{"1025.5Ki", 1, "1050112"},
		{"2047.9990234375Ki", 1, "2097151"},
		{"1.0001Ki", 1, "1025"},
		{"1Ei", 2048, "2048Ei"},
		{"1e3", 2, "2e3"},
		{"12e6", 1, "12e6"},
		{"1.5e3", 1, "1500"},
		{"1e-3", 1, "1e-3"},
		{"1e21", 1, "1e21"},
		{"0", 5, "0"},
		{"0Mi", 5, "0"},
		{"1Gi", 0, "0"},
		{"-1500m", 2, "-3"},
		{"-2Ki", 1, "-2Ki"},
	} {
		t.Run(c.text, func(t *testing.T) {
			q, ok := Parse(c.text)
			if !ok {
				t.Errorf("%s is not a quantity", c.text)
				return
			}
			got := q.Times(c.times).String()
			if got != c.want {
				t.Errorf("%s times %d: %s, want %s", c.text, c.times, got, c.want)
			}
			if again, ok := Parse(got); !ok || again.String() != got {
				t.Errorf("%s is not canonical: %v %s", got, ok, again)
			}
		})
	}
}

func TestWholeQuantities(t *testing.T) {
	for text, want := range map[string]bool{
		"1": true, "1000m": true, "100m": false, "0.5Ki": true, "0.3Ki": false, "1e-3": false,
		"-2": true,
	} {
		t.Run(text, func(t *testing.T) {
			if q, _ := Parse(text); q.IsWhole() != want {
				t.Errorf("%s: %t", text, !want)
			}
		})
	}
	for text, want := range map[string]int{"-1m": -1, "0Gi": 0, "1n": 1} {
		t.Run(text, func(t *testing.T) {
			if q, _ := Parse(text); q.Sign() != want {
				t.Errorf("%s: %d", text, q.Sign())
			}
		})
	}
}
